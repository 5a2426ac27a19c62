//! Programs as the words that a kernel reads.
//!
//! Models: the token codes of `systems/cuda/functions.cuh`. A terminal is followed by its operand; an LGP instruction is its
//! function and then its operands, the last one first (the order of popping).
//! Leaves out: the layout of many programs in device memory (one row of `maxprogsize` words each).
//! Units: one word is 4 bytes.
//! Sources: Chitty 2016, Listings 1 and 2 (CONST_VALUE, DATA_INPUT, STACK_VALUE, 255 as the end), Table 2 (size 1000, depth 50)
//! and section 5 (the symbolic stack that turns a postfix program into a linear one).

use std::sync::OnceLock;
use thiserror::Error;

use super::kernel_id::Lowering;
use super::variant::Dispatch;
use crate::gp::primitive::Primitive;
use crate::gp::problem::ProblemId;
use crate::gp::program::{Rpn, Token};
use crate::gp::record::Size;

/// Levels of the kernels' stack.
pub const MAX_STACK_LEVELS: usize = 50;
/// Nodes of the largest program.
pub const MAX_NODES: usize = 1000;
/// End of a program; at any position it also ends the copy into shared memory.
pub const END: f32 = 255.0;
const CONST_VALUE: f32 = 0.0;
const DATA_INPUT: f32 = 1.0;
const STACK_VALUE: f32 = 254.0;

/// A program that a kernel cannot run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LowerError {
    #[error("function `{given}` is not in the function set of {problem}; allowed: {allowed}")]
    Unsupported {
        given: &'static str,
        problem: ProblemId,
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
    #[error("{given} programs are instructions, not tokens; allowed here: rpn, lgp")]
    NoTokens { given: Lowering },
    #[error("the program leaves {given} values on the stack; allowed: 1")]
    LeftOver { given: usize },
}

/// One program in a kernel's encoding, its end word included.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramWords {
    pub words: Vec<f32>,
    /// Index of the first word of every token (RPN) or instruction (LGP); the end word is not counted.
    pub token_starts: Vec<u32>,
    /// Functions and terminals of the program: the nodes that GPop/s counts.
    pub nodes: u32,
}

impl ProgramWords {
    /// Returns the words' bit patterns in global memory. Kernels that dispatch on integers store everything except constants as
    /// integers.
    pub fn bits(&self, dispatch: Dispatch) -> Vec<u32> {
        let mut code = None;
        let bits = self.words.iter().map(|&word| {
            let is_constant = code == Some(CONST_VALUE);
            let is_operand = is_constant || code == Some(DATA_INPUT);
            code = Some(word).filter(|_| !is_operand);
            match dispatch {
                Dispatch::Int if !is_constant => word as u32,
                _ => word.to_bits(),
            }
        });
        bits.collect()
    }

    fn start_token(&mut self) {
        self.token_starts.push(self.words.len() as u32);
    }
}

/// Token codes of all kernel functions, in comparison order.
const CODES: &[(Primitive, u8)] = {
    use Primitive::*;
    &[
        (Add, 2),
        (Sub, 3),
        (Mul, 4),
        (Div, 5),
        (Greater, 10),
        (Less, 11),
        (Equal, 12),
        (And, 13),
        (Or, 14),
        (If, 15),
        (Nand, 16),
        (Nor, 17),
        (Sin, 6),
        (Cos, 7),
        (Log, 8),
        (Exp, 9),
    ]
};

/// Returns the functions and token codes of the kernels that run a problem, in the order of the compare chain.
pub fn function_codes(problem: ProblemId) -> &'static [(Primitive, u8)] {
    static OF_PROBLEMS: OnceLock<Vec<Vec<(Primitive, u8)>>> = OnceLock::new();
    let of_problems = OF_PROBLEMS.get_or_init(|| {
        let of = |problem: &ProblemId| {
            let functions = problem.compiled_as().definition().functions;
            let codes = CODES.iter().copied();
            codes.filter(|(one, _)| functions.contains(one)).collect()
        };
        ProblemId::ALL.iter().map(of).collect()
    });
    &of_problems[problem as usize]
}

/// Returns the words of a program of this size, including its end word. In postfix a terminal takes two words; in a linear
/// program an operand from the stack takes one, any other two. `None` if the size alone does not determine them.
pub fn n_words(lowering: Lowering, size: Size) -> Option<u32> {
    match lowering {
        Lowering::Postfix => Some(size.nodes + size.terminals + 1),
        Lowering::Linear => Some(2 * size.nodes),
        Lowering::Accumulator => None,
    }
}

/// Returns the tokens of a program in this encoding.
pub fn lower(
    program: &Rpn,
    lowering: Lowering,
    problem: ProblemId,
) -> Result<ProgramWords, LowerError> {
    check_size(program.0.len())?;
    match lowering {
        Lowering::Postfix => lower_rpn(program, problem),
        Lowering::Linear => lower_lgp(program, problem),
        Lowering::Accumulator => Err(LowerError::NoTokens { given: lowering }),
    }
}

fn lower_rpn(program: &Rpn, problem: ProblemId) -> Result<ProgramWords, LowerError> {
    let mut lowered = empty(program);
    let mut levels = Levels::default();
    for (index, &token) in program.0.iter().enumerate() {
        levels.pop(index, token.arity())?;
        levels.push()?;
        lowered.start_token();
        match token {
            Token::Input(input) => lowered.words.extend([DATA_INPUT, f32::from(input)]),
            Token::Constant(value) => lowered.words.extend([CONST_VALUE, constant_word(value)]),
            Token::Apply(primitive) => lowered.words.push(function_word(primitive, problem)?),
        }
    }
    levels.finish()?;
    lowered.words.push(END);
    Ok(lowered)
}

/// An operand on the symbolic stack.
#[derive(Clone, Copy)]
enum Operand {
    Input(u16),
    Constant(f32),
    Stack,
}

fn lower_lgp(program: &Rpn, problem: ProblemId) -> Result<ProgramWords, LowerError> {
    let mut lowered = empty(program);
    let mut levels = Levels::default();
    let mut symbolic = Vec::new();
    for (index, &token) in program.0.iter().enumerate() {
        let primitive = match token {
            Token::Input(input) => {
                symbolic.push(Operand::Input(input));
                continue;
            }
            Token::Constant(value) => {
                symbolic.push(Operand::Constant(value));
                continue;
            }
            Token::Apply(primitive) => primitive,
        };
        let arity = primitive.arity();
        let first = symbolic
            .len()
            .checked_sub(arity)
            .ok_or(LowerError::Underflow {
                token: index,
                arity,
                levels: symbolic.len(),
            })?;
        let operands = symbolic.split_off(first);
        let popped = operands
            .iter()
            .filter(|operand| matches!(operand, Operand::Stack))
            .count();
        levels.pop(index, popped)?;
        levels.push()?;
        push_instruction(&mut lowered, primitive, &operands, problem)?;
        symbolic.push(Operand::Stack);
    }
    match symbolic[..] {
        [Operand::Stack] => {}
        [terminal] => push_terminal(&mut lowered, terminal, problem)?,
        _ => {
            return Err(LowerError::LeftOver {
                given: symbolic.len(),
            });
        }
    }
    lowered.words.push(END);
    Ok(lowered)
}

fn push_instruction(
    lowered: &mut ProgramWords,
    primitive: Primitive,
    operands: &[Operand],
    problem: ProblemId,
) -> Result<(), LowerError> {
    lowered.start_token();
    lowered.words.push(function_word(primitive, problem)?);
    for &operand in operands.iter().rev() {
        match operand {
            Operand::Stack => lowered.words.push(STACK_VALUE),
            Operand::Input(input) => lowered.words.extend([DATA_INPUT, f32::from(input)]),
            Operand::Constant(value) => lowered.words.extend([CONST_VALUE, constant_word(value)]),
        }
    }
    Ok(())
}

/// Appends a program that is one terminal as an operation that leaves the value unchanged, as there is no function to make an
/// instruction of.
fn push_terminal(
    lowered: &mut ProgramWords,
    terminal: Operand,
    problem: ProblemId,
) -> Result<(), LowerError> {
    let (primitive, second) = match problem.is_boolean() {
        true => (Primitive::And, terminal),
        false => (Primitive::Add, Operand::Constant(0.0)),
    };
    push_instruction(lowered, primitive, &[terminal, second], problem)
}

fn empty(program: &Rpn) -> ProgramWords {
    ProgramWords {
        words: Vec::with_capacity(4 * program.0.len() + 1),
        token_starts: Vec::with_capacity(program.0.len()),
        nodes: program.0.len() as u32,
    }
}

/// Returns the word of a constant. One equal to the end word would end the kernel's copy loop and is replaced by the next float.
fn constant_word(value: f32) -> f32 {
    if value == END { END.next_up() } else { value }
}

fn function_word(primitive: Primitive, problem: ProblemId) -> Result<f32, LowerError> {
    let codes = function_codes(problem);
    codes
        .iter()
        .find(|(known, _)| *known == primitive)
        .map(|&(_, code)| f32::from(code))
        .ok_or_else(|| LowerError::unsupported(primitive, problem))
}

impl LowerError {
    pub(super) fn unsupported(given: Primitive, problem: ProblemId) -> Self {
        let allowed = function_codes(problem).iter();
        LowerError::Unsupported {
            given: given.symbol(),
            problem,
            allowed: allowed
                .map(|(known, _)| known.symbol())
                .collect::<Vec<_>>()
                .join(" "),
        }
    }
}

pub(super) fn check_size(nodes: usize) -> Result<(), LowerError> {
    if (1..=MAX_NODES).contains(&nodes) {
        Ok(())
    } else {
        Err(LowerError::Size { given: nodes })
    }
}

/// Stack levels in use by the kernel.
#[derive(Default)]
struct Levels {
    now: usize,
}

impl Levels {
    fn pop(&mut self, token: usize, arity: usize) -> Result<(), LowerError> {
        self.now = self.now.checked_sub(arity).ok_or(LowerError::Underflow {
            token,
            arity,
            levels: self.now,
        })?;
        Ok(())
    }

    fn push(&mut self) -> Result<(), LowerError> {
        self.now += 1;
        if self.now > MAX_STACK_LEVELS {
            Err(LowerError::Depth { given: self.now })
        } else {
            Ok(())
        }
    }

    fn finish(&self) -> Result<(), LowerError> {
        if self.now == 1 {
            Ok(())
        } else {
            Err(LowerError::LeftOver { given: self.now })
        }
    }
}
