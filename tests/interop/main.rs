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
#[allow(dead_code)]
#[cfg(feature = "cli")]
#[path = "../cli/program.rs"]
mod program;
#[cfg(feature = "interop")]
mod round_trip;
