//! Robilliard et al. 2008: population-parallel GP on a GeForce 8800 GTX, inside the ECJ library.
//!
//! [`problem`]: the six benchmarks; [`program`]: trees as postfix code with jumps; [`population`], [`runs`]: the programs of
//! evolutionary runs; [`kernel`]: the interpreters and their blocks; [`predict`]: a generation's kernel on a device;
//! [`host`]: the rest of a generation's time; [`figures`]: the paper's figures.

pub mod figures;
pub mod host;
pub mod kernel;
pub mod population;
pub mod predict;
pub mod problem;
pub mod program;
pub mod published;
pub mod runs;
pub mod system;

/// Populations of the paper's runs.
pub const POPULATIONS: [u32; 4] = [100, 500, 2500, 12_500];
/// Generations of a run.
pub const GENERATIONS: u32 = 50;
/// Generations of a run that are predicted and measured.
pub const SAMPLED_GENERATIONS: u32 = 5;
/// Default population, and the one for which layouts are compared.
pub const USUAL_POPULATION: u32 = 2500;
/// Block sizes, powers of 2 because the sum over a block's threads halves them.
pub const BLOCK_SIZES: [u32; 5] = [32, 64, 128, 256, 512];
/// Default threads per block, as many as the smallest benchmarks have cases: two warps. The paper does not give its block size.
pub const USUAL_THREADS: u32 = 64;
