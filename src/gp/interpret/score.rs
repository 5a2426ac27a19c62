//! Errors of a program on some cases, summed in an order independent of interpreter, block size, register width and threads.
//!
//! Models: squared errors in 16 sums, each over every sixteenth case, in double precision; wrong cases as a count.
//! Leaves out: the summation order of a GPU. Units: an error, lower is better; cases. Sources: none.

use super::simd::LANES;
use crate::gp::problem::Score;

/// Errors of the cases summed so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    /// Those of the first half of a vector, then of the second.
    pub squares: [[f64; LANES / 2]; 2],
    /// Number of wrong bits of words.
    pub ones: [u32; LANES],
    /// Number of wrong floats.
    pub wrong: u64,
}

impl Sums {
    /// Returns the error of these cases.
    pub fn total(&self, score: Score) -> f64 {
        match score {
            Score::MeanSquaredError => self.squares.as_flattened().iter().sum(),
            Score::WrongBits | Score::WrongClasses | Score::WrongSigns => {
                let bits: u64 = self.ones.iter().copied().map(u64::from).sum();
                (self.wrong + bits) as f64
            }
        }
    }
}
