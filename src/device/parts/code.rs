//! Instruction fetch: the caches of code and constants, and the layout of instructions.

use super::issue::ALL_RESULTS;
use super::pipes::WAIT_UNITS;
use super::{CODE, CYCLES, check_power_of_two, require, section};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::ledger::Condition;
use crate::device::table::ANY;
use crate::util::refused::Refused;

section! {
    /// Instruction fetch.
    instruction_cache: InstructionCache {
        /// Size of each scheduler's own cache before the first level, including the prefetched next line; 0: none.
        l0_bytes: u32 = 0, "bytes", (0.0, 65_536.0), [Sim, Model];
        /// Issue slots that each line loaded into it from the first level occupies.
        l0_line_slots: f64 = 0.0, "slots", (0.0, 4.0), [Sim] if OWN_LINES;
        /// Latency of a jump to a line that is in the first level but not in the scheduler's own cache.
        l1_latency_cycles: u32 = 0, "cycles", CYCLES, [Sim, Model] if OWN_LINES;
        l1_bytes: u32, "bytes", CODE, [Sim, Model];
        /// First-level caches of an SMX; neighbouring schedulers share one if there are fewer caches than schedulers.
        n_l1: u32, "caches", (1.0, 16.0), [Sim];
        l15_bytes: u32, "bytes", CODE, [Sim, Model];
        /// Issue interval of one warp running code that is resident in L1, L1.5, L2, DRAM.
        cycles_per_instruction: Vec<f64>, "cycles/instruction", (0.1, 1000.0), [Sim, Model] if PREFETCHES;
        /// Instructions per group; a control word precedes each group.
        instructions_per_group: u32, "instructions", (1.0, 64.0), [Sim, Model];
        group_bytes: u32, "bytes", (8.0, 1024.0), [Sim, Model];
        line_bytes: u32, "bytes", (8.0, 1024.0), [Sim, Model];
        /// Prefetches the next line while a line runs: straight code then reaches `cycles_per_instruction`.
        prefetches: bool, "yes/no", ANY, [Sim, Model];
        l15_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Lines that the first level requests ahead of one that it lacks.
        prefetch_lines: u32 = 0, "lines", (0.0, 64.0), [Sim, Model];
        /// Most lines in flight to the first level; 0: unlimited.
        lines_in_flight: u32 = 0, "lines", (0.0, 1024.0), [Sim];
        /// Second-level caches of the chip, which the multiprocessors share.
        n_l15: u32, "caches", (1.0, 1024.0), [Sim, Model] if LIMITED_L15;
        /// Bytes per cycle that each of them supplies; 0: unlimited.
        l15_bytes_per_cycle: u32 = 0, "bytes/cycle", (0.0, 4096.0), [Sim, Model];
        l2_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
    }
}

section! {
    /// Constant memory.
    constant_cache: ConstantCache {
        /// With register tracking, the target registers of constant loads are not tracked.
        l1_latency_cycles: u32, "cycles", CYCLES, [Sim, Model] if ALL_RESULTS;
        /// Lanes among which one address is served at a time; 0 if repetitions are not counted.
        lanes_together: u32, "lanes", (0.0, 32.0), [Sim];
    }
}

const OWN_LINES: Condition = Condition {
    decided_by: &["instruction_cache.l0_bytes"],
    because: "instruction_cache.l0_bytes is 0",
    holds: |device| device.instruction_cache.l0_bytes > 0,
};
const LIMITED_L15: Condition = Condition {
    decided_by: &["instruction_cache.l15_bytes_per_cycle"],
    because: "instruction_cache.l15_bytes_per_cycle is 0",
    holds: |device| device.instruction_cache.l15_bytes_per_cycle > 0,
};
const PREFETCHES: Condition = Condition {
    decided_by: &["instruction_cache.prefetches"],
    because: "instruction_cache.prefetches is not true",
    holds: |device| device.instruction_cache.prefetches,
};

/// Associativity of the instruction caches.
pub const CODE_WAYS: u32 = 4;

/// Size of the half-word instructions of compute capability 1.x.
const SHORTEST_INSTRUCTION_BYTES: u32 = 4;

/// Checks that constants are served to a warp whole or in half-warps, that every level of the instruction cache holds a full set of
/// lines, and every group its instructions.
pub(super) fn check(device: &Device) -> Result<(), Refused> {
    let code = &device.instruction_cache;
    let field = |name: &str| format!("instruction_cache.{name}");
    check_power_of_two(&field("line_bytes"), code.line_bytes)?;
    let (lanes, name) = (
        device.constant_cache.lanes_together,
        "constant_cache.lanes_together",
    );
    require([0, 16, 32].contains(&lanes), name, lanes, "0, 16 or 32")?;
    let (line, set) = (code.line_bytes, CODE_WAYS * code.line_bytes);
    for (name, bytes) in [("l1_bytes", code.l1_bytes), ("l15_bytes", code.l15_bytes)] {
        let allowed =
            format_args!("at least {CODE_WAYS} lines of instruction_cache.line_bytes, {set} bytes");
        require(bytes >= set, &field(name), bytes, allowed)?;
    }
    let own = code.l0_bytes;
    let allowed =
        format_args!("0, or at least a line of instruction_cache.line_bytes, {line} bytes");
    require(own == 0 || own >= line, &field("l0_bytes"), own, allowed)?;
    let (group, shortest) = (code.group_bytes, SHORTEST_INSTRUCTION_BYTES);
    let least = shortest * code.instructions_per_group;
    let allowed = format_args!("at least {least}: instructions_per_group of {shortest} bytes");
    require(group >= least, &field("group_bytes"), group, allowed)?;
    let levels = code.cycles_per_instruction.len();
    let (given, allowed) = (
        format_args!("{levels} values"),
        "4 values (L1, L1.5, L2, DRAM)",
    );
    require(
        levels == 4,
        &field("cycles_per_instruction"),
        given,
        allowed,
    )
}

pub(super) fn idealize(device: &mut Device) {
    let code = &mut device.instruction_cache;
    if device.ideals.has(Ideal::InstructionFetch) {
        code.l0_line_slots = 0.0;
        code.l1_latency_cycles = 0;
        code.l15_latency_cycles = 0;
        code.l15_bytes_per_cycle = 0;
        code.lines_in_flight = 0;
        code.l2_latency_cycles = 0;
        code.prefetches = false;
    }
}

/// Instruction fetch of one multiprocessor.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeSpec {
    /// Placement of instructions in the code.
    pub layout: CodeLayout,
    /// Issue slots that a fetched line costs a scheduler, in [`WAIT_UNITS`]ths.
    pub l0_line_slots: u8,
    /// Cycles between lines from the second-level cache while all multiprocessors that share it demand as much; 0 without a limit.
    pub l15_cycles_per_line: u32,
    /// Cycles by which a multiprocessor may run ahead of its share of it.
    pub burst_cycles: u32,
    /// Delay of the line that follows the one that ran last, from the second-level cache and from the L2.
    pub next_line_cycles: [u32; 2],
}

impl CodeSpec {
    pub fn new(device: &Device) -> Self {
        let (code, n_smx) = (&device.instruction_cache, device.chip.n_smx);
        let l15_cycles_per_line = match code.l15_bytes_per_cycle {
            0 => 0,
            rate => (code.line_bytes * n_smx).div_ceil(rate * code.n_l15),
        };
        CodeSpec {
            layout: CodeLayout::new(code),
            l0_line_slots: (code.l0_line_slots * f64::from(WAIT_UNITS)).round() as u8,
            l15_cycles_per_line,
            burst_cycles: l15_cycles_per_line * n_smx.div_ceil(code.n_l15),
            next_line_cycles: next_line_cycles(code),
        }
    }
}

/// Returns the additional cycles of a line of straight code from each farther level, from the pace of one warp that runs such code.
fn next_line_cycles(cache: &InstructionCache) -> [u32; 2] {
    let jumps = [cache.l15_latency_cycles, cache.l2_latency_cycles];
    let [near, levels @ ..] = cache.cycles_per_instruction.as_slice() else {
        return jumps;
    };
    let groups = cache.line_bytes / cache.group_bytes.max(1);
    let instructions = f64::from(groups * cache.instructions_per_group);
    let mut levels = levels.iter();
    jumps.map(|jump| match levels.next() {
        Some(pace) if cache.prefetches => ((pace - near) * instructions).round() as u32,
        _ => jump,
    })
}

/// Sizes of instructions and groups: Kepler's code has a control word before every group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeLayout {
    pub instruction_bytes: u32,
    pub group_bytes: u32,
    /// Bytes of a group that hold no instruction.
    pub header_bytes: u32,
}

impl Default for CodeLayout {
    /// Instructions of 16 bytes and nothing between.
    fn default() -> Self {
        CodeLayout {
            instruction_bytes: 16,
            group_bytes: 16,
            header_bytes: 0,
        }
    }
}

impl CodeLayout {
    pub fn new(cache: &InstructionCache) -> Self {
        // Instructions are a power of two long; what is left of a group is its header.
        let share = (cache.group_bytes / cache.instructions_per_group).max(1);
        let instruction_bytes = 1 << share.ilog2();
        CodeLayout {
            instruction_bytes,
            group_bytes: cache.group_bytes,
            header_bytes: cache
                .group_bytes
                .saturating_sub(instruction_bytes * cache.instructions_per_group),
        }
    }

    /// Address of the instruction after the one at `pc_bytes`.
    #[inline]
    pub fn next(&self, pc_bytes: u32) -> u32 {
        let next = pc_bytes + self.instruction_bytes;
        if next.is_multiple_of(self.group_bytes) {
            next + self.header_bytes
        } else {
            next
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    #[test]
    fn the_next_instruction_skips_control_words_where_code_has_them() {
        let layout = |name: &str| {
            let device = Preset::load(name).unwrap().device;
            CodeLayout::new(&device.instruction_cache)
        };
        // Seven instructions of 8 bytes behind a control word of 8.
        assert_eq!(layout("gtx670").next(8), 16);
        assert_eq!(layout("gtx670").next(56), 72);
        assert_eq!(layout("h200").next(48), 64);
    }
}
