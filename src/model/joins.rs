//! Critical paths, compressed to the instructions that wait for loads.
//!
//! What it does: between two such instructions only stall counts add up, so a path of dozens of instructions becomes a
//! few joins; equal ones are merged. Evaluates all paths of a kernel at once, with the derivatives to every latency.
//! What it leaves out: nothing; a test holds it against [`super::path::Path`].
//! Units: cycles. Sources: equations (10) and (11) of `docs/model.md`.

use std::collections::HashMap;

use super::path::Latencies;

/// What a join waits for; the index of a latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Awaited {
    Shared,
    Local,
    Global,
    Constant,
}

/// Loads of one kind that are issued a fixed time after an earlier join.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wait {
    /// Joins count from 1 in their path, 0 is its start.
    pub anchor: u32,
    /// From the anchor to the issue of the last of them, replays included.
    pub offset_cycles: f64,
    pub awaited: Awaited,
    /// Local lines that must all be there.
    pub lines: u32,
}

/// One instruction that waits for loads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Join {
    /// Stalls since the join before.
    pub offset_cycles: f64,
    pub waits: Vec<Wait>,
}

/// One path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Joins {
    pub joins: Vec<Join>,
    /// Stalls from the last join to the end.
    pub rest_cycles: f64,
}

/// Derivatives by latency: shared, local hit, local miss, global, constant.
pub type Gradient = [f64; 5];

/// A time and how it moves with the latencies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Linear {
    pub cycles: f64,
    pub gradient: Gradient,
}

impl Linear {
    fn later(self, cycles: f64) -> Linear {
        Linear {
            cycles: self.cycles + cycles,
            ..self
        }
    }

    fn after(self, latency_cycles: f64, which: usize) -> Linear {
        let mut later = self.later(latency_cycles);
        later.gradient[which] += 1.0;
        later
    }

    fn max(self, other: Linear) -> Linear {
        if other.cycles > self.cycles {
            other
        } else {
            self
        }
    }

    fn mix(self, other: Linear, part: f64) -> Linear {
        if part <= 0.0 {
            return self;
        }
        let between = |a: f64, b: f64| a + part * (b - a);
        let mut mixed = self.later(part * (other.cycles - self.cycles));
        for (mine, theirs) in mixed.gradient.iter_mut().zip(other.gradient) {
            *mine = between(*mine, theirs);
        }
        mixed
    }

    /// The value at other latencies, if nothing else becomes critical.
    pub fn at(&self, from: &Latencies, to: &Latencies) -> f64 {
        let moved = to.list().into_iter().zip(from.list());
        let change = moved.zip(self.gradient).map(|((to, from), slope)| {
            // An infinite latency that nothing depends on does not matter.
            if slope == 0.0 {
                0.0
            } else {
                slope * (to - from)
            }
        });
        self.cycles + change.sum::<f64>()
    }
}

impl Joins {
    /// **(10)**, **(11)** The expected length.
    pub fn cycles(&self, latencies: &Latencies) -> Linear {
        self.evaluate(latencies, &all_hit(latencies), &mut Vec::new())
    }

    fn evaluate(&self, latencies: &Latencies, all_hit: &[f64], at: &mut Vec<Linear>) -> Linear {
        at.clear();
        let mut now = Linear::default();
        at.push(now);
        for join in &self.joins {
            let mut certain = now.later(join.offset_cycles);
            let (mut hit, mut miss) = (Linear::default(), Linear::default());
            let mut lines = 0;
            for wait in &join.waits {
                let issued = at[wait.anchor as usize].later(wait.offset_cycles);
                match wait.awaited {
                    Awaited::Shared => {
                        certain = certain.max(issued.after(latencies.shared_cycles, 0))
                    }
                    Awaited::Global => {
                        certain = certain.max(issued.after(latencies.global_cycles, 3))
                    }
                    Awaited::Constant => {
                        certain = certain.max(issued.after(latencies.constant_cycles, 4));
                    }
                    Awaited::Local => {
                        hit = hit.max(issued.after(latencies.local_hit_cycles, 1));
                        miss = miss.max(issued.after(latencies.local_miss_cycles, 2));
                        lines += wait.lines as usize;
                    }
                }
            }
            let missing = 1.0 - all_hit[lines.min(MAX_LINES)];
            now = certain.max(hit).mix(certain.max(miss), missing);
            at.push(now);
        }
        now.later(self.rest_cycles)
    }
}

/// Lines that one instruction may wait for; more count as this many.
const MAX_LINES: usize = 64;

/// Probability that the first 0, 1, 2, ... lines all hit.
fn all_hit(latencies: &Latencies) -> [f64; MAX_LINES + 1] {
    let hit = 1.0 - latencies.local_miss_probability;
    let mut all = 1.0;
    std::array::from_fn(|n| {
        if n > 0 {
            all *= hit;
        }
        all
    })
}

/// All paths of a kernel, each with its executions.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    paths: Vec<(f64, Joins)>,
}

impl Paths {
    /// Merges equal paths.
    pub fn new(paths: impl IntoIterator<Item = (f64, Joins)>) -> Self {
        let mut merged: Vec<(f64, Joins)> = Vec::new();
        let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
        for (executions, joins) in paths {
            match known.entry(joins.key()) {
                std::collections::hash_map::Entry::Occupied(at) => {
                    merged[*at.get()].0 += executions
                }
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(merged.len());
                    merged.push((executions, joins));
                }
            }
        }
        Paths { paths: merged }
    }

    /// Expected length of all executions together.
    pub fn cycles(&self, latencies: &Latencies) -> Linear {
        let all_hit = all_hit(latencies);
        let mut sum = Linear::default();
        let mut at = Vec::with_capacity(64);
        for (executions, joins) in &self.paths {
            let one = joins.evaluate(latencies, &all_hit, &mut at);
            sum.add(&one, *executions);
        }
        sum
    }

    /// Distinct paths.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

impl Linear {
    /// Adds `times` executions of another time.
    pub fn add(&mut self, other: &Linear, times: f64) {
        self.cycles += times * other.cycles;
        for (mine, theirs) in self.gradient.iter_mut().zip(other.gradient) {
            *mine += times * theirs;
        }
    }
}

impl Joins {
    /// Equal for equal paths.
    fn key(&self) -> Vec<u64> {
        let mut key = vec![self.rest_cycles.to_bits()];
        for join in &self.joins {
            key.extend([join.offset_cycles.to_bits(), join.waits.len() as u64]);
            for wait in &join.waits {
                let kind =
                    wait.awaited as u64 | u64::from(wait.lines) << 8 | u64::from(wait.anchor) << 32;
                key.extend([kind, wait.offset_cycles.to_bits()]);
            }
        }
        key
    }
}
