//! Programs in postfix (reverse Polish) order.
//!
//! Models: a program as an array of tokens, its text form, its validity, and the subtrees inside it.
//! Leaves out: meaning (`interpret`) and stack use (`stack_depth`).
//! Units: sizes in nodes (functions and terminals); tree depth in edges, a lone terminal has depth 0.
//! Sources: Chitty (2D stack) section 5.
//!
//! Text form: tokens separated by spaces. `X1`, `X2`, ... are fitness-case inputs, numbers are constants, everything
//! else is a function symbol: `X1 X1 X1 + * X1 -`.

use super::primitive::Primitive;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::str::FromStr;

/// One node of a program in postfix order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token {
    /// Pushes fitness-case input `index` (the paper's DATA_INPUT).
    Input(u16),
    /// Pushes a constant (the paper's CONST_VALUE).
    Constant(f32),
    /// Pops `arity` values, pushes the result.
    Apply(Primitive),
}

/// A postfix program. In files it is its text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Rpn(pub Vec<Token>);

impl From<Rpn> for String {
    fn from(program: Rpn) -> String {
        program.to_string()
    }
}

impl TryFrom<String> for Rpn {
    type Error = ProgramError;

    fn try_from(text: String) -> Result<Self, ProgramError> {
        text.parse()
    }
}

/// Error in a token list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    #[error("program is empty: at least one token is needed")]
    Empty,
    #[error(
        "token {position} `{text}` is neither an input (X1, X2, ...), a finite number nor a function symbol"
    )]
    UnknownToken { position: usize, text: String },
    #[error("token {position} `{symbol}` needs {needs} values on the stack, there are {has}")]
    Underflow {
        position: usize,
        symbol: &'static str,
        needs: usize,
        has: usize,
    },
    #[error("program leaves {values} values on the stack, it must leave exactly 1")]
    LeftOver { values: usize },
    #[error("token {position} reads input X{input}, the problem has {allowed} inputs")]
    NoSuchInput {
        position: usize,
        input: usize,
        allowed: usize,
    },
    #[error("token {position} `{symbol}` is not in the function set: {allowed}")]
    NotInFunctionSet {
        position: usize,
        symbol: &'static str,
        allowed: String,
    },
}

impl Token {
    /// Returns the number of values the token pops.
    pub fn arity(self) -> usize {
        match self {
            Token::Apply(p) => p.arity(),
            _ => 0,
        }
    }

    /// Returns kind and payload as one number, equal only for tokens with equal bits.
    pub fn key(self) -> u64 {
        match self {
            Token::Input(i) => u64::from(i),
            Token::Constant(c) => 1 << 32 | u64::from(c.to_bits()),
            Token::Apply(p) => 2 << 32 | p as u64,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        if let Some(p) = Primitive::from_symbol(text) {
            return Some(Token::Apply(p));
        }
        if let Some(digits) = text.strip_prefix('X') {
            let number: u16 = digits.parse().ok()?;
            return number.checked_sub(1).map(Token::Input);
        }
        text.parse()
            .ok()
            .filter(|c: &f32| c.is_finite())
            .map(Token::Constant)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Input(i) => write!(f, "X{}", u32::from(*i) + 1),
            Token::Constant(c) => write!(f, "{c}"),
            Token::Apply(p) => write!(f, "{p}"),
        }
    }
}

impl fmt::Display for Rpn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, token) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{token}")?;
        }
        Ok(())
    }
}

impl FromStr for Rpn {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let parse = |(position, text): (usize, &str)| {
            Token::parse(text).ok_or_else(|| ProgramError::UnknownToken {
                position,
                text: text.to_owned(),
            })
        };
        let program = Rpn(text
            .split_whitespace()
            .enumerate()
            .map(parse)
            .collect::<Result<_, _>>()?);
        program.check()?;
        Ok(program)
    }
}

impl Eq for Rpn {}

impl Hash for Rpn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for token in &self.0 {
            state.write_u64(token.key());
        }
    }
}

impl Rpn {
    /// Returns the number of functions and terminals (the nodes that GPop/s counts).
    pub fn n_nodes(&self) -> usize {
        self.0.len()
    }

    /// Checks that the program computes exactly one value and never pops an empty stack.
    pub fn check(&self) -> Result<(), ProgramError> {
        let mut values = 0usize;
        for (position, token) in self.0.iter().enumerate() {
            if let Token::Apply(p) = token
                && values < p.arity()
            {
                return Err(ProgramError::Underflow {
                    position,
                    symbol: p.symbol(),
                    needs: p.arity(),
                    has: values,
                });
            }
            values = values + 1 - token.arity();
        }
        match values {
            0 => Err(ProgramError::Empty),
            1 => Ok(()),
            values => Err(ProgramError::LeftOver { values }),
        }
    }

    /// Checks that the program is valid and uses only `functions` and inputs below `n_inputs`.
    pub fn check_against(
        &self,
        functions: &[Primitive],
        n_inputs: usize,
    ) -> Result<(), ProgramError> {
        self.check()?;
        for (position, token) in self.0.iter().enumerate() {
            match *token {
                Token::Input(i) if usize::from(i) >= n_inputs => {
                    return Err(ProgramError::NoSuchInput {
                        position,
                        input: usize::from(i) + 1,
                        allowed: n_inputs,
                    });
                }
                Token::Apply(p) if !functions.contains(&p) => {
                    let allowed = functions
                        .iter()
                        .map(|f| f.symbol())
                        .collect::<Vec<_>>()
                        .join(" ");
                    return Err(ProgramError::NotInFunctionSet {
                        position,
                        symbol: p.symbol(),
                        allowed,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the span of the subtree whose root is token `root`. The program must be valid.
    pub fn subtree(&self, root: usize) -> Range<usize> {
        let mut missing = 1;
        let mut start = root + 1;
        while missing > 0 {
            start -= 1;
            missing = missing - 1 + self.0[start].arity();
        }
        start..root + 1
    }

    /// Returns the depth of the tree in edges: 0 for a lone terminal. The program must be valid.
    pub fn tree_depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::new();
        for token in &self.0 {
            let operands = depths.len() - token.arity();
            let depth = depths.drain(operands..).map(|d| d + 1).max().unwrap_or(0);
            depths.push(depth);
        }
        depths.pop().unwrap_or(0)
    }

    /// Returns this program with the span `cut` replaced by `tokens`.
    pub fn replaced(&self, cut: Range<usize>, tokens: &[Token]) -> Rpn {
        let mut out = Vec::with_capacity(self.0.len() - cut.len() + tokens.len());
        out.extend_from_slice(&self.0[..cut.start]);
        out.extend_from_slice(tokens);
        out.extend_from_slice(&self.0[cut.end..]);
        Rpn(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trip() {
        let text = "X1 0.25 + X12 sin * -3 -";
        let program: Rpn = text.parse().unwrap();
        assert_eq!(program.to_string(), text);
        assert_eq!(program.n_nodes(), 8);
        assert_eq!(program.tree_depth(), 3);
    }

    #[test]
    fn errors_name_token_and_position() {
        let error = |text: &str| text.parse::<Rpn>().unwrap_err().to_string();
        assert!(error("").contains("empty"));
        assert!(error("X1 X0").contains("token 1 `X0`"));
        assert!(error("X1 inf").contains("token 1 `inf`"));
        assert!(error("X1 +").contains("token 1 `+` needs 2 values on the stack, there are 1"));
        assert!(error("X1 X1").contains("leaves 2 values"));
        let program: Rpn = "X1 X3 +".parse().unwrap();
        assert!(
            program
                .check_against(&[Primitive::Add], 2)
                .unwrap_err()
                .to_string()
                .contains("X3")
        );
        assert!(
            program
                .check_against(&[Primitive::Sub], 3)
                .unwrap_err()
                .to_string()
                .contains("function set: -")
        );
    }

    #[test]
    fn subtrees() {
        let program: Rpn = "X1 X2 + sin X3 *".parse().unwrap();
        assert_eq!(program.subtree(5), 0..6);
        assert_eq!(program.subtree(3), 0..4);
        assert_eq!(program.subtree(4), 4..5);
        assert_eq!(
            program.replaced(0..4, &[Token::Input(0)]).to_string(),
            "X1 X3 *"
        );
    }
}
