//! Settings of an engine besides the device: performance model, code, programs.
//!
//! Sources: the paper's listings compiled with the compiler's defaults: short loops unrolled, accurate mathematics.

use crate::device::Reader;
use crate::gp::programs::Inferred;
use crate::isa::Arch;
use crate::sim::simulator::Simulator;
use crate::systems::chitty::code::OwnCode;
use crate::systems::chitty::variant::{Dispatch, Math, Shape};
use crate::util::names::named;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

named! {
    /// Performance model that makes a prediction.
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Kind ("engine") {
        /// Simulator, cycle by cycle.
        Simulator = "simulator",
        /// Equations: milliseconds instead of seconds, slightly less exact; kernels whose lanes diverge are simulated.
        Analytical = "analytical",
    }
}

impl Kind {
    /// Returns its name in the ledger of the preset's values.
    pub fn reader(self) -> Reader {
        match self {
            Kind::Simulator => Reader::Sim,
            Kind::Analytical => Reader::Model,
        }
    }
}

/// Conversion of a corpus to a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Weighting {
    /// Programs weighted so that their stack depths have the percentages of the paper's Tables 5 and 6.
    Paper,
    /// Every program counts the same.
    #[cfg_attr(feature = "cli", value(name = "none"))]
    AsEvolved,
}

/// Compilation of the kernel; `None`: the kernel's default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeChoice {
    /// Machine code of an architecture that is not the device's own.
    pub arch: Option<Arch>,
    /// Compilation of the loops.
    pub shape: Option<Shape>,
    /// Accuracy of division and the transcendental functions.
    pub math: Option<Math>,
    /// Type of a program word.
    pub dispatch: Option<Dispatch>,
    /// A custom kernel, in addition to those in the program.
    pub own: Option<Arc<OwnCode>>,
}

impl CodeChoice {
    /// Returns the custom kernel, if it has this name.
    pub fn own_named(&self, kernel: &str) -> Option<&Arc<OwnCode>> {
        self.own.as_ref().filter(|own| own.name == kernel)
    }
}

/// A file of programs, one per line (`gp/program_file.rs`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramList {
    /// Path of the file.
    pub path: PathBuf,
    /// Blocks of the launch, for which the list is repeated; `None`: the list once.
    pub n_blocks: Option<usize>,
}

/// Settings of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Performance model that makes the prediction.
    pub kind: Kind,
    /// Amount of sampling in the simulator.
    pub simulator: Simulator,
    /// Choice of compiled kernel.
    pub code: CodeChoice,
    /// A corpus file instead of the one in the program.
    pub corpus: Option<PathBuf>,
    /// Exactly these programs instead of a corpus.
    pub list: Option<ProgramList>,
    /// Conversion of a corpus to a population.
    pub weighting: Weighting,
    /// Factors inferred for the programs of each problem.
    pub inferred: BTreeMap<String, Inferred>,
    /// Programs of a generation that are drawn from a corpus, one per block.
    pub n_blocks: usize,
    /// Seed that selects the programs drawn from the corpus.
    pub program_seed: u64,
}

/// Programs of a generation of the paper's tables.
pub const PAPERS_POPULATION: usize = 1000;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            kind: Kind::Simulator,
            simulator: Simulator::default(),
            code: CodeChoice::default(),
            corpus: None,
            list: None,
            weighting: Weighting::Paper,
            inferred: BTreeMap::new(),
            n_blocks: PAPERS_POPULATION,
            program_seed: 1,
        }
    }
}
