//! Evolutionary runs that represent the paper's, and the host's work on their trees.
//!
//! Models: five generations, evenly over runs of at most 50, from three runs in turn. Populations above 500 repeat the programs
//! of 500.
//! Leaves out: different sizes in larger populations. Units: nodes, words.

use super::host::Trees;
use super::population::Evolved;
use super::problem::Benchmark;
use super::program::{evaluated_nodes, translate};
use super::{GENERATIONS, SAMPLED_GENERATIONS};
use crate::gp::primitive::Primitive;
use crate::gp::program::{Rpn, Token};
use crate::launch::prediction::PredictError;
use crate::util::parallel;

/// Largest number of programs that are evolved.
const EVOLVED: u32 = 500;
/// Number of runs that the generations are taken from.
const RUNS: u32 = 3;
/// Number of programs of a generation, and of cases, on which evaluated nodes are counted.
const COUNTED_PROGRAMS: usize = 100;
const COUNTED_CASES: usize = 256;

/// A benchmark's run with one population.
#[derive(Debug, Clone)]
pub struct Run {
    pub benchmark: Benchmark,
    pub population: u32,
    /// Programs of the sampled generations.
    pub generations: Vec<Vec<Rpn>>,
}

impl Run {
    /// Makes one run for each of `populations`.
    pub fn of(
        benchmark: Benchmark,
        populations: &[u32],
        seed: u64,
    ) -> Result<Vec<Self>, PredictError> {
        let mut evolved: Vec<(u32, Vec<Vec<Rpn>>)> = Vec::new();
        let one = |&population: &u32| {
            let size = population.min(EVOLVED);
            if !evolved.iter().any(|(known, _)| *known == size) {
                evolved.push((size, sampled(benchmark, size, seed)?));
            }
            let found = evolved.iter().find(|(known, _)| *known == size);
            Ok(Run {
                benchmark,
                population,
                generations: found.map(|(_, all)| all.clone()).unwrap_or_default(),
            })
        };
        populations.iter().map(one).collect()
    }

    pub fn generations(&self) -> Vec<&[Rpn]> {
        self.generations.iter().map(Vec::as_slice).collect()
    }

    fn mean(&self, of: impl Fn(&Rpn) -> f64) -> f64 {
        let all = self.generations.iter().flatten();
        let (sum, n) = all.fold((0.0, 0.0), |(sum, n), one| (sum + of(one), n + 1.0));
        sum / n
    }

    /// Returns the properties that determine the host's time.
    pub fn trees(&self) -> Result<Trees, PredictError> {
        let function_set = self.benchmark.function_set();
        let all = self.benchmark.case_words();
        let cases = all.sampled(COUNTED_CASES.min(all.len()), 1);
        let rows: Vec<Vec<u32>> = (0..cases.len()).map(|at| cases.case(at)).collect();
        let counted: Vec<&Rpn> = (self.generations.iter())
            .flat_map(|programs| programs.iter().take(COUNTED_PROGRAMS))
            .collect();
        let counts = parallel::try_map(&counted, |program| {
            let words = translate(program, function_set)?;
            let evaluated: u32 = rows.iter().map(|case| evaluated_nodes(&words, case)).sum();
            let evaluated = f64::from(evaluated) / rows.len() as f64;
            let share = evaluated / program.n_nodes() as f64;
            let dear = program.0.iter().filter(|token| is_dear(token)).count();
            Ok([words.len() as f64, evaluated, share * dear as f64])
        });
        let counts: Vec<[f64; 3]> = counts?;
        let mean = |at: usize| counts.iter().map(|one| one[at]).sum::<f64>() / counts.len() as f64;
        Ok(Trees {
            population: self.population.into(),
            nodes: self.mean(|program| program.n_nodes() as f64),
            words: mean(0),
            evaluated: mean(1),
            functions: mean(2),
            cases: all.len() as f64,
        })
    }
}

/// Evolves the programs of the sampled generations.
fn sampled(benchmark: Benchmark, size: u32, seed: u64) -> Result<Vec<Vec<Rpn>>, PredictError> {
    let of_run = |nth: u32| {
        let own = seed.wrapping_mul(u64::from(RUNS)).wrapping_add(nth.into());
        Evolved::run(benchmark, size, GENERATIONS, own)
    };
    let runs = parallel::try_indices(RUNS as usize, |nth| of_run(nth as u32))?;
    let one = |nth: u32| {
        let run = &runs[(nth % RUNS) as usize].generations;
        let place = (2 * nth as usize + 1) * run.len() / (2 * SAMPLED_GENERATIONS as usize);
        run[place].clone()
    };
    Ok((0..SAMPLED_GENERATIONS).map(one).collect())
}

/// Tells whether a token is a function of the mathematics library.
fn is_dear(token: &Token) -> bool {
    let Token::Apply(function) = token else {
        return false;
    };
    matches!(
        function,
        Primitive::Sin | Primitive::Cos | Primitive::Exp | Primitive::Log
    )
}
