//! The forms in which a command prints its results, the same for every command.
//!
//! Leaves out: what is printed; what a CSV and a JSON look like (`report/rows.rs`).

use crate::report::columns::Columns;
use crate::report::output;
use crate::report::provenance::Provenance;
use crate::report::rows;
use serde::Serialize;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Format in which results are printed.
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
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Output format [default: as the ending of --out says, .csv or .json; otherwise table]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl OutputArgs {
    /// Finds out before long work that the file could not be written.
    pub fn check(&self) -> Result<(), output::OutputError> {
        self.out.as_deref().map_or(Ok(()), output::check_writable)
    }

    /// Returns the requested format; by default, the one that the ending of `--out` selects.
    pub fn format(&self) -> Format {
        let path = self.out.as_deref();
        let ending = path
            .and_then(Path::extension)
            .and_then(|ending| ending.to_str());
        self.format.unwrap_or(match ending {
            Some("csv") => Format::Csv,
            Some("json") => Format::Json,
            _ => Format::Table,
        })
    }

    /// Prints records, which for people look like `text`.
    pub fn print<T: Serialize>(
        &self,
        records: &[T],
        provenance: &Provenance,
        text: impl FnOnce() -> String,
    ) -> Result<(), Box<dyn Error>> {
        self.write(&match self.format() {
            Format::Table => text().into_bytes(),
            Format::Csv => rows::csv(&rows::of(records)?, provenance)?,
            Format::Json => rows::json(records, provenance)?,
        })
    }

    /// Prints rows by their columns.
    pub fn print_columns<R>(
        &self,
        columns: &Columns<R>,
        rows: &[R],
        provenance: &Provenance,
    ) -> Result<(), Box<dyn Error>> {
        self.write(&match self.format() {
            Format::Table => columns.text(rows).into_bytes(),
            Format::Csv => rows::csv_of(columns.names(), columns.csv(rows), provenance)?,
            Format::Json => rows::json(columns.json(rows), provenance)?,
        })
    }

    /// Prints one record.
    pub fn print_one<T: Serialize>(
        &self,
        record: &T,
        provenance: &Provenance,
        text: impl FnOnce() -> String,
    ) -> Result<(), Box<dyn Error>> {
        match self.format() {
            Format::Json => self.write(&rows::json_of_one(record, provenance)?),
            _ => self.print(&[record], provenance, text),
        }
    }

    /// Writes what is finished.
    pub fn write(&self, content: &[u8]) -> Result<(), Box<dyn Error>> {
        Ok(output::write(self.path(), content)?)
    }

    pub fn path(&self) -> Option<&Path> {
        self.out.as_deref()
    }
}
