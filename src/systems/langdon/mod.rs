//! Langdon 2010: sub-machine-code GP on a GeForce GTX 295, a quarter of a million programs at a time.
//!
//! [`kernel`]: the interpreter and the encoding of programs; [`experiment`]: the 20- and the 37-multiplexer; [`population`] and
//! [`evolved`]: first and later programs; [`generation`]: their launches; [`predict`]: the interpreter's speed at any number of
//! threads per program and per block; [`parallelism`]: section 8's extrapolation to infinite parallelism; [`proof`]: one program
//! in constant memory; [`later`]: Figure 7 and whole runs, with their [`host`]; [`card`]: the two chips of a GTX 295.

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

/// Compiled numbers of threads per program: section 7's choices for the 20-multiplexer.
pub const THREADS_PER_PROGRAM: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Threads per block tried in section 7: the shared memory holds the stacks of up to 256 threads.
pub const BLOCK_SIZES: [u32; 4] = [32, 64, 128, 256];
/// Programs of a generation.
pub const POPULATION: u32 = 262_144;
