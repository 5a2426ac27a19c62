//! The forms in which a command prints its results.
//!
//! Leaves out: what is printed.

use crate::report::{output, rows};
use serde::Serialize;
use std::error::Error;
use std::path::{Path, PathBuf};

/// See the module text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For spreadsheets: a header, then rows
    Csv,
    /// For programs: all digits
    Json,
}

/// How and where to.
#[derive(Debug, Clone, clap::Args)]
pub struct OutputArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl OutputArgs {
    /// Finds out before long work that the file could not be written.
    pub fn check(&self) -> Result<(), output::OutputError> {
        self.out.as_deref().map_or(Ok(()), output::check_writable)
    }

    /// Prints rows, which for people look like `text`.
    pub fn print<T: Serialize>(
        &self,
        rows: &[T],
        text: impl FnOnce() -> String,
    ) -> Result<(), Box<dyn Error>> {
        let content = match self.format {
            Format::Table => text().into_bytes(),
            Format::Csv => rows::csv(rows)?,
            Format::Json => rows::json(rows)?,
        };
        Ok(output::write(self.path(), &content)?)
    }

    pub fn path(&self) -> Option<&Path> {
        self.out.as_deref()
    }
}
