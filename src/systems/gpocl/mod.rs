//! GPOCL (Augusto and Barbosa 2013): three ways to spread programs and fitness cases over a GPU.
//!
//! [`program`]: programs, and a reference interpreter; [`population`]: random programs and data; [`ndrange`]: work-groups by the
//! paper's equations; [`host`]: cost of an evaluation besides its kernel; [`kernel`]: the interpreters' machine code and
//! their blocks; [`predict`]: the time of a generation; [`juniper`]: the same on the Radeon HD 5750; [`figures`]: the
//! paper's surfaces and tables, as [`bands`] on the Radeon; [`published`]: the ids of its figures.
//! Leaves out: the two processors, and the ranks of all ten instances in appendix A.

pub mod bands;
pub mod figures;
pub mod host;
pub mod juniper;
pub mod kernel;
pub mod ndrange;
pub mod population;
pub mod predict;
pub mod program;
pub mod published;
pub mod system;

use crate::util::names::named;

named! {
    /// Distribution of programs and fitness cases over the device.
    pub enum Strategy ("strategy") {
        /// Fitness-parallel: one program at a time, one fitness case per work-item.
        Fp = "fp",
        /// Population-parallel per processing element: one program per work-item.
        Pppe = "pppe",
        /// Population-parallel per compute unit: one program per work-group, whose work-items share the cases.
        Ppcu = "ppcu",
    }
}

impl Strategy {
    /// Returns the name of its kernels.
    pub fn kernel(self) -> &'static str {
        match self {
            Strategy::Fp => "gpocl-fp",
            Strategy::Pppe => "gpocl-pppe",
            Strategy::Ppcu => "gpocl-ppcu",
        }
    }
}

named! {
    /// A function set, named after its use.
    pub enum Domain ("domain") {
        /// Symbolic regression (section 4.3.1).
        Regression = "regression",
        /// Data classification (section 4.3.2).
        Classification = "classification",
    }
}

/// Nodes of every program (table 2).
pub const NODES: u32 = 50;
/// Input variables (table 2).
pub const INPUTS: u32 = 10;
/// Populations and data sets (table 3): programs and rows.
pub const SIZES: [u32; 6] = [100, 1000, 5000, 10_000, 25_000, 50_000];
/// Default population and data set of a launch.
pub const USUAL_SIZE: u32 = 10_000;

/// One of the paper's experiments: a launch of GPOCL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GpoclConfiguration {
    pub strategy: Strategy,
    pub domain: Domain,
    pub population: u32,
    pub dataset: u32,
}
