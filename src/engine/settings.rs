//! What an engine is told besides the device: which code, which corpus, how much to simulate.
//!
//! Leaves out: anything of the device. Units: in field names.
//! Sources: the paper's listings compiled with the compiler's defaults: short loops unrolled, accurate mathematics.

use crate::device::occupancy::Occupancy;
use crate::gpu::variant::{Dispatch, Math, Shape};
use crate::predict::Configuration;
use crate::sim::engine::Effort;
use crate::sim::window::WindowPlan;
use std::path::PathBuf;

/// Which performance model predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Cycle by cycle.
    Simulator,
    /// In closed form.
    Analytical,
}

/// How a corpus becomes a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// Programs weighted so that their stack depths have the percentages of the paper's Table 5.
    Paper,
    /// Every program counts the same.
    AsEvolved,
}

/// See the module text.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub kind: Kind,
    /// `None`: unrolled, as the compiler does with short loops when told nothing.
    pub shape: Option<Shape>,
    pub math: Math,
    pub dispatch: Dispatch,
    /// A corpus file instead of the one in the program.
    pub corpus: Option<PathBuf>,
    pub weighting: Weighting,
    /// Programs of a generation: one per block.
    pub n_blocks: usize,
    /// Chooses the programs drawn from the corpus.
    pub population_seed: u64,
    /// Seeds the replacement policies of the caches.
    pub cache_seed: u32,
    /// Blocks at the head of the sample whose programs windows run, over and over.
    pub window_programs: usize,
    /// Work to measure, in blocks of 1024 threads.
    pub full_size_blocks: u32,
    /// Iterations of the case loop that a simulated block runs at most.
    pub iteration_cap: u32,
    /// Simulated before measuring, in percent of the measured work.
    pub warm_up_percent: u32,
    /// Batches that give the sampling error.
    pub batches: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            kind: Kind::Simulator,
            shape: None,
            math: Math::Accurate,
            dispatch: Dispatch::Float,
            corpus: None,
            weighting: Weighting::Paper,
            n_blocks: 1000,
            population_seed: 1,
            cache_seed: 7,
            window_programs: 128,
            full_size_blocks: 2,
            iteration_cap: 16,
            warm_up_percent: 40,
            batches: 10,
        }
    }
}

impl Settings {
    /// The same amount of work whatever the block size, and at least one filling of the multiprocessor.
    pub(super) fn effort(&self, configuration: &Configuration, occupancy: &Occupancy) -> Effort {
        const FULL_SIZE_THREADS: u32 = 1024;
        let threads = configuration.threads_per_block;
        let blocks = (self.full_size_blocks * FULL_SIZE_THREADS).div_ceil(threads);
        Effort {
            plan: WindowPlan {
                iteration_cap: self.iteration_cap,
                warm_up_percent: self.warm_up_percent,
                blocks: blocks.max(occupancy.blocks),
                batches: self.batches,
                seed: self.cache_seed,
            },
            partial_blocks: (blocks / 4).max(1),
        }
    }
}
