//! One kernel's traces, laid out for replay.
//!
//! Models: joins every [`crate::trace::TraceOp`] with the timing facts of its instruction into one small
//! [`ReplayOp`], so that the issue path touches one cache line per instruction; flattens each
//! program's segment lists into index ranges.
//! Leaves out: time.
//! Units: bytes.

use std::ops::Range;

use super::demand::{self, Demand};
use crate::isa::{OpClass, Space, TimingOp};
use crate::trace::launch::BufferLayout;
use crate::trace::{
    AddressKind, Buffer, LINE_BYTES, ProgramTrace, SECTOR_BYTES, SegmentId, SegmentPool,
};

/// The request of an instruction to the load/store unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryRequest {
    None,
    LocalLoad,
    LocalStore,
    SharedLoad,
    SharedStore,
    GlobalLoad,
    GlobalStore,
}

/// One warp instruction ready for replay.
#[derive(Debug, Clone, Copy)]
pub struct ReplayOp {
    /// Registers (bits 0..63) that the instruction reads or writes: it waits for loads into any of them.
    /// With compiler-set scoreboards: the scoreboards that it waits for.
    pub registers: u64,
    /// Registers that are written, for hardware that tracks them; those of arithmetic matter only where it tracks all. With
    /// scoreboards: the one that the result releases.
    pub result_targets: u64,
    /// The scoreboard that is released when the operands have been read; 0 for none.
    pub read_targets: u8,
    /// See `TraceOp::address`.
    pub address: u32,
    /// Byte offset of the instruction in the kernel's code.
    pub pc_bytes: u32,
    pub class: OpClass,
    pub request: MemoryRequest,
    pub address_kind: AddressKind,
    /// 128-byte lines that a fully active warp touches: 1, 2 or 4.
    pub lines: u8,
    /// Cycles from this issue to the earliest next issue of the same warp; 0 pairs with the next.
    pub stall_cycles: u8,
    /// See `TraceOp::warp_lines`.
    pub warp_lines: u8,
    /// Every warp of the block but the first ends here.
    pub ends_other_warps: bool,
    /// Different registers that the instruction reads, at most 3.
    pub sources: u8,
    pub redirects: bool,
    /// See `TimingOp::indirect`.
    pub indirect: bool,
    /// Blocks' widths between the first row of cases that a thread holds and the one accessed: thread `t` holds the
    /// cases `t`, `t + threads`, `t + 2 * threads` and so on. 0 where the address says it all.
    pub case_row: u8,
    /// Sectors that an access of kind [`AddressKind::Segment`] moves, or for shared memory the quarters of a whole access's time.
    pub quarters: u8,
}

/// The parts of equal size that a global access moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlobalAccess {
    pub parts: u32,
    pub part_bytes: u32,
}

impl GlobalAccess {
    pub fn bytes(self) -> u32 {
        self.parts * self.part_bytes
    }
}

impl ReplayOp {
    /// Returns the parts of an instruction that accesses global memory: whole lines, or a sector that all lanes read.
    #[inline]
    pub fn global_access(&self) -> GlobalAccess {
        let (parts, part_bytes) = match self.address_kind {
            AddressKind::Uniform => (1, SECTOR_BYTES),
            AddressKind::Segment => (1, self.moved_bytes()),
            _ => (u32::from(self.lines), LINE_BYTES),
        };
        GlobalAccess { parts, part_bytes }
    }

    /// Address of a local access within its warp's local memory: one 32-bit word of all 32 lanes is one line.
    #[inline]
    pub fn local_address(&self) -> u32 {
        self.address * (LINE_BYTES / 4)
    }

    /// Whether the access has parts of scattered lanes, as opposed to the half-warp parts of neighbouring lanes.
    #[inline]
    pub fn is_uncoalesced(&self) -> bool {
        self.lines > COALESCED
    }

    /// Bytes of one line or segment.
    #[inline]
    pub fn moved_bytes(&self) -> u32 {
        match self.address_kind {
            AddressKind::Segment => SECTOR_BYTES * u32::from(self.quarters),
            _ => LINE_BYTES,
        }
    }

    /// The part of some cycles for a whole access that a line or segment takes.
    #[inline]
    pub fn share_of(&self, cycles: u64) -> u64 {
        match self.address_kind {
            AddressKind::Segment => (cycles * u64::from(self.quarters.min(4))).div_ceil(4),
            _ => cycles,
        }
    }

    fn is_memory(&self) -> bool {
        self.request != MemoryRequest::None
    }
}

/// Transactions of an access that is coalesced by half-warps.
const COALESCED: u8 = 2;

/// One program's phases as ranges of [`ReplayCode::lists`].
#[derive(Debug, Clone, Default)]
pub struct ReplayProgram {
    pub prologue: Range<u32>,
    pub only: Range<u32>,
    pub first: Range<u32>,
    pub steady: Range<u32>,
    pub last: Range<u32>,
    pub nodes: u32,
    /// Counts of one steady iteration of a warp.
    pub demand: Demand,
}

/// Code that warps replay: instructions, segments, programs.
#[derive(Debug, Clone)]
pub struct ReplayCode {
    pub ops: Vec<ReplayOp>,
    /// First and one-past-last instruction of every segment.
    pub segments: Vec<(u32, u32)>,
    /// Segment indices of all programs, phase after phase.
    pub lists: Vec<u32>,
    pub programs: Vec<ReplayProgram>,
    /// Parts of the accesses of kind [`AddressKind::Scattered`]. Traces of uniform kernels have none.
    pub scattered: Vec<Part>,
}

/// One 32-byte sector, 128-byte line, segment, local word or shared-memory turn of a scattered access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub kind: AddressKind,
    pub address: u32,
    /// See [`ReplayOp::quarters`].
    pub quarters: u8,
}

impl ReplayCode {
    /// Lays out `programs`, whose segments are in `pool`, executed by a kernel of instructions `timing`.
    pub fn new(timing: &[TimingOp], pool: &SegmentPool, programs: &[ProgramTrace]) -> Self {
        let scoreboards = timing.iter().any(|op| op.barriers.wait_mask != 0);
        let ops: Vec<ReplayOp> = pool
            .ops
            .iter()
            .map(|op| {
                let replay = static_part(&timing[op.inst as usize], scoreboards);
                let active = op.address_kind != AddressKind::None;
                ReplayOp {
                    address: op.address,
                    address_kind: op.address_kind,
                    warp_lines: op.warp_lines,
                    ends_other_warps: pool.others_end == Some(op.inst),
                    request: if active {
                        replay.request
                    } else {
                        MemoryRequest::None
                    },
                    result_targets: if active || !replay.is_memory() {
                        replay.result_targets
                    } else {
                        0
                    },
                    ..replay
                }
            })
            .collect();
        let segments: Vec<(u32, u32)> = pool
            .starts
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .collect();
        let total = |demands: &mut dyn Iterator<Item = Demand>| demands.fold([0; _], demand::sum);
        let demands: Vec<Demand> = segments
            .iter()
            .map(|&(start, end)| {
                total(&mut ops[start as usize..end as usize].iter().map(demand::of_op))
            })
            .collect();
        let mut lists = Vec::new();
        let programs = programs
            .iter()
            .map(|program| {
                let mut phase = |ids: &[SegmentId]| {
                    let start = lists.len() as u32;
                    lists.extend(ids.iter().map(|id| id.0));
                    start..lists.len() as u32
                };
                ReplayProgram {
                    prologue: phase(&program.prologue),
                    only: phase(&program.only),
                    first: phase(&program.first),
                    steady: phase(&program.steady),
                    last: phase(&program.last),
                    nodes: program.nodes,
                    demand: total(&mut program.steady.iter().map(|id| demands[id.0 as usize])),
                }
            })
            .collect();
        ReplayCode {
            ops,
            segments,
            lists,
            programs,
            scattered: Vec::new(),
        }
    }

    /// Adds the scattered accesses of the trace: number `n` has the parts
    /// `starts[n]..starts[n + 1]`, at most 255 of them.
    pub fn with_scattered(mut self, parts: Vec<Part>, starts: &[u32]) -> Self {
        for op in &mut self.ops {
            if op.address_kind == AddressKind::Scattered {
                let number = op.address as usize;
                op.address = starts[number];
                op.lines = (starts[number + 1] - starts[number]) as u8;
            }
        }
        self.scattered = parts;
        self
    }

    /// Returns the code for blocks of any size, from traces made for blocks of `threads` and rows of `cases`: the block's size is
    /// taken out of the addresses that move with the case.
    pub fn of_any_block(mut self, threads: u32, cases: u32) -> Self {
        for op in &mut self.ops {
            let buffer = Buffer::of(op.address).map_or(0, Buffer::address);
            if op.address_kind == AddressKind::PerCase && buffer > 0 {
                let in_row = (op.address - buffer) % (4 * cases);
                op.case_row = (in_row / (4 * threads)) as u8;
                op.address -= u32::from(op.case_row) * 4 * threads;
            }
        }
        self
    }

    /// Returns the code with its buffers laid out as in a launch; the traces have rows of `cases`.
    pub fn laid_out(mut self, layout: &BufferLayout, cases: u32) -> Self {
        for op in &mut self.ops {
            let is_global = matches!(
                op.request,
                MemoryRequest::GlobalLoad | MemoryRequest::GlobalStore
            );
            let buffer = Buffer::of(op.address).filter(|_| is_global);
            let Some((buffer, start)) = buffer.and_then(|b| Some((b, layout.start(b)?))) else {
                continue;
            };
            let offset = op.address - buffer.address();
            op.address = start
                + match op.address_kind {
                    AddressKind::PerCase => {
                        offset / (4 * cases) * layout.row_bytes + offset % (4 * cases)
                    }
                    _ => offset,
                };
        }
        self
    }

    /// A scattered access as accesses of one line each.
    pub fn parts(&self, op: &ReplayOp) -> impl Iterator<Item = ReplayOp> {
        let op = *op;
        let first = op.address as usize;
        let parts = &self.scattered[first..first + usize::from(op.lines)];
        parts.iter().map(move |part| ReplayOp {
            address: part.address,
            address_kind: part.kind,
            quarters: part.quarters,
            lines: 1,
            ..op
        })
    }
}

/// Returns the scoreboards that an instruction waits for and releases: wait mask, write, read.
fn scoreboard_masks(op: &TimingOp) -> (u64, u64, u8) {
    let bit = |index: Option<u8>| index.map_or(0, |index| 1u8 << index);
    let barriers = &op.barriers;
    (
        u64::from(barriers.wait_mask),
        u64::from(bit(barriers.write)),
        bit(barriers.read),
    )
}

fn static_part(op: &TimingOp, scoreboards: bool) -> ReplayOp {
    let mask = |registers: &[u8]| {
        registers
            .iter()
            .fold(0u64, |mask, &r| mask | 1u64 << (r & 63))
    };
    let (request, lines) = match op.access {
        None => (MemoryRequest::None, 0),
        Some(access) => {
            let request = match (access.space, access.store) {
                (Space::Local, false) => MemoryRequest::LocalLoad,
                (Space::Local, true) => MemoryRequest::LocalStore,
                (Space::Shared, false) => MemoryRequest::SharedLoad,
                (Space::Shared, true) => MemoryRequest::SharedStore,
                (Space::Global, false) => MemoryRequest::GlobalLoad,
                (Space::Global, true) => MemoryRequest::GlobalStore,
            };
            (request, (access.bytes_per_lane / 4).max(1))
        }
    };
    let is_load = matches!(
        request,
        MemoryRequest::LocalLoad | MemoryRequest::SharedLoad | MemoryRequest::GlobalLoad
    );
    // No code that is tracked by registers has more than 63 of them: the last bit stands for all predicates.
    let predicates = |mask: u8| u64::from(mask != 0) << 63;
    let by_register = || {
        let written = mask(&op.writes);
        let registers = mask(&op.reads) | written | predicates(op.pred_reads | op.pred_writes);
        // A comparison may have its operand in shared memory.
        let targets = match is_load || request == MemoryRequest::None {
            true => written | predicates(op.pred_writes),
            false => 0,
        };
        (registers, targets, 0)
    };
    let (registers, result_targets, read_targets) = if scoreboards {
        scoreboard_masks(op)
    } else {
        by_register()
    };
    ReplayOp {
        registers,
        result_targets,
        read_targets,
        address: 0,
        pc_bytes: op.pc_bytes,
        class: op.class,
        request,
        address_kind: AddressKind::None,
        lines,
        stall_cycles: if op.dual_with_next {
            0
        } else {
            op.stall_cycles.max(1)
        },
        sources: n_sources(op),
        redirects: op.redirects,
        indirect: op.indirect,
        warp_lines: 0,
        ends_other_warps: false,
        case_row: 0,
        quarters: 0,
    }
}

fn n_sources(op: &TimingOp) -> u8 {
    let earlier = |i: usize| op.reads[..i].contains(&op.reads[i]);
    let different = (0..op.reads.len()).filter(|&i| !earlier(i)).count();
    different.min(3) as u8
}
