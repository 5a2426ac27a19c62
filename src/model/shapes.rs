//! The segments of a population, reduced to the shapes that timing depends on, and how often a node executes each.
//!
//! What it models: segments that differ in addresses only are one shape; counts are per program node in a steady iteration,
//! and per block for the prologue.
//! What it leaves out: addresses (`locality`). Units: per token. Sources: equation (9) of `docs/model.md`.

use std::collections::HashMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Inputs;
use super::path::Path;
use super::paths::Paths;
use super::rules::PathRules;
use crate::isa::OpClass;
use crate::launch::code::{MemoryRequest, ReplayCode, ReplayOp};
use crate::launch::scoreboard;
use crate::launch::spec::{IssueLimit, N_CLASSES, SmxSpec, WAIT_UNITS};

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
    /// Instructions that store.
    pub stores: f64,
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
        self.stores += times * other.stores;
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

    /// Instructions issued, those that issue together as one.
    pub fn issues(&self, spec: &SmxSpec) -> f64 {
        match spec.dispatches_per_scheduler {
            1 => self.instructions,
            _ => self.instructions - self.dual_issued,
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
        self.issues(spec) + self.branches * branch_extra + replays + self.operand_slots(spec)
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

    /// Cycles that the pipes of one scheduler work for this demand, all schedulers sharing it equally: the ALU groups of the
    /// multiprocessor, then the scheduler's own pipes.
    pub fn pipes(&self, spec: &SmxSpec) -> [f64; 4] {
        let mut pipes = [0.0; 4];
        let alu = spec.n_schedulers as f64 / f64::from(spec.alu_warps_per_cycle.max(1));
        for class in OpClass::ALL {
            let count = self.per_class[class as usize];
            match spec.limits[class as usize] {
                IssueLimit::Free => {}
                IssueLimit::PerCycle(_) => pipes[0] += count * alu,
                IssueLimit::Interval(cycles) => {
                    pipes[1 + slow_pipe(spec, class)] += count * f64::from(cycles);
                }
            }
        }
        pipes
    }
}

/// Classes that share a pipe, as the simulator groups them.
fn slow_pipe(spec: &SmxSpec, class: OpClass) -> usize {
    match (&spec.scoreboards, class) {
        (Some(_), class) => scoreboard::pipe(class),
        (None, OpClass::Sfu) => 0,
        (None, OpClass::Shift | OpClass::Bitfield) => 1,
        (None, _) => 2,
    }
}

/// What a warp executes on average: segments as shapes, and what follows what.
#[derive(Debug, Clone, Default)]
pub struct Load {
    pub demand: Demand,
    /// Instructions of every shape.
    shapes: Vec<Vec<ReplayOp>>,
    /// Executions of a shape after another one.
    sequences: Vec<Sequence>,
}

/// One shape after another, `None` at the start.
#[derive(Debug, Clone, Copy)]
struct Sequence {
    before: Option<u32>,
    shape: u32,
    executions: f64,
}

impl Load {
    /// Executions, what was executed before, and the instructions.
    pub fn sequences(&self) -> impl Iterator<Item = (f64, &[ReplayOp], &[ReplayOp])> {
        self.sequences.iter().map(|sequence| {
            let before = sequence
                .before
                .map_or(&[][..], |at| &self.shapes[at as usize]);
            let shape = &self.shapes[sequence.shape as usize];
            (sequence.executions, before, shape.as_slice())
        })
    }

    /// **(10)** Critical paths. Where results of a segment are still awaited at its end, the next one is taken together with
    /// it, less the segment alone.
    pub fn paths(&self, rules: &PathRules) -> Paths {
        let mut alone = vec![0.0; self.shapes.len()];
        let mut together: Vec<(f64, Path)> = Vec::new();
        let mut between = 0.0;
        let is_open: Vec<bool> = self
            .shapes
            .iter()
            .map(|ops| Path::is_open(ops, rules))
            .collect();
        for sequence in &self.sequences {
            let times = sequence.executions;
            let shape = &self.shapes[sequence.shape as usize];
            match sequence.before {
                Some(before) if is_open[before as usize] => {
                    let both = [self.shapes[before as usize].as_slice(), shape].concat();
                    together.push((times, Path::new(&both, rules)));
                    alone[before as usize] -= times;
                }
                before => {
                    alone[sequence.shape as usize] += times;
                    let last = before.and_then(|at| self.shapes[at as usize].last());
                    between += times * last.map_or(0.0, |last| rules.taken_cycles(last, &shape[0]));
                }
            }
        }
        let alone = alone
            .iter()
            .zip(&self.shapes)
            .filter(|(times, _)| **times != 0.0);
        let alone = alone.map(|(times, ops)| (*times, Path::new(ops, rules)));
        let all = alone.chain(together);
        let mut paths = Paths::new(all.map(|(times, path)| (times, path.joins())));
        paths.add_stalls(between);
        paths
    }
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
        let mut token = Counts::default();
        let mut nodes = 0.0;
        for &program in inputs.sample {
            let program = &code.programs[program as usize];
            token.count(code, &program.steady, 1.0, true);
            nodes += f64::from(program.nodes);
        }
        let mut prologue = Counts::default();
        for &(program, times) in inputs.prologues {
            let list = &code.programs[program as usize].prologue;
            prologue.count(code, list, times, false);
        }
        Shapes {
            token: token.load(code, 1.0 / nodes),
            prologue: prologue.load(code, 1.0),
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

/// Executions of a segment after another one; [`NOTHING`] at the start.
#[derive(Default)]
struct Counts(FxHashMap<(u32, u32), f64>);

const NOTHING: u32 = u32::MAX;

impl Counts {
    /// Adds a list of segments, which may be a loop.
    fn count(&mut self, code: &ReplayCode, list: &Range<u32>, times: f64, is_loop: bool) {
        let list = &code.lists[list.start as usize..list.end as usize];
        let mut before = match list.last() {
            Some(last) if is_loop => *last,
            _ => NOTHING,
        };
        for &segment in list {
            *self.0.entry((before, segment)).or_default() += times;
            before = segment;
        }
    }

    /// The same by shape, every execution counted as `scale`.
    fn load(self, code: &ReplayCode, scale: f64) -> Load {
        let mut load = Load::default();
        // Segments that differ in addresses only have one shape.
        let mut index: HashMap<Vec<(u32, MemoryRequest)>, u32> = HashMap::new();
        let mut shape_of: FxHashMap<u32, u32> = FxHashMap::default();
        let mut pairs: Vec<((u32, u32), f64)> = self.0.into_iter().collect();
        pairs.sort_unstable_by_key(|pair| pair.0);
        let mut sums: FxHashMap<(u32, u32), f64> = FxHashMap::default();
        let mut shape = |segment: u32, shapes: &mut Vec<Vec<ReplayOp>>| {
            *shape_of.entry(segment).or_insert_with(|| {
                let (start, end) = code.segments[segment as usize];
                let ops = &code.ops[start as usize..end as usize];
                let key = ops.iter().map(|op| (op.pc_bytes, op.request)).collect();
                *index.entry(key).or_insert_with(|| {
                    shapes.push(ops.to_vec());
                    shapes.len() as u32 - 1
                })
            })
        };
        for ((before, segment), times) in pairs {
            let before = match before {
                NOTHING => NOTHING,
                before => shape(before, &mut load.shapes),
            };
            let at = shape(segment, &mut load.shapes);
            let (start, end) = code.segments[segment as usize];
            let demand = Demand::of(&code.ops[start as usize..end as usize]);
            load.demand.add(&demand, times * scale);
            *sums.entry((before, at)).or_default() += times * scale;
        }
        let mut sums: Vec<((u32, u32), f64)> = sums.into_iter().collect();
        sums.sort_unstable_by_key(|pair| pair.0);
        load.sequences = sums
            .into_iter()
            .map(|((before, shape), executions)| Sequence {
                before: (before != NOTHING).then_some(before),
                shape,
                executions,
            })
            .collect();
        load
    }
}
