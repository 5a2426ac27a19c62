//! One file per subcommand.
pub mod evolve;
