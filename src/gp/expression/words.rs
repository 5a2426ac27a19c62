//! The pieces of an expression: names, numbers, symbols.
//!
//! Models: a name as letters, digits, `_` and `.` after a letter or `_`; a number without its sign.
//! Leaves out: meaning; whether a number can be read.
//! Units: bytes of the line. Sources: the forms that GP libraries print (`expression`).

/// Operators of two characters, most of them refused, but as one.
const TWO_CHARACTERS: [&str; 8] = ["==", "**", "//", "<=", ">=", "!=", "&&", "||"];

/// Kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Number,
    Name,
    Symbol,
}

/// A piece of a line, and the byte at which it begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Word<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub at: usize,
}

/// Returns the pieces of a line in order. A character that begins nothing known is a symbol by itself.
pub fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let (kind, length) = match rest.chars().next()? {
            c if c.is_alphabetic() || c == '_' => (Kind::Name, name_length(rest)),
            '0'..='9' | '.' => (Kind::Number, number_length(rest)),
            c => {
                let two = TWO_CHARACTERS.iter().any(|two| rest.starts_with(two));
                (Kind::Symbol, if two { 2 } else { c.len_utf8() })
            }
        };
        let at = line.len() - rest.len();
        let (text, after) = rest.split_at(length);
        rest = after;
        Some(Word { kind, text, at })
    })
}

/// Length of the text before the first character that is not `allowed`.
fn length_of(text: &str, allowed: impl Fn(char) -> bool) -> usize {
    text.find(|c| !allowed(c)).unwrap_or(text.len())
}

pub fn name_length(text: &str) -> usize {
    length_of(text, |c| c.is_alphanumeric() || c == '_' || c == '.')
}

fn number_length(text: &str) -> usize {
    let mantissa = length_of(text, |c| c.is_ascii_digit() || c == '.');
    let exponent = text[mantissa..].strip_prefix(['e', 'E']);
    let digits = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
    match digits {
        Some(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
            text.len() - digits.len() + length_of(digits, |c| c.is_ascii_digit())
        }
        _ => mantissa,
    }
}
