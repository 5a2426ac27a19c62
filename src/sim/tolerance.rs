//! The 90 % bound of a sample's error, and the tolerance that it is held to.
//!
//! Models: two independent parts, the spread of a window's batches and what no window shows. Units: percent of the speed.
//! Sources: batch means, Law & Kelton, Simulation Modeling and Analysis, chapter 9; `docs/sampling.md`.

use crate::util::elementary::hypot;
use std::fmt;
use std::str::FromStr;

/// Student's t with the 9 degrees of freedom of ten batches: 90 % lie within.
const STUDENT_90: f64 = 1.833;

/// 90 % bound of what windows leave out, however long they are: over a whole run the warps of a block drift apart, and the last
/// blocks end by themselves. Chosen on 105 whole runs of the GTX 670 (`docs/sampling.md`).
pub const BEYOND_WINDOWS: f64 = 3.0;

/// Returns the 90 % bound of a window's error from the standard error of its batches.
pub fn window_bound(standard_error: f64) -> f64 {
    hypot(batches_bound(standard_error), BEYOND_WINDOWS)
}

/// Returns the 90 % bound of a mean from its standard error.
pub fn batches_bound(standard_error: f64) -> f64 {
    STUDENT_90 * standard_error
}

/// Greatest error that a sample may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance(f64);

impl Tolerance {
    pub fn percent(self) -> f64 {
        self.0
    }

    /// Greatest standard error of a window's batches that keeps its bound; `None` if no window keeps it.
    pub fn standard_error(self) -> Option<f64> {
        let left = self.0.powi(2) - BEYOND_WINDOWS.powi(2);
        (left > 0.0).then(|| left.sqrt() / STUDENT_90)
    }
}

impl FromStr for Tolerance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').unwrap_or(text).trim();
        match number.parse::<f64>() {
            Ok(percent) if (0.1..=100.0).contains(&percent) => Ok(Tolerance(percent)),
            _ => Err("allowed: 0.1% to 100%".to_owned()),
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_may_spread_as_far_as_its_bound_leaves() {
        let tolerance: Tolerance = "5%".parse().unwrap();
        let error = tolerance.standard_error().unwrap();
        assert!((window_bound(error) - 5.0).abs() < 1e-9, "{error}");
        assert_eq!("3".parse::<Tolerance>().unwrap().standard_error(), None);
    }

    #[test]
    fn what_is_no_percentage_is_refused() {
        for text in ["0", "-1%", "nan", "101%", "5%%", ""] {
            assert!(text.parse::<Tolerance>().is_err(), "{text}");
        }
    }
}
