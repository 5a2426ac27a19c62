//! Genetic programming: problems, programs, evolution, interpreters.
pub mod primitive;
pub mod program;
