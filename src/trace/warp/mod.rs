//! A warp whose 32 lanes compute everything, including float data.
//!
//! Models: registers, predicates, local memory per lane; the stack of reconvergence points with lanes that wait, break out or
//! have ended.
//! Leaves out: time; the order of diverged paths (the fall-through path runs first).
//! Units: bytes.
//! Sources: Fermi's SSY/PBK/.S as envytools describes them; PTX ISA 3.2 for the operations.

use super::error::TraceError;
use super::launch::ConstantMemory;
use super::memory::BlockMemory;
use crate::isa::Kernel;
use crate::isa::instruction::Instruction;
use crate::isa::op::Op;
use crate::isa::operand::{PT, Predicate};

mod compute;
mod flow;
mod memory;
#[cfg(test)]
mod tests;
mod uniform;

use uniform::UniformRegisters;

/// Number of lanes of a warp.
pub const LANES: usize = 32;

/// Reason for pushing an entry on the reconvergence stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Sync,
    Break,
    Continue,
    Return,
    /// Lanes that wait for all others.
    Meeting,
    /// Other side of a divergent branch.
    Diverged,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    reason: Reason,
    /// Number of Hopper's convergence barrier.
    barrier: Option<u8>,
    pc: usize,
    lanes: u32,
}

impl Entry {
    fn new(reason: Reason, pc: usize, lanes: u32) -> Self {
        Entry {
            reason,
            barrier: None,
            pc,
            lanes,
        }
    }
}

/// Reason for a warp's stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    Barrier,
    Exit,
}

/// Counts of a warp's execution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WarpCounts {
    pub instructions: u64,
    /// Branches and predicated meetings that split the active lanes.
    pub divergences: u64,
}

/// One executed instruction of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathStep {
    /// Index of the instruction.
    pub instruction: u16,
    /// Address accessed by lane 0, if any.
    pub address: Option<u32>,
    /// Number of lanes on this path.
    pub lanes: u8,
}

/// Memory access of the active lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneAddresses {
    /// Index of the step in the path.
    pub step: usize,
    /// The active lanes, at least one, by bit.
    pub lanes: u32,
    /// Addresses of the active lanes, in order.
    pub addresses: Vec<u32>,
}

/// Sizes of a block and its index in the grid, by dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockPlace {
    pub threads: [u32; 3],
    pub index: [u32; 3],
}

impl BlockPlace {
    /// Returns the first block of a grid of rows of threads.
    pub fn row(threads: u32) -> Self {
        BlockPlace {
            threads: [threads, 1, 1],
            index: [0; 3],
        }
    }

    pub fn n_threads(&self) -> u32 {
        self.threads.iter().product()
    }

    /// Returns the index of a thread in one dimension of the block.
    fn thread(&self, thread: u32, dimension: u8) -> u32 {
        let [x, y, _] = self.threads.map(|threads| threads.max(1));
        match dimension {
            0 => thread % x,
            1 => thread / x % y,
            _ => thread / x / y,
        }
    }
}

/// One warp.
pub struct Warp<'a> {
    kernel: &'a Kernel,
    constants: &'a ConstantMemory,
    place: BlockPlace,
    first_thread: u32,
    pc: usize,
    active: u32,
    exited: u32,
    registers: Vec<[u32; LANES]>,
    /// Lane masks by number.
    predicates: [u32; 16],
    cc: [u8; LANES],
    /// Registers with equal values in all lanes; results that depend only on them are computed once.
    uniform: UniformRegisters,
    stack: Vec<Entry>,
    local: Vec<[u32; LANES]>,
    pub counts: WarpCounts,
    /// Whether a lane executed each instruction: its guard held, or it is a branch.
    pub reached: Vec<bool>,
    /// Executed instructions, when asked for.
    pub path: Option<Vec<PathStep>>,
    /// Accesses of the path, in order, when asked for.
    pub accesses: Option<Vec<LaneAddresses>>,
}

impl<'a> Warp<'a> {
    /// Starts the threads of a block from `first_thread` on, at most 32, before the first instruction.
    pub fn new(
        kernel: &'a Kernel,
        constants: &'a ConstantMemory,
        place: BlockPlace,
        first_thread: u32,
    ) -> Self {
        let n_threads = place.n_threads().saturating_sub(first_thread);
        let active = if n_threads >= 32 {
            u32::MAX
        } else {
            (1 << n_threads) - 1
        };
        Self {
            kernel,
            constants,
            place,
            first_thread,
            pc: 0,
            active,
            exited: !active,
            registers: vec![[0; LANES]; 256],
            predicates: [0; 16],
            cc: [0; LANES],
            uniform: UniformRegisters::default(),
            stack: Vec::new(),
            local: vec![[0; LANES]; kernel.frame_bytes.div_ceil(4) as usize],
            counts: WarpCounts::default(),
            reached: vec![false; kernel.instructions.len()],
            path: None,
            accesses: None,
        }
    }

    /// Runs up to a barrier or the end, at most `limit` instructions in all.
    pub fn run(&mut self, memory: &mut BlockMemory, limit: u64) -> Result<Stop, TraceError> {
        loop {
            if self.active == 0 && !self.resume() {
                return Ok(Stop::Exit);
            }
            if self.counts.instructions >= limit {
                return Err(TraceError::Endless {
                    kernel: self.kernel.name.clone(),
                    instructions: self.counts.instructions,
                    limit,
                });
            }
            if self.step(memory)? {
                return Ok(Stop::Barrier);
            }
        }
    }

    fn fail(&self, instruction: &Instruction, why: impl Into<String>) -> TraceError {
        TraceError::Instruction {
            kernel: self.kernel.name.clone(),
            pc_bytes: instruction.pc_bytes,
            text: instruction.text.clone(),
            why: why.into(),
        }
    }

    /// Executes one instruction; true after a barrier.
    fn step(&mut self, memory: &mut BlockMemory) -> Result<bool, TraceError> {
        let kernel = self.kernel;
        let instruction = kernel
            .instructions
            .get(self.pc)
            .ok_or_else(|| TraceError::Kernel {
                kernel: kernel.name.clone(),
                why: "execution ran past the last instruction".to_owned(),
            })?;
        self.counts.instructions += 1;
        if let Some(path) = &mut self.path {
            path.push(PathStep {
                instruction: self.pc as u16,
                address: None,
                lanes: self.active.count_ones() as u8,
            });
        }
        let lanes = self.active & self.mask(instruction.guard);
        self.reached[self.pc] |= lanes != 0 || self.active != 0 && instruction.redirects();
        match instruction.op {
            Op::Ssy | Op::Pbk | Op::Pcnt if lanes != 0 => self.open(instruction)?,
            Op::Call if lanes != 0 => return self.call(instruction).map(|()| false),
            Op::Bra => return self.branch(instruction, lanes).map(|()| false),
            Op::Brx if lanes != 0 => return self.indirect(instruction, lanes).map(|()| false),
            Op::Brk => {
                return self
                    .leave(instruction, Reason::Break, lanes)
                    .map(|()| false);
            }
            Op::Cont => {
                return self
                    .leave(instruction, Reason::Continue, lanes)
                    .map(|()| false);
            }
            Op::Ret => {
                return self
                    .leave(instruction, Reason::Return, lanes)
                    .map(|()| false);
            }
            Op::Exit => {
                self.exit(lanes);
                return Ok(false);
            }
            Op::Barrier => {
                self.pc += 1;
                return Ok(true);
            }
            Op::WarpSync => {
                self.meet();
                return Ok(false);
            }
            Op::VoteAny => self.vote(instruction, lanes),
            Op::Shuffle(mode) => self.shuffle(instruction, mode, lanes),
            Op::Load => self.load(instruction, lanes, memory)?,
            Op::Store => self.store(instruction, lanes, memory)?,
            Op::Ssy | Op::Pbk | Op::Pcnt | Op::Brx | Op::Call | Op::Nop => {}
            _ => self.compute(instruction, lanes)?,
        }
        if instruction.sync {
            return self.leave(instruction, Reason::Sync, lanes).map(|()| false);
        }
        self.pc += 1;
        Ok(false)
    }

    fn mask(&self, predicate: Predicate) -> u32 {
        let mask = if predicate.index == PT {
            u32::MAX
        } else {
            self.predicates[usize::from(predicate.index)]
        };
        if predicate.negate { !mask } else { mask }
    }
}

fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

fn mask_of(holds: impl Fn(usize) -> bool) -> u32 {
    (0..LANES)
        .filter(|&lane| holds(lane))
        .fold(0, |mask, lane| mask | 1 << lane)
}
