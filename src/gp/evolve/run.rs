//! The generational loop.
//!
//! Models: evaluate, report, breed, until the last generation or the solution.
//! Leaves out: any use of the generations; the caller observes them.
//! Units: fitness is an error, lower is better.
//! Sources: Chitty (2D stack) table 2.

use super::config::{ConfigError, EvolveConfig, Replacement};
use super::dice::Dice;
use super::init::{self, Ingredients};
use super::select::{self, Candidate};
use super::variation;
use crate::gp::interpret;
use crate::gp::interpret::plan::UnsupportedFunction;
use crate::gp::problem::Problem;
use crate::gp::program::Rpn;
use crate::util::parallel;
use std::collections::HashMap;

/// Programs and their fitness.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Population {
    pub programs: Vec<Rpn>,
    pub fitness: Vec<f64>,
}

/// One generation, as an observer sees it.
#[derive(Debug, Clone, Copy)]
pub struct Generation<'a> {
    pub number: u32,
    /// The programs evaluated in this generation.
    pub population: &'a Population,
    /// Programs that the next generation is bred from.
    pub parents: &'a Population,
    pub best_fitness: f64,
    pub solved: bool,
}

/// Error that ends a run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvolveError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Unsupported(#[from] UnsupportedFunction),
}

/// Fitness of every program evaluated so far in this run: converged populations contain many repeats.
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
        let fitness = interpret::evaluate(new.iter().copied(), problem)?;
        self.known.extend(new.into_iter().cloned().zip(fitness));
        Ok(programs
            .iter()
            .map(|p| self.known.get(p).copied().unwrap_or(f64::INFINITY))
            .collect())
    }
}

/// A GP run, advanced one generation at a time.
#[derive(Debug)]
pub struct Run<'a> {
    problem: &'a Problem,
    config: &'a EvolveConfig,
    seed: u64,
    ingredients: Ingredients,
    evaluator: Evaluator,
    /// Number of the last generation seen, and the parents of the next one.
    seen: Option<(u32, Population)>,
    /// Programs evaluated last, if not all of them are parents.
    evaluated: Option<Population>,
}

impl<'a> Run<'a> {
    /// Starts a run.
    pub fn start(
        problem: &'a Problem,
        config: &'a EvolveConfig,
        seed: u64,
    ) -> Result<Self, EvolveError> {
        config.check()?;
        let ingredients = Ingredients::of(problem, config.function_choice);
        Ok(Run {
            problem,
            config,
            seed,
            ingredients,
            evaluator: Evaluator::default(),
            seen: None,
            evaluated: None,
        })
    }

    /// Breeds and evaluates the next generation; `None` after the last one, or after a solution if the run stops there.
    pub fn next_generation(&mut self) -> Result<Option<Generation<'_>>, EvolveError> {
        let (number, programs) = match &self.seen {
            None => (0, first_programs(&self.ingredients, self.config, self.seed)),
            Some((number, population)) => {
                let solved = best(population) <= self.problem.solved_error;
                if number + 1 >= self.config.generations || solved && self.config.stop_when_solved {
                    return Ok(None);
                }
                (number + 1, self.breed(population, number + 1))
            }
        };
        let fitness = self.evaluator.evaluate(&programs, self.problem)?;
        let evaluated = Population { programs, fitness };
        let (parents, evaluated) = match (self.config.replacement, self.seen.take()) {
            (Replacement::Plus, Some((_, parents))) => {
                let survivors = survivors(parents, &evaluated, self.config.population);
                (survivors, Some(evaluated))
            }
            _ => (evaluated, None),
        };
        self.evaluated = evaluated;
        let (_, parents) = self.seen.insert((number, parents));
        let best_fitness = best(parents);
        Ok(Some(Generation {
            number,
            population: self.evaluated.as_ref().unwrap_or(parents),
            parents,
            best_fitness,
            solved: best_fitness <= self.problem.solved_error,
        }))
    }
}

/// Returns the `n` best of parents and offspring.
fn survivors(mut parents: Population, offspring: &Population, n: usize) -> Population {
    parents.programs.extend_from_slice(&offspring.programs);
    parents.fitness.extend_from_slice(&offspring.fitness);
    let order = select::best(&candidates(&parents), n);
    Population {
        programs: order.iter().map(|&i| parents.programs[i].clone()).collect(),
        fitness: order.iter().map(|&i| parents.fitness[i]).collect(),
    }
}

fn candidates(population: &Population) -> Vec<Candidate> {
    (population.programs.iter().zip(&population.fitness))
        .map(|(program, &fitness)| Candidate {
            fitness,
            n_nodes: program.n_nodes(),
        })
        .collect()
}

fn best(population: &Population) -> f64 {
    population
        .fitness
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min)
}

/// Performs one GP run from beginning to end. `observe` is called with every generation after its evaluation.
pub fn evolve(
    problem: &Problem,
    config: &EvolveConfig,
    seed: u64,
    mut observe: impl FnMut(Generation),
) -> Result<(), EvolveError> {
    let mut run = Run::start(problem, config, seed)?;
    while let Some(generation) = run.next_generation()? {
        observe(generation);
    }
    Ok(())
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
    parallel::indices(config.population, one)
}

impl Run<'_> {
    fn breed(&self, parents: &Population, generation: u32) -> Vec<Rpn> {
        let candidates = candidates(parents);
        let elite = select::best(&candidates, self.config.elitism);
        let one = |index: usize| match elite.get(index) {
            Some(&best) => parents.programs[best].clone(),
            None => self.offspring(parents, &candidates, generation, index as u32),
        };
        parallel::indices(self.config.population, one)
    }

    fn offspring(
        &self,
        parents: &Population,
        candidates: &[Candidate],
        generation: u32,
        index: u32,
    ) -> Rpn {
        let mut dice = Dice::for_offspring(self.seed, generation, index);
        let (mother, father) = select::parents(candidates, self.config, &mut dice);
        let (mother, father) = (&parents.programs[mother], &parents.programs[father]);
        variation::offspring(mother, father, self.config, &self.ingredients, &mut dice)
    }
}
