//! All critical paths of a kernel as one tree, evaluated at once.
//!
//! What it does: paths that begin alike share their stall points, so that each is evaluated once. Derivatives to the latencies
//! are found backwards (reverse mode): every stall point passes its executions on to the instruction or the load that decided
//! when it was reached.
//! A test holds it against [`super::path::Path`].
//! Units: cycles. Sources: equations (10) and (11) of `docs/model.md`; reverse mode: Griewank and Walther, Evaluating
//! Derivatives (2008), chapter 3.

use std::collections::HashMap;

use super::path::Latencies;
use super::stall_points::{Awaited, StallPoint, StallPoints};

/// Derivatives by latency (shared, local hit, local miss, global, constant, operands) and by the probability of a local miss.
pub type Gradient = [f64; 7];

const SHARED: usize = 0;
const LOCAL_HIT: usize = 1;
const LOCAL_MISS: usize = 2;
const GLOBAL: usize = 3;
const CONSTANT: usize = 4;
const OPERANDS: usize = 5;
const MISS_PROBABILITY: usize = 6;

/// A time and how it moves with the latencies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Linear {
    pub cycles: f64,
    pub gradient: Gradient,
}

impl Linear {
    /// The value at other latencies, if nothing else becomes critical.
    #[inline]
    pub fn at(&self, from: &Latencies, to: &Latencies) -> f64 {
        let (from, to) = (from.list(), to.list());
        let change = |which: usize| self.gradient[which] * (to[which] - from[which]);
        let sum: f64 = (0..to.len()).map(change).sum();
        if sum.is_nan() {
            // An infinite latency that nothing depends on does not matter.
            let matters = |which: &usize| self.gradient[*which] != 0.0;
            let changes = (0..to.len()).filter(matters).map(change);
            return self.cycles + changes.sum::<f64>();
        }
        self.cycles + sum
    }

    /// Adds `times` executions of another time.
    pub fn add(&mut self, other: &Linear, times: f64) {
        self.cycles += times * other.cycles;
        for (mine, theirs) in self.gradient.iter_mut().zip(other.gradient) {
            *mine += times * theirs;
        }
    }
}

/// A stall point of the tree. Stall points are numbered so that those before it have smaller numbers.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The stall point before, and the stalls since.
    before: u32,
    offset_cycles: f64,
    /// Waits: those that surely take their latency, then those for local loads.
    certain: u32,
    local: u32,
    end: u32,
    /// Local lines that must all be there.
    lines: u32,
}

/// A load that is waited for.
#[derive(Debug, Clone, Copy)]
struct Load {
    anchor: u32,
    /// Index of its latency.
    which: u32,
    offset_cycles: f64,
}

/// All paths of a kernel, each with its executions.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The start, then the stall points.
    nodes: Vec<Node>,
    loads: Vec<Load>,
    /// Executions of the paths that end after each node; below 0 where paths that go on there are counted from it.
    ends: Vec<f64>,
    /// Stalls after the last stall points, of all executions.
    rest_cycles: f64,
}

impl Default for Paths {
    fn default() -> Self {
        Paths::new([])
    }
}

/// Equal for equal stall points after the same one.
type Key = Vec<u64>;

impl Paths {
    pub fn new(paths: impl IntoIterator<Item = (f64, StallPoints)>) -> Self {
        let start = Node {
            before: 0,
            offset_cycles: 0.0,
            certain: 0,
            local: 0,
            end: 0,
            lines: 0,
        };
        let mut tree = Paths {
            nodes: vec![start],
            loads: Vec::new(),
            ends: vec![0.0],
            rest_cycles: 0.0,
        };
        let mut known: HashMap<Key, u32> = HashMap::new();
        for (executions, stall_points) in paths {
            let stall_points = stall_points.pruned();
            let mut way = vec![0];
            for join in &stall_points.stall_points {
                let before = way[way.len() - 1];
                let node = known.entry(key(before, join, &way));
                way.push(*node.or_insert_with(|| tree.push(before, join, &way)));
            }
            tree.ends[way[way.len() - 1] as usize] += executions;
            tree.rest_cycles += executions * stall_points.rest_cycles;
        }
        tree
    }

    /// Stalls that are part of no path.
    pub fn add_stalls(&mut self, cycles: f64) {
        self.rest_cycles += cycles;
    }

    fn push(&mut self, before: u32, join: &StallPoint, way: &[u32]) -> u32 {
        let certain = self.loads.len() as u32;
        let mut add = |local: bool| {
            for wait in &join.waits {
                if (wait.awaited == Awaited::Local) == local {
                    self.loads.push(Load {
                        anchor: way[wait.anchor as usize],
                        which: match wait.awaited {
                            Awaited::Shared => SHARED as u32,
                            Awaited::Local => LOCAL_HIT as u32,
                            Awaited::Global => GLOBAL as u32,
                            Awaited::Constant => CONSTANT as u32,
                            Awaited::Operands => OPERANDS as u32,
                            Awaited::Known => NO_LATENCY,
                        },
                        offset_cycles: wait.offset_cycles,
                    });
                }
            }
            self.loads.len() as u32
        };
        let local = add(false);
        let end = add(true);
        let locals = join.waits.iter().filter(|w| w.awaited == Awaited::Local);
        self.nodes.push(Node {
            before,
            offset_cycles: join.offset_cycles,
            certain,
            local,
            end,
            lines: locals.map(|wait| wait.lines).sum(),
        });
        self.ends.push(0.0);
        self.nodes.len() as u32 - 1
    }

    /// **(10)**, **(11)** Expected length of all executions together.
    pub fn cycles(&self, latencies: &Latencies) -> f64 {
        self.total(&self.reached(latencies, |_| {}))
    }

    /// The same with its derivatives.
    pub fn linear(&self, latencies: &Latencies) -> Linear {
        let mut reasons = Vec::with_capacity(self.nodes.len());
        let at = self.reached(latencies, |reason| reasons.push(reason));
        let missing = missing(latencies);
        let mut executions = self.ends.clone();
        let mut gradient = [0.0; NO_LATENCY as usize + 1];
        for (index, reason) in reasons.iter().enumerate().rev() {
            let node = &self.nodes[index + 1];
            let times = executions[index + 1];
            let missed = times * missing.of(node.lines);
            let mut pass = |decided: Decided, times: f64| {
                executions[decided.by as usize] += times;
                gradient[decided.which as usize] += times;
            };
            pass(reason.hit, times - missed);
            pass(reason.miss, missed);
            gradient[MISS_PROBABILITY] +=
                times * missing.derivative(node.lines) * reason.miss_adds_cycles;
        }
        Linear {
            cycles: self.total(&at),
            gradient: std::array::from_fn(|which| gradient[which]),
        }
    }

    fn total(&self, at: &[f64]) -> f64 {
        let paths = at.iter().zip(&self.ends).filter(|(_, ends)| **ends != 0.0);
        self.rest_cycles + paths.map(|(at, ends)| at * ends).sum::<f64>()
    }

    /// When every stall point is reached, on average. `note` is told why, stall point by stall point.
    fn reached(&self, latencies: &Latencies, mut note: impl FnMut(Reason)) -> Vec<f64> {
        let missing = missing(latencies);
        let mut list = [0.0; NO_LATENCY as usize + 1];
        list[..NO_LATENCY as usize].copy_from_slice(&latencies.list());
        let mut at = Vec::with_capacity(self.nodes.len());
        at.push(0.0);
        for node in &self.nodes[1..] {
            let mut latest = at[node.before as usize] + node.offset_cycles;
            let mut certain = Decided {
                by: node.before,
                which: NO_LATENCY,
            };
            for load in &self.loads[node.certain as usize..node.local as usize] {
                let issued = at[load.anchor as usize] + load.offset_cycles;
                let arrival = issued + list[load.which as usize];
                if arrival > latest {
                    latest = arrival;
                    certain = Decided {
                        by: load.anchor,
                        which: load.which,
                    };
                }
            }
            let (mut by, mut issued) = (0, f64::NEG_INFINITY);
            for load in &self.loads[node.local as usize..node.end as usize] {
                let last = at[load.anchor as usize] + load.offset_cycles;
                if last > issued {
                    (by, issued) = (load.anchor, last);
                }
            }
            let wait = |which: usize| {
                let arrival = issued + list[which];
                if arrival > latest {
                    let which = which as u32;
                    (arrival, Decided { by, which })
                } else {
                    (latest, certain)
                }
            };
            let ((hit, if_hit), (miss, if_miss)) = (wait(LOCAL_HIT), wait(LOCAL_MISS));
            note(Reason {
                hit: if_hit,
                miss: if_miss,
                miss_adds_cycles: miss - hit,
            });
            let missing = missing.of(node.lines);
            at.push(if missing > 0.0 {
                hit + missing * (miss - hit)
            } else {
                hit
            });
        }
        at
    }

    /// Stall points of the tree.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The index of a latency that is none.
const NO_LATENCY: u32 = 7;

/// What decided when a stall point is reached: stalls or a load of some latency, counted from a stall point.
#[derive(Debug, Clone, Copy)]
struct Decided {
    by: u32,
    which: u32,
}

/// Why a stall point is reached when it is: if all local lines hit, and if one misses.
#[derive(Debug, Clone, Copy)]
struct Reason {
    hit: Decided,
    miss: Decided,
    miss_adds_cycles: f64,
}

/// Lines that one instruction may wait for; more count as this many.
const MAX_LINES: usize = 64;

/// Probability that not all of the first 0, 1, 2, ... lines hit.
struct Missing([f64; MAX_LINES + 1]);

impl Missing {
    fn of(&self, lines: u32) -> f64 {
        self.0[(lines as usize).min(MAX_LINES)]
    }

    /// By the probability that one line misses.
    fn derivative(&self, lines: u32) -> f64 {
        match lines {
            0 => 0.0,
            _ => f64::from(lines) * (1.0 - self.of(lines - 1)),
        }
    }
}

fn missing(latencies: &Latencies) -> Missing {
    let hit = 1.0 - latencies.local_miss_probability;
    let mut all = 1.0;
    Missing(std::array::from_fn(|n| {
        if n > 0 {
            all *= hit;
        }
        1.0 - all
    }))
}

fn key(before: u32, join: &StallPoint, way: &[u32]) -> Key {
    let mut key = vec![u64::from(before), join.offset_cycles.to_bits()];
    for wait in &join.waits {
        let anchor = u64::from(way[wait.anchor as usize]);
        let kind = wait.awaited as u64 | u64::from(wait.lines) << 8 | anchor << 32;
        key.extend([kind, wait.offset_cycles.to_bits()]);
    }
    key
}
