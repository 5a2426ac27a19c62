//! Trees as the kernels' code: postfix with jumps over nodes that need not be evaluated.
//!
//! Models: "the if structure and the short-circuit And, Or operators are implemented as usual in code generation": a condition, a
//! jump if it is false, a branch, a jump over the other one. Whole populations: a table of start positions, then the programs.
//! Leaves out: the meaning of the words (`systems/cuda/robilliard.cu`). Units: 4-byte words.
//! Sources: Robilliard et al. 2008, section 3 and Table 1.

use super::problem::ProblemId;
use crate::gp::primitive::Primitive;
use crate::gp::program::{Rpn, Token};
use crate::launch::prediction::PredictError;

/// Instructions of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Opcode {
    Return = 0,
    Constant,
    InputX,
    InputY,
    Add,
    Sub,
    Mul,
    Div,
    Sine,
    Cosine,
    Exponential,
    Logarithm,
    Input,
    Not,
    Jump,
    JumpIfFalse,
    JumpAnd,
    JumpOr,
    JumpUnlessLess,
}

/// Levels of a thread's stack.
pub const STACK_LEVELS: usize = 64;

/// Translates a program to words, including its end.
pub fn translate(program: &Rpn, function_set: ProblemId) -> Result<Vec<u32>, PredictError> {
    let mut translator = Translator {
        program,
        function_set,
        words: Vec::with_capacity(program.n_nodes() + 2),
        level: 0,
        highest: 0,
    };
    program.check().map_err(PredictError::other)?;
    translator.subtree(program.n_nodes() - 1)?;
    translator.push(Opcode::Return, 0);
    if translator.highest > STACK_LEVELS {
        return Err(PredictError::refused(
            "stack levels of a program",
            translator.highest,
            format!("at most {STACK_LEVELS}"),
        ));
    }
    Ok(translator.words)
}

/// Returns programs one after the other, preceded by the start of each and the end of the last.
pub fn chunk(programs: &[Vec<u32>]) -> Vec<u32> {
    let mut next = programs.len() as u32 + 1;
    let mut words = vec![next];
    for program in programs {
        next += program.len() as u32;
        words.push(next);
    }
    words.extend(programs.iter().flatten());
    words
}

/// Translates a program; `level` and `highest` count stack levels.
struct Translator<'a> {
    program: &'a Rpn,
    function_set: ProblemId,
    words: Vec<u32>,
    level: usize,
    highest: usize,
}

impl Translator<'_> {
    fn push(&mut self, opcode: Opcode, argument: u32) {
        self.words.push(argument << 8 | opcode as u32);
    }

    /// Emits a jump whose target is set later; returns its position.
    fn jump(&mut self, opcode: Opcode) -> usize {
        self.push(opcode, 0);
        self.words.len() - 1
    }

    /// Sets the target of an emitted jump to the next word.
    fn set_target(&mut self, jump: usize) {
        self.words[jump] |= (self.words.len() as u32) << 8;
    }

    fn raise(&mut self) {
        self.level += 1;
        self.highest = self.highest.max(self.level);
    }

    fn subtree(&mut self, root: usize) -> Result<(), PredictError> {
        let Token::Apply(function) = self.program.0[root] else {
            return self.terminal(self.program.0[root]);
        };
        let operands = operands(self.program, root);
        match (self.function_set, function) {
            (ProblemId::Multiplexer, Primitive::And) => self.shortcut(Opcode::JumpAnd, &operands),
            (ProblemId::Multiplexer, Primitive::Or) => self.shortcut(Opcode::JumpOr, &operands),
            (ProblemId::Multiplexer, Primitive::If) => {
                self.subtree(operands[0])?;
                self.level -= 1;
                self.branches(Opcode::JumpIfFalse, operands[1], operands[2])
            }
            (ProblemId::Spirals, Primitive::Iflte) => {
                self.subtree(operands[0])?;
                self.subtree(operands[1])?;
                self.level -= 2;
                self.branches(Opcode::JumpUnlessLess, operands[2], operands[3])
            }
            _ => self.plain(function, &operands),
        }
    }

    fn terminal(&mut self, token: Token) -> Result<(), PredictError> {
        match (self.function_set, token) {
            (ProblemId::Multiplexer, Token::Input(input)) => {
                self.push(Opcode::Input, input.into());
            }
            (ProblemId::Regression | ProblemId::Spirals, Token::Constant(value)) => {
                self.push(Opcode::Constant, 0);
                self.words.push(value.to_bits());
            }
            (ProblemId::Regression | ProblemId::Spirals, Token::Input(0)) => {
                self.push(Opcode::InputX, 0);
            }
            (ProblemId::Spirals, Token::Input(1)) => self.push(Opcode::InputY, 0),
            _ => return Err(self.unknown(token)),
        }
        self.raise();
        Ok(())
    }

    /// Emits And or Or: the second operand is the result if the first does not decide.
    fn shortcut(&mut self, opcode: Opcode, operands: &[usize]) -> Result<(), PredictError> {
        self.subtree(operands[0])?;
        let over = self.jump(opcode);
        self.level -= 1;
        self.subtree(operands[1])?;
        self.set_target(over);
        Ok(())
    }

    fn branches(&mut self, test: Opcode, then: usize, other: usize) -> Result<(), PredictError> {
        let to_other = self.jump(test);
        self.subtree(then)?;
        let over = self.jump(Opcode::Jump);
        self.level -= 1;
        self.set_target(to_other);
        self.subtree(other)?;
        self.set_target(over);
        Ok(())
    }

    fn plain(&mut self, function: Primitive, operands: &[usize]) -> Result<(), PredictError> {
        for &operand in operands {
            self.subtree(operand)?;
        }
        let (is_float, is_regression) = (
            self.function_set != ProblemId::Multiplexer,
            self.function_set == ProblemId::Regression,
        );
        let opcode = match function {
            Primitive::Not if !is_float => Opcode::Not,
            Primitive::Add if is_float => Opcode::Add,
            Primitive::Sub if is_float => Opcode::Sub,
            Primitive::Mul if is_float => Opcode::Mul,
            Primitive::Div if is_float => Opcode::Div,
            Primitive::Sin if is_float => Opcode::Sine,
            Primitive::Cos if is_float => Opcode::Cosine,
            Primitive::Exp if is_regression => Opcode::Exponential,
            Primitive::Log if is_regression => Opcode::Logarithm,
            other => return Err(self.unknown(Token::Apply(other))),
        };
        self.push(opcode, 0);
        self.level -= operands.len() - 1;
        Ok(())
    }

    fn unknown(&self, token: Token) -> PredictError {
        PredictError::refused(
            "node of a program",
            token,
            match self.function_set {
                ProblemId::Regression => "X1, constants, + - * / sin cos exp log",
                ProblemId::Multiplexer => "inputs, AND OR NOT IF",
                ProblemId::Spirals => "X1, X2, constants, + - * / sin cos IFLTE",
            }
            .to_owned(),
        )
    }
}

/// Returns the roots of a node's operands, the first one first.
fn operands(program: &Rpn, root: usize) -> Vec<usize> {
    let mut next = root;
    let mut found: Vec<usize> = (0..program.0[root].arity())
        .map(|_| {
            let operand = next - 1;
            next = program.subtree(operand).start;
            operand
        })
        .collect();
    found.reverse();
    found
}

/// Returns the number of nodes evaluated when the code runs on the words of one case, without skipped nodes.
pub fn evaluated_nodes(words: &[u32], case: &[u32]) -> u32 {
    let mut run = Run {
        stack: Vec::new(),
        nodes: 0,
    };
    let mut pc = 0;
    while words[pc] & 255 != Opcode::Return as u32 {
        pc = run.step(words, pc, case);
    }
    run.nodes
}

struct Run {
    stack: Vec<f32>,
    nodes: u32,
}

impl Run {
    fn pop(&mut self) -> f32 {
        self.stack.pop().unwrap_or_default()
    }

    /// Executes one instruction; returns the position of the next.
    fn step(&mut self, words: &[u32], pc: usize, case: &[u32]) -> usize {
        let (code, argument) = (words[pc] & 255, words[pc] >> 8);
        let is = |opcode: Opcode| code == opcode as u32;
        self.nodes += u32::from(!is(Opcode::Jump));
        let mut next = pc + 1;
        match code {
            _ if is(Opcode::Jump) => next = argument as usize,
            _ if is(Opcode::JumpIfFalse) && self.pop() == 0.0 => next = argument as usize,
            _ if is(Opcode::JumpIfFalse) => {}
            _ if is(Opcode::JumpAnd) || is(Opcode::JumpOr) => {
                let top = self.pop();
                if (top != 0.0) == is(Opcode::JumpOr) {
                    self.stack.push(top);
                    next = argument as usize;
                }
            }
            _ if is(Opcode::JumpUnlessLess) => {
                let (second, first) = (self.pop(), self.pop());
                if !matches!(first.partial_cmp(&second), Some(std::cmp::Ordering::Less)) {
                    next = argument as usize;
                }
            }
            _ if is(Opcode::Constant) => {
                self.stack.push(f32::from_bits(words[pc + 1]));
                next += 1;
            }
            _ if is(Opcode::InputX) => self.stack.push(f32::from_bits(case[0])),
            _ if is(Opcode::InputY) => self.stack.push(f32::from_bits(case[1])),
            _ if is(Opcode::Input) => self.stack.push(case[argument as usize] as f32),
            _ => self.apply(code),
        }
        next
    }

    fn apply(&mut self, code: u32) {
        const FUNCTIONS: [(Opcode, Primitive); 9] = [
            (Opcode::Add, Primitive::Add),
            (Opcode::Sub, Primitive::Sub),
            (Opcode::Mul, Primitive::Mul),
            (Opcode::Div, Primitive::Div),
            (Opcode::Sine, Primitive::Sin),
            (Opcode::Cosine, Primitive::Cos),
            (Opcode::Exponential, Primitive::Exp),
            (Opcode::Logarithm, Primitive::Log),
            (Opcode::Not, Primitive::Not),
        ];
        let function = FUNCTIONS.iter().find(|(opcode, _)| code == *opcode as u32);
        let Some(&(_, function)) = function else {
            return;
        };
        let mut operands = [0.0; 4];
        for at in (0..function.arity()).rev() {
            operands[at] = self.pop();
        }
        self.stack.push(function.apply_f32(operands));
    }
}
