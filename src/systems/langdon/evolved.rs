//! Programs of later generations, of a given mean size.
//!
//! Models: sizes spread evenly between half and one and a half times the mean, or as far around it as the largest program allows;
//! a function's nodes divided between its arguments at random, all divisions that fit the stack with equal probability; functions
//! and inputs drawn uniformly. With 64 threads per program, time depends on the number of nodes and hardly on their order, as
//! every program has one terminal more than functions.
//! Leaves out: the preferences of evolution: unequal shares of inputs and functions, similar programs. Units: nodes.
//! Sources: Langdon 2010, table 1 (functions, largest size) and section 6 (stack of 15); the spread is chosen.

use super::experiment::Experiment;
use super::kernel::STACK_LEVELS;
use crate::gp::evolve::dice::Dice;
use crate::gp::problem::multiplexer::Multiplexer;
use crate::gp::program::{Rpn, Token};

/// Largest distance of sizes from the mean, as a fraction of the mean.
const SPREAD: f64 = 0.5;

/// Returns program `index` of a generation whose programs have `mean_nodes` on average.
pub fn evolved(experiment: &Experiment, mean_nodes: u32, index: u32, seed: u64) -> Rpn {
    // Separate random numbers for every mean size with the same seed.
    let mut dice = Dice::for_offspring(seed, mean_nodes, index);
    let nodes = size(experiment, mean_nodes, &mut dice);
    of_size(experiment, nodes, &mut dice)
}

/// Returns a program of `nodes` nodes, an odd number.
pub fn sized(experiment: &Experiment, nodes: u32, seed: u64) -> Rpn {
    of_size(experiment, nodes, &mut Dice::new(seed, u64::from(nodes)))
}

fn of_size(experiment: &Experiment, nodes: u32, dice: &mut Dice) -> Rpn {
    let mut tokens = Vec::with_capacity(nodes as usize);
    tree(experiment.mux, nodes, STACK_LEVELS, dice, &mut tokens);
    Rpn(tokens)
}

/// Draws the size of a program, an odd number, as trees of binary functions have.
fn size(experiment: &Experiment, mean_nodes: u32, dice: &mut Dice) -> u32 {
    let room = mean_nodes.min(experiment.most_nodes().saturating_sub(mean_nodes));
    let most = (SPREAD * f64::from(mean_nodes)) as u32;
    let spread = most.min(room) / 2;
    // Even means are between two odd sizes.
    let steps = dice.below(2 * spread as usize + 1) as u32;
    let odd = mean_nodes - 2 * spread + 2 * steps;
    match odd % 2 {
        1 => odd,
        _ if dice.chance(0.5) => odd + 1,
        _ => odd - 1,
    }
}

/// Appends a tree of `nodes` nodes and at most `levels` levels.
fn tree(mux: Multiplexer, nodes: u32, levels: u32, dice: &mut Dice, out: &mut Vec<Token>) {
    if nodes < 3 {
        out.push(Token::Input(dice.below(mux.n_inputs() as usize) as u16));
        return;
    }
    let below = nodes - 1;
    let most = (1 << (levels - 1)) - 1;
    let least = below.saturating_sub(most).max(1);
    let divisions = (below.min(most + 1) - least).div_ceil(2).max(1);
    let left = least + 2 * dice.below(divisions as usize) as u32;
    tree(mux, left, levels - 1, dice, out);
    tree(mux, below - left, levels - 1, dice, out);
    out.push(Token::Apply(dice.pick(mux.id.definition().functions)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the stack levels that a program needs.
    fn depth(program: &Rpn) -> u32 {
        let mut now = 0u32;
        let mut most = 0;
        for token in &program.0 {
            now = match token {
                Token::Apply(_) => now - 1,
                _ => now + 1,
            };
            most = most.max(now);
        }
        assert_eq!(now, 1);
        most
    }

    #[test]
    fn programs_have_the_mean_size_and_fit_the_stack_and_their_places() {
        for experiment in Experiment::ALL {
            let most = experiment.most_nodes();
            for mean in [55, 200, 500, most - 1] {
                let programs: Vec<Rpn> = (0..2000)
                    .map(|index| evolved(&experiment, mean, index, 7))
                    .collect();
                let sizes: Vec<u32> = programs.iter().map(|p| p.0.len() as u32).collect();
                let found = f64::from(sizes.iter().sum::<u32>()) / 2000.0;
                let off = found / f64::from(mean) - 1.0;
                assert!(off.abs() < 0.03, "{}: {mean}, {found}", experiment.mux.id);
                assert!(sizes.iter().all(|&size| size <= most && size % 2 == 1));
                assert!(programs.iter().all(|p| depth(p) <= STACK_LEVELS));
                let smallest = sizes.iter().min().unwrap();
                assert!(2 * mean > most || smallest + 1 < 3 * mean / 5, "{smallest}");
            }
        }
    }
}
