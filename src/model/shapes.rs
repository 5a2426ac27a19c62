//! Segments of a population, reduced to the shapes that timing depends on, and how often a node executes each.
//!
//! Models: segments that differ only in addresses are one shape; counts are per program node in a steady iteration, and per
//! block for the prologue; executions are counted by the shape before.
//! Leaves out: addresses (`locality`).
//! Units: per token.
//! Sources: equation (9) of `docs/model.md`.

use std::collections::HashMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Inputs;
use super::demand::Demand;
use super::path::{Builder, Path, PathRules, Paths};
use crate::launch::code::{MemoryRequest, ReplayCode, ReplayOp};

/// Mean execution of a warp: segments as shapes, and their succession.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    pub demand: Demand,
    /// Instructions of every shape.
    shapes: Vec<Vec<ReplayOp>>,
    /// Executions of each pair of consecutive shapes.
    sequences: Vec<Sequence>,
}

/// One shape after another; `None` at the start.
#[derive(Debug, Clone, Copy)]
struct Sequence {
    before: Option<u32>,
    shape: u32,
    executions: f64,
}

impl Profile {
    /// Executions, the instructions before, and the instructions themselves.
    pub fn sequences(&self) -> impl Iterator<Item = (f64, &[ReplayOp], &[ReplayOp])> {
        self.sequences.iter().map(|sequence| {
            let before = sequence
                .before
                .map_or(&[][..], |at| &self.shapes[at as usize]);
            let shape = &self.shapes[sequence.shape as usize];
            (sequence.executions, before, shape.as_slice())
        })
    }

    /// **(10)** Critical paths. A segment is combined with the one before if results of that one may still be pending.
    pub fn paths(&self, rules: &PathRules) -> Paths {
        let mut paths = Builder::default();
        let mut alone = vec![0.0; self.shapes.len()];
        let is_open: Vec<bool> = self
            .shapes
            .iter()
            .map(|ops| Path::is_open(ops, rules))
            .collect();
        for sequence in &self.sequences {
            let executions = sequence.executions;
            let shape = &self.shapes[sequence.shape as usize];
            let Some(before) = sequence.before else {
                alone[sequence.shape as usize] += executions;
                continue;
            };
            let ops_before = self.shapes[before as usize].as_slice();
            let stalls = ops_before
                .last()
                .map_or(0.0, |last| rules.taken_cycles(last, &shape[0]));
            if is_open[before as usize] {
                let both = [ops_before, shape].concat();
                let path = Path::new(&both, rules).stall_points(ops_before.len());
                paths.add(sequence.shape, Some((before, stalls)), executions, path);
            } else {
                alone[sequence.shape as usize] += executions;
                paths.add_stalls(executions * stalls);
            }
        }
        let alone = alone.into_iter().zip(0u32..);
        for (executions, shape) in alone.filter(|(executions, _)| *executions != 0.0) {
            let path = Path::new(&self.shapes[shape as usize], rules).stall_points(0);
            paths.add(shape, None, executions, path);
        }
        paths.finish()
    }
}

/// Profiles of a token and of a prologue.
#[derive(Debug, Clone, Default)]
pub struct Shapes {
    /// One node in one warp, in the case loop.
    pub token: Profile,
    /// Execution of a block's warp before its case loop.
    pub prologue: Profile,
    /// Execution of a warp of a block without fitness cases; empty where a launch has no such blocks.
    pub empty_block: Profile,
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
        let mut empty = Counts::default();
        if let Some(program) = inputs.empty_block {
            empty.count(code, &code.programs[program as usize].only, 1.0, false);
        }
        Shapes {
            empty_block: empty.profile(code, 1.0),
            token: token.profile(code, 1.0 / nodes),
            prologue: prologue.profile(code, 1.0),
            mean_nodes: nodes / inputs.sample.len().max(1) as f64,
        }
    }

    /// **(9)** Demand of one token if blocks run `iterations` of the case loop, including its share of the prologue.
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

    /// Converts the counts to a profile by shape, every execution weighted by `scale`.
    fn profile(self, code: &ReplayCode, scale: f64) -> Profile {
        let mut profile = Profile::default();
        // Segments that differ only in addresses have one shape.
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
                before => shape(before, &mut profile.shapes),
            };
            let at = shape(segment, &mut profile.shapes);
            let (start, end) = code.segments[segment as usize];
            let demand = Demand::of(&code.ops[start as usize..end as usize]);
            profile.demand.add(&demand, times * scale);
            *sums.entry((before, at)).or_default() += times * scale;
        }
        let mut sums: Vec<((u32, u32), f64)> = sums.into_iter().collect();
        sums.sort_unstable_by_key(|pair| pair.0);
        profile.sequences = sums
            .into_iter()
            .map(|((before, shape), executions)| Sequence {
                before: (before != NOTHING).then_some(before),
                shape,
                executions,
            })
            .collect();
        profile
    }
}
