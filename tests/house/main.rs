//! The repository itself.

mod recipes;
mod test_files;
