//! Exact sequence of warp instructions that a kernel executes for one program.
//!
//! A trace is a list of *segments*: the instructions from one fetch of a program token to the next.
//! Equal segments are stored once in a [`SegmentPool`], so that a program of thousands of
//! instructions is a short list of indices.

mod affine;
pub mod alu;
pub mod builder;
pub mod error;
pub mod lanes;
pub mod launch;
pub mod memory;
pub mod mix;
pub mod program;
pub mod state;
mod trace_cache;
pub mod uniform;
pub mod warp;

pub use builder::TraceBuilder;
pub use error::TraceError;
pub use lanes::{BlockRun, CaseWords, WarpPath, execute_block, run_block, run_block_within};
pub use launch::{Argument, Buffer, KernelLaunch};
pub use program::ProgramWords;

/// One executed warp instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceOp {
    /// Index into the kernel's instructions (`TimingOp`s).
    pub inst: u16,
    /// Interpretation of `address`.
    pub address_kind: AddressKind,
    /// Distance in 128-byte lines between the accesses of consecutive warps, for the kinds that move with the warp.
    pub warp_lines: u8,
    /// Address of the access; 0 when the instruction accesses no memory.
    ///
    /// Local: byte offset in the thread's frame. Shared: byte address; if uniform, relative to the segment's token (wrapping),
    /// so that equal handlers are equal segments. Global: byte address of lane 0 of warp 0 in iteration 0 (see `AddressKind`);
    /// the ranges of [`launch::Buffer`] identify the buffer.
    pub address: u32,
}

/// Size of one 32-bit word of every lane of a warp: the unit of the load/store unit and the L1.
pub const LINE_BYTES: u32 = 128;
/// Minimum size of an L2 transfer.
pub const SECTOR_BYTES: u32 = 32;

/// Access pattern over lanes, warps and iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum AddressKind {
    /// No memory access, or one disabled by its guard predicate.
    None,
    /// Local memory: every lane accesses the same offset of its own frame.
    Local,
    /// All lanes of a warp access the same shared or global address. In shared memory other warps may access other addresses.
    Uniform,
    /// Consecutive lanes access consecutive elements that move with the fitness case: lane 0 of warp `w` in iteration `k`
    /// accesses `address + 128 * warp_lines * w + 4 * k * cases_per_iteration`.
    PerCase,
    /// Consecutive lanes access consecutive elements that move with the warp only (the results store).
    PerThread,
    /// Any other pattern, in traces of other tools and of warps whose lanes are executed one by one: `address` is the number of
    /// the access among the trace's scattered accesses (`ReplayCode::with_scattered`).
    Scattered,
    /// Part of a scattered access that is smaller than a line; `ReplayOp::quarters` gives its size.
    Segment,
}

/// Index of a segment in a [`SegmentPool`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentId(pub u32);

/// All distinct segments of one kernel, concatenated.
#[derive(Debug, Clone, Default)]
pub struct SegmentPool {
    pub ops: Vec<TraceOp>,
    /// Starts of the segments: `ops[starts[id]..starts[id + 1]]` is segment `id`.
    pub starts: Vec<u32>,
    /// Index of the exit at which every warp of a block but the first ends; only the first warp executes the rest.
    pub others_end: Option<u16>,
}

impl SegmentPool {
    /// Instructions of a segment.
    pub fn segment(&self, id: SegmentId) -> &[TraceOp] {
        let id = id.0 as usize;
        &self.ops[self.starts[id] as usize..self.starts[id + 1] as usize]
    }

    /// Number of instructions of a segment.
    pub fn length(&self, id: SegmentId) -> u32 {
        let id = id.0 as usize;
        self.starts[id + 1] - self.starts[id]
    }

    /// Number of instructions of a program that only the first warp of a block executes.
    pub fn of_first_warp(&self, program: &ProgramTrace) -> u64 {
        let Some(id) = program.last.last().or(program.only.last()) else {
            return 0;
        };
        let ops = self.segment(*id);
        let is_end = |op: &TraceOp| self.others_end == Some(op.inst);
        let after = |at: usize| ops.len() - at - 1;
        ops.iter().position(is_end).map_or(0, after) as u64
    }
}

/// Execution of one program by one warp.
///
/// A warp with `n` iterations of the fitness-case loop executes `prologue`, then for `n == 1` `only`,
/// else `first`, `n - 2` times `steady`, `last`. The epilogue is the end of `only` and `last`.
/// There is nothing between these, as the kernels' case loop is not unrolled.
#[derive(Debug, Clone, Default)]
pub struct ProgramTrace {
    /// Program copy into shared memory and set-up, up to the first token fetch.
    pub prologue: Vec<SegmentId>,
    pub only: Vec<SegmentId>,
    pub first: Vec<SegmentId>,
    pub steady: Vec<SegmentId>,
    pub last: Vec<SegmentId>,
    /// Functions and terminals of the program (the nodes counted in GPop/s).
    pub nodes: u32,
    /// Executed branches and memory guards (prologue and three iterations) that depend on float data and were assumed to take
    /// the path of ordinary numbers.
    pub assumptions: u32,
}

impl ProgramTrace {
    /// Iterations of the case loop in which assumptions are counted.
    pub const COUNTED_ITERATIONS: u32 = 3;
}
