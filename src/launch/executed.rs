//! Blocks of threads that were executed lane by lane, laid out for replay: several programs in a block, or in a warp.
//!
//! Models: the instructions that every warp executed, with the paths of diverging lanes in sequence, and the memory they
//! accessed: one access, or as many parts as the memory serves one by one. Each instruction is the one that it becomes in the
//! device's machine code.
//! Leaves out: time; sharing of paths between warps, which are kept apart.
//! Units: bytes, nodes. Sources: those of `trace::warp` and `launch::spread`.

use super::roles::{Purpose, RoleCounts};
use super::timed::TimedCode;
use crate::device::Device;
use crate::isa::nv50::TranslationError;
use crate::isa::{Access, Kernel, OpClass, Space};
use crate::launch::code::ReplayCode;
use crate::launch::half_warps::LaneAddress;
use crate::launch::memory_rules::MemoryRules;
use crate::launch::spread::{ScatteredParts, Spread};
use crate::trace::launch::Buffer;
use crate::trace::warp::{LANES, LaneAddresses};
use crate::trace::{AddressKind, ProgramTrace, SegmentId, SegmentPool, TraceOp, WarpPath};

/// The executed paths of one block's warps.
#[derive(Debug, Clone)]
pub struct ExecutedBlock {
    pub warps: Vec<WarpPath>,
    /// Nodes that each warp evaluated, mean over its lanes.
    pub nodes: Vec<u32>,
    pub offsets: Offsets,
    /// Words that the block stored: one for each of its programs.
    pub results: Vec<u32>,
}

impl ExecutedBlock {
    /// Returns the warp instructions of all its warps.
    pub fn steps(&self) -> usize {
        self.warps.iter().map(|warp| warp.steps.len()).sum()
    }
}

/// Address offsets of a block's buffers from those of the first block.
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
    /// The path of each block's first warp.
    pub order: Vec<u32>,
    /// Executed warp instructions, before translation to the device's code.
    pub steps: f64,
    /// Instructions by role.
    pub roles: RoleCounts,
    /// Words of its frame that a warp's lanes access, mean over the warps.
    pub mean_frame_words: f64,
    /// Fraction of a warp's lanes active in an instruction, mean over all instructions.
    pub active_lanes: f64,
}

impl ExecutedCode {
    /// Lays out executed blocks for a device: its machine code and its memory rules.
    pub fn on(
        device: &Device,
        kernel: &Kernel,
        blocks: &[ExecutedBlock],
    ) -> Result<Self, TranslationError> {
        let code = TimedCode::on(device, kernel)?;
        Ok(Self::laid_out(&code, MemoryRules::new(device), blocks))
    }

    /// Lays out executed blocks of code by the rules of a memory.
    pub fn laid_out(code: &TimedCode, rules: MemoryRules, blocks: &[ExecutedBlock]) -> Self {
        let mut layout = LayoutBuilder::new(code, rules);
        let mut order = Vec::with_capacity(blocks.len());
        for block in blocks {
            order.push(layout.programs.len() as u32);
            for (path, &nodes) in block.warps.iter().zip(&block.nodes) {
                layout.warp(block, path, nodes);
            }
        }
        let replay = ReplayCode::new(&code.timing, &layout.pool, &layout.programs);
        let warps = layout.programs.len().max(1) as f64;
        ExecutedCode {
            code: replay.with_scattered(layout.scattered.parts, &layout.scattered.starts),
            code_bytes: code.code_bytes,
            order,
            steps: blocks.iter().map(ExecutedBlock::steps).sum::<usize>() as f64,
            roles: layout.roles,
            mean_frame_words: layout.frame_words as f64 / warps,
            active_lanes: active_lanes(blocks),
        }
    }
}

fn active_lanes(blocks: &[ExecutedBlock]) -> f64 {
    let steps = || {
        let warps = blocks.iter().flat_map(|block| &block.warps);
        warps.flat_map(|warp| &warp.steps)
    };
    let lanes: u64 = steps().map(|step| u64::from(step.lanes)).sum();
    lanes as f64 / (LANES * steps().count().max(1)) as f64
}

/// Lays out the warps of executed blocks, one after the other.
struct LayoutBuilder<'a> {
    code: &'a TimedCode,
    rules: MemoryRules,
    pool: SegmentPool,
    programs: Vec<ProgramTrace>,
    scattered: ScatteredParts,
    roles: RoleCounts,
    /// Words of their frames that the warps so far access, each by itself.
    frame_words: u64,
}

/// Accesses still to be laid out: the timed instruction of each, its spread, and its purpose.
type Pending = Vec<(u32, Spread, Purpose)>;

impl<'a> LayoutBuilder<'a> {
    fn new(code: &'a TimedCode, rules: MemoryRules) -> Self {
        LayoutBuilder {
            code,
            rules,
            pool: SegmentPool {
                ops: Vec::new(),
                starts: vec![0],
                others_end: None,
            },
            programs: Vec::new(),
            scattered: ScatteredParts::default(),
            roles: RoleCounts::default(),
            frame_words: 0,
        }
    }

    fn warp(&mut self, block: &ExecutedBlock, path: &WarpPath, nodes: u32) {
        // An access may be that of an instruction further on: of the timed instruction, what it accesses.
        let mut pending = Pending::new();
        let mut frame = vec![false; self.code.frame.len().div_ceil(4)];
        let mut accesses = path.accesses.iter().peekable();
        for (at, step) in path.steps.iter().enumerate() {
            let mut turns = 1;
            while let Some(access) = accesses.next_if(|access| access.step == at) {
                match self.code.accesses[usize::from(step.instruction)] {
                    Some(kind) => {
                        if kind.space == Space::Local {
                            self.note_frame(&mut frame, access);
                        }
                        let spread = self.spread(block, kind, access);
                        let purpose = Purpose::of_access(kind, access.addresses[0]);
                        let timed = self.code.access(step.instruction);
                        pending.extend(timed.map(|timed| (timed, spread, purpose)));
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
        self.frame_words += frame.iter().filter(|&&accessed| accessed).count() as u64;
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
    fn timed(&mut self, timed: u32, turns: usize, pending: &mut Pending) {
        let mut op = TraceOp {
            inst: timed as u16,
            address_kind: AddressKind::None,
            warp_lines: 0,
            address: 0,
        };
        let instruction = &self.code.timing[timed as usize];
        let mut purpose = Purpose::without_access(instruction);
        if let Some(at) = pending.iter().position(|(of, ..)| *of == timed) {
            let (_, spread, own) = pending.swap_remove(at);
            self.scattered.note(&mut op, spread);
            purpose = own;
        }
        let is_constant = instruction.class == OpClass::ConstantLoad;
        let n = if is_constant { turns } else { 1 };
        self.roles.count(purpose, n as u64);
        self.pool.ops.extend(std::iter::repeat_n(op, n));
    }

    /// Marks the words of the frame that lanes access.
    fn note_frame(&self, frame: &mut [bool], lanes: &LaneAddresses) {
        for address in &lanes.addresses {
            let word = address.wrapping_sub(self.code.frame.start) as usize / 4;
            if let Some(accessed) = frame.get_mut(word) {
                *accessed = true;
            }
        }
    }

    fn spread(&self, block: &ExecutedBlock, access: Access, lanes: &LaneAddresses) -> Spread {
        let place = |address: u32| -> u64 {
            let moved = match (access.space, Buffer::of(address)) {
                (Space::Local, _) => address.wrapping_sub(self.code.frame.start),
                (Space::Global, Some(buffer)) => address + block.offsets.of(buffer),
                _ => address,
            };
            moved.into()
        };
        let lanes = lane_addresses(lanes, place);
        self.rules.spread(access, &lanes)
    }
}

/// The active lanes' numbers with their addresses, placed.
fn lane_addresses(access: &LaneAddresses, place: impl Fn(u32) -> u64) -> Vec<LaneAddress> {
    let active = (0..32).filter(|lane| access.lanes >> lane & 1 != 0);
    let addresses = access.addresses.iter().map(|&address| place(address));
    active.zip(addresses).collect()
}
