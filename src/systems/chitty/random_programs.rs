//! Random programs that measurements run.
//!
//! Models: random trees of a problem's function set, ramped in depth; trees of fewer than 8 or more than 200 nodes are drawn again.
//! Leaves out: evolution. Units: nodes. Sources: none; the program of a seed never changes, as measured rows name its digest.

use super::kernel_id::Lowering;
use super::lower::{function_codes, lower};
use crate::gp::evolve::config::{FunctionChoice, Init, InitMethod};
use crate::gp::evolve::dice::Dice;
use crate::gp::evolve::init::{Ingredients, initial};
use crate::gp::problem::ProblemId;
use crate::gp::program::Rpn;
use std::ops::RangeInclusive;

/// Programs of a seed.
pub const POPULATION: usize = 1000;

/// Allowed nodes of a program.
const NODES: RangeInclusive<usize> = 8..=200;

/// Smallest depth of the trees of every problem's population.
pub const LEAST_DEPTH: usize = 4;

/// Smallest depth of the population of longer sextic programs.
pub const LONGER_DEPTH: usize = 6;

/// Draws the programs of a seed.
pub fn random_programs(problem: ProblemId, min_depth: usize, seed: u64) -> Vec<Rpn> {
    let definition = problem.definition();
    let functions = function_codes(problem).iter();
    let ingredients = Ingredients {
        functions: functions.map(|&(primitive, _)| primitive).collect(),
        n_inputs: definition.n_inputs,
        constants: definition.constants,
        function_choice: FunctionChoice::Uniform,
    };
    let init = Init {
        method: InitMethod::Ramped,
        min_depth,
        max_depth: 8,
    };
    let mut dice = Dice::new(seed, problem as u64);
    let drawn = (0..).map(|index| initial(&ingredients, init, index, &mut dice));
    let runs = |program: &Rpn| {
        NODES.contains(&program.0.len()) && lower(program, Lowering::Postfix, problem).is_ok()
    };
    drawn.filter(runs).take(POPULATION).collect()
}
