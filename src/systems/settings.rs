//! What an engine is told besides the device: which model, which code, which programs.
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
    /// Which performance model predicts.
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Kind ("engine") {
        /// Simulator, cycle by cycle.
        #[cfg_attr(feature = "cli", value(alias = "sim"))]
        Simulator = "simulator",
        /// Equations: milliseconds instead of seconds, slightly less exact.
        #[cfg_attr(feature = "cli", value(alias = "model"))]
        Analytical = "analytical",
    }
}

impl Kind {
    /// As the ledger of the preset's values names it.
    pub fn reader(self) -> Reader {
        match self {
            Kind::Simulator => Reader::Sim,
            Kind::Analytical => Reader::Model,
        }
    }
}

/// How a corpus becomes a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Weighting {
    /// Programs weighted so that their stack depths have the percentages of the paper's Tables 5 and 6.
    Paper,
    /// Every program counts the same.
    #[cfg_attr(feature = "cli", value(name = "none"))]
    AsEvolved,
}

/// How the kernel was compiled; `None`: as the kernel's default is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeChoice {
    /// Machine code of an architecture that is not the device's own.
    pub arch: Option<Arch>,
    /// How the loops were compiled.
    pub shape: Option<Shape>,
    /// Accuracy of division and the transcendental functions.
    pub math: Option<Math>,
    /// The type of a program word.
    pub dispatch: Option<Dispatch>,
    /// A kernel that was compiled elsewhere, beside those in the program.
    pub own: Option<Arc<OwnCode>>,
}

impl CodeChoice {
    /// The kernel of one's own, if that is what it is called.
    pub fn own_named(&self, kernel: &str) -> Option<&Arc<OwnCode>> {
        self.own.as_ref().filter(|own| own.name == kernel)
    }
}

/// A file of programs, one per line in postfix form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramList {
    /// The file.
    pub path: PathBuf,
    /// Blocks of the launch: the list repeated; `None`: the list once.
    pub n_blocks: Option<usize>,
}

/// See the module text.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which performance model predicts.
    pub kind: Kind,
    /// How much the simulator samples.
    pub simulator: Simulator,
    /// Which compiled kernel.
    pub code: CodeChoice,
    /// A corpus file instead of the one in the program.
    pub corpus: Option<PathBuf>,
    /// Exactly these programs instead of a corpus.
    pub list: Option<ProgramList>,
    /// How a corpus becomes a population.
    pub weighting: Weighting,
    /// What is inferred of the programs of each problem, besides.
    pub inferred: BTreeMap<String, Inferred>,
    /// Programs of a generation: one per block.
    pub n_blocks: usize,
    /// Chooses the programs drawn from the corpus.
    pub program_seed: u64,
}

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
            n_blocks: 1000,
            program_seed: 1,
        }
    }
}
