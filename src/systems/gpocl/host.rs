//! Cost of an evaluation besides its kernel.
//!
//! Models: the population to the device, one launch, errors back; the host adds up those of FP's groups. Leaves out: compilation
//! and the copy of the data set, both done before the first generation. Units: milliseconds.
//! Sources: Augusto and Barbosa 2013, section 3.2 (the steps of `Evaluate`) and footnote 4; rates in `fixtures/papers/hosts/`.

use super::kernel::PROGRAM_WORDS;
use super::ndrange::NdRange;
use super::{GpoclConfiguration, Strategy};
use crate::device::Reader;
use crate::device::numbers::{Sourced, numbers};
use std::sync::LazyLock;

numbers! {
    /// Rates that determine the host's time.
    Rates, &[Reader::Host];
    host {
        transfer_gb_per_s "GB/s", "Speed of copies.";
        call_us "us", "A launch, or a copy, without its bytes.";
        calls "calls", "Copies and launches of an evaluation.";
        sums_per_s "1/s", "Errors that the host adds up.";
    }
}

static RATES: LazyLock<Sourced<Rates>> = LazyLock::new(|| {
    let text = include_str!("../../../fixtures/papers/hosts/gpocl.toml");
    Sourced::parse(text, "gpocl.toml").expect("a test reads it")
});

pub fn milliseconds(configuration: GpoclConfiguration, range: NdRange) -> f64 {
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
    let rates = RATES.machine;
    let seconds = bytes / (rates.transfer_gb_per_s * 1e9)
        + rates.calls * rates.call_us / 1e6
        + sums / rates.sums_per_s;
    1e3 * seconds
}
