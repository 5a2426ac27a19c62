//! The CPU's own interpreters, measured on the same programs and cases as the GPU's.
//!
//! Models: the batched interpreter, whose blocks of cases are spread over all threads of the pool, and the reference, whose programs
//! are; wall-clock time of one evaluation of the population.
//! Leaves out: the kernels' measure of a class's error; the problem's own score is used.
//! Units: milliseconds; billions of GP operations per second, counting every node of every program, although the
//! batched interpreter evaluates equal subtrees of a population once.
//! Sources: Chitty 2012 (the two-dimensional stack on a CPU).

use std::str::FromStr;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

use super::measure::{AGREEMENT, Protocol, median};
use super::oracle::relative_difference;
use super::workload::{Workload, programs_digest};
use crate::gp::interpret::plan::UnsupportedFunction;
use crate::gp::interpret::{evaluate, fitness_f32};
use crate::gp::problem::Problem;
use crate::gp::program::Rpn;

/// Why nothing was measured.
#[derive(Debug, Error)]
pub enum CpuError {
    #[error(transparent)]
    Function(#[from] UnsupportedFunction),
    #[error("interpreter: given {given}; allowed: {allowed}")]
    Interpreter { given: String, allowed: String },
}

/// An interpreter of the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpreter {
    /// The two-dimensional stack over blocks of cases, which evolution uses.
    Batched,
    /// Token by token and case by case, in single precision.
    Reference,
}

impl Interpreter {
    pub const ALL: [Interpreter; 2] = [Interpreter::Batched, Interpreter::Reference];

    pub fn name(self) -> &'static str {
        match self {
            Interpreter::Batched => "batched",
            Interpreter::Reference => "reference",
        }
    }

    fn fitness(self, programs: &[Rpn], cases: &Problem) -> Result<Vec<f64>, UnsupportedFunction> {
        match self {
            Interpreter::Batched => evaluate(programs, cases),
            Interpreter::Reference => {
                let fitness = programs.par_iter().map(|one| fitness_f32(one, cases));
                Ok(fitness.collect())
            }
        }
    }
}

impl FromStr for Interpreter {
    type Err = CpuError;

    fn from_str(given: &str) -> Result<Interpreter, CpuError> {
        let found = Interpreter::ALL.into_iter().find(|one| one.name() == given);
        found.ok_or_else(|| CpuError::Interpreter {
            given: given.to_owned(),
            allowed: Interpreter::ALL.map(Interpreter::name).join(", "),
        })
    }
}

/// One measurement.
#[derive(Debug, Clone, Serialize)]
pub struct CpuRow {
    pub device: &'static str,
    pub threads: usize,
    pub problem: &'static str,
    pub cases_source: &'static str,
    pub programs: String,
    pub population: usize,
    pub nodes: u64,
    pub cases: u64,
    pub kernel: &'static str,
    pub repeats: usize,
    pub median_wall_ms: f64,
    pub min_wall_ms: f64,
    pub max_wall_ms: f64,
    pub gpops_billion: f64,
    pub checked_programs: usize,
    pub agreeing_programs: usize,
}

/// Measures an interpreter.
pub fn measure(
    interpreter: Interpreter,
    workload: &Workload,
    programs: &[Rpn],
    protocol: Protocol,
) -> Result<CpuRow, CpuError> {
    let cases = &workload.problem;
    let mut wall_ms = Vec::new();
    let mut fitness = Vec::new();
    for _ in 0..protocol.warm_ups + protocol.repeats {
        let start = Instant::now();
        fitness = interpreter.fitness(programs, cases)?;
        wall_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let wall_ms = &wall_ms[protocol.warm_ups..];
    let checked = protocol.checked_programs.min(programs.len());
    let agrees = |index: &usize| {
        let expected = fitness_f32(&programs[*index], cases);
        relative_difference(fitness[*index], expected) <= AGREEMENT
    };
    let nodes: u64 = programs.iter().map(|program| program.0.len() as u64).sum();
    let median_wall_ms = median(wall_ms);
    Ok(CpuRow {
        device: "cpu",
        threads: rayon::current_num_threads(),
        problem: workload.function_set.name(),
        cases_source: workload.source.name(),
        programs: programs_digest(programs),
        population: programs.len(),
        nodes,
        cases: cases.n_cases() as u64,
        kernel: interpreter.name(),
        repeats: wall_ms.len(),
        median_wall_ms,
        min_wall_ms: wall_ms.iter().copied().fold(f64::INFINITY, f64::min),
        max_wall_ms: wall_ms.iter().copied().fold(0.0, f64::max),
        gpops_billion: nodes as f64 * cases.n_cases() as f64 / (median_wall_ms * 1e6),
        checked_programs: checked,
        agreeing_programs: (0..checked).into_par_iter().filter(agrees).count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::variant::FunctionSet;

    #[test]
    fn a_row_counts_nodes_and_agrees_with_the_reference() {
        let programs: Vec<Rpn> = ["X1 X2 AND X20 OR", "X5 X6 NAND X7 NOR"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        let workload = Workload::new(FunctionSet::Mux20, None, 1).unwrap();
        let protocol = Protocol {
            warm_ups: 0,
            repeats: 1,
            checked_programs: 2,
        };
        for interpreter in Interpreter::ALL {
            let row = measure(interpreter, &workload, &programs, protocol).unwrap();
            assert_eq!((row.nodes, row.cases), (10, 1 << 20));
            assert_eq!((row.kernel, row.agreeing_programs), (interpreter.name(), 2));
            let operations = 10.0 * f64::from(1 << 20);
            let counted = row.gpops_billion * row.median_wall_ms * 1e6;
            assert!((counted / operations - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn an_unknown_interpreter_is_named() {
        let message = "fast".parse::<Interpreter>().unwrap_err().to_string();
        assert_eq!(
            message,
            "interpreter: given fast; allowed: batched, reference"
        );
    }
}
