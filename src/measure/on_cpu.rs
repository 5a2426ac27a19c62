//! The CPU's own interpreters, measured on the same programs and cases as the GPU's.
//!
//! Models: wall-clock time of one evaluation of the population by one interpreter on some threads; the values of the first programs
//! on some cases against the oracle's.
//! Leaves out: the kernels' measure of a class's error; the problem's own score is used.
//! Units: milliseconds; billions of GP operations per second, counting every node of every program. Every node is
//! evaluated, too, unless `Options::share` is set. `max_error`: the largest difference of a value from the oracle's,
//! divided by the oracle's where that is larger than 1; for words the number of wrong bits.
//! Sources: Chitty 2012 (the two-dimensional stack on a CPU).

use std::time::Instant;

use serde::Serialize;
use thiserror::Error;

use super::rows::{AGREEMENT, Protocol, Times};
use crate::gp::interpret::plan::UnsupportedFunction;
use crate::gp::interpret::reference::{Reference, fitness_f32};
use crate::gp::interpret::{Interpreter, Options, ProgramValues};
use crate::gp::problem::uci::spread;
use crate::gp::problem::{Dataset, Problem};
use crate::gp::program::Rpn;
use crate::gp::workload::{Workload, programs_digest};
use crate::systems::chitty::oracle::relative_difference;
use crate::util::parallel;

/// Cases (or words of 32) on which values are compared with the oracle's.
const COMPARED_ELEMENTS: usize = 1000;

/// Error of a measurement on the CPU.
#[derive(Debug, Error)]
pub enum CpuError {
    #[error(transparent)]
    Function(#[from] UnsupportedFunction),
    #[error("{threads} threads: {message}")]
    Threads { threads: usize, message: String },
}

/// One measurement.
#[derive(Debug, Clone, Serialize)]
pub struct CpuRow {
    pub device: &'static str,
    pub problem: &'static str,
    /// Function set of random programs; `file` for programs that were read.
    pub functions: &'static str,
    pub interpreter: &'static str,
    pub simd: &'static str,
    pub shared: bool,
    pub threads: usize,
    /// Cases per block of the two-dimensional stack; empty for interpreters without one.
    pub block_cases: Option<usize>,
    pub cases_source: &'static str,
    pub programs: String,
    pub population: usize,
    pub nodes: u64,
    pub cases: u64,
    pub repeats: usize,
    pub median_wall_ms: f64,
    pub min_wall_ms: f64,
    pub max_wall_ms: f64,
    pub gpops_billion: f64,
    /// Spread between the slowest and the fastest run, in percent of the median.
    pub spread_percent: f64,
    pub max_error: f64,
    pub checked_programs: usize,
    pub agreeing_programs: usize,
}

/// Programs to evaluate, and what the oracle makes of the first of them.
pub struct Bench<'a> {
    workload: &'a Workload,
    programs: &'a [Rpn],
    functions: &'static str,
    protocol: Protocol,
    /// The cases on which values are compared, and the oracle's values.
    sample: Problem,
    expected: Vec<(f64, ProgramValues)>,
}

impl<'a> Bench<'a> {
    pub fn new(
        workload: &'a Workload,
        programs: &'a [Rpn],
        functions: &'static str,
        protocol: Protocol,
    ) -> Result<Self, CpuError> {
        let sample = sample(&workload.problem);
        let checked = protocol.checked_programs.min(programs.len());
        let expected = parallel::try_map(&programs[..checked], |program| {
            let values = Reference.values(program, &sample, Options::best())?;
            Ok::<_, UnsupportedFunction>((fitness_f32(program, &workload.problem), values))
        })?;
        Ok(Bench {
            workload,
            programs,
            functions,
            protocol,
            sample,
            expected,
        })
    }

    /// Measures an interpreter on some threads.
    pub fn row(
        &self,
        interpreter: &dyn Interpreter,
        options: Options,
        threads: usize,
    ) -> Result<CpuRow, CpuError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| CpuError::Threads {
            threads,
            message: error.to_string(),
        })?;
        let cases = &self.workload.problem;
        let programs: Vec<&Rpn> = self.programs.iter().collect();
        let (wall_ms, fitness) = pool.install(|| self.timed(interpreter, options, &programs))?;
        let times = Times::of(&wall_ms);
        let agrees = |(fitness, (expected, _)): &(&f64, &(f64, _))| {
            relative_difference(**fitness, *expected) <= AGREEMENT
        };
        let agreeing = fitness.iter().zip(&self.expected).filter(agrees).count();
        let nodes: u64 = programs.iter().map(|program| program.0.len() as u64).sum();
        Ok(CpuRow {
            device: "cpu",
            problem: self.workload.id.name(),
            functions: self.functions,
            interpreter: interpreter.name(),
            simd: options.path.name(),
            shared: options.share,
            threads,
            block_cases: interpreter.block_cases(cases, options),
            cases_source: self.workload.source.name(),
            programs: programs_digest(self.programs),
            population: programs.len(),
            nodes,
            cases: cases.n_cases() as u64,
            repeats: wall_ms.len(),
            median_wall_ms: times.median_ms,
            min_wall_ms: times.min_ms,
            max_wall_ms: times.max_ms,
            gpops_billion: nodes as f64 * cases.n_cases() as f64 / (times.median_ms * 1e6),
            spread_percent: 100.0 * (times.max_ms - times.min_ms) / times.median_ms,
            max_error: self.max_error(interpreter, options)?,
            checked_programs: self.expected.len(),
            agreeing_programs: agreeing,
        })
    }

    /// The times of the repeats and the errors of the programs.
    fn timed(
        &self,
        interpreter: &dyn Interpreter,
        options: Options,
        programs: &[&Rpn],
    ) -> Result<(Vec<f64>, Vec<f64>), CpuError> {
        let mut wall_ms = Vec::new();
        let mut fitness = Vec::new();
        for _ in 0..self.protocol.warm_ups + self.protocol.repeats {
            let start = Instant::now();
            fitness = interpreter.errors(programs, &self.workload.problem, options)?;
            wall_ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        wall_ms.drain(..self.protocol.warm_ups);
        Ok((wall_ms, fitness))
    }

    fn max_error(&self, interpreter: &dyn Interpreter, options: Options) -> Result<f64, CpuError> {
        let errors = parallel::try_indices(self.expected.len(), |at| {
            let values = interpreter.values(&self.programs[at], &self.sample, options)?;
            Ok::<_, UnsupportedFunction>(difference(&values, &self.expected[at].1))
        });
        Ok(errors?.into_iter().fold(0.0, f64::max))
    }
}

/// The problem on some of its cases, evenly over all.
fn sample(problem: &Problem) -> Problem {
    let dataset = match &problem.dataset {
        Dataset::Float(cases) => {
            let chosen = spread(cases.expected.len(), Some(COMPARED_ELEMENTS));
            Dataset::Float(cases.select(&chosen))
        }
        Dataset::Word(cases) => {
            let chosen = spread(cases.expected.len(), Some(COMPARED_ELEMENTS));
            Dataset::Word(cases.select(&chosen))
        }
    };
    Problem {
        dataset,
        ..problem.clone()
    }
}

/// Returns `max_error`: the largest relative error of floats, or the number of wrong bits of words.
fn difference(values: &ProgramValues, expected: &ProgramValues) -> f64 {
    match (values, expected) {
        (ProgramValues::Float(values), ProgramValues::Float(expected)) => {
            let pairs = values.iter().zip(expected);
            pairs.map(|(&v, &e)| apart(v, e)).fold(0.0, f64::max)
        }
        (ProgramValues::Word(values), ProgramValues::Word(expected)) => {
            let pairs = values.iter().zip(expected);
            pairs.map(|(v, e)| f64::from((v ^ e).count_ones())).sum()
        }
        _ => f64::INFINITY,
    }
}

fn apart(value: f32, expected: f32) -> f64 {
    if value == expected || value.is_nan() && expected.is_nan() {
        return 0.0;
    }
    let (value, expected) = (f64::from(value), f64::from(expected));
    let apart = (value - expected).abs() / expected.abs().max(1.0);
    if apart.is_nan() { f64::INFINITY } else { apart }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::interpret;
    use crate::gp::problem::ProblemId;

    #[test]
    fn a_row_counts_nodes_and_agrees_with_the_reference() {
        let programs: Vec<Rpn> = ["X1 X2 AND X20 OR", "X5 X6 NAND X7 NOR"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        let workload = Workload::new(ProblemId::Mux20, None, 1).unwrap();
        let protocol = Protocol {
            warm_ups: 0,
            repeats: 1,
            checked_programs: 2,
        };
        let bench = Bench::new(&workload, &programs, "file", protocol).unwrap();
        for interpreter in interpret::ALL {
            let row = bench.row(interpreter, Options::best(), 1).unwrap();
            assert_eq!((row.nodes, row.cases), (10, 1 << 20));
            assert_eq!((row.agreeing_programs, row.max_error), (2, 0.0));
            let operations = 10.0 * f64::from(1 << 20);
            let counted = row.gpops_billion * row.median_wall_ms * 1e6;
            assert!((counted / operations - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn errors_are_relative_to_large_values_and_absolute_to_small_ones() {
        assert_eq!(apart(f32::NAN, f32::NAN), 0.0);
        assert_eq!(apart(f32::INFINITY, f32::INFINITY), 0.0);
        assert_eq!(apart(f32::NAN, 1.0), f64::INFINITY);
        assert_eq!(apart(0.5, 0.25), 0.25);
        assert_eq!(apart(110.0, 100.0), 0.1);
    }
}
