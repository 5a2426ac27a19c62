//! Blocks of threads that were executed lane by lane, laid out for replay: several programs in a block, or in a warp.
//!
//! Models: what every warp executed, its lanes' paths one after the other where they part, and where they accessed memory: one
//! access, or as many parts as the memory serves one by one; each instruction as what it becomes in the machine code of the device. Leaves out: time; paths shared by warps, which are kept apart.
//! Units: bytes, nodes. Sources: those of `trace::warp` and `launch::spread`.

use super::timed::TimedCode;
use crate::device::Device;
use crate::isa::nv50::TranslationError;
use crate::isa::{Access, Kernel, OpClass, Space};
use crate::launch::code::ReplayCode;
use crate::launch::half_warps::LaneAddress;
use crate::launch::memory_rules::MemoryRules;
use crate::launch::spread::{ScatteredParts, Spread};
use crate::trace::launch::{Buffer, LOCAL_TOP};
use crate::trace::warp::LaneAddresses;
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
    /// Timed as the code that was executed; memory serves lines.
    pub fn new(kernel: &Kernel, blocks: &[ExecutedBlock]) -> Self {
        Self::laid_out(&TimedCode::literal(kernel), MemoryRules::LINES, blocks)
    }

    /// As a device runs it: its machine code, its memory.
    pub fn on(
        device: &Device,
        kernel: &Kernel,
        blocks: &[ExecutedBlock],
    ) -> Result<Self, TranslationError> {
        let code = TimedCode::on(device, kernel)?;
        Ok(Self::laid_out(&code, MemoryRules::new(device), blocks))
    }

    pub fn laid_out(code: &TimedCode, rules: MemoryRules, blocks: &[ExecutedBlock]) -> Self {
        let mut layout = Layout::new(code, rules);
        let mut order = Vec::with_capacity(blocks.len());
        for block in blocks {
            order.push(layout.programs.len() as u32);
            for (path, &nodes) in block.warps.iter().zip(&block.nodes) {
                layout.warp(block, path, nodes);
            }
        }
        let replay = ReplayCode::new(&code.timing, &layout.pool, &layout.programs);
        ExecutedCode {
            code: replay.with_scattered(layout.scattered.parts, &layout.scattered.starts),
            code_bytes: code.code_bytes,
            order,
        }
    }
}

struct Layout<'a> {
    code: &'a TimedCode<'a>,
    rules: MemoryRules,
    pool: SegmentPool,
    programs: Vec<ProgramTrace>,
    scattered: ScatteredParts,
}

impl<'a> Layout<'a> {
    fn new(code: &'a TimedCode, rules: MemoryRules) -> Self {
        Layout {
            code,
            rules,
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
        // An access may be that of an instruction further on: of the timed instruction, what it accesses.
        let mut pending: Vec<(u32, Spread)> = Vec::new();
        let mut accesses = path.accesses.iter().peekable();
        for (at, step) in path.steps.iter().enumerate() {
            let mut turns = 1;
            while let Some(access) = accesses.next_if(|access| access.step == at) {
                match self.code.kernel.instructions[usize::from(step.instruction)].access {
                    Some(kind) => {
                        let spread = self.spread(block, kind, access);
                        let timed = self.code.access(step.instruction);
                        pending.extend(timed.map(|timed| (timed, spread)));
                    }
                    None => {
                        turns = self
                            .rules
                            .constant_turns(&lane_addresses(access, u64::from))
                    }
                }
            }
            for timed in self.code.of(step.instruction) {
                self.timed(timed, turns, &mut pending);
            }
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

    /// One timed instruction; a load of constants in as many turns as its addresses take.
    fn timed(&mut self, timed: u32, turns: usize, pending: &mut Vec<(u32, Spread)>) {
        let mut op = TraceOp {
            inst: timed as u16,
            address_kind: AddressKind::None,
            warp_lines: 0,
            address: 0,
        };
        if let Some(at) = pending.iter().position(|(of, _)| *of == timed) {
            self.scattered.note(&mut op, pending.swap_remove(at).1);
        }
        let is_constant = self.code.timing[timed as usize].class == OpClass::ConstantLoad;
        let n = if is_constant { turns } else { 1 };
        self.pool.ops.extend(std::iter::repeat_n(op, n));
    }

    fn spread(&self, block: &ExecutedBlock, access: Access, lanes: &LaneAddresses) -> Spread {
        let frame = LOCAL_TOP - self.code.kernel.frame_bytes;
        let place = |address: u32| -> u64 {
            let moved = match (access.space, Buffer::of(address)) {
                (Space::Local, _) => address.wrapping_sub(frame),
                (Space::Global, Some(buffer)) => address + block.offsets.of(buffer),
                _ => address,
            };
            moved.into()
        };
        let lanes = lane_addresses(lanes, place);
        self.rules
            .spread(access.space, u32::from(access.bytes_per_lane), &lanes)
    }
}

/// The active lanes' numbers with their addresses, placed.
fn lane_addresses(access: &LaneAddresses, place: impl Fn(u32) -> u64) -> Vec<LaneAddress> {
    let active = (0..32).filter(|lane| access.lanes >> lane & 1 != 0);
    let addresses = access.addresses.iter().map(|&address| place(address));
    active.zip(addresses).collect()
}
