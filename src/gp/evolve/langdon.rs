//! Langdon's multiplexer GP: a quarter of a million programs, tournaments of four on random samples.
//!
//! Models: every generation the population is shuffled into tournaments of four. All four run on one random sample of the cases,
//! a separate sample for each tournament. Each winner is the mother of four offspring, by subtree crossover with another winner,
//! subtree mutation or point mutation.
//! Leaves out: verification of a solution on all cases beyond 2^20.
//! Units: wrong cases of the sample; GP operations are nodes times cases.
//! Sources: Langdon 2010 table 1 and section 5.

use super::config::{Crossover, FunctionChoice, Init, InitMethod};
use super::dice::Dice;
use super::init::{Ingredients, initial};
use super::variation;
use crate::gp::interpret;
use crate::gp::interpret::plan::UnsupportedFunction;
use crate::gp::problem::Dataset;
use crate::gp::problem::multiplexer::Multiplexer;
use crate::gp::program::Rpn;
use crate::util::parallel;

const TOURNAMENT: usize = 4;
const CROSSOVER: f64 = 0.5;
const SUBTREE_MUTATION: f64 = 0.05;
const MAX_DEPTH: usize = 15;

/// Settings of the paper's table 1 for a multiplexer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    pub mux: Multiplexer,
    pub population: usize,
    pub sampled_cases: usize,
    pub init: Init,
    pub max_size: usize,
}

impl Settings {
    /// Returns the settings for the 20-multiplexer or the 37-multiplexer.
    pub fn of(mux: Multiplexer) -> Self {
        let init = |min_depth, max_depth| Init {
            method: InitMethod::Ramped,
            min_depth,
            max_depth,
        };
        match mux.address_bits {
            5.. => Settings {
                mux,
                population: 1 << 18,
                sampled_cases: 8192,
                init: init(5, 7),
                max_size: 1023,
            },
            _ => Settings {
                mux,
                population: 1 << 18,
                sampled_cases: 2048,
                init: init(4, 5),
                max_size: 511,
            },
        }
    }
}

/// Summary of one generation.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerationSummary {
    pub number: u32,
    /// Fewest wrong cases of a program on its sample.
    pub best_wrong: f64,
    pub mean_wrong: f64,
    /// Nodes of all programs.
    pub n_nodes: u64,
    /// GP operations of the evaluation: nodes times sampled cases.
    pub operations: u64,
    pub best: Rpn,
}

/// A run in progress.
#[derive(Debug)]
pub struct Langdon {
    settings: Settings,
    seed: u64,
    number: u32,
    ingredients: Ingredients,
    programs: Vec<Rpn>,
}

struct Winner {
    index: usize,
    wrong: f64,
    sum_wrong: f64,
}

impl Langdon {
    pub fn start(settings: Settings, seed: u64) -> Self {
        let ingredients = Ingredients {
            functions: settings.mux.id.definition().functions.to_vec(),
            function_choice: FunctionChoice::Uniform,
            n_inputs: settings.mux.n_inputs() as usize,
            constants: None,
        };
        let one = |i: usize| {
            initial(
                &ingredients,
                settings.init,
                i,
                &mut Dice::for_offspring(seed, 0, i as u32),
            )
        };
        let programs = parallel::indices(settings.population, one);
        Langdon {
            settings,
            seed,
            number: 0,
            ingredients,
            programs,
        }
    }

    /// Evaluates the generation and breeds the next one.
    pub fn next_generation(&mut self) -> Result<GenerationSummary, UnsupportedFunction> {
        let groups = self.groups();
        let winners = parallel::try_indices(groups.len(), |i| self.tournament(i, &groups[i]))?;
        let n_nodes: u64 = self.programs.iter().map(|p| p.n_nodes() as u64).sum();
        let best = winners.iter().min_by(|a, b| a.wrong.total_cmp(&b.wrong));
        let generation = GenerationSummary {
            number: self.number,
            best_wrong: best.map_or(f64::INFINITY, |w| w.wrong),
            mean_wrong: winners.iter().map(|w| w.sum_wrong).sum::<f64>()
                / self.programs.len() as f64,
            n_nodes,
            operations: n_nodes * self.settings.sampled_cases as u64,
            best: best
                .map(|w| self.programs[w.index].clone())
                .unwrap_or_default(),
        };
        self.number += 1;
        let one = |i| self.offspring(&winners, i);
        self.programs = parallel::indices(self.settings.population, one);
        Ok(generation)
    }

    /// Returns all indices, shuffled, in groups of four.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut dice = Dice::new(self.seed ^ 0x7a3e, u64::from(self.number));
        let mut order: Vec<usize> = (0..self.programs.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, dice.below(i + 1));
        }
        order.chunks(TOURNAMENT).map(<[usize]>::to_vec).collect()
    }

    fn tournament(&self, number: usize, group: &[usize]) -> Result<Winner, UnsupportedFunction> {
        let Settings {
            mux, sampled_cases, ..
        } = self.settings;
        let mut dice = Dice::new(
            self.seed ^ 0x5a4d,
            u64::from(self.number) << 32 | number as u64,
        );
        let cases = mux.cases(&mux.sample(&mut dice, sampled_cases.div_ceil(32)));
        let problem = mux.id.definition().with(Dataset::Word(cases));
        let wrong = interpret::evaluate(group.iter().map(|&i| &self.programs[i]), &problem)?;
        let best = (0..group.len())
            .min_by(|&a, &b| wrong[a].total_cmp(&wrong[b]))
            .unwrap_or(0);
        Ok(Winner {
            index: group[best],
            wrong: wrong[best],
            sum_wrong: wrong.iter().sum(),
        })
    }

    fn offspring(&self, winners: &[Winner], index: usize) -> Rpn {
        let mut dice = Dice::for_offspring(self.seed, self.number, index as u32);
        let mother = &self.programs[winners[(index / TOURNAMENT) % winners.len()].index];
        let draw = dice.unit();
        let child = if draw < CROSSOVER {
            let father = &self.programs[winners[dice.below(winners.len())].index];
            variation::crossover(mother, father, Crossover::Subtree, None, &mut dice)
        } else if draw < CROSSOVER + SUBTREE_MUTATION {
            variation::regrow(
                mother,
                self.settings.init.min_depth,
                &self.ingredients,
                &mut dice,
            )
        } else {
            variation::point(mother, &self.ingredients, &mut dice)
        };
        variation::within(child, mother, self.settings.max_size, MAX_DEPTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_run_improves_and_repeats() {
        let settings = Settings {
            population: 400,
            ..Settings::of(Multiplexer::MUX6)
        };
        let history = || -> Vec<GenerationSummary> {
            let mut run = Langdon::start(settings, 3);
            (0..12).map(|_| run.next_generation().unwrap()).collect()
        };
        let first = history();
        assert_eq!(first, history());
        assert!(
            first[11].mean_wrong < 0.9 * first[0].mean_wrong,
            "{} {}",
            first[0].mean_wrong,
            first[11].mean_wrong
        );
        assert!(
            first
                .iter()
                .all(|g| g.best.check().is_ok() && g.best.tree_depth() <= MAX_DEPTH)
        );
    }
}
