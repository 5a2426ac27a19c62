//! Programs that run: random trees of exactly 50 nodes, as words in prefix order.
//!
//! Models: a tree is filled from the root in prefix order. While several arguments are open, any primitive may follow that leaves
//! enough nodes for them: each of the ten variables, the constants 1, -1 and an ephemeral one, and each function with equal
//! probability. While one argument is open and nodes are left, any function may follow. The size is then exact without choosing
//! arities first.
//! Trees, constants (0 to 16) and truth (a condition below 1 is false) are those of GPOCL's source, which the CUDA kernels here
//! do not follow (`gpocl::program`, `gpocl::population`): the paper gives none of the three.
//! Leaves out: breeding; the paper evaluates one generation. Units: nodes.
//! Sources: Augusto and Barbosa 2013, table 2 and section 4.3; GPOCL's own source for the filling of trees and packing of words.

use crate::gp::evolve::dice::Dice;
use crate::systems::gpocl::{Domain, INPUTS, NODES};

/// Nodes of a tree.
pub const TREE_NODES: usize = NODES as usize;
/// Kind of a variable: none of the kinds in the kernel's switch.
const VARIABLE: u32 = 127;
/// Kinds of the ephemeral constant, -1 and 1.
const CONSTANTS: [u32; 3] = [0, 46, 50];
/// Bits of a node's value.
const VALUE_BITS: u32 = 22;

/// One node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub arity: u32,
    /// Number in the kernel's switch.
    pub kind: u32,
    pub value: u32,
}

impl Token {
    pub fn word(self) -> u32 {
        self.arity << 29 | self.kind << VALUE_BITS | self.value
    }
}

/// Arity and kind of every function.
pub fn functions(domain: Domain) -> &'static [(u32, u32)] {
    match domain {
        Domain::Regression => &[(2, 3), (2, 5), (2, 15), (2, 16), (1, 23), (1, 34), (1, 37)],
        Domain::Classification => &[(3, 2), (2, 4), (2, 6), (2, 8), (2, 10), (2, 18), (1, 35)],
    }
}

/// Draws a random tree.
pub fn tree(domain: Domain, dice: &mut Dice) -> Vec<Token> {
    let mut open = 1;
    let mut tokens = Vec::with_capacity(TREE_NODES);
    for left in (1..=TREE_NODES as u32).rev() {
        let token = primitive(domain, dice, left > 1 && open == 1, left - open);
        open = open + token.arity - 1;
        tokens.push(token);
    }
    tokens
}

/// Draws a primitive of at most `most` arguments.
fn primitive(domain: Domain, dice: &mut Dice, must_be_function: bool, most: u32) -> Token {
    let allowed: Vec<_> = functions(domain).iter().filter(|f| f.0 <= most).collect();
    let n_terminals = if must_be_function {
        0
    } else {
        INPUTS as usize + CONSTANTS.len()
    };
    let chosen = dice.below(n_terminals + allowed.len());
    match chosen.checked_sub(n_terminals) {
        Some(function) => Token {
            arity: allowed[function].0,
            kind: allowed[function].1,
            value: 0,
        },
        None => terminal(dice, chosen as u32),
    }
}

fn terminal(dice: &mut Dice, chosen: u32) -> Token {
    let token = |kind, value| Token {
        arity: 0,
        kind,
        value,
    };
    match chosen.checked_sub(INPUTS) {
        None => token(VARIABLE, chosen),
        Some(0) => token(CONSTANTS[0], dice.below(1 << VALUE_BITS) as u32),
        Some(constant) => token(CONSTANTS[constant as usize], 0),
    }
}

/// Returns size and nodes of a program, as stored in the population.
pub fn words(tree: &[Token]) -> Vec<u32> {
    let nodes = tree.iter().map(|token| token.word());
    std::iter::once(tree.len() as u32).chain(nodes).collect()
}

/// Returns a program's value on one case, to check executed code.
pub fn evaluate(tree: &[Token], inputs: impl Fn(u32) -> f32) -> f32 {
    let mut stack = Vec::new();
    for token in tree.iter().rev() {
        let mut argument = || stack.pop().unwrap_or(f32::NAN);
        let value = match token.kind {
            3 => argument() + argument(),
            5 => argument() / argument(),
            15 => argument() - argument(),
            16 => argument() * argument(),
            23 => argument().cos(),
            34 => -argument(),
            37 => argument().sin(),
            0 => token.value as f32 * (16.0 / 4_194_303.0),
            46 => -1.0,
            50 => 1.0,
            VARIABLE => inputs(token.value),
            kind => logic(kind, &mut argument),
        };
        stack.push(value);
    }
    stack.pop().unwrap_or(f32::NAN)
}

fn logic(kind: u32, argument: &mut impl FnMut() -> f32) -> f32 {
    let a = argument();
    match kind {
        2 => {
            let (then, otherwise) = (argument(), argument());
            if a as i32 != 0 { then } else { otherwise }
        }
        35 => f32::from(a as i32 == 0),
        _ => {
            let b = argument();
            f32::from(match kind {
                4 => a != 0.0 && b != 0.0,
                6 => a == b,
                8 => a > b,
                10 => a < b,
                _ => a != 0.0 || b != 0.0,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the largest number of stack words that a tree may need (footnote 7 of the paper).
    fn stack_words(domain: Domain) -> usize {
        let arity = functions(domain).iter().map(|f| f.0 as usize).max();
        let arity = arity.unwrap_or(1).min(TREE_NODES);
        (TREE_NODES - TREE_NODES / arity).max(1)
    }

    fn depth(tree: &[Token]) -> usize {
        let depths = tree.iter().rev().scan(0, |depth, token| {
            *depth = *depth + 1 - token.arity as usize;
            Some(*depth)
        });
        depths.max().unwrap_or(0)
    }

    #[test]
    fn trees_have_fifty_nodes_are_whole_and_fit_the_stack() {
        for domain in [Domain::Regression, Domain::Classification] {
            let mut dice = Dice::new(1, 2);
            for _ in 0..500 {
                let tree = tree(domain, &mut dice);
                assert_eq!(tree.len(), TREE_NODES);
                let arguments: u32 = tree.iter().map(|t| t.arity).sum();
                assert_eq!(arguments as usize, TREE_NODES - 1);
                assert!(depth(&tree) <= stack_words(domain));
            }
        }
    }

    #[test]
    fn stacks_are_as_deep_as_the_paper_says() {
        assert_eq!(stack_words(Domain::Regression), 25);
        assert_eq!(stack_words(Domain::Classification), 34);
    }
}
