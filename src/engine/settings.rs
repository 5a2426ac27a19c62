//! What an engine is told besides the device: which code, which corpus, how much to simulate.
//!
//! Leaves out: anything of the device. Units: in field names.
//! Sources: the paper's listings compiled with the compiler's defaults: short loops unrolled, accurate mathematics.

use crate::gpu::variant::{Dispatch, Math, Shape};
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
    /// Blocks at the head of the sample whose programs windows visit.
    pub window_programs: usize,
    /// Warp instructions that the window of a full multiprocessor measures: at least, and at most.
    pub window_instructions: (u64, u64),
    /// Blocks of which it measures one iteration at least, as far as the limit allows.
    pub least_visits: u32,
    /// The same for each window of a partly filled one.
    pub partial_instructions: u64,
    /// Visits to programs that a window is divided among.
    pub visits: u32,
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
            window_instructions: (600_000, 2_000_000),
            least_visits: 24,
            partial_instructions: 40_000,
            visits: 96,
            warm_up_percent: 20,
            batches: 10,
        }
    }
}

impl Settings {
    pub(super) fn effort(&self) -> Effort {
        Effort {
            plan: WindowPlan {
                instructions: self.window_instructions,
                least_visits: self.least_visits,
                visits: self.visits,
                warm_up_percent: self.warm_up_percent,
                batches: self.batches,
                seed: self.cache_seed,
            },
            partial_instructions: self.partial_instructions,
        }
    }
}
