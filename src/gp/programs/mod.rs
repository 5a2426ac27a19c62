//! The programs of a launch: drawn from a corpus, or a list of them.
//!
//! Leaves out: the kernel that runs them (`workload`), the launch (`launch`).

pub mod inferred;
pub mod paper_depths;
pub mod population;

pub use inferred::Inferred;
pub use population::{DepthPercentages, Population, PopulationError};
