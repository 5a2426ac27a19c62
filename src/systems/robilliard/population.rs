//! Programs of an evolutionary run.
//!
//! Models: ECJ's `koza.params`, which the paper's runs used: ramped half-and-half of depths 2 to 6, tournaments of 7, crossover
//! for nine offspring in ten with nine crossover points in ten at functions, depth limit 17, reproduction otherwise, no elite.
//! Leaves out: that ECJ keeps both children of a crossover and retries one that is too deep. ECJ's fitness of the regression is
//! the sum of absolute differences, here that of squares; their order is nearly always the same.
//! The paper's mean tree sizes are an input: some of these runs grow larger trees than the paper's, so they end earlier.
//! Units: nodes. Sources: Robilliard et al. 2008, section 4; ECJ's parameter file, quoted from memory.

use super::problem::Benchmark;
use crate::gp::evolve::config::{
    Crossover, EvolveConfig, FunctionChoice, Init, InitMethod, Mutation, ParentSelection,
    Replacement,
};
use crate::gp::evolve::run::Run;
use crate::gp::program::Rpn;
use crate::launch::prediction::PredictError;

/// Number of generations before a run may end.
const LEAST_GENERATIONS: usize = 10;

/// All programs of the generations of a run.
#[derive(Debug, Clone)]
pub struct Evolved {
    /// Programs by generation, from the initial one on.
    pub generations: Vec<Vec<Rpn>>,
}

impl Evolved {
    /// Evolves `population` programs through at most `generations` generations. The run ends early once its trees, mean over all
    /// generations, are larger than the paper's.
    pub fn run(
        benchmark: Benchmark,
        population: u32,
        generations: u32,
        seed: u64,
    ) -> Result<Self, PredictError> {
        let (problem, config) = (benchmark.problem(), config(population, generations));
        let mut run = Run::start(&problem, &config, seed).map_err(PredictError::other)?;
        let mut evolved = Evolved {
            generations: Vec::new(),
        };
        while let Some(generation) = run.next_generation().map_err(PredictError::other)? {
            let programs = generation.population.programs.clone();
            evolved.generations.push(programs);
            if evolved.generations.len() > LEAST_GENERATIONS
                && evolved.mean_nodes() > benchmark.mean_nodes()
            {
                break;
            }
        }
        Ok(evolved)
    }

    /// Returns the mean size over all generations.
    pub fn mean_nodes(&self) -> f64 {
        let all = self.generations.iter().flatten();
        let (nodes, programs) = all.fold((0, 0), |(nodes, programs), program| {
            (nodes + program.n_nodes(), programs + 1)
        });
        nodes as f64 / f64::from(programs.max(1))
    }
}

fn config(population: u32, generations: u32) -> EvolveConfig {
    EvolveConfig {
        population: population as usize,
        generations,
        max_depth: 17,
        // Size is limited only by the depth.
        max_size: 1 << 16,
        tournament: 7,
        crossover_probability: 0.9,
        mutation_probability: 0.0,
        init: Init {
            method: InitMethod::Ramped,
            min_depth: 2,
            max_depth: 6,
        },
        function_choice: FunctionChoice::Uniform,
        mutation: Mutation::Point,
        mates: ParentSelection::TwoTournaments,
        crossover: Crossover::Subtree,
        crossover_function_bias: Some(0.9),
        parsimony: None,
        elitism: 0,
        replacement: Replacement::Generational,
        stop_when_solved: false,
    }
}
