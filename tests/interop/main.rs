//! Other tools' formats, and every file that may be damaged.

#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "interop")]
mod cycles;
#[cfg(all(feature = "gpu", feature = "interop", feature = "report"))]
mod fuzz_seeds;
#[cfg(feature = "cli")]
mod grammar;
#[allow(dead_code)]
#[cfg(feature = "cli")]
#[path = "../cli/program.rs"]
mod program;
#[cfg(feature = "interop")]
mod round_trip;
