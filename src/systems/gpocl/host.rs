//! What an evaluation costs beside its kernel.
//!
//! Models: the population to the device, one launch, errors back; the host adds up those of FP's groups. Leaves out: compilation and the
//! data set, which are there before the first generation. Units: milliseconds.
//! Sources: Augusto and Barbosa 2013, section 3.2 (what `Evaluate` does) and footnote 4. Every rate is assumed, with a range: a card of 2009
//! on PCIe 2.0, memory that is not pinned.

use super::kernel::PROGRAM_WORDS;
use super::ndrange::NdRange;
use super::{Configuration, Strategy};

/// 2 to 6.
const GIGABYTES_PER_SECOND: f64 = 3.0;
/// A launch, or a copy, without what it moves: 5 to 30.
const CALL_MICROSECONDS: f64 = 15.0;
/// Two copies and a launch.
const CALLS: f64 = 3.0;
/// Errors that the host adds up in a second: 0.3 to 1 billion.
const SUMS_PER_SECOND: f64 = 5e8;

pub fn milliseconds(configuration: Configuration, range: NdRange) -> f64 {
    let programs = f64::from(configuration.population);
    let errors = match configuration.strategy {
        Strategy::Fp => programs * f64::from(range.groups),
        Strategy::Pppe | Strategy::Ppcu => programs,
    };
    let sums = match configuration.strategy {
        Strategy::Fp => errors,
        Strategy::Pppe | Strategy::Ppcu => 0.0,
    };
    let bytes = 4.0 * (programs * f64::from(PROGRAM_WORDS) + errors);
    let seconds = bytes / (GIGABYTES_PER_SECOND * 1e9)
        + CALLS * CALL_MICROSECONDS / 1e6
        + sums / SUMS_PER_SECOND;
    1e3 * seconds
}
