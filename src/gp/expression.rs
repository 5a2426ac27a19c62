//! Programs as GP libraries print them: calls such as `add(X0, mul(X1, 0.5))`, infix such as `X0 + X1 * 0.5`, or both mixed.
//!
//! Models: one line as a postfix program. Operators are left-associative: `*` and `/` bind more strongly than `+` and `-`, these
//! more than `>`, `<` and `==`, the sign most. A sign before a number belongs to the number.
//! Leaves out: which input a variable is (`program_file`); functions that the table of primitives lacks, which are refused.
//! Units: columns in characters, from 1.
//! Sources: the forms that DEAP 1.4, gplearn 0.4 and Operon print (`fixtures/programs/`); Dijkstra's shunting yard, whose stack of
//! waiting operators takes the place of recursion, so that no depth is too much.

#[cfg(test)]
mod tests;
mod words;

use super::primitive::Primitive;
use super::program::{Rpn, Token};
use std::iter::Peekable;
use words::{Kind, Word, name_length, words};

/// Error in an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column} `{found}`: {problem}")]
pub struct ExpressionError {
    pub column: usize,
    pub found: String,
    pub problem: String,
}

const OPERAND: &str =
    "expected an operand: a variable, a finite number, a function with its operands, `-` or `(`";
const OPERATOR: &str =
    "expected an operator (allowed: + - * / > < ==), `)`, or `,` between a function's operands";
const END: &str = "end of the line";
/// Characters of operators, ours and those of libraries.
const OPERATOR_CHARACTERS: &str = "+-*/^<>=!&|%";
/// Python's names of numbers' types: `np.float64(0.5)` is a constant.
const CONVERSIONS: [&str; 4] = ["float", "float32", "float64", "int"];
/// Binds more strongly than every infix operator.
const SIGN_STRENGTH: u8 = 4;

/// Tells whether a line is an expression. Every other line is postfix.
///
/// An expression has a parenthesis or a comma, is a variable alone, has an operator as the second of at least three words
/// (`X1 + X2`), or a word with an operator inside (`X1*X2`). No valid postfix program has any of these, except for a variable alone,
/// which means the same in both.
pub fn is_expression(line: &str) -> bool {
    let is_operator = |c: char| OPERATOR_CHARACTERS.contains(c);
    let is_joined = |word: &str| {
        word.contains(is_operator)
            && word.contains(char::is_alphanumeric)
            && word.parse::<f32>().is_err()
    };
    let mut words = line.split_whitespace();
    let (first, second, third) = (words.next(), words.next(), words.next());
    line.contains(['(', ')', ','])
        || second.is_none() && first.is_some_and(is_variable)
        || third.is_some() && second.is_some_and(|word| word.chars().all(is_operator))
        || line.split_whitespace().any(is_joined)
}

fn is_variable(word: &str) -> bool {
    let begins = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_name = begins && name_length(word) == word.len();
    is_name && word.parse::<f32>().is_err() && Primitive::from_library(word).is_none()
}

/// Parses an expression. `input` gives the number of a variable's input, or why there is none.
pub fn parse(
    line: &str,
    input: &mut dyn FnMut(&str) -> Result<u16, String>,
) -> Result<Rpn, ExpressionError> {
    let mut parser = Parser {
        line,
        words: words(line).peekable(),
        input,
        waiting: Vec::new(),
        program: Vec::new(),
    };
    parser.operand()?;
    while parser.operator()? {
        parser.operand()?;
    }
    Ok(Rpn(parser.program))
}

/// A part of an expression that waits for its end.
enum Waiting<'a> {
    Operator {
        function: Primitive,
        strength: u8,
    },
    Group(Word<'a>),
    Call {
        function: Primitive,
        name: Word<'a>,
        /// Operands that are complete.
        operands: usize,
    },
}

struct Parser<'a, 'i, W: Iterator<Item = Word<'a>>> {
    line: &'a str,
    words: Peekable<W>,
    input: &'i mut dyn FnMut(&str) -> Result<u16, String>,
    waiting: Vec<Waiting<'a>>,
    program: Vec<Token>,
}

impl<'a, W: Iterator<Item = Word<'a>>> Parser<'a, '_, W> {
    fn error(&self, word: Option<Word>, problem: &str) -> ExpressionError {
        let before = word.map_or(self.line, |word| &self.line[..word.at]);
        ExpressionError {
            column: before.chars().count() + 1,
            found: word.map_or(END, |word| word.text).to_owned(),
            problem: problem.to_owned(),
        }
    }

    fn next_is(&mut self, text: &str) -> bool {
        self.words.next_if(|word| word.text == text).is_some()
    }

    /// Reads up to the end of a variable or a number, which may lie within groups and calls.
    fn operand(&mut self) -> Result<(), ExpressionError> {
        loop {
            let word = self.words.next();
            let Some(found) = word else {
                return Err(self.error(None, OPERAND));
            };
            match found.kind {
                Kind::Number => return self.constant(found, 1.0),
                Kind::Name if self.next_is("(") => self.open(found)?,
                Kind::Name => return self.variable(found),
                Kind::Symbol if found.text == "(" => self.waiting.push(Waiting::Group(found)),
                Kind::Symbol if found.text == "-" => {
                    if let Some(number) = self.words.next_if(|word| word.kind == Kind::Number) {
                        return self.constant(number, -1.0);
                    }
                    self.waiting.push(Waiting::Operator {
                        function: Primitive::Neg,
                        strength: SIGN_STRENGTH,
                    });
                }
                Kind::Symbol => return Err(self.error(word, OPERAND)),
            }
        }
    }

    fn constant(&mut self, number: Word, sign: f32) -> Result<(), ExpressionError> {
        let value = number.text.parse().ok().filter(|c: &f32| c.is_finite());
        let value = value.ok_or_else(|| self.error(Some(number), OPERAND))?;
        self.program.push(Token::Constant(sign * value));
        Ok(())
    }

    fn variable(&mut self, name: Word) -> Result<(), ExpressionError> {
        let token = match name.text {
            "True" => Token::Constant(1.0),
            "False" => Token::Constant(0.0),
            text if !is_variable(text) => return Err(self.error(Some(name), OPERAND)),
            text => (self.input)(text)
                .map(Token::Input)
                .map_err(|problem| self.error(Some(name), &problem))?,
        };
        self.program.push(token);
        Ok(())
    }

    /// Begins a call of the function `name`.
    fn open(&mut self, name: Word<'a>) -> Result<(), ExpressionError> {
        let last = name.text.rsplit('.').next().unwrap_or_default();
        let opened = match Primitive::from_library(name.text) {
            Some(function) => Waiting::Call {
                function,
                name,
                operands: 0,
            },
            None if CONVERSIONS.contains(&last) => Waiting::Group(name),
            None => {
                let names = Primitive::ALL.iter().map(|p| p.name().to_lowercase());
                let allowed = names.collect::<Vec<_>>().join(", ");
                let problem = format!("unknown function; allowed: {allowed}");
                return Err(self.error(Some(name), &problem));
            }
        };
        self.waiting.push(opened);
        Ok(())
    }

    /// Reads up to the next operand; `false` at the end of the line.
    fn operator(&mut self) -> Result<bool, ExpressionError> {
        loop {
            let word = self.words.next();
            let Some(found) = word else {
                return self.end().map(|()| false);
            };
            let operator = Primitive::from_symbol(found.text);
            let strength = operator.and_then(Primitive::infix_strength);
            if let (Some(function), Some(strength)) = (operator, strength) {
                self.apply(strength);
                let waiting = Waiting::Operator { function, strength };
                self.waiting.push(waiting);
                return Ok(true);
            }
            self.apply(0);
            match (found.text, self.waiting.pop()) {
                (")", Some(Waiting::Group(_))) => {}
                (
                    end @ (")" | ","),
                    Some(Waiting::Call {
                        function,
                        name,
                        mut operands,
                    }),
                ) => {
                    operands += 1;
                    if folds(function) && operands > 1 {
                        self.program.push(Token::Apply(function));
                    }
                    if end == "," {
                        self.waiting.push(Waiting::Call {
                            function,
                            name,
                            operands,
                        });
                        return Ok(true);
                    }
                    self.close(function, name, operands)?;
                }
                (")", _) => return Err(self.error(word, "it has no `(`")),
                _ => return Err(self.error(word, OPERATOR)),
            }
        }
    }

    /// Applies the waiting operators that bind at least so strongly.
    fn apply(&mut self, least: u8) {
        let binds = |waiting: &mut Waiting| matches!(waiting, Waiting::Operator { strength, .. } if *strength >= least);
        while let Some(Waiting::Operator { function, .. }) = self.waiting.pop_if(binds) {
            self.program.push(Token::Apply(function));
        }
    }

    /// Applies a function to its operands.
    fn close(
        &mut self,
        function: Primitive,
        name: Word,
        given: usize,
    ) -> Result<(), ExpressionError> {
        let arity = function.arity();
        match folds(function) {
            true if given >= arity => {}
            false if given == arity => self.program.push(Token::Apply(function)),
            folds => {
                let more = if folds { " or more" } else { "" };
                let problem = format!("given {given} operands; allowed: {arity}{more}");
                return Err(self.error(Some(name), &problem));
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), ExpressionError> {
        self.apply(0);
        match self.waiting.pop() {
            Some(Waiting::Group(word) | Waiting::Call { name: word, .. }) => {
                Err(self.error(Some(word), "its `(` has no `)`"))
            }
            _ => Ok(()),
        }
    }
}

/// Tells whether a call may have more than two operands, applied one by one from left to right.
fn folds(function: Primitive) -> bool {
    matches!(function, Primitive::Add | Primitive::Mul)
}
