//! Linear GP: a program as a list of functions whose operands are inputs, constants or the top of the stack.
//!
//! Models: the paper's conversion from RPN with a symbolic stack, its text form, and an interpreter.
//! Leaves out: evolution of this form; crossover and mutation work on RPN.
//! Units: stack levels, instructions.
//! Sources: Chitty (2D stack) section 5.
//!
//! Text form, after the paper: `+(X1,X1) *(X1,S) -(S,X1)`. Operands on the stack are popped last operand first. A program that
//! is a lone terminal has no function; it becomes one instruction `load(X1)`, which pushes its operand.

use super::primitive::Primitive;
use super::program::{Rpn, Token};
use std::fmt;

/// Source of an operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand {
    Input(u16),
    Constant(f32),
    /// The top of the stack, popped.
    Stack,
}

/// Operation of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    Apply(Primitive),
    /// Pushes its operand, when the whole program is one terminal.
    Load,
}

/// One instruction; its result is pushed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instruction {
    pub operation: Operation,
    operands: [Operand; 4],
}

/// A linear program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lgp(pub Vec<Instruction>);

impl Operation {
    pub fn arity(self) -> usize {
        match self {
            Operation::Apply(function) => function.arity(),
            Operation::Load => 1,
        }
    }
}

impl Instruction {
    fn new(operation: Operation, given: &[Operand]) -> Self {
        let mut operands = [Operand::Stack; 4];
        operands[..given.len()].copy_from_slice(given);
        Instruction {
            operation,
            operands,
        }
    }

    /// Returns the operands in the function's order.
    pub fn operands(&self) -> &[Operand] {
        &self.operands[..self.operation.arity()]
    }
}

impl From<&Rpn> for Lgp {
    /// Converts a valid program.
    fn from(program: &Rpn) -> Self {
        let mut symbolic: Vec<Operand> = Vec::new();
        let mut instructions = Vec::new();
        for token in &program.0 {
            match *token {
                Token::Input(i) => symbolic.push(Operand::Input(i)),
                Token::Constant(c) => symbolic.push(Operand::Constant(c)),
                Token::Apply(function) => {
                    let first = symbolic.len() - function.arity();
                    instructions.push(Instruction::new(
                        Operation::Apply(function),
                        &symbolic[first..],
                    ));
                    symbolic.truncate(first);
                    symbolic.push(Operand::Stack);
                }
            }
        }
        if instructions.is_empty() {
            instructions.push(Instruction::new(Operation::Load, &symbolic));
        }
        Lgp(instructions)
    }
}

impl Lgp {
    /// Runs the program. `level_used` is called with the stack size after every push.
    pub fn run<T: Copy + Default>(
        &self,
        input: impl Fn(usize) -> T,
        constant: impl Fn(f32) -> T,
        apply: impl Fn(Primitive, [T; 4]) -> T,
        mut level_used: impl FnMut(usize),
    ) -> T {
        let mut stack: Vec<T> = Vec::new();
        for instruction in &self.0 {
            let mut values = [T::default(); 4];
            for (value, operand) in values.iter_mut().zip(instruction.operands()).rev() {
                *value = match *operand {
                    Operand::Input(i) => input(usize::from(i)),
                    Operand::Constant(c) => constant(c),
                    Operand::Stack => stack.pop().unwrap_or_default(),
                };
            }
            stack.push(match instruction.operation {
                Operation::Apply(function) => apply(function, values),
                Operation::Load => values[0],
            });
            level_used(stack.len());
        }
        stack.pop().unwrap_or_default()
    }

    /// Returns the value in double precision.
    pub fn value_f64(&self, inputs: &[f64]) -> f64 {
        self.run(|i| inputs[i], f64::from, Primitive::apply_f64, |_| ())
    }

    /// Returns the value with every operation rounded to single precision.
    pub fn value_f32(&self, inputs: &[f32]) -> f32 {
        self.run(|i| inputs[i], |c| c, Primitive::apply_f32, |_| ())
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Operand::Input(i) => Token::Input(i).fmt(f),
            Operand::Constant(c) => Token::Constant(c).fmt(f),
            Operand::Stack => f.write_str("S"),
        }
    }
}

impl fmt::Display for Lgp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, instruction) in self.0.iter().enumerate() {
            let name = match instruction.operation {
                Operation::Apply(function) => function.symbol(),
                Operation::Load => "load",
            };
            let operands: Vec<String> = instruction
                .operands()
                .iter()
                .map(Operand::to_string)
                .collect();
            write!(
                f,
                "{}{name}({})",
                if i > 0 { " " } else { "" },
                operands.join(",")
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::interpret::reference;

    #[test]
    fn the_papers_example() {
        let rpn: Rpn = "X1 X1 X1 + * X1 - X1 X1 X1 + * X1 - *".parse().unwrap();
        let lgp = Lgp::from(&rpn);
        assert_eq!(
            lgp.to_string(),
            "+(X1,X1) *(X1,S) -(S,X1) +(X1,X1) *(X1,S) -(S,X1) *(S,S)"
        );
        assert_eq!((rpn.n_nodes(), lgp.0.len()), (15, 7));
        assert_eq!(lgp.value_f64(&[0.75]), reference::value_f64(&rpn, &[0.75]));
    }

    #[test]
    fn stack_operands_keep_their_order() {
        let rpn: Rpn = "X1 sin X2 cos X3 exp IF".parse().unwrap();
        let inputs = [0.5, 1.5, 2.5];
        assert_eq!(Lgp::from(&rpn).value_f64(&inputs), 1.5f64.cos());
        let difference: Rpn = "X1 sin X2 cos -".parse().unwrap();
        assert_eq!(
            Lgp::from(&difference).value_f64(&inputs),
            0.5f64.sin() - 1.5f64.cos()
        );
    }

    #[test]
    fn a_lone_terminal_is_loaded() {
        let lgp = Lgp::from(&"-2.5".parse::<Rpn>().unwrap());
        assert_eq!(
            (lgp.to_string().as_str(), lgp.value_f64(&[])),
            ("load(-2.5)", -2.5)
        );
    }
}
