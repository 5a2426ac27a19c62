//! Crossover and mutation on postfix programs.
//!
//! Models: subtree, size-fair and one-point crossover, subtree mutation and point mutation. An offspring above the depth or size
//! limit is replaced by its first parent.
//! Units: positions are token indices.
//! Sources: Koza 1992; Chitty (2D stack) table 2 for the limits.

use super::config::{Crossover, EvolveConfig, Mutation};
use super::dice::Dice;
use super::init::Ingredients;
use crate::gp::program::{Rpn, Token};

/// Returns a child of `mother`, crossed with `father` at the crossover probability and mutated.
pub fn offspring(
    mother: &Rpn,
    father: &Rpn,
    config: &EvolveConfig,
    ingredients: &Ingredients,
    dice: &mut Dice,
) -> Rpn {
    let mut child = mother.clone();
    if dice.chance(config.crossover_probability) {
        let bias = config.crossover_function_bias;
        let crossed = crossover(mother, father, config.crossover, bias, dice);
        child = within(crossed, mother, config.max_size, config.max_depth);
    }
    let mutant = mutate(&child, config, ingredients, dice);
    within(mutant, &child, config.max_size, config.max_depth)
}

/// Returns the program, or its parent if it is too large or too deep.
fn within(program: Rpn, parent: &Rpn, max_size: usize, max_depth: usize) -> Rpn {
    if program.n_nodes() <= max_size && program.tree_depth() <= max_depth {
        program
    } else {
        parent.clone()
    }
}

/// Returns `mother` with a subtree replaced by one of `father`.
pub fn crossover(
    mother: &Rpn,
    father: &Rpn,
    kind: Crossover,
    bias: Option<f64>,
    dice: &mut Dice,
) -> Rpn {
    let (cut, graft) = match kind {
        Crossover::Subtree => (point_of(mother, bias, dice), point_of(father, bias, dice)),
        Crossover::SizeFair => {
            let cut = point_of(mother, bias, dice);
            let most = 2 * mother.subtree(cut).len() + 1;
            let fair: Vec<usize> = (0..father.n_nodes())
                .filter(|&point| father.subtree(point).len() <= most)
                .collect();
            (cut, dice.pick(&fair))
        }
        Crossover::OnePoint => dice.pick(&shared_places(mother, father)),
    };
    mother.replaced(mother.subtree(cut), &father.0[father.subtree(graft)])
}

/// Returns the pairs of nodes at the same place, from the roots down to where the arities differ.
fn shared_places(mother: &Rpn, father: &Rpn) -> Vec<(usize, usize)> {
    let mut places = vec![(mother.n_nodes() - 1, father.n_nodes() - 1)];
    let mut next = 0;
    while let Some(&(a, b)) = places.get(next) {
        if mother.0[a].arity() == father.0[b].arity() {
            places.extend(operands(mother, a).into_iter().zip(operands(father, b)));
        }
        next += 1;
    }
    places
}

/// Returns the operands of a node, the last one first.
fn operands(program: &Rpn, root: usize) -> Vec<usize> {
    let mut next = root;
    (0..program.0[root].arity())
        .map(|_| {
            let operand = next - 1;
            next = program.subtree(operand).start;
            operand
        })
        .collect()
}

/// Returns the program with one subtree replaced by a grown one.
fn regrow(program: &Rpn, max_depth: usize, ingredients: &Ingredients, dice: &mut Dice) -> Rpn {
    let cut = program.subtree(dice.below(program.n_nodes()));
    let mut graft = Vec::new();
    ingredients.tree(dice, max_depth, true, &mut graft);
    program.replaced(cut, &graft)
}

/// Returns the program with one token replaced by one of the same arity.
pub fn point(program: &Rpn, ingredients: &Ingredients, dice: &mut Dice) -> Rpn {
    let mut mutant = program.clone();
    let position = dice.below(mutant.n_nodes());
    mutant.0[position] = like(mutant.0[position], ingredients, dice);
    mutant
}

fn point_of(program: &Rpn, function_bias: Option<f64>, dice: &mut Dice) -> usize {
    let Some(bias) = function_bias else {
        return dice.below(program.n_nodes());
    };
    let wants_function = dice.chance(bias);
    let is_wanted = |token: &&Token| (token.arity() > 0) == wants_function;
    match program.0.iter().filter(is_wanted).count() {
        0 => dice.below(program.n_nodes()),
        n => {
            let nth = dice.below(n);
            let positions = program
                .0
                .iter()
                .enumerate()
                .filter(|(_, token)| is_wanted(token));
            positions
                .map(|(position, _)| position)
                .nth(nth)
                .unwrap_or(0)
        }
    }
}

fn mutate(program: &Rpn, config: &EvolveConfig, ingredients: &Ingredients, dice: &mut Dice) -> Rpn {
    let probability = config.mutation_probability;
    match config.mutation {
        Mutation::Subtree { max_depth } if dice.chance(probability) => {
            regrow(program, max_depth, ingredients, dice)
        }
        Mutation::Point if dice.chance(probability) => point(program, ingredients, dice),
        Mutation::PointPerNode => {
            let mut mutant = program.clone();
            for token in &mut mutant.0 {
                if dice.chance(probability) {
                    *token = like(*token, ingredients, dice);
                }
            }
            mutant
        }
        Mutation::SubtreePerNode { max_depth } => {
            let mut mutant = Vec::with_capacity(program.n_nodes());
            let shape = Regrowth {
                probability,
                max_depth,
                ingredients,
            };
            shape.copy(program, program.n_nodes() - 1, dice, &mut mutant);
            Rpn(mutant)
        }
        Mutation::Subtree { .. } | Mutation::Point => program.clone(),
    }
}

/// Draws a random token of the same arity.
fn like(token: Token, ingredients: &Ingredients, dice: &mut Dice) -> Token {
    let Token::Apply(function) = token else {
        return ingredients.terminal(dice);
    };
    let same = ingredients
        .functions
        .iter()
        .filter(|f| f.arity() == function.arity());
    let nth = dice.below(same.clone().count().max(1));
    same.copied().nth(nth).map_or(token, Token::Apply)
}

struct Regrowth<'a> {
    probability: f64,
    max_depth: usize,
    ingredients: &'a Ingredients,
}

impl Regrowth<'_> {
    /// Copies the subtree at `root`, replacing random subtrees with grown ones.
    fn copy(&self, program: &Rpn, root: usize, dice: &mut Dice, out: &mut Vec<Token>) {
        if dice.chance(self.probability) {
            return self.ingredients.tree(dice, self.max_depth, true, out);
        }
        for operand in operands(program, root).into_iter().rev() {
            self.copy(program, operand, dice, out);
        }
        out.push(program.0[root]);
    }
}
