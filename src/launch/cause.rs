//! The causes that scheduler cycles are charged to, the same in every model.
//!
//! What it holds: the names, and Nsight Compute's name for each.
//! What it leaves out: counting (`sim::observe`, `model::solve`).
//! Sources: Nsight Compute's warp states; the mapping is in [`Cause::nsight_name`].

use serde::Serialize;

/// What one scheduler did in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Cause {
    /// Issued one or two instructions.
    Issued,
    /// Waiting out the compiler's stall count (fixed latency of the previous instruction).
    Wait,
    /// Waiting out the stall count of a branch.
    Branch,
    /// Local-memory load that hits the L1.
    L1Hit,
    /// Local-memory load served by the L2.
    L2,
    /// Local-memory load served by DRAM.
    Dram,
    /// Fitness-case (global) load.
    Global,
    /// Shared-memory load (program fetch).
    Shared,
    /// The pipe of the next instruction is taken.
    MathPipe,
    /// The load/store unit is taken, or its replays take the issue slot.
    LoadStoreUnit,
    /// Instruction cache miss.
    NoInstruction,
    /// No warp resident on this scheduler.
    NoWarp,
}

impl Cause {
    /// All causes in display order.
    pub const ALL: [Cause; 12] = [
        Cause::Issued,
        Cause::Wait,
        Cause::Branch,
        Cause::L1Hit,
        Cause::L2,
        Cause::Dram,
        Cause::Global,
        Cause::Shared,
        Cause::MathPipe,
        Cause::LoadStoreUnit,
        Cause::NoInstruction,
        Cause::NoWarp,
    ];

    /// The name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Issued => "issued",
            Cause::Wait => "wait",
            Cause::Branch => "branch",
            Cause::L1Hit => "l1_hit",
            Cause::L2 => "l2",
            Cause::Dram => "dram",
            Cause::Global => "global",
            Cause::Shared => "shared",
            Cause::MathPipe => "math_pipe",
            Cause::LoadStoreUnit => "load_store_unit",
            Cause::NoInstruction => "no_instruction",
            Cause::NoWarp => "no_warp",
        }
    }

    /// The same in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Cause::Issued => "issuing",
            Cause::Wait => "fixed latency",
            Cause::Branch => "branch",
            Cause::L1Hit => "stack load, L1",
            Cause::L2 => "stack load, L2",
            Cause::Dram => "stack load, DRAM",
            Cause::Global => "fitness-case load",
            Cause::Shared => "program fetch",
            Cause::MathPipe => "pipe taken",
            Cause::LoadStoreUnit => "load/store unit",
            Cause::NoInstruction => "instruction fetch",
            Cause::NoWarp => "no warp",
        }
    }

    /// Nsight Compute's warp state that this cause maps to.
    pub fn nsight_name(self) -> &'static str {
        match self {
            Cause::Issued => "selected",
            Cause::Wait => "wait",
            Cause::Branch => "branch_resolving",
            Cause::L1Hit | Cause::L2 | Cause::Dram | Cause::Global => "long_scoreboard",
            Cause::Shared => "short_scoreboard",
            Cause::MathPipe => "math_pipe_throttle",
            Cause::LoadStoreUnit => "lg_throttle",
            Cause::NoInstruction => "no_instruction",
            Cause::NoWarp => "idle",
        }
    }
}
