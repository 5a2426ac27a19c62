//! Random trees.
//!
//! Models: the full and grow methods and ramped half-and-half.
//! Leaves out: uniqueness of the initial programs.
//! Units: depth in edges.
//! Sources: Koza 1992.

use super::config::{FunctionChoice, Init, InitMethod};
use super::dice::Dice;
use crate::gp::primitive::Primitive;
use crate::gp::problem::Problem;
use crate::gp::program::{Rpn, Token};

/// Functions and terminals of random programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Ingredients {
    pub functions: Vec<Primitive>,
    pub function_choice: FunctionChoice,
    pub n_inputs: usize,
    pub constants: Option<(f32, f32)>,
}

impl Ingredients {
    pub fn of(problem: &Problem, function_choice: FunctionChoice) -> Self {
        Ingredients {
            functions: problem.functions.clone(),
            function_choice,
            n_inputs: problem.n_inputs(),
            constants: problem.constants,
        }
    }

    /// Draws a random terminal: each input and "a constant" are equally likely.
    pub fn terminal(&self, dice: &mut Dice) -> Token {
        let index = dice.below(self.n_terminals());
        match self.constants {
            Some((low, high)) if index == self.n_inputs => Token::Constant(dice.uniform(low, high)),
            _ => Token::Input(index as u16),
        }
    }

    fn function(&self, dice: &mut Dice) -> Primitive {
        match self.function_choice {
            FunctionChoice::Uniform => dice.pick(&self.functions),
            FunctionChoice::ByArity => {
                let operands = self.functions.iter().map(|f| f.arity()).sum();
                let mut nth = dice.below(operands);
                let chosen = self.functions.iter().find(|f| {
                    let found = nth < f.arity();
                    nth = nth.saturating_sub(f.arity());
                    found
                });
                chosen.copied().unwrap_or(self.functions[0])
            }
        }
    }

    fn n_terminals(&self) -> usize {
        self.n_inputs + usize::from(self.constants.is_some())
    }

    /// Appends a random tree. With `grow`, a node above `depth` is a terminal with a probability equal to the share of terminals
    /// among all functions and terminals.
    pub fn tree(&self, dice: &mut Dice, depth: usize, grow: bool, out: &mut Vec<Token>) {
        let n_functions = self.functions.len();
        let ends =
            depth == 0 || grow && dice.below(n_functions + self.n_terminals()) >= n_functions;
        if ends {
            out.push(self.terminal(dice));
            return;
        }
        let function = self.function(dice);
        for _ in 0..function.arity() {
            self.tree(dice, depth - 1, grow, out);
        }
        out.push(Token::Apply(function));
    }
}

/// Returns a random program of at least `n_nodes` nodes, exceeding that by at most the operands of its last function: starting
/// from one terminal, random terminals become functions of terminals until there are enough nodes.
pub fn of_size(ingredients: &Ingredients, n_nodes: usize, dice: &mut Dice) -> Rpn {
    let mut tokens = vec![ingredients.terminal(dice)];
    while tokens.len() < n_nodes {
        let place = dice.below(tokens.len());
        if tokens[place].arity() > 0 {
            continue;
        }
        let function = ingredients.function(dice);
        let operands = (0..function.arity()).map(|_| ingredients.terminal(dice));
        let with: Vec<Token> = operands.chain([Token::Apply(function)]).collect();
        tokens.splice(place..=place, with);
    }
    Rpn(tokens)
}

/// Returns program number `index` of the initial population.
pub fn initial(ingredients: &Ingredients, init: Init, index: usize, dice: &mut Dice) -> Rpn {
    let n_depths = init.max_depth - init.min_depth + 1;
    let depth = init.min_depth + index % n_depths;
    let grow = match init.method {
        InitMethod::Full => false,
        InitMethod::Grow => true,
        InitMethod::Ramped => (index / n_depths) % 2 == 1,
    };
    let mut tokens = Vec::new();
    ingredients.tree(dice, depth, grow, &mut tokens);
    Rpn(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::problem::sextic;

    #[test]
    fn choice_by_arity_prefers_functions_of_two_operands() {
        let ingredients = Ingredients::of(&sextic::problem(1, 1), FunctionChoice::ByArity);
        let mut dice = Dice::new(1, 0);
        let binary = (0..6000)
            .filter(|_| ingredients.function(&mut dice).arity() == 2)
            .count();
        assert!(
            (3800..4200).contains(&binary),
            "{binary} of 6000, expected two thirds"
        );
    }

    #[test]
    fn programs_of_a_size_are_valid_and_have_it() {
        let problem = sextic::problem(1, 1);
        let ingredients = Ingredients::of(&problem, FunctionChoice::Uniform);
        for n_nodes in [1, 2, 50, 51] {
            let program = of_size(&ingredients, n_nodes, &mut Dice::new(3, n_nodes as u64));
            assert_eq!(program.check_against(&problem.functions, 1), Ok(()));
            assert!(
                (n_nodes..=n_nodes + 1).contains(&program.n_nodes()),
                "{program}"
            );
        }
    }

    #[test]
    fn full_trees_reach_their_depth_and_grown_ones_stay_within() {
        let ingredients = Ingredients::of(&sextic::problem(1, 1), FunctionChoice::Uniform);
        for index in 0..200 {
            let mut dice = Dice::new(1, index as u64);
            let full = Init {
                method: InitMethod::Full,
                min_depth: 2,
                max_depth: 5,
            };
            assert_eq!(
                initial(&ingredients, full, index, &mut dice).tree_depth(),
                2 + index % 4
            );
            let grow = Init {
                method: InitMethod::Grow,
                ..full
            };
            assert!(initial(&ingredients, grow, index, &mut dice).tree_depth() <= 2 + index % 4);
        }
    }
}
