//! Blocks of threads that were executed lane by lane, laid out for replay: several programs in a block, or in a warp.
//!
//! Models: what every warp executed, its lanes' paths one after the other where they part, and where they accessed memory: one
//! access, or as many parts as the memory serves one by one. Leaves out: time; paths shared by warps, which are kept apart.
//! Units: bytes, nodes. Sources: those of `trace::warp` and `launch::spread`.

use crate::isa::{Kernel, Space};
use crate::launch::code::ReplayCode;
use crate::launch::spread::{ScatteredParts, spread};
use crate::trace::launch::{Buffer, LOCAL_TOP};
use crate::trace::{AddressKind, ProgramTrace, SegmentId, SegmentPool, TraceOp, WarpPath};

/// What the warps of one block executed.
#[derive(Debug, Clone)]
pub struct ExecutedBlock {
    pub warps: Vec<WarpPath>,
    /// Nodes that each warp evaluated, mean over its lanes.
    pub nodes: Vec<u32>,
    pub offsets: Offsets,
}

/// How far what a block reads and writes lies behind that of the first block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offsets {
    pub programs: u32,
    /// Inputs and expected outputs.
    pub cases: u32,
    pub results: u32,
}

impl Offsets {
    fn of(self, buffer: Buffer) -> u32 {
        match buffer {
            Buffer::Programs => self.programs,
            Buffer::Inputs | Buffer::Outputs => self.cases,
            Buffer::Results => self.results,
            Buffer::ModuleData => 0,
        }
    }
}

/// Blocks ready for replay; every warp is a program of the code, those of a block in succession.
#[derive(Debug, Clone)]
pub struct ExecutedCode {
    pub code: ReplayCode,
    pub code_bytes: u32,
    /// What each block's first warp runs.
    pub order: Vec<u32>,
}

impl ExecutedCode {
    pub fn new(kernel: &Kernel, blocks: &[ExecutedBlock]) -> Self {
        let mut layout = Layout::new(kernel);
        let mut order = Vec::with_capacity(blocks.len());
        for block in blocks {
            order.push(layout.programs.len() as u32);
            for (path, &nodes) in block.warps.iter().zip(&block.nodes) {
                layout.warp(block, path, nodes);
            }
        }
        let timing: Vec<_> = kernel.instructions.iter().map(|i| i.timing()).collect();
        let code = ReplayCode::new(&timing, &layout.pool, &layout.programs);
        ExecutedCode {
            code: code.with_scattered(layout.scattered.parts, &layout.scattered.starts),
            code_bytes: kernel
                .instructions
                .last()
                .map_or(0, |last| last.pc_bytes + u32::from(last.size_bytes)),
            order,
        }
    }
}

struct Layout<'a> {
    kernel: &'a Kernel,
    pool: SegmentPool,
    programs: Vec<ProgramTrace>,
    scattered: ScatteredParts,
}

impl<'a> Layout<'a> {
    fn new(kernel: &'a Kernel) -> Self {
        Layout {
            kernel,
            pool: SegmentPool {
                ops: Vec::new(),
                starts: vec![0],
                others_end: None,
            },
            programs: Vec::new(),
            scattered: ScatteredParts::default(),
        }
    }

    fn warp(&mut self, block: &ExecutedBlock, path: &WarpPath, nodes: u32) {
        let first = self.pool.ops.len();
        let ops = path.steps.iter().map(|step| TraceOp {
            inst: step.instruction,
            address_kind: AddressKind::None,
            warp_lines: 0,
            address: 0,
        });
        self.pool.ops.extend(ops);
        for access in &path.accesses {
            self.access(block, first + access.step, &access.addresses);
        }
        let segment = SegmentId(self.pool.starts.len() as u32 - 1);
        self.pool.starts.push(self.pool.ops.len() as u32);
        self.programs.push(ProgramTrace {
            only: vec![segment],
            // What is counted of a program is counted over its steady iteration.
            steady: vec![segment],
            nodes,
            ..ProgramTrace::default()
        });
    }

    fn access(&mut self, block: &ExecutedBlock, at: usize, lanes: &[u32]) {
        let op = &mut self.pool.ops[at];
        let instruction = &self.kernel.instructions[usize::from(op.inst)];
        let Some(access) = instruction.access else {
            return;
        };
        let frame = LOCAL_TOP - self.kernel.frame_bytes;
        let place = |&address: &u32| -> u64 {
            let moved = match (access.space, Buffer::of(address)) {
                (Space::Local, _) => address.wrapping_sub(frame),
                (Space::Global, Some(buffer)) => address + block.offsets.of(buffer),
                _ => address,
            };
            moved.into()
        };
        let addresses: Vec<u64> = lanes.iter().map(place).collect();
        let spread = spread(access.space, u32::from(access.bytes_per_lane), &addresses);
        self.scattered.note(op, spread);
    }
}
