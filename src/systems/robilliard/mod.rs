//! Robilliard et al. 2008: population-parallel GP on a GeForce 8800 GTX, inside the ECJ library.
//!
//! [`problem`]: the six benchmarks; [`program`]: trees as postfix code that jumps; [`population`], [`runs`]: the programs of evolutionary
//! runs; [`kernel`]: the interpreters and the blocks that they execute; [`predict`]: a generation's kernel on a device; [`host`]: all the rest of
//! a generation's time; [`figures`]: what the paper reports.

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
/// Those of them that are predicted and measured.
pub const SAMPLED_GENERATIONS: u32 = 5;
/// The one in which layouts are compared: what is launched if nothing else is said.
pub const USUAL_POPULATION: u32 = 2500;
/// Block sizes: the sum over a block's threads halves them.
pub const BLOCK_SIZES: [u32; 5] = [32, 64, 128, 256, 512];
/// As many as the smallest benchmarks have cases: two warps. The paper does not say how many threads its blocks had.
pub const USUAL_THREADS: u32 = 64;
