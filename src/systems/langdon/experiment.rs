//! The paper's two experiments.
//!
//! Models: the settings of table 1 and section 7. Leaves out: the end of a run. Units: words of 32 cases, bytes, parts of the run
//! time.
//! Sources: Langdon 2010, table 1, sections 4, 7 and 8. Chosen, as the paper does not give it for the 37-multiplexer: 64 threads
//! per program.

use super::published::Quantity;
use crate::gp::problem::multiplexer::Multiplexer;

/// Settings of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experiment {
    pub mux: Multiplexer,
    /// Words of cases that every program is tested on.
    pub test_words: u32,
    /// Bytes from one program to the next in memory: the largest program and its end.
    pub program_bytes: u32,
    /// Host's share of a run on the GTX 295, for everything except interpreting: an input, read off section 4.
    pub host_share: f64,
    /// Mean program sizes at which Figure 7 is predicted, up to nearly the largest: an input.
    pub sizes: [u32; 5],
    /// Size of the solution that is tested on all cases: section 8's, or an assumed one within the limit for the 37-multiplexer.
    pub solution_nodes: u32,
    /// Quantities of the solution in constant memory and of a run without and with the host.
    pub published: [Quantity; 3],
}

impl Experiment {
    pub const MUX20: Self = Experiment {
        mux: Multiplexer::MUX20,
        test_words: 64,
        program_bytes: 512,
        host_share: 0.73,
        sizes: [55, 100, 200, 300, 500],
        solution_nodes: 507,
        published: [
            Quantity::Mux20Constant,
            Quantity::Mux20InARun,
            Quantity::Mux20Average,
        ],
    };
    pub const MUX37: Self = Experiment {
        mux: Multiplexer::MUX37,
        test_words: 256,
        program_bytes: 1024,
        host_share: 0.43,
        sizes: [100, 200, 400, 600, 1000],
        solution_nodes: 1001,
        published: [
            Quantity::Mux37Constant,
            Quantity::Mux37InARun,
            Quantity::Mux37Average,
        ],
    };
    pub const ALL: [Self; 2] = [Self::MUX20, Self::MUX37];

    /// Returns the GP operations of a generation of `population` programs with `mean_nodes`.
    pub fn operations(&self, population: u32, mean_nodes: f64) -> f64 {
        f64::from(population) * mean_nodes * f64::from(32 * self.test_words)
    }

    /// Index in `sizes` of the mean program of a run. Assumed to be in the middle of the range, as the text does not give program
    /// sizes.
    pub const OF_A_RUN: usize = 3;

    /// Returns the nodes of the largest program.
    pub fn most_nodes(&self) -> u32 {
        self.program_bytes - 1
    }
}
