//! Programs as the words that a kernel reads.
//!
//! Models: the token codes of `kernels/functions.cuh`; a terminal is followed by its operand.
//! Leaves out: the layout of many programs in device memory (one row of `maxprogsize` words each).
//! Units: one word is 4 bytes.
//! Sources: Chitty 2016, Listing 1 (CONST_VALUE, DATA_INPUT, 255 as the end) and Table 2 (size 1000, depth 50).

use thiserror::Error;

use super::variant::FunctionSet;
use crate::gp::primitive::Primitive;
use crate::gp::program::{Rpn, Token};

/// Levels of the kernels' stack.
pub const MAX_STACK_LEVELS: usize = 50;
/// Nodes of the largest program.
pub const MAX_NODES: usize = 1000;
/// Ends a program, and ends the copy into shared memory wherever it stands.
pub const END: f32 = 255.0;
const CONST_VALUE: f32 = 0.0;
const DATA_INPUT: f32 = 1.0;

/// A program that a kernel cannot run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LowerError {
    #[error("function `{given}` is not in the function set of {problem}; allowed: {allowed}")]
    Unsupported {
        given: &'static str,
        problem: FunctionSet,
        allowed: String,
    },
    #[error("the program has {given} nodes; allowed: 1 to {MAX_NODES}")]
    Size { given: usize },
    #[error("the program needs {given} stack levels; allowed: 1 to {MAX_STACK_LEVELS}")]
    Depth { given: usize },
    #[error("token {token} takes {arity} operands, but the stack holds {levels}")]
    Underflow {
        token: usize,
        arity: usize,
        levels: usize,
    },
    #[error("the program leaves {given} values on the stack; allowed: 1")]
    Leftover { given: usize },
}

/// One program in a kernel's encoding, its end word included.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramWords {
    pub words: Vec<f32>,
    /// Index of the first word of every token, in order; the end word is not a token.
    pub token_starts: Vec<u32>,
    /// Functions and terminals: the nodes that GPop/s counts.
    pub nodes: u32,
}

impl ProgramWords {
    /// Bytes of shared memory that the program occupies.
    pub fn shared_bytes(&self) -> usize {
        self.words.len() * size_of::<f32>()
    }
}

/// The functions of a problem's interpreter with their token codes, in the order of its compare chain.
pub fn function_codes(problem: FunctionSet) -> &'static [(Primitive, u8)] {
    use Primitive::*;
    match problem {
        FunctionSet::Sextic => {
            &[(Add, 2), (Sub, 3), (Mul, 4), (Div, 5), (Sin, 6), (Cos, 7), (Log, 8), (Exp, 9)]
        }
    }
}

/// The words of a postfix program.
pub fn lower_rpn(program: &Rpn, problem: FunctionSet) -> Result<ProgramWords, LowerError> {
    check_size(program.0.len())?;
    check_stack(program)?;
    let mut words = Vec::with_capacity(2 * program.0.len() + 1);
    let mut token_starts = Vec::with_capacity(program.0.len());
    for &token in &program.0 {
        token_starts.push(words.len() as u32);
        match token {
            Token::Input(index) => words.extend([DATA_INPUT, f32::from(index)]),
            Token::Constant(value) => words.extend([CONST_VALUE, constant_word(value)]),
            Token::Apply(primitive) => words.push(function_word(primitive, problem)?),
        }
    }
    words.push(END);
    Ok(ProgramWords {
        words,
        token_starts,
        nodes: program.0.len() as u32,
    })
}

/// A constant equal to the end word would end the kernel's copy loop: the next float stands in for it.
fn constant_word(value: f32) -> f32 {
    if value == END { END.next_up() } else { value }
}

fn function_word(primitive: Primitive, problem: FunctionSet) -> Result<f32, LowerError> {
    let codes = function_codes(problem);
    codes
        .iter()
        .find(|(known, _)| *known == primitive)
        .map(|&(_, code)| f32::from(code))
        .ok_or_else(|| LowerError::Unsupported {
            given: primitive.name(),
            problem,
            allowed: codes.iter().map(|(known, _)| known.name()).collect::<Vec<_>>().join(", "),
        })
}

fn check_size(nodes: usize) -> Result<(), LowerError> {
    if (1..=MAX_NODES).contains(&nodes) {
        Ok(())
    } else {
        Err(LowerError::Size { given: nodes })
    }
}

fn check_stack(program: &Rpn) -> Result<(), LowerError> {
    let (mut levels, mut deepest) = (0, 0);
    for (index, token) in program.0.iter().enumerate() {
        let arity = match token {
            Token::Input(_) | Token::Constant(_) => 0,
            Token::Apply(primitive) => primitive.arity(),
        };
        if levels < arity {
            return Err(LowerError::Underflow { token: index, arity, levels });
        }
        levels = levels - arity + 1;
        deepest = deepest.max(levels);
    }
    if deepest > MAX_STACK_LEVELS {
        return Err(LowerError::Depth { given: deepest });
    }
    if levels == 1 { Ok(()) } else { Err(LowerError::Leftover { given: levels }) }
}
