//! Evaluation of all critical paths of a kernel as one tree.
//!
//! Models: paths with a common beginning share their stall points, so that each is evaluated once. Derivatives with respect to
//! the latencies are found backwards (reverse mode): every stall point passes its executions on to the instruction or the load
//! that determined its time. A test compares the result with [`super::path::Path`].
//! Units: cycles.
//! Sources: equations (10) and (11) of `docs/model.md`; reverse mode: Griewank and Walther, Evaluating Derivatives (2008),
//! chapter 3.

use super::Latencies;
use super::tree::{LOCAL_HIT, LOCAL_MISS, MISS_PROBABILITY, NO_LATENCY, Paths};

/// Derivatives by latency (shared, local hit, local miss, global, operands) and by the probability of a local miss.
pub type Gradient = [f64; 6];

/// A time and its derivatives with respect to the latencies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Linear {
    pub cycles: f64,
    pub gradient: Gradient,
}

impl Linear {
    /// Extrapolates to other latencies, assuming that the critical path does not change.
    #[inline]
    pub fn at(&self, from: &Latencies, to: &Latencies) -> f64 {
        let (from, to) = (from.list(), to.list());
        let change = |which: usize| self.gradient[which] * (to[which] - from[which]);
        let sum: f64 = (0..to.len()).map(change).sum();
        if sum.is_nan() {
            // An infinite latency with a zero derivative does not matter.
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

impl Paths {
    /// **(10)**, **(11)** Expected length of all executions together.
    pub fn cycles(&self, latencies: &Latencies) -> f64 {
        self.total(&self.settled(latencies, |_, _| {}))
    }

    /// Expected length of all executions together, with its derivatives.
    pub fn linear(&self, latencies: &Latencies) -> Linear {
        let mut reasons = vec![Reason::default(); self.nodes.len()];
        let at = self.settled(latencies, |node, reason| reasons[node] = reason);
        let missing = missing(latencies);
        let mut gradient = [0.0; NO_LATENCY as usize + 1];
        // Effect of a one-cycle delay at each place; effects on carries take another round.
        let mut moved = self.ends.clone();
        for _ in 0..MAX_ROUNDS {
            self.pass_back(&mut moved, &reasons, &missing, &mut gradient);
            let (carried, rest) = moved.split_at_mut(self.carries.len());
            rest.fill(0.0);
            let mut most = 0.0f64;
            for (carried, carry) in carried.iter_mut().zip(&self.carries) {
                let times = std::mem::take(carried);
                most = most.max(times.abs());
                for &(fraction, issued, last) in &carry.from {
                    rest[issued as usize - self.carries.len()] += fraction * times;
                    rest[last as usize - self.carries.len()] -= fraction * times;
                }
            }
            if most < NEGLIGIBLE_EXECUTIONS {
                break;
            }
        }
        Linear {
            cycles: self.total(&at),
            gradient: std::array::from_fn(|which| gradient[which]),
        }
    }

    /// Passes the effect of every stall point back to whatever determined its time.
    fn pass_back(
        &self,
        moved: &mut [f64],
        reasons: &[Reason],
        missing: &Missing,
        gradient: &mut [f64; NO_LATENCY as usize + 1],
    ) {
        let start = self.carries.len();
        for (index, (node, reason)) in self.nodes.iter().zip(reasons).enumerate().rev() {
            let times = moved[start + 1 + index];
            if times == 0.0 {
                continue;
            }
            let missed = times * missing.of(node.lines);
            let mut pass = |decided: Decided, times: f64| {
                moved[decided.by as usize] += times;
                gradient[decided.which as usize] += times;
            };
            pass(reason.hit, times - missed);
            pass(reason.miss, missed);
            gradient[MISS_PROBABILITY] +=
                times * missing.derivative(node.lines) * reason.miss_adds_cycles;
        }
    }

    fn total(&self, at: &[f64]) -> f64 {
        let paths = at.iter().zip(&self.ends).filter(|(_, ends)| **ends != 0.0);
        self.rest_cycles + paths.map(|(at, ends)| at * ends).sum::<f64>()
    }

    /// Mean time at which every place of the list is reached. Carries depend on the schedules of the segments and vice versa;
    /// both are solved by fixed-point iteration. In every round, `note` receives the reason for each stall point's time.
    fn settled(&self, latencies: &Latencies, mut note: impl FnMut(usize, Reason)) -> Vec<f64> {
        let missing = missing(latencies);
        let mut list = [0.0; NO_LATENCY as usize + 1];
        list[..NO_LATENCY as usize].copy_from_slice(&latencies.list());
        let mut at = vec![0.0; self.carries.len() + 1 + self.nodes.len()];
        for (at, carry) in at.iter_mut().zip(&self.carries) {
            *at = carry.offset_cycles;
        }
        for _ in 0..MAX_ROUNDS {
            self.reach(&mut at, &list, &missing, &mut note);
            if self.carry(&mut at) <= CARRY_TOLERANCE_CYCLES {
                break;
            }
        }
        at
    }

    /// Updates the carries and returns the largest change.
    fn carry(&self, at: &mut [f64]) -> f64 {
        let mut most = 0.0f64;
        for (index, carry) in self.carries.iter().enumerate() {
            let since = carry.from.iter().map(|&(fraction, issued, last)| {
                fraction * (at[issued as usize] - at[last as usize])
            });
            let now = carry.offset_cycles + since.sum::<f64>();
            most = most.max((now - at[index]).abs());
            at[index] = now;
        }
        most
    }

    /// Computes the time of every stall point.
    fn reach(
        &self,
        at: &mut [f64],
        list: &[f64; NO_LATENCY as usize + 1],
        missing: &Missing,
        note: &mut impl FnMut(usize, Reason),
    ) {
        let first = self.carries.len() + 1;
        for (index, node) in self.nodes.iter().enumerate() {
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
            let reason = Reason {
                hit: if_hit,
                miss: if_miss,
                miss_adds_cycles: miss - hit,
            };
            note(index, reason);
            let missing = missing.of(node.lines);
            at[first + index] = if missing > 0.0 {
                hit + missing * (miss - hit)
            } else {
                hit
            };
        }
    }
}

/// Maximum number of iterations over schedules and carries.
const MAX_ROUNDS: u32 = 20;
/// Tolerance of carries.
const CARRY_TOLERANCE_CYCLES: f64 = 1e-3;
/// Executions whose effect on a derivative is neglected.
const NEGLIGIBLE_EXECUTIONS: f64 = 1e-4;

/// Determinant of a stall point's time: stalls or a load of some latency, counted from a stall point.
#[derive(Debug, Clone, Copy, Default)]
struct Decided {
    by: u32,
    which: u32,
}

/// Determinants of a stall point's time: if all local lines hit, and if one misses.
#[derive(Debug, Clone, Copy, Default)]
struct Reason {
    hit: Decided,
    miss: Decided,
    miss_adds_cycles: f64,
}

/// Maximum number of lines that one instruction waits for; more count as this many.
const MAX_LINES: usize = 64;

/// Probability that not all of the first 0, 1, 2, ... lines hit.
struct Missing([f64; MAX_LINES + 1]);

impl Missing {
    fn of(&self, lines: u32) -> f64 {
        self.0[(lines as usize).min(MAX_LINES)]
    }

    /// Derivative with respect to the miss probability of one line.
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
