//! Programs in prefix order, their words, and their values.
//!
//! Models: sections 3.2.1, 4.3.1 and 4.3.2: functions and terminals of both domains; evaluated from the last node to the first.
//! Any non-zero value is true; true is 1. Leaves out: rounding of native functions: the reference computes in double precision.
//! Units: 22 bits of value in a word; a constant is its bits over 2^21, minus 1. Sources: `systems/cuda/gpocl.cu`.

use super::Domain;

const VALUE_BITS: u32 = 22;
const CODE_OF_VARIABLE: u32 = 0;
const CODE_OF_CONSTANT: u32 = 1;
const FIRST_FUNCTION: u32 = 2;
/// Bits of the constant 0.
const ZERO: u32 = 1 << (VALUE_BITS - 1);

/// A node of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// A variable, by its number from 0.
    Variable(u32),
    /// A constant, by its bits.
    Constant(u32),
    Apply(Function),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
    Sine,
    Cosine,
    IfThenElse,
    Equal,
    Less,
    Greater,
    And,
    Or,
    Not,
}

impl Function {
    /// Returns a domain's functions, in the order of their codes.
    pub fn of(domain: Domain) -> [Function; 7] {
        use Function::*;
        match domain {
            Domain::Regression => [Add, Subtract, Multiply, Divide, Negate, Sine, Cosine],
            Domain::Classification => [IfThenElse, Equal, Less, Greater, And, Or, Not],
        }
    }

    pub fn arity(self) -> usize {
        use Function::*;
        match self {
            Negate | Sine | Cosine | Not => 1,
            IfThenElse => 3,
            _ => 2,
        }
    }

    fn apply(self, [a, b, c]: [f64; 3]) -> f64 {
        use Function::*;
        let truth = |holds: bool| f64::from(u8::from(holds));
        match self {
            Add => a + b,
            Subtract => a - b,
            Multiply => a * b,
            Divide => a / b,
            Negate => -a,
            Sine => a.sin(),
            Cosine => a.cos(),
            IfThenElse if a != 0.0 => b,
            IfThenElse => c,
            Equal => truth(a == b),
            Less => truth(a < b),
            Greater => truth(a > b),
            And => truth(a != 0.0 && b != 0.0),
            Or => truth(a != 0.0 || b != 0.0),
            Not => truth(a == 0.0),
        }
    }
}

impl Node {
    /// Returns the constant nearest to a value between -1 and 1.
    pub fn constant(value: f64) -> Node {
        let bits = ((value + 1.0) * f64::from(ZERO)).round();
        Node::Constant((bits as u32).min((1 << VALUE_BITS) - 1))
    }

    pub fn arity(self) -> usize {
        match self {
            Node::Apply(function) => function.arity(),
            _ => 0,
        }
    }

    fn word(self, domain: Domain) -> u32 {
        let code = |function| {
            let place = Function::of(domain).iter().position(|&f| f == function);
            FIRST_FUNCTION + place.unwrap_or_default() as u32
        };
        match self {
            Node::Variable(number) => CODE_OF_VARIABLE << VALUE_BITS | number,
            Node::Constant(bits) => CODE_OF_CONSTANT << VALUE_BITS | bits,
            Node::Apply(function) => code(function) << VALUE_BITS,
        }
    }
}

/// A program in prefix order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(pub Vec<Node>);

impl Program {
    /// Returns the words that the kernels read: the number of nodes, then the nodes.
    pub fn words(&self, domain: Domain) -> Vec<u32> {
        let nodes = self.0.iter().map(|node| node.word(domain));
        [self.0.len() as u32].into_iter().chain(nodes).collect()
    }

    /// Returns its value on a row of inputs.
    pub fn value(&self, inputs: &[f32]) -> f64 {
        self.rounded_value(inputs, |value, _, _| value)
    }

    /// Returns its value with every result rounded to single precision, and sines and cosines off by the error of the native
    /// functions. If it differs from `value`, a GPU's result is not conclusive.
    pub fn disturbed_value(&self, inputs: &[f32]) -> f64 {
        // CUDA C Programming Guide, intrinsic functions: an absolute error of 2^-21 within one turn.
        const NATIVE: f64 = 1.0 / 2_097_152.0;
        self.rounded_value(inputs, |value, function, argument| {
            let off = match function {
                Some(Function::Sine | Function::Cosine) => NATIVE * (1.0 + argument.abs()),
                _ => 0.0,
            };
            f64::from((value + off) as f32)
        })
    }

    /// Returns its value with `round` applied to each result; its arguments are the result, the function that computed it, and
    /// the function's first argument.
    fn rounded_value(
        &self,
        inputs: &[f32],
        round: impl Fn(f64, Option<Function>, f64) -> f64,
    ) -> f64 {
        let mut stack = Vec::with_capacity(self.0.len());
        for node in self.0.iter().rev() {
            let mut arguments = [0.0; 3];
            for argument in arguments.iter_mut().take(node.arity()) {
                *argument = stack.pop().unwrap_or(f64::NAN);
            }
            let (value, function) = match *node {
                Node::Variable(number) => (f64::from(inputs[number as usize]), None),
                Node::Constant(bits) => (f64::from(bits) / f64::from(ZERO) - 1.0, None),
                Node::Apply(function) => (function.apply(arguments), Some(function)),
            };
            stack.push(round(value, function, arguments[0]));
        }
        stack.pop().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_argument_comes_first() {
        use Function::{Divide, Greater, IfThenElse};
        let [x, y] = [Node::Variable(0), Node::Variable(1)];
        let quotient = Program(vec![Node::Apply(Divide), x, y]);
        assert_eq!(quotient.value(&[1.0, 4.0]), 0.25);
        let choice = [
            Node::Apply(IfThenElse),
            Node::Apply(Greater),
            x,
            y,
            Node::constant(1.0),
            y,
        ];
        let choice = Program(choice.to_vec());
        assert_eq!(choice.value(&[0.0, 0.5]), 0.5);
        assert!(choice.value(&[1.0, 0.5]) > 0.999);
    }

    #[test]
    fn words_hold_code_and_value() {
        let program = Program(vec![Node::Apply(Function::Negate), Node::Variable(9)]);
        assert_eq!(program.words(Domain::Regression), [2, 6 << 22, 9]);
    }
}
