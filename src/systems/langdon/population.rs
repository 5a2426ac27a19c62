//! Programs of the initial generation, and the tests they run on.
//!
//! Models: ramped half-and-half. Table 1 gives "4:5" and section 8 an average of 55 instructions per tree, which depths of 4 and
//! 5 edges cannot reach (at most 47). Assumed here: 5 and 6 edges, a function at the root, and as many terminals as functions in
//! trees that grow: 53.5 nodes, 54.5 with the end. Depth and method are drawn for each tree separately: neighbours in a block are
//! not alike, as in later generations after the first tournament.
//! Leaves out: later generations (`evolved`). Units: nodes. Sources: Langdon 2010, table 1 and section 8.

use super::experiment::Experiment;
use super::kernel::Tests;
use crate::gp::evolve::dice::Dice;
use crate::gp::problem::multiplexer::Multiplexer;
use crate::gp::program::{Rpn, Token};

const DEPTHS: [u32; 2] = [5, 6];
const MUX: Multiplexer = Multiplexer::MUX20;

/// Returns program `index` of the initial generation.
pub fn initial(index: u32, seed: u64) -> Rpn {
    let mut dice = Dice::for_offspring(seed, 0, index);
    let depth = dice.pick(&DEPTHS);
    let grows = dice.chance(0.5);
    let mut tokens = Vec::new();
    function(&mut dice, depth, grows, &mut tokens);
    Rpn(tokens)
}

fn function(dice: &mut Dice, depth: u32, grows: bool, out: &mut Vec<Token>) {
    for _ in 0..2 {
        if depth == 1 || grows && dice.chance(0.5) {
            out.push(Token::Input(dice.below(MUX.n_inputs() as usize) as u16));
        } else {
            function(dice, depth - 1, grows, out);
        }
    }
    out.push(Token::Apply(dice.pick(MUX.id.definition().functions)));
}

/// Returns the first `n` of the words of 32 cases that a generation is tested on.
pub fn tests(experiment: Experiment, n: u32, seed: u64) -> Tests {
    let mut dice = Dice::new(seed, u64::from(u32::MAX));
    let mux = experiment.mux;
    let mut words = mux.sample(&mut dice, experiment.test_words as usize);
    words.truncate(n as usize);
    Tests {
        experiment,
        expected: mux.cases(&words).expected,
        numbers: words.into_iter().map(|word| word as u32).collect(),
    }
}
