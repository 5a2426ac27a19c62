//! Random programs of one size, and random data.
//!
//! Models: table 2 and section 4.2: every program has 50 nodes; data are uniform in [-1, 1]. The paper does not describe how
//! GPOCL grew its trees to a given size. Assumed here: a function drawn uniformly from those whose arguments have room, the nodes
//! below it divided uniformly at random among its arguments, terminals drawn uniformly from ten variables, 1, -1 and a random
//! constant. Leaves out: evolution, as in the paper. Sources: Augusto and Barbosa 2013, sections 4.2 and 4.3.

use super::program::{Function, Node, Program};
use super::{Domain, INPUTS, NODES};
use crate::gp::evolve::dice::Dice;

/// Number of terminals besides the variables: 1, -1, a random constant.
const CONSTANTS: u32 = 3;
/// Stream of random numbers for data, separate from those of programs.
const DATA: u64 = u64::MAX;

/// Returns program `index` of a population.
pub fn program(domain: Domain, index: u32, seed: u64) -> Program {
    let mut dice = Dice::for_offspring(seed, 0, index);
    let mut nodes = Vec::with_capacity(NODES as usize);
    grow(&mut dice, domain, NODES as usize, &mut nodes);
    Program(nodes)
}

/// Appends a tree of exactly `size` nodes, at least 1.
fn grow(dice: &mut Dice, domain: Domain, size: usize, nodes: &mut Vec<Node>) {
    if size == 1 {
        nodes.push(terminal(dice));
        return;
    }
    let functions = Function::of(domain);
    let fitting = functions.iter().filter(|function| function.arity() < size);
    let fitting: Vec<Function> = fitting.copied().collect();
    let function = dice.pick(&fitting);
    nodes.push(Node::Apply(function));
    let mut rest = size - 1;
    for following in (0..function.arity()).rev() {
        // Each following argument takes at least one node.
        let most = rest - following;
        let own = if following == 0 {
            rest
        } else {
            1 + dice.below(most)
        };
        grow(dice, domain, own, nodes);
        rest -= own;
    }
}

fn terminal(dice: &mut Dice) -> Node {
    match dice.below((INPUTS + CONSTANTS) as usize) as u32 {
        number if number < INPUTS => Node::Variable(number),
        INPUTS => Node::constant(1.0),
        at if at == INPUTS + 1 => Node::constant(-1.0),
        _ => Node::constant(2.0 * dice.unit() - 1.0),
    }
}

/// Rows of a data set.
#[derive(Debug, Clone)]
pub struct Data {
    /// Input values, one row per variable (section 5.1.1).
    pub inputs: Vec<f32>,
    pub outputs: Vec<f32>,
}

impl Data {
    pub fn random(rows: u32, seed: u64) -> Data {
        let mut dice = Dice::new(seed, DATA);
        let mut column = |n: u32| (0..n).map(|_| dice.uniform(-1.0, 1.0)).collect();
        Data {
            inputs: column(INPUTS * rows),
            outputs: column(rows),
        }
    }

    pub fn rows(&self) -> usize {
        self.outputs.len()
    }

    /// Returns the inputs of a row.
    pub fn row(&self, n: usize) -> Vec<f32> {
        let of_variable = |variable: usize| self.inputs[variable * self.rows() + n];
        (0..INPUTS as usize).map(of_variable).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_one_tree_of_fifty_nodes() {
        for domain in Domain::ALL {
            for index in 0..200 {
                let Program(nodes) = program(domain, index, 7);
                assert_eq!(nodes.len(), NODES as usize);
                let open = nodes.iter().try_fold(1usize, |open, node| {
                    open.checked_sub(1).map(|rest| rest + node.arity())
                });
                assert_eq!(open, Some(0), "{nodes:?}");
            }
        }
    }
}
