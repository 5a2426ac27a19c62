//! Programs that a kernel is compared on: every function on every kind of operand, at every stack level.
//!
//! Models: one small program for each function, each combination of operand kinds and each number of stack levels in use below
//! it, up to one level more than registers hold, so that every handler of every encoding runs and its result alone decides the
//! error; and long programs that have every function at every stack level.
//! Leaves out: fitness cases (`trial`).

use crate::gp::evolve::dice::Dice;
use crate::gp::primitive::Primitive;
use crate::gp::problem::Score;
use crate::gp::program::{Rpn, Token};
use crate::systems::chitty::accumulate::Target;
use crate::systems::chitty::kernel_id::Lowering;
use crate::systems::chitty::lower::{MAX_NODES, function_codes};
use crate::systems::chitty::variant::Variant;

/// Seed of the programs.
const SEED: u64 = 1;
/// Constants: 0, values on the grid of the inputs, values of full precision, and values far from 1.
const CONSTANTS: [f32; 8] = [1.5, -2.0, 0.0, 0.1, -0.5, 1e6, -3e-5, 1.0];
/// Factors of computed operands: exact, so that the result keeps every value of the input.
const FACTORS: [f32; 4] = [0.5, -1.0, 2.0, 1.0];
/// Powers of 2 that bring subnormal and very large results near 1.
const SCALES: [&[f32]; 2] = [&[1.267_650_6e30, 1_073_741_824.0], &[7.888_609e-31]];
const NEAR_ONE: Option<i32> = Some(-2);
const REGRESSION_WINDOWS: &[Option<i32>] = &[NEAR_ONE, Some(-40), Some(0), Some(5), Some(30)];
const CLASS_WINDOWS: &[Option<i32>] = &[NEAR_ONE, None];
/// Functions that preserve their operands' information as far as possible.
const FOLDS: [&[Primitive]; 2] = [
    &[Primitive::Add, Primitive::Sub],
    &[
        Primitive::Nand,
        Primitive::Nor,
        Primitive::And,
        Primitive::Or,
    ],
];

/// Largest depth of a complete tree within the size limit.
const DEEPEST_TREE: usize = 9;

/// Kind of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Input,
    Constant,
    /// A function of two inputs.
    Pair,
    /// A function's result.
    Computed,
    /// A function's result that needs a stack level even as the first operand.
    Tree,
}
use Operand::{Computed, Constant, Input, Pair, Tree};

/// A program and the values it is run on.
#[derive(Debug, Clone)]
pub struct Probe {
    pub program: Rpn,
    pub values: Values,
    /// Power of 2 from which the results of an inexact function are accepted, so that large results do not hide small ones.
    pub window: Option<i32>,
}

/// Distribution of input values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Near 1, never 0; for words, any bits.
    Common,
    /// Common values in the first half of the cases; in the second half also 0, and often equal.
    Mixed,
    /// Near 1, except for one case in hundreds, which has values of any exponent.
    RarelyExtreme,
    /// Every exponent.
    Extreme,
    /// Words whose bits are mostly set for even inputs, and mostly clear for odd ones.
    Biased,
}

/// Generator of programs; free inputs, constants and functions are drawn at random.
#[derive(Clone)]
pub struct Programs {
    variant: Variant,
    n_inputs: u16,
    dice: Dice,
}

impl Programs {
    pub fn new(variant: &Variant) -> Self {
        Programs {
            variant: *variant,
            n_inputs: variant.problem.definition().n_inputs as u16,
            dice: Dice::new(SEED, 0),
        }
    }

    fn is_logic(&self) -> bool {
        self.variant.problem.is_boolean()
    }

    fn functions(&self) -> impl Iterator<Item = Primitive> + use<> {
        function_codes(self.variant.problem)
            .iter()
            .map(|&(function, _)| function)
    }

    fn input(&mut self) -> Token {
        Token::Input(self.dice.below(self.n_inputs.into()) as u16)
    }

    /// Draws a function that preserves its operands' information.
    fn fold(&mut self) -> Token {
        Token::Apply(self.dice.pick(FOLDS[usize::from(self.is_logic())]))
    }

    fn operand(&mut self, kind: Operand) -> Vec<Token> {
        match kind {
            Input => vec![self.input()],
            Constant => vec![Token::Constant(self.dice.pick(&CONSTANTS))],
            Pair => vec![self.input(), self.input(), self.fold()],
            Computed if self.is_logic() => {
                [self.operand(Pair), vec![self.input(), self.fold()]].concat()
            }
            Computed => {
                let factor = Token::Constant(self.dice.pick(&FACTORS));
                vec![self.input(), factor, Token::Apply(Primitive::Mul)]
            }
            Tree => self.complete_tree(1, |programs| programs.operand(Computed)),
        }
    }

    /// Returns a complete tree of folds with leaves made by `leaf`.
    fn complete_tree(
        &mut self,
        depth: usize,
        leaf: impl Fn(&mut Self) -> Vec<Token> + Copy,
    ) -> Vec<Token> {
        match depth {
            0 => leaf(self),
            _ => [
                self.complete_tree(depth - 1, leaf),
                self.complete_tree(depth - 1, leaf),
                vec![self.fold()],
            ]
            .concat(),
        }
    }

    fn applied(&mut self, function: Primitive, kinds: &[Operand]) -> Vec<Token> {
        let operands = kinds
            .iter()
            .map(|&kind| self.operand(kind))
            .collect::<Vec<_>>();
        [operands.concat(), vec![Token::Apply(function)]].concat()
    }

    /// Nests `inner` so that `level` stack levels are in use when it is computed. The accumulator computes the operand that needs
    /// more levels first.
    fn nested(&mut self, level: usize, inner: Vec<Token>) -> Vec<Token> {
        (0..level).fold(inner, |inner, _| {
            let filler = match self.variant.kernel.lowering() {
                Lowering::Accumulator => {
                    let levels = Target::of(&self.variant).levels(&Rpn(inner.clone()));
                    self.complete_tree(levels.unwrap_or(0), |programs| programs.operand(Computed))
                }
                _ => self.operand(Computed),
            };
            [filler, inner, vec![self.fold()]].concat()
        })
    }

    /// Returns programs of every single input, and of every function on every kind of operand at the levels for which a kernel
    /// may have code of its own.
    pub fn short(&mut self) -> Vec<Probe> {
        let terminals = (0..self.n_inputs).map(Token::Input);
        let constants = CONSTANTS
            .iter()
            .filter(|_| !self.is_logic())
            .map(|&value| Token::Constant(value));
        let mut probes: Vec<Probe> = terminals
            .chain(constants)
            .map(|token| probe(vec![token], Values::Mixed))
            .collect();
        let all: &[Operand] = match self.is_logic() {
            true => &[Input, Pair, Computed, Tree],
            false => &[Input, Constant, Pair, Computed, Tree],
        };
        for level in 0..=self.variant.stack_registers as usize + 1 {
            for function in self.functions() {
                let kinds: Vec<Vec<Operand>> = match (level, function.arity()) {
                    (0, 3) => tuples(&[Input, Constant, Computed], 3),
                    (0, arity) => tuples(all, arity),
                    (_, 2) => [tuples(&[Input, Computed], 2), vec![vec![Computed, Tree]]].concat(),
                    (_, arity) => tuples(&[Input, Computed], arity),
                };
                for kinds in kinds {
                    let inner = self.applied(function, &kinds);
                    if level == 0
                        && !self.is_logic()
                        && kinds.iter().all(|kind| ![Pair, Tree].contains(kind))
                    {
                        probes.extend(self.extreme(function, &inner));
                    }
                    probes.push(probe(self.nested(level, inner), Values::Mixed));
                }
            }
        }
        probes
    }

    /// Returns probes of a function on values of every exponent. For classification, only values near 1 reveal rounding.
    fn extreme(&self, function: Primitive, tokens: &[Token]) -> Vec<Probe> {
        let of = |factors: &[f32], window: Option<i32>| {
            let scaled = |&factor| [Token::Constant(factor), Token::Apply(Primitive::Mul)];
            Probe {
                program: Rpn(
                    [tokens, &factors.iter().flat_map(scaled).collect::<Vec<_>>()].concat(),
                ),
                values: Values::Extreme,
                window,
            }
        };
        if function.is_exact() && function != Primitive::Div {
            return vec![of(&[], None)];
        }
        let windows = match self.variant.problem.definition().score {
            Score::MeanSquaredError => REGRESSION_WINDOWS,
            _ => CLASS_WINDOWS,
        };
        let rarely_extreme = Probe {
            values: Values::RarelyExtreme,
            ..of(&[], None)
        };
        let unscaled = windows.iter().map(|&window| of(&[], window));
        let scaled = SCALES.iter().map(|factors| of(factors, NEAR_ONE));
        unscaled.chain(scaled).chain([rarely_extreme]).collect()
    }

    /// Returns programs that need this many levels and have every function at each level, as far as the size limit allows.
    pub fn long(&self, levels: usize) -> Vec<Probe> {
        let mut writer = self.clone();
        let functions: Vec<_> = self.functions().collect();
        let programs = match self.variant.kernel.lowering() {
            Lowering::Accumulator if functions.contains(&Primitive::If) => (0..3)
                .map(|start| writer.nested_ifs(&functions, start, levels))
                .collect(),
            Lowering::Accumulator => writer.complete_trees(&functions, levels),
            _ => (0..functions.len())
                .map(|start| writer.chain(&functions, start, levels))
                .collect::<Vec<_>>(),
        };
        let is_biased = self.is_logic() && self.variant.kernel.lowering() != Lowering::Accumulator;
        let values = if is_biased {
            Values::Biased
        } else {
            Values::Mixed
        };
        programs
            .into_iter()
            .map(|tokens| probe(tokens, values))
            .collect()
    }

    /// Returns `f1 f2 f3 ... fold fold`: one function per level, in turn from `start` on.
    fn chain(&mut self, functions: &[Primitive], start: usize, levels: usize) -> Vec<Token> {
        let is_postfix = self.variant.kernel.lowering() == Lowering::Postfix;
        let mut inner = match is_postfix {
            true => vec![self.input()],
            false => self.operand(Computed),
        };
        for level in (1..levels).rev() {
            let mut in_turn =
                (0..functions.len()).map(|at| functions[(start + level + at) % functions.len()]);
            let fitting = in_turn.find(|function| level + function.arity() <= levels + 1);
            let Some(function) = fitting else { continue };
            // Postfix also pushes the operands of an operand.
            let computed = level + function.arity() + usize::from(is_postfix) <= levels + 1;
            let value = match self.is_logic() {
                true => self.mostly_true(function),
                false => self.applied(
                    function,
                    &vec![if computed { Computed } else { Input }; function.arity()],
                ),
            };
            // With a true value, a complement preserves the levels above.
            let fold = match self.is_logic() {
                true => Token::Apply(Primitive::Nand),
                false => self.fold(),
            };
            inner = [value, inner, vec![fold]].concat();
        }
        inner
    }

    /// Returns a function of two inputs that is true for most biased values.
    fn mostly_true(&mut self, function: Primitive) -> Vec<Token> {
        let n = self.n_inputs / 2 * 2;
        let even = 2 * self.dice.below(usize::from(n / 2)) as u16;
        let inputs = match function {
            Primitive::And => [even, (even + 2) % n],
            Primitive::Nor => [even + 1, (even + 3) % n],
            _ => [even, even + 1],
        };
        vec![
            Token::Input(inputs[0]),
            Token::Input(inputs[1]),
            Token::Apply(function),
        ]
    }

    /// Returns a program for the accumulator with one function per level; the chosen branch is computed with one more level in
    /// use.
    fn nested_ifs(&mut self, functions: &[Primitive], start: usize, levels: usize) -> Vec<Token> {
        let mut inner = vec![self.input()];
        for level in 0..levels {
            let function = functions[(start + level) % functions.len()];
            let value = self.applied(function, &vec![Input; function.arity()]);
            let fold = self.fold();
            inner = [value, inner, vec![fold]].concat();
            let choice = [
                vec![Token::Constant(0.0), self.input()],
                inner.clone(),
                vec![Token::Apply(Primitive::If)],
            ]
            .concat();
            let needed = Target::of(&self.variant).levels(&Rpn(choice.clone()));
            if needed.is_ok_and(|needed| needed < levels) && choice.len() < MAX_NODES {
                inner = choice;
            }
        }
        inner
    }

    /// Returns complete trees of the largest allowed size.
    fn complete_trees(&mut self, functions: &[Primitive], levels: usize) -> Vec<Vec<Token>> {
        let leaf = |programs: &mut Self| {
            let function = programs.dice.pick(functions);
            programs.applied(function, &vec![Computed; function.arity()])
        };
        let mut largest = || {
            let depths = (0..levels.min(DEEPEST_TREE)).rev();
            let mut trees = depths.map(|depth| self.complete_tree(depth, leaf));
            trees.find(|tree| tree.len() <= MAX_NODES)
        };
        [largest(), largest(), largest()]
            .into_iter()
            .flatten()
            .collect()
    }
}

fn probe(tokens: Vec<Token>, values: Values) -> Probe {
    Probe {
        values,
        ..Probe::from(Rpn(tokens))
    }
}

impl From<Rpn> for Probe {
    fn from(program: Rpn) -> Self {
        Probe {
            program,
            values: Values::Mixed,
            window: None,
        }
    }
}

/// Returns every sequence of this length.
fn tuples<T: Copy>(of: &[T], length: usize) -> Vec<Vec<T>> {
    let longer = |tuples: Vec<Vec<T>>| -> Vec<Vec<T>> {
        let with = |tuple: &Vec<T>| {
            of.iter()
                .map(|&next| [&tuple[..], &[next]].concat())
                .collect::<Vec<_>>()
        };
        tuples.iter().flat_map(with).collect()
    };
    (0..length).fold(vec![Vec::new()], |tuples, _| longer(tuples))
}
