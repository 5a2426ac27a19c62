//! Generational genetic programming.
//!
//! Models: the paper's Table 2, with settings for the choices that the paper leaves open (initialisation, point choice, mutation
//! operator, parsimony, elitism, stopping).
//! Leaves out: islands, automatically defined functions, typed programs.
//! Units: fitness is an error, lower is better; depth in edges, size in nodes.
//! Sources: Chitty (2D stack) table 2; Koza 1992.
//!
//! Every offspring draws from its own random stream, named by seed, generation and index: results are bit for bit the same for
//! any number of threads.

pub mod config;
pub mod dice;
pub mod init;
pub mod run;
pub mod select;
pub mod variation;

pub use config::EvolveConfig;
pub use run::{EvolveError, Generation, Population, Run, evolve};
