//! Work of a launch: a generation of one of the experiments, and its division into grids.
//!
//! Models: the initial generation and later ones of a given mean size; the paper's grids of a quarter of a million threads each,
//! independent of the layout (caption of Figure 5, section 2), each run to its end before the next is launched; or one grid for
//! all.
//! Leaves out: the host's work while grids run. Units: nodes, threads, microseconds. Sources: Langdon 2010.

use super::experiment::Experiment;
use super::predict::LangdonLayout;
use super::{POPULATION, evolved, population};
use crate::gp::program::Rpn;

/// Threads of one of the paper's grids.
const THREADS_OF_GRID: u32 = 262_144;
/// Time from the end of a grid to the start of the next. Assumed, from 5 to 20; not published for this driver.
const LAUNCH_MICROSECONDS: f64 = 10.0;

/// Programs of a generation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Programs {
    /// Initial programs of the 20-multiplexer; the paper does not give the sizes for the 37-multiplexer.
    Initial,
    Evolved {
        mean_nodes: u32,
    },
}

/// Division of a generation into launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launching {
    /// All programs in one grid.
    OneGrid,
    /// Grids of the paper's number of threads, as many as needed.
    PapersGrids,
}

/// A generation of an experiment, and its launches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LangdonGeneration {
    pub experiment: Experiment,
    pub programs: Programs,
    pub launching: Launching,
}

impl LangdonGeneration {
    /// The 20-multiplexer's first generation, as this crate measures it.
    pub const INITIAL: Self = LangdonGeneration {
        experiment: Experiment::MUX20,
        programs: Programs::Initial,
        launching: Launching::OneGrid,
    };

    pub fn program(&self, index: u32, seed: u64) -> Rpn {
        match self.programs {
            Programs::Initial => population::initial(index, seed),
            Programs::Evolved { mean_nodes } => {
                evolved::evolved(&self.experiment, mean_nodes, index, seed)
            }
        }
    }

    pub fn grids(&self, layout: LangdonLayout) -> u32 {
        match self.launching {
            Launching::OneGrid => 1,
            Launching::PapersGrids => {
                let threads = u64::from(POPULATION) * u64::from(layout.threads_per_program);
                threads.div_ceil(THREADS_OF_GRID.into()) as u32
            }
        }
    }

    /// Returns the launch time before the first grid and between the grids; 0 for a single grid, which is timed alone, like
    /// `measure`.
    pub fn launch_milliseconds(&self, layout: LangdonLayout) -> f64 {
        match self.launching {
            Launching::OneGrid => 0.0,
            Launching::PapersGrids => f64::from(self.grids(layout)) * LAUNCH_MICROSECONDS / 1e3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_64_threads_per_program_a_generation_is_64_grids_of_4096_programs() {
        let generation = LangdonGeneration {
            launching: Launching::PapersGrids,
            ..LangdonGeneration::INITIAL
        };
        let grids = |threads_per_program| {
            generation.grids(LangdonLayout {
                threads_per_program,
                threads_per_block: 64,
            })
        };
        assert_eq!([1, 8, 64].map(grids), [1, 8, 64]);
        assert_eq!(POPULATION / grids(64), 4096);
    }
}
