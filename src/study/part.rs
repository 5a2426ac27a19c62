//! A part of a study: points that follow each other, so that the parts in order are the whole.

use super::StudyError;
use std::ops::Range;
use std::str::FromStr;

/// Part `number` of `of`, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    number: usize,
    of: usize,
}

impl Part {
    /// All points.
    pub const WHOLE: Part = Part { number: 1, of: 1 };

    /// Returns the points of this part, out of `all`.
    pub fn points(self, all: usize) -> Range<usize> {
        let before = |number: usize| (number as u128 * all as u128 / self.of as u128) as usize;
        before(self.number - 1)..before(self.number)
    }
}

impl FromStr for Part {
    type Err = StudyError;

    fn from_str(given: &str) -> Result<Self, StudyError> {
        let parsed = given.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&number).then_some(Part { number, of })
        });
        parsed.ok_or_else(|| StudyError::input("--part", given, "K/N with K from 1 to N, as 2/8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_in_order_are_the_whole(all in 0usize..10_000, of in 1usize..50) {
            let points = (1..=of).flat_map(|number| Part { number, of }.points(all));
            prop_assert!(points.eq(0..all));
        }
    }

    #[test]
    fn only_parts_that_exist_are_read() {
        assert_eq!("3/16".parse::<Part>().unwrap(), Part { number: 3, of: 16 });
        for wrong in ["0/4", "5/4", "4", "a/b", "1/0"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }
}
