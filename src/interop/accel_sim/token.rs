//! Tokens of a line.

use super::error::Fault;
use std::str::FromStr;

/// The next token, as `parse` reads it.
pub fn next<'a, T>(
    tokens: &mut impl Iterator<Item = &'a str>,
    what: &str,
    allowed: &str,
    parse: impl Fn(&'a str) -> Option<T>,
) -> Result<T, Fault> {
    let token = tokens.next();
    let value = token.and_then(parse);
    value.ok_or_else(|| Fault::new(what, token.unwrap_or("nothing"), allowed))
}

pub fn decimal<T: FromStr>(token: &str) -> Option<T> {
    token.parse().ok()
}

/// A number of at most 64 bits, with or without `0x`.
pub fn hexadecimal(token: &str) -> Option<u64> {
    let digits = token.strip_prefix("0x").unwrap_or(token);
    // `from_str_radix` takes a sign.
    let is_number = !digits.starts_with(['+', '-']);
    is_number.then(|| u64::from_str_radix(digits, 16).ok())?
}

/// `x,y,z`.
pub fn triple(text: &str) -> Option<[u32; 3]> {
    let parts: Option<Vec<u32>> = text.split(',').map(|part| decimal(part.trim())).collect();
    parts?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_64_bits() {
        assert_eq!(hexadecimal("0xfFfffffffffffff0"), Some(u64::MAX - 15));
        assert_eq!(hexadecimal("00000000000000001a"), Some(0x1a));
        for wrong in ["", "0x", "10000000000000000", "-1", "+1", "g", "0x1 "] {
            assert_eq!(hexadecimal(wrong), None, "{wrong}");
        }
    }
}
