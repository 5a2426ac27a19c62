//! Other tools' formats, and every file that may be damaged.

#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "interop")]
mod cycles;
#[cfg(feature = "interop")]
mod damage;
#[cfg(all(feature = "gpu", feature = "interop", feature = "report"))]
mod fuzz_seeds;
#[cfg(feature = "interop")]
mod grammar;
#[cfg(feature = "interop")]
mod round_trip;
