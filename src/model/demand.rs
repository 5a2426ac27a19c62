//! Resources of the multiprocessor that instructions occupy.
//!
//! Models: counts of occupied resources: issue slots, pipes, lines of the load/store unit.
//! Leaves out: time.
//! Units: as in the names; pipe cycles are those of one scheduler.
//! Sources: equation (9) of `docs/model.md`.

use bytemuck::{Pod, Zeroable};

use super::add_scaled;
use crate::isa::OpClass;
use crate::launch::code::{MemoryRequest, ReplayOp};
use crate::launch::spec::{IssueLimit, N_CLASSES, Pipe, SmxSpec, WAIT_UNITS};

/// Resources occupied by one execution of a shape, or by one token on average.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Demand {
    pub instructions: f64,
    pub dual_issued: f64,
    pub memory_instructions: f64,
    /// 128-byte lines through the load/store unit.
    pub lines: f64,
    pub shared_accesses: f64,
    pub local_load_lines: f64,
    pub local_store_lines: f64,
    pub global_load_lines: f64,
    pub global_load_bytes: f64,
    pub global_store_lines: f64,
    pub global_store_bytes: f64,
    /// Store instructions.
    pub stores: f64,
    pub branches: f64,
    pub barriers: f64,
    /// Lines of memory instructions after the first: each takes an issue slot if the device replays.
    pub replays: f64,
    pub per_class: [f64; N_CLASSES],
    /// Instructions of each class, by the number of distinct registers they read.
    pub by_sources: [[f64; 4]; N_CLASSES],
}

impl Demand {
    pub(super) fn of(ops: &[ReplayOp]) -> Self {
        let mut demand = Demand::default();
        for (i, op) in ops.iter().enumerate() {
            demand.instructions += 1.0;
            if i > 0 && ops[i - 1].stall_cycles == 0 {
                demand.dual_issued += 1.0;
            }
            demand.per_class[op.class as usize] += 1.0;
            demand.by_sources[op.class as usize][usize::from(op.sources) % 4] += 1.0;
            demand.branches += f64::from(u8::from(op.redirects));
            demand.barriers += f64::from(u8::from(op.class == OpClass::Barrier));
            demand.memory(op);
        }
        demand
    }

    fn memory(&mut self, op: &ReplayOp) {
        if op.request == MemoryRequest::None {
            return;
        }
        let lines = f64::from(op.lines);
        let bytes = f64::from(op.global_access().bytes());
        self.memory_instructions += 1.0;
        self.replays += lines - 1.0;
        match op.request {
            MemoryRequest::LocalLoad => self.local_load_lines += lines,
            MemoryRequest::LocalStore => {
                self.stores += 1.0;
                self.local_store_lines += lines;
            }
            MemoryRequest::GlobalLoad => {
                self.global_load_lines += lines;
                self.global_load_bytes += bytes;
            }
            MemoryRequest::GlobalStore => {
                self.stores += 1.0;
                self.global_store_lines += lines;
                self.global_store_bytes += bytes;
            }
            _ => {}
        }
        // The shared accesses of the kernels are broadcasts: one line.
        if matches!(
            op.request,
            MemoryRequest::SharedLoad | MemoryRequest::SharedStore
        ) {
            self.shared_accesses += 1.0;
            self.lines += 1.0;
        } else {
            self.lines += lines;
        }
    }

    pub(super) fn add(&mut self, other: &Demand, times: f64) {
        add_scaled(self, other, times);
    }

    /// Issued instructions; a dual-issued pair counts once.
    pub fn issues(&self, spec: &SmxSpec) -> f64 {
        match spec.device.issue.n_dispatch {
            1 => self.instructions,
            _ => self.instructions - self.dual_issued,
        }
    }

    /// Issue slots of a scheduler: a pair shares one, branches and replays take more. Where the multiprocessor issues fewer
    /// instructions than its schedulers could, each takes its part of a slot.
    pub fn issue_slots(&self, spec: &SmxSpec) -> f64 {
        let branch_extra = f64::from(spec.device.issue.branch_issue_slots.max(1) - 1);
        let replays = if spec.device.issue.replays_take_issue_slots {
            self.replays
        } else {
            0.0
        };
        let issues = self.issues(spec) * f64::from(spec.device.issue.interval_cycles);
        let slots = issues + self.branches * branch_extra + replays + self.operand_slots(spec);
        let per_instruction = f64::from(spec.device.issue.n_schedulers)
            / f64::from(spec.device.issue.instructions_per_cycle.max(1));
        slots.max(self.instructions * per_instruction)
    }

    /// Issue slots lost to conflicts on one register bank.
    fn operand_slots(&self, spec: &SmxSpec) -> f64 {
        let full_rate =
            |class: &OpClass| matches!(spec.limits[*class as usize], IssueLimit::PerCycle(_));
        let counts = OpClass::ALL.into_iter().filter(full_rate);
        let waits = counts.flat_map(|class| {
            self.by_sources[class as usize]
                .iter()
                .zip(spec.operand_wait)
        });
        let sum: f64 = waits.map(|(count, wait)| count * f64::from(wait)).sum();
        sum / f64::from(WAIT_UNITS)
    }

    /// Busy cycles of one scheduler's pipes, with the demand shared equally among schedulers: the ALU groups of the
    /// multiprocessor, then the scheduler's own pipes.
    pub fn pipes(&self, spec: &SmxSpec) -> [f64; N_PIPES] {
        let schedulers = f64::from(spec.device.issue.n_schedulers);
        let mut pipes = [0.0; N_PIPES];
        let mut fullest_class = 0.0_f64;
        for class in OpClass::ALL {
            let count = self.per_class[class as usize];
            match spec.limits[class as usize] {
                IssueLimit::Free => {}
                IssueLimit::PerCycle(limit) => {
                    pipes[0] += count * schedulers / f64::from(spec.alu_warps_per_cycle.max(1));
                    fullest_class = fullest_class.max(count * schedulers / f64::from(limit));
                }
                IssueLimit::Interval(pipe, cycles) => {
                    pipes[1 + pipe as usize] += count * f64::from(cycles);
                }
            }
        }
        pipes[0] = pipes[0].max(fullest_class);
        pipes
    }
}

/// Number of pipes: the cores shared by all schedulers, then the pipes of one scheduler.
pub const N_PIPES: usize = 1 + Pipe::ALL.len();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Space, TimingOp};
    use crate::launch::testing::{alu, load, looped, paired, spec, store};

    fn demand() -> Demand {
        let branch = TimingOp {
            redirects: true,
            indirect: false,
            ..alu(OpClass::Control, 1)
        };
        let ops = [
            paired(OpClass::Fp32),
            alu(OpClass::Sfu, 1),
            load(Space::Local, 8),
            store(Space::Local, 4),
            load(Space::Global, 4),
            store(Space::Global, 8),
            load(Space::Shared, 4),
            branch.clone(),
            branch,
        ];
        Demand::of(&looped(&ops).ops)
    }

    #[test]
    fn instructions_are_counted_by_what_they_take() {
        let found = demand();
        assert_eq!((found.instructions, found.dual_issued), (9.0, 1.0));
        assert_eq!((found.branches, found.stores), (2.0, 2.0));
        assert_eq!(
            (found.memory_instructions, found.shared_accesses),
            (5.0, 1.0)
        );
        assert_eq!(
            (found.local_load_lines, found.local_store_lines),
            (2.0, 1.0)
        );
        assert_eq!(
            (found.global_load_lines, found.global_load_bytes),
            (1.0, 128.0)
        );
        assert_eq!(
            (found.global_store_lines, found.global_store_bytes),
            (2.0, 256.0)
        );
        assert_eq!((found.lines, found.replays), (7.0, 2.0));
        assert_eq!(found.per_class.iter().sum::<f64>(), 9.0);
        assert_eq!(found.per_class[OpClass::Memory as usize], 5.0);
    }

    #[test]
    fn slots_are_those_of_issues_branches_and_replays() {
        let (found, mut spec) = (demand(), spec());
        assert_eq!((found.issues(&spec), found.issue_slots(&spec)), (8.0, 8.0));
        spec.device.issue.branch_issue_slots = 0;
        assert_eq!(found.issue_slots(&spec), 8.0, "no fewer than one");
        spec.device.issue.branch_issue_slots = 3;
        assert_eq!(found.issue_slots(&spec), 12.0);
        spec.device.issue.replays_take_issue_slots = true;
        assert_eq!(found.issue_slots(&spec), 14.0);
        spec.device.issue.n_dispatch = 1;
        assert_eq!(found.issue_slots(&spec), 15.0);
        spec.device.issue.interval_cycles = 2;
        assert_eq!(found.issue_slots(&spec), 24.0);
    }

    #[test]
    fn operands_of_one_bank_take_slots_of_the_classes_that_issue_at_full_rate() {
        let mut spec = spec();
        spec.operand_wait = [0, 0, 4, 8];
        let reading = |class: OpClass, registers: &[u8]| TimingOp {
            reads: registers.to_vec(),
            ..alu(class, 1)
        };
        let ops = [
            reading(OpClass::Fp32, &[1, 2, 3]),
            reading(OpClass::IntAdd, &[1, 2, 1]),
            reading(OpClass::Sfu, &[1, 2]),
        ];
        let found = Demand::of(&looped(&ops).ops);
        // Half a slot and a quarter.
        assert_eq!(found.issue_slots(&spec), 3.75);
    }

    #[test]
    fn pipes_work_as_long_as_their_classes_take() {
        let mut ops = vec![alu(OpClass::Fp32, 1); 12];
        ops.extend(vec![alu(OpClass::Sfu, 1); 2]);
        let (found, mut spec) = (Demand::of(&looped(&ops).ops), spec());
        let pipes = found.pipes(&spec);
        // Six warps a cycle for four schedulers.
        assert!((pipes[0] - 8.0).abs() < 1e-12, "{pipes:?}");
        assert_eq!(pipes[1 + Pipe::Special as usize], 8.0);
        assert_eq!(pipes.iter().filter(|cycles| **cycles > 0.0).count(), 2);
        spec.limits[OpClass::Fp32 as usize] = IssueLimit::PerCycle(2);
        assert_eq!(found.pipes(&spec)[0], 24.0);
        spec.alu_warps_per_cycle = 1;
        assert_eq!(found.pipes(&spec)[0], 48.0);
    }
}
