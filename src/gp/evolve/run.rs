//! The generational loop.
//!
//! Models: evaluate, report, breed, until the last generation or the solution.
//! Leaves out: what is done with the generations; the caller observes them.
//! Units: fitness is an error, lower is better.
//! Sources: Chitty (2D stack) table 2.

use super::config::{ConfigError, EvolveConfig};
use super::dice::Dice;
use super::init::{self, Ingredients};
use super::select::{self, Candidate};
use super::variation;
use crate::gp::interpret::batched;
use crate::gp::interpret::plan::UnsupportedFunction;
use crate::gp::problem::Problem;
use crate::gp::program::Rpn;
use rayon::prelude::*;
use std::collections::HashMap;

/// Programs and their fitness.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Population {
    pub programs: Vec<Rpn>,
    pub fitness: Vec<f64>,
}

/// What an observer sees of one generation.
#[derive(Debug, Clone, Copy)]
pub struct Generation<'a> {
    pub number: u32,
    pub population: &'a Population,
    pub best_fitness: f64,
    pub solved: bool,
}

/// Why a run cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvolveError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Unsupported(#[from] UnsupportedFunction),
}

/// Fitness of programs that were evaluated before in this run; converged populations repeat themselves.
#[derive(Debug, Default)]
struct Evaluator {
    known: HashMap<Rpn, f64>,
}

impl Evaluator {
    fn evaluate(
        &mut self,
        programs: &[Rpn],
        problem: &Problem,
    ) -> Result<Vec<f64>, UnsupportedFunction> {
        let new: Vec<&Rpn> = programs
            .iter()
            .filter(|p| !self.known.contains_key(*p))
            .collect();
        let fitness = batched::evaluate(new.iter().copied(), problem)?;
        self.known.extend(new.into_iter().cloned().zip(fitness));
        Ok(programs
            .iter()
            .map(|p| self.known.get(p).copied().unwrap_or(f64::INFINITY))
            .collect())
    }
}

/// One GP run. `observe` sees every generation after its evaluation.
pub fn evolve(
    problem: &Problem,
    config: &EvolveConfig,
    seed: u64,
    mut observe: impl FnMut(Generation),
) -> Result<Population, EvolveError> {
    config.check()?;
    let ingredients = Ingredients::of(problem);
    let mut evaluator = Evaluator::default();
    let mut programs = first_programs(&ingredients, config, seed);
    let mut number = 0;
    loop {
        let fitness = evaluator.evaluate(&programs, problem)?;
        let population = Population { programs, fitness };
        let best_fitness = population
            .fitness
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let solved = best_fitness <= problem.solved_error;
        observe(Generation {
            number,
            population: &population,
            best_fitness,
            solved,
        });
        number += 1;
        if number == config.generations || solved && config.stop_when_solved {
            return Ok(population);
        }
        programs = breed(&population, config, &ingredients, seed, number);
    }
}

fn first_programs(ingredients: &Ingredients, config: &EvolveConfig, seed: u64) -> Vec<Rpn> {
    let one = |index: usize| {
        init::initial(
            ingredients,
            config.init,
            index,
            &mut Dice::for_offspring(seed, 0, index as u32),
        )
    };
    (0..config.population).into_par_iter().map(one).collect()
}

fn breed(
    parents: &Population,
    config: &EvolveConfig,
    ingredients: &Ingredients,
    seed: u64,
    generation: u32,
) -> Vec<Rpn> {
    let candidates: Vec<Candidate> = (parents.programs.iter().zip(&parents.fitness))
        .map(|(program, &fitness)| Candidate {
            fitness,
            n_nodes: program.n_nodes(),
        })
        .collect();
    let elite = select::best(&candidates, config.elitism);
    let one = |index: usize| match elite.get(index) {
        Some(&best) => parents.programs[best].clone(),
        None => {
            let mut dice = Dice::for_offspring(seed, generation, index as u32);
            let (mother, father) = select::parents(&candidates, config, &mut dice);
            let (mother, father) = (&parents.programs[mother], &parents.programs[father]);
            variation::offspring(mother, father, config, ingredients, &mut dice)
        }
    };
    (0..config.population).into_par_iter().map(one).collect()
}
