//! Langdon 2010: sub-machine-code GP on a GeForce GTX 295, a quarter of a million programs at a time.
//!
//! [`kernel`]: the interpreter and how programs are encoded; [`experiment`]: the 20- and the 37-multiplexer; [`population`] and
//! [`evolved`]: first and later programs; [`generation`]: how they are launched; [`predict`]: its speed at any number of threads per
//! program and per block; [`parallelism`]: section 8's extrapolation to infinite parallelism; [`proof`]: one program in constant
//! memory; [`later`]: Figure 7 and whole runs, with their [`host`]; [`card`]: the two chips of a GTX 295.

pub mod card;
pub mod evolved;
pub mod experiment;
pub mod figures;
pub mod generation;
pub mod host;
pub mod kernel;
pub mod later;
pub mod parallelism;
pub mod population;
pub mod predict;
pub mod proof;
pub mod published;
pub mod system;

/// Threads per program that were compiled: section 7's choices for the 20-multiplexer.
pub const THREADS_PER_PROGRAM: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Threads per block that section 7 tries: the shared memory holds the stacks of 256.
pub const BLOCK_SIZES: [u32; 4] = [32, 64, 128, 256];
/// Programs of a generation.
pub const POPULATION: u32 = 262_144;
