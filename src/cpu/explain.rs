//! Breakdown of an interpreter's time on a core, and its speed as a function of the block of cases.
//!
//! Models: the prediction with each part of the core idealized, as `predictor::interventions` does for GPUs; the curve over the
//! block size.
//! Leaves out: wording (`report/cpu.rs`).
//! Units: cases, cycles.
//! Sources: `ecm.rs`.

use super::ecm::{self, Cause, Predicted};
use super::preset::Machine;
use super::work::{Kind, Setup, Work, WorkError};
use crate::gp::problem::Problem;
use crate::gp::program::Rpn;

/// Prediction for one size of the block of cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub block_cases: usize,
    /// Bytes of a row of the block.
    pub row_bytes: f64,
    pub predicted: Predicted,
    /// Nodes of all programs.
    pub nodes: u64,
    /// Number of blocks into which all cases are divided.
    pub blocks: f64,
}

impl Point {
    /// Converts cycles to cycles per node on a block.
    pub fn per_token(&self, cycles: f64) -> f64 {
        cycles / (self.nodes as f64 * self.blocks).max(1.0)
    }
}

/// Breakdown for one interpreter on a core.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    pub interpreter: &'static str,
    /// Predictions by block size, ascending; a single one if the interpreter chooses its own block.
    pub curve: Vec<Point>,
    /// Index of the fastest point.
    pub best: usize,
    /// Speedup of the fastest point without each cause, largest first.
    pub gains: Vec<(Cause, f64)>,
}

impl Explained {
    pub fn best(&self) -> &Point {
        &self.curve[self.best]
    }
}

/// Predicts the interpreter on each of the given block sizes, or on its own if it offers no choice.
pub fn explain(
    kind: Kind,
    programs: &[Rpn],
    problem: &Problem,
    setup: Setup,
    blocks: &[usize],
    machine: &Machine,
) -> Result<Explained, WorkError> {
    let has_choice = kind.block_cases(problem, None).is_some();
    let wanted: Vec<Option<usize>> = match has_choice {
        true => blocks.iter().copied().map(Some).collect(),
        false => vec![None],
    };
    let mut curve = Vec::new();
    for block_cases in wanted {
        let setup = Setup {
            block_cases,
            ..setup
        };
        let work = Work::new(kind, programs, problem, setup)?;
        let point = point(&work, machine);
        curve.push((work, point));
    }
    let speed = |nth: &usize| curve[*nth].1.predicted.gpops_billion;
    let best = (0..curve.len()).max_by(|a, b| speed(a).total_cmp(&speed(b)));
    let best = best.unwrap_or(0);
    let gains = curve
        .get(best)
        .map_or(Vec::new(), |(work, point)| gains(work, point, machine));
    Ok(Explained {
        interpreter: kind.name(),
        curve: curve.into_iter().map(|(_, point)| point).collect(),
        best,
        gains,
    })
}

fn point(work: &Work, machine: &Machine) -> Point {
    Point {
        block_cases: work.block * work.cases_per_vector,
        row_bytes: work.row_bytes(),
        predicted: ecm::predict(work, machine),
        nodes: work.nodes,
        blocks: work.n_vectors as f64 / work.block as f64,
    }
}

fn gains(work: &Work, point: &Point, machine: &Machine) -> Vec<(Cause, f64)> {
    let gain = |cause: Cause| {
        let without = ecm::predict(work, &machine.without(cause));
        (cause, point.predicted.cycles / without.cycles.max(1.0))
    };
    // Comparison uses no part of the core of its own.
    let parts = Cause::ALL
        .into_iter()
        .filter(|cause| *cause != Cause::Score);
    let mut gains: Vec<(Cause, f64)> = parts.map(gain).collect();
    gains.sort_by(|a, b| b.1.total_cmp(&a.1));
    gains
}

/// Capacity or rate that never limits a program.
const FREE: f64 = 1e9;

impl Machine {
    /// Returns the core with the costs of one cause removed.
    pub fn without(&self, cause: Cause) -> Machine {
        let mut machine = self.clone();
        let larger =
            |machine: &mut Machine, level: usize| machine.caches[level].bytes = FREE * FREE;
        match cause {
            Cause::Dispatch => machine.branchy_per_cycle = FREE,
            Cause::Mispredicted => machine.mispredict_cycles = 0.0,
            Cause::Waiting => {
                machine.latency = [0.0; super::count::CLASSES];
                machine.forward_cycles = 0.0;
            }
            Cause::Arithmetic => {
                machine.registers.per_cycle = [FREE; super::count::CLASSES];
                machine.registers.vector_per_cycle = FREE;
                machine.vector_window = FREE;
                machine.issue_per_cycle = FREE;
            }
            Cause::L1 => {
                machine.registers.loads_per_cycle = FREE;
                machine.registers.stores_per_cycle = FREE;
                machine.registers.memory_per_cycle = FREE;
            }
            Cause::L2 => larger(&mut machine, 0),
            Cause::L3 => larger(&mut machine, 1),
            Cause::Memory => larger(&mut machine, 2),
            Cause::Score => {}
        }
        machine
    }
}
