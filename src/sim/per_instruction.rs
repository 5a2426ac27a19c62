//! Counts per instruction of the code: issues, and the causes of the waits before them.
//!
//! Models: every cycle of every warp, from its first to its last, is counted once: as issuing, as waiting for the cause given to
//! the scheduler, or as ready and not selected. A wait is charged to the instruction that waits.
//! Leaves out: counts per warp.
//! Units: warp cycles. Sources: Nsight Compute's source counters, which sample the same states.

use super::code::ReplayCode;
use super::observe::{Cause, Issued, Observer, WarpSlot};
use super::warp_mask::{MAX_SCHEDULERS, MAX_WARPS};

const N_CAUSES: usize = Cause::ALL.len();

/// Warp cycles of one instruction of the code.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct InstructionCycles {
    /// Warp instructions.
    pub issues: u64,
    /// Cycles in which a warp could have issued it but the scheduler selected another warp.
    pub not_selected: u64,
    /// Cycles in which a warp waited to issue it, by `Cause as usize`.
    pub waited: [u64; N_CAUSES],
}

impl InstructionCycles {
    /// All warp cycles up to its issue, including the issue cycle.
    pub fn cycles(&self) -> u64 {
        self.issues + self.not_selected + self.waited.iter().sum::<u64>()
    }
}

/// Cycles of a warp since its last instruction.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    /// Cycles before this one are accounted for.
    accounted: u64,
    since: InstructionCycles,
}

/// Observer that counts warp cycles per instruction.
#[derive(Debug, Clone)]
pub struct PerInstruction<'a> {
    code: &'a ReplayCode,
    /// States of the warps by scheduler and slot.
    standing: Vec<Standing>,
    /// Counts by address of the instruction, over [`ADDRESS_STEP`].
    counted: Vec<InstructionCycles>,
}

/// Smallest distance between instructions in bytes.
const ADDRESS_STEP: u32 = 8;

impl<'a> PerInstruction<'a> {
    pub fn new(code: &'a ReplayCode, code_bytes: u32) -> Self {
        PerInstruction {
            code,
            standing: vec![Standing::default(); MAX_SCHEDULERS * MAX_WARPS],
            counted: vec![InstructionCycles::default(); (code_bytes / ADDRESS_STEP) as usize + 1],
        }
    }

    /// Address and cycles of every instruction that issued, in the order of the code.
    pub fn counted(&self) -> impl Iterator<Item = (u32, &InstructionCycles)> {
        let addresses = (0..).step_by(ADDRESS_STEP as usize);
        addresses
            .zip(&self.counted)
            .filter(|(_, line)| line.issues > 0)
    }

    fn of(&mut self, slot: WarpSlot) -> &mut Standing {
        let place = usize::from(slot.scheduler) * MAX_WARPS + usize::from(slot.index);
        &mut self.standing[place]
    }
}

impl Observer for PerInstruction<'_> {
    fn started(&mut self, slot: WarpSlot, _block: u32, _warp: u32, cycle: u64) {
        *self.of(slot) = Standing {
            accounted: cycle,
            since: InstructionCycles::default(),
        };
    }

    fn held(&mut self, slot: WarpSlot, cycle: u64, until: u64, cause: Cause) {
        let standing = self.of(slot);
        standing.since.not_selected += cycle.saturating_sub(standing.accounted);
        let from = standing.accounted.max(cycle);
        standing.since.waited[cause as usize] += until.saturating_sub(from);
        standing.accounted = until.max(from);
    }

    fn issued(&mut self, issued: Issued) {
        let standing = self.of(issued.slot);
        let mut since = std::mem::take(&mut standing.since);
        since.not_selected += issued.cycle.saturating_sub(standing.accounted);
        standing.accounted = issued.cycle + 1;
        let pc_bytes = self.code.ops[issued.op as usize].pc_bytes;
        let line = &mut self.counted[(pc_bytes / ADDRESS_STEP) as usize];
        line.issues += 1;
        line.not_selected += since.not_selected;
        for (own, waited) in line.waited.iter_mut().zip(since.waited) {
            *own += waited;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{OpClass, TimingOp};
    use crate::sim::testing::{alu, looped};

    #[test]
    fn a_wait_belongs_to_the_instruction_that_waits() {
        let second = TimingOp {
            pc_bytes: 8,
            ..alu(OpClass::Fp32, 9)
        };
        let code = looped(&[alu(OpClass::Fp32, 9), second]);
        let mut lines = PerInstruction::new(&code, 64);
        let slot = WarpSlot::new(1, 2);
        let issue = |op, cycle| Issued {
            slot,
            op,
            cycle,
            second: false,
        };
        lines.started(slot, 0, 0, 10);
        // Ready at 12, chosen at 15; the next one waits from 16 to 24 and is then refused until 30.
        lines.held(slot, 10, 12, Cause::NoWarp);
        lines.issued(issue(0, 15));
        lines.held(slot, 15, 24, Cause::Wait);
        lines.held(slot, 25, 30, Cause::LoadStoreUnit);
        lines.issued(issue(1, 30));
        let counted: Vec<_> = lines.counted().map(|(pc, line)| (pc, *line)).collect();
        assert_eq!(counted.len(), 2);
        let first = counted[0].1;
        assert_eq!(
            (first.issues, first.not_selected, first.cycles()),
            (1, 3, 6)
        );
        let second = counted[1].1;
        assert_eq!(second.waited[Cause::Wait as usize], 8);
        assert_eq!(second.waited[Cause::LoadStoreUnit as usize], 5);
        assert_eq!((second.not_selected, second.cycles()), (1, 15));
    }
}
