//! Units of the lab's answers, and the tolerance of each.
//!
//! Leaves out: the questions (`questions.rs`). Units: points for percentages, shares for other numbers.

use crate::device::ideal::Ideal;

/// An answer, given or right.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Answer {
    Number(f64),
    Name(&'static str),
}

/// Kind of an answer, on which its tolerance depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Whole number of things, which must be exact.
    Count(&'static str),
    /// Percentage, right within [`POINTS`].
    Percent,
    /// Any other number, right within [`SHARE`] of itself.
    Measure(&'static str),
    /// Part of the machine, as `explain` names it.
    Part,
    /// Side that the files of measurements show to be wrong.
    Wrong,
}

/// Tolerance of a percentage, in points.
pub const POINTS: f64 = 1.0;

/// Tolerance of other numbers that are not counts, as a share.
pub const SHARE: f64 = 0.03;

/// Names that answer a question of [`Unit::Wrong`].
pub const MODEL: &str = "model";
pub const MEASUREMENT: &str = "measurement";

impl Unit {
    /// Returns the unit in words.
    pub fn words(self) -> &'static str {
        match self {
            Unit::Count(of) | Unit::Measure(of) => of,
            Unit::Percent => "%",
            Unit::Part => "part of the machine",
            Unit::Wrong => "model or measurement",
        }
    }

    /// Returns the names that are allowed; none if the answer is a number.
    pub fn names(self) -> Vec<&'static str> {
        match self {
            Unit::Count(_) | Unit::Percent | Unit::Measure(_) => Vec::new(),
            Unit::Part => Ideal::ALL.iter().map(|part| part.name()).collect(),
            Unit::Wrong => vec![MODEL, MEASUREMENT],
        }
    }

    /// Tells whether `given` is `right`, within the tolerance.
    pub fn accepts(self, given: &Answer, right: &Answer) -> bool {
        match (given, right) {
            (Answer::Number(given), Answer::Number(right)) => {
                let apart = (given - right).abs();
                match self {
                    Unit::Percent => apart <= POINTS,
                    Unit::Measure(_) => apart <= SHARE * right.abs(),
                    _ => apart < 1e-9,
                }
            }
            (given, right) => given == right,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_percentages_within_a_point_other_numbers_within_3_percent() {
        let [a, b] = [100.0, 100.9].map(Answer::Number);
        assert!(Unit::Percent.accepts(&b, &a));
        assert!(!Unit::Percent.accepts(&Answer::Number(101.1), &a));
        assert!(!Unit::Count("warps").accepts(&b, &a));
        assert!(Unit::Measure("KiB").accepts(&Answer::Number(97.1), &a));
        assert!(!Unit::Measure("KiB").accepts(&Answer::Number(96.9), &a));
        assert!(!Unit::Part.accepts(&Answer::Name("host"), &Answer::Name("occupancy")));
    }
}
