//! Genetic programming: problems, programs, evolution, interpreters.
pub mod campaign;
pub mod corpus;
pub mod depth_profile;
pub mod evolve;
pub mod expression;
pub mod interpret;
pub mod primitive;
pub mod problem;
pub mod program;
pub mod program_file;
pub mod programs;
pub mod record;
pub mod stack_depth;
pub mod weights;
pub mod workload;
