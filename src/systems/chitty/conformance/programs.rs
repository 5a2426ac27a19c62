//! The programs that a kernel is compared on: every function on every kind of operand, at every level of the stack.
//!
//! Models: one small program per function, kinds of its operands and stack levels in use below it, up to one level more than registers
//! hold, so that every handler of every encoding runs and its result alone decides the error; and long programs that have every function
//! at every level of the stack.
//! Leaves out: fitness cases (`trial`).

use crate::gp::evolve::dice::Dice;
use crate::gp::primitive::Primitive;
use crate::gp::problem::Score;
use crate::gp::program::{Rpn, Token};
use crate::systems::chitty::accumulate::Target;
use crate::systems::chitty::kernel_id::Lowering;
use crate::systems::chitty::lower::{MAX_NODES, function_codes};
use crate::systems::chitty::variant::Variant;

/// The seed of programs.
const SEED: u64 = 1;
/// Constants: 0, on the grid that inputs are drawn from, of full precision, and far from 1.
const CONSTANTS: [f32; 8] = [1.5, -2.0, 0.0, 0.1, -0.5, 1e6, -3e-5, 1.0];
/// Factors that a computed operand is made with: exact, so that it keeps every value of the input.
const FACTORS: [f32; 4] = [0.5, -1.0, 2.0, 1.0];
/// Powers of 2 that bring subnormal and very large results near 1.
const SCALES: [&[f32]; 2] = [&[1.267_650_6e30, 1_073_741_824.0], &[7.888_609e-31]];
const NEAR_ONE: Option<i32> = Some(-2);
const REGRESSION_WINDOWS: &[Option<i32>] = &[NEAR_ONE, Some(-40), Some(0), Some(5), Some(30)];
const CLASS_WINDOWS: &[Option<i32>] = &[NEAR_ONE, None];
/// Functions that keep what their operands are, as far as possible.
const FOLDS: [&[Primitive]; 2] = [
    &[Primitive::Add, Primitive::Sub],
    &[
        Primitive::Nand,
        Primitive::Nor,
        Primitive::And,
        Primitive::Or,
    ],
];

/// Levels of a complete tree that a program can have.
const DEEPEST_TREE: usize = 9;

/// How an operand comes about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Input,
    Constant,
    /// A function of two inputs.
    Pair,
    /// A function's result.
    Computed,
    /// A function's result whose computation needs a stack level even as the first operand.
    Tree,
}
use Operand::{Computed, Constant, Input, Pair, Tree};

/// A program and what it is run on.
#[derive(Debug, Clone)]
pub struct Probe {
    pub program: Rpn,
    pub values: Values,
    /// The power of 2 at which the results of an inexact function begin, so that large results do not hide small ones.
    pub window: Option<i32>,
}

/// Values of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Near 1, never 0; of words: any.
    Common,
    /// Common values in the first half of the cases; in the second half also 0, and often equal.
    Mixed,
    /// Near 1, of which one in hundreds is of any exponent.
    Seldom,
    /// Every exponent.
    Extreme,
    /// Words whose bits are mostly set for even inputs, and mostly clear for odd ones.
    Biased,
}

/// Writes programs; inputs, constants and functions that may be any are drawn.
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

    /// A function that keeps what its operands are.
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
            Tree => self.full(1, |programs| programs.operand(Computed)),
        }
    }

    /// A complete tree of folds whose leaves are `leaf`.
    fn full(&mut self, depth: usize, leaf: impl Fn(&mut Self) -> Vec<Token> + Copy) -> Vec<Token> {
        match depth {
            0 => leaf(self),
            _ => [
                self.full(depth - 1, leaf),
                self.full(depth - 1, leaf),
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

    /// `inner` where this many levels are in use. The accumulator computes first what needs more levels.
    fn nested(&mut self, level: usize, inner: Vec<Token>) -> Vec<Token> {
        (0..level).fold(inner, |inner, _| {
            let filler = match self.variant.kernel.lowering() {
                Lowering::Accumulator => {
                    let levels = Target::of(&self.variant).levels(&Rpn(inner.clone()));
                    self.full(levels.unwrap_or(0), |programs| programs.operand(Computed))
                }
                _ => self.operand(Computed),
            };
            [filler, inner, vec![self.fold()]].concat()
        })
    }

    /// Every input by itself, and every function on every kind of operand at the levels that a kernel may have code of its own for.
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

    /// A function on values of every exponent. Of a class, only values near 1 tell what is rounded.
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
        let seldom = Probe {
            values: Values::Seldom,
            ..of(&[], None)
        };
        let unscaled = windows.iter().map(|&window| of(&[], window));
        let scaled = SCALES.iter().map(|factors| of(factors, NEAR_ONE));
        unscaled.chain(scaled).chain([seldom]).collect()
    }

    /// Programs that need this many levels and have every function at each of them, as far as programs of the largest size do.
    pub fn long(&self, levels: usize) -> Vec<Probe> {
        let mut writer = self.clone();
        let functions: Vec<_> = self.functions().collect();
        let programs = match self.variant.kernel.lowering() {
            Lowering::Accumulator if functions.contains(&Primitive::If) => (0..3)
                .map(|start| writer.choices(&functions, start, levels))
                .collect(),
            Lowering::Accumulator => writer.trees(&functions, levels),
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

    /// `f1 f2 f3 ... fold fold`: a function per level, in turn from `start` on.
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
            // Postfix pushes an operand's operands, too.
            let computed = level + function.arity() + usize::from(is_postfix) <= levels + 1;
            let value = match self.is_logic() {
                true => self.mostly_true(function),
                false => self.applied(
                    function,
                    &vec![if computed { Computed } else { Input }; function.arity()],
                ),
            };
            // After a true value, a complement keeps what is above.
            let fold = match self.is_logic() {
                true => Token::Apply(Primitive::Nand),
                false => self.fold(),
            };
            inner = [value, inner, vec![fold]].concat();
        }
        inner
    }

    /// A function of two inputs that is true for most biased values.
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

    /// Levels of the accumulator at one function each: the choice that is taken is computed with one more level in use.
    fn choices(&mut self, functions: &[Primitive], start: usize, levels: usize) -> Vec<Token> {
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

    /// Complete trees, as large as programs may be.
    fn trees(&mut self, functions: &[Primitive], levels: usize) -> Vec<Vec<Token>> {
        let leaf = |programs: &mut Self| {
            let function = programs.dice.pick(functions);
            programs.applied(function, &vec![Computed; function.arity()])
        };
        let mut largest = || {
            let depths = (0..levels.min(DEEPEST_TREE)).rev();
            let mut trees = depths.map(|depth| self.full(depth, leaf));
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

/// Every sequence of this length.
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
