//! Langdon 2010: sub-machine-code GP on a GeForce GTX 295, a quarter of a million programs at a time.
//!
//! [`kernel`]: the interpreter and how programs are encoded; [`population`]: the programs it runs; [`predict`]: its speed at any
//! number of threads per program and per block; [`parallelism`]: section 8's extrapolation to infinite parallelism.

pub mod figures;
pub mod kernel;
#[cfg(feature = "gpu")]
pub mod measure;
pub mod parallelism;
pub mod population;
pub mod predict;

/// Threads per program that were compiled: section 7's choices for the 20-multiplexer.
pub const THREADS_PER_PROGRAM: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Threads per block that section 7 tries: the shared memory holds the stacks of 256.
pub const THREADS_PER_BLOCK: [u32; 4] = [32, 64, 128, 256];
/// Programs of a generation.
pub const POPULATION: u32 = 262_144;
/// Words of 32 cases that a program of the 20-multiplexer is tested on.
pub const TEST_WORDS: u32 = 64;
/// Bytes between programs in memory (section 8).
pub const PROGRAM_BYTES: u32 = 512;
