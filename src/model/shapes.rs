//! The segments of a population, reduced to the shapes that timing depends on, and how often a node executes each.
//!
//! What it models: segments that differ in addresses only are one shape; counts are per program node in a steady iteration,
//! and per block for the prologue.
//! What it leaves out: addresses (`locality`). Units: per token. Sources: equation (9) of `docs/model.md`.

use std::collections::HashMap;
use std::ops::Range;

use super::Inputs;
use super::fetch::CodeUse;
use super::path::Path;
use super::paths::Paths;
use crate::isa::OpClass;
use crate::launch::code::{MemoryRequest, ReplayCode, ReplayOp};
use crate::launch::spec::{IssueLimit, N_CLASSES, Pipe, SmxSpec, WAIT_UNITS};

/// What one execution of a shape, or one token on average, asks of the multiprocessor.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Demand {
    pub instructions: f64,
    pub dual_issued: f64,
    pub memory_instructions: f64,
    /// 128-byte lines through the load/store unit.
    pub lines: f64,
    pub local_load_lines: f64,
    pub local_store_lines: f64,
    pub global_load_lines: f64,
    pub global_load_bytes: f64,
    pub global_store_lines: f64,
    pub global_store_bytes: f64,
    pub branches: f64,
    /// Further lines of memory instructions: each takes an issue slot if the device replays.
    pub replays: f64,
    pub per_class: [f64; N_CLASSES],
    /// Instructions of each class by the different registers they read.
    pub by_sources: [[f64; 4]; N_CLASSES],
}

impl Demand {
    fn of(ops: &[ReplayOp]) -> Self {
        let mut demand = Demand::default();
        for (i, op) in ops.iter().enumerate() {
            demand.instructions += 1.0;
            if i > 0 && ops[i - 1].stall_cycles == 0 {
                demand.dual_issued += 1.0;
            }
            demand.per_class[op.class as usize] += 1.0;
            demand.by_sources[op.class as usize][usize::from(op.sources) % 4] += 1.0;
            demand.branches += f64::from(u8::from(op.redirects));
            demand.memory(op);
        }
        demand
    }

    fn memory(&mut self, op: &ReplayOp) {
        if op.request == MemoryRequest::None {
            return;
        }
        let lines = f64::from(op.lines);
        let bytes = match op.address_kind {
            crate::trace::AddressKind::Uniform => 32.0,
            _ => 128.0 * lines,
        };
        self.memory_instructions += 1.0;
        self.replays += lines - 1.0;
        match op.request {
            MemoryRequest::LocalLoad => self.local_load_lines += lines,
            MemoryRequest::LocalStore => self.local_store_lines += lines,
            MemoryRequest::GlobalLoad => {
                self.global_load_lines += lines;
                self.global_load_bytes += bytes;
            }
            MemoryRequest::GlobalStore => {
                self.global_store_lines += lines;
                self.global_store_bytes += bytes;
            }
            _ => {}
        }
        // The shared accesses of the kernels are broadcasts: one line.
        self.lines += match op.request {
            MemoryRequest::SharedLoad | MemoryRequest::SharedStore => 1.0,
            _ => lines,
        };
    }

    fn add(&mut self, other: &Demand, times: f64) {
        self.instructions += times * other.instructions;
        self.dual_issued += times * other.dual_issued;
        self.memory_instructions += times * other.memory_instructions;
        self.lines += times * other.lines;
        self.local_load_lines += times * other.local_load_lines;
        self.local_store_lines += times * other.local_store_lines;
        self.global_load_lines += times * other.global_load_lines;
        self.global_store_lines += times * other.global_store_lines;
        self.global_load_bytes += times * other.global_load_bytes;
        self.global_store_bytes += times * other.global_store_bytes;
        self.branches += times * other.branches;
        self.replays += times * other.replays;
        let (mine, theirs) = (&mut self.by_sources, &other.by_sources);
        for (mine, theirs) in mine.iter_mut().flatten().zip(theirs.iter().flatten()) {
            *mine += times * theirs;
        }
        for (mine, theirs) in self.per_class.iter_mut().zip(other.per_class) {
            *mine += times * theirs;
        }
    }

    /// Issue slots taken: a pair shares one, branches and replays take more.
    pub fn issue_slots(&self, spec: &SmxSpec) -> f64 {
        let branch_extra = f64::from(spec.branch_issue_slots.max(1) - 1);
        let replays = if spec.replays_take_issue_slots {
            self.replays
        } else {
            0.0
        };
        let slots = self.instructions - self.dual_issued;
        slots + self.branches * branch_extra + replays + self.operand_slots(spec)
    }

    /// Issue slots that waiting for operands of one register bank takes.
    pub fn operand_slots(&self, spec: &SmxSpec) -> f64 {
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

    /// Cycles that the busiest pipe of one scheduler works for this demand, all schedulers sharing it equally.
    pub fn pipe_cycles(&self, spec: &SmxSpec) -> f64 {
        let schedulers = spec.n_schedulers as f64;
        let (mut shared_alu, mut fullest_class) = (0.0, 0.0_f64);
        let mut slow = [0.0; Pipe::ALL.len()];
        for class in OpClass::ALL {
            let count = self.per_class[class as usize];
            match spec.limits[class as usize] {
                IssueLimit::Free => {}
                IssueLimit::PerCycle(limit) => {
                    shared_alu += count;
                    fullest_class = fullest_class.max(count / f64::from(limit) * schedulers);
                }
                IssueLimit::Interval(pipe, cycles) => {
                    slow[pipe as usize] += count * f64::from(cycles);
                }
            }
        }
        let alu = shared_alu / f64::from(spec.alu_warps_per_cycle.max(1)) * schedulers;
        slow.into_iter().fold(alu.max(fullest_class), f64::max)
    }
}

/// Instructions and waits of a population, each with its executions.
#[derive(Debug, Clone, Default)]
pub struct Load {
    pub demand: Demand,
    pub paths: Paths,
    pub code: CodeUse,
}

/// See the module text.
#[derive(Debug, Clone, Default)]
pub struct Shapes {
    /// One node in one warp, in the case loop.
    pub token: Load,
    /// What a warp of a block executes before its case loop.
    pub prologue: Load,
    /// Nodes of a program, mean over the blocks.
    pub mean_nodes: f64,
}

impl Shapes {
    pub fn new(inputs: &Inputs) -> Self {
        let code = inputs.code;
        let mut counts = vec![0.0; code.segments.len()];
        let mut nodes = 0.0;
        for &program in inputs.sample {
            let program = &code.programs[program as usize];
            count(code, &program.steady, 1.0, &mut counts);
            nodes += f64::from(program.nodes);
        }
        for count in &mut counts {
            *count /= nodes;
        }
        let mut before = vec![0.0; code.segments.len()];
        for &(program, times) in inputs.prologues {
            let prologue = &code.programs[program as usize].prologue;
            count(code, prologue, times, &mut before);
        }
        Shapes {
            token: load(code, &counts),
            prologue: load(code, &before),
            mean_nodes: nodes / inputs.sample.len().max(1) as f64,
        }
    }

    /// **(9)** What one token asks for if blocks run `iterations` of the case loop: its part of the prologue included.
    pub fn per_token(&self, iterations: f64) -> Demand {
        let mut demand = self.token.demand;
        demand.add(&self.prologue.demand, self.prologues_per_token(iterations));
        demand
    }

    pub fn prologues_per_token(&self, iterations: f64) -> f64 {
        1.0 / (self.mean_nodes * iterations.max(1.0))
    }
}

fn count(code: &ReplayCode, list: &Range<u32>, times: f64, counts: &mut [f64]) {
    for &segment in &code.lists[list.start as usize..list.end as usize] {
        counts[segment as usize] += times;
    }
}

fn load(code: &ReplayCode, counts: &[f64]) -> Load {
    let mut load = Load::default();
    // Segments that differ in addresses only have one path.
    let mut index: HashMap<Vec<(u32, MemoryRequest)>, usize> = HashMap::new();
    let mut distinct: Vec<(f64, &[ReplayOp])> = Vec::new();
    for (segment, &count) in counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count != 0.0)
    {
        let (start, end) = code.segments[segment];
        let ops = &code.ops[start as usize..end as usize];
        load.demand.add(&Demand::of(ops), count);
        let key = ops.iter().map(|op| (op.pc_bytes, op.request)).collect();
        let at = *index.entry(key).or_insert_with(|| {
            distinct.push((0.0, ops));
            distinct.len() - 1
        });
        distinct[at].0 += count;
    }
    for (executions, ops) in &distinct {
        load.code
            .add(*executions, ops.iter().map(|op| op.pc_bytes).collect());
    }
    load.paths = Paths::new(
        distinct
            .into_iter()
            .map(|(executions, ops)| (executions, Path::new(ops).joins())),
    );
    load
}
