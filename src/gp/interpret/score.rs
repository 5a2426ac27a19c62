//! Errors of one program on some cases, summed in an order that no interpreter, block size, register width or thread changes.
//!
//! Models: squared errors in 16 sums, each over every sixteenth case, in double precision; wrong cases as a count.
//! Leaves out: the order of summation of a GPU. Units: an error, lower is better; cases. Sources: none.

use super::simd::LANES;
use crate::gp::problem::Score;

/// The errors of the cases of one chunk so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    pub squares: [f64; LANES],
    /// Wrong bits of words.
    pub ones: [u32; LANES],
    /// Wrong floats.
    pub wrong: u64,
}

impl Sums {
    /// The error of these cases.
    pub fn total(&self, score: Score) -> f64 {
        match score {
            Score::MeanSquaredError => self.squares.iter().sum(),
            Score::WrongBits | Score::WrongClasses | Score::WrongSigns => {
                let bits: u64 = self.ones.iter().copied().map(u64::from).sum();
                (self.wrong + bits) as f64
            }
        }
    }
}
