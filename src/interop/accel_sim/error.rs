//! Errors in a trace file.

use thiserror::Error;

/// A trace that cannot be used; every message names file and line.
#[derive(Debug, Error)]
pub enum FormatError {
    #[error("{file}:{line}: cannot be read: {source}")]
    Read {
        file: String,
        line: usize,
        source: std::io::Error,
    },
    #[error("{file}:{line}: {fault}")]
    Line {
        file: String,
        line: usize,
        fault: Fault,
    },
}

/// An error in a line, without file and line number.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what}: given {given}; allowed: {allowed}")]
pub struct Fault {
    pub what: String,
    pub given: String,
    pub allowed: String,
}

impl Fault {
    pub fn new(
        what: impl Into<String>,
        given: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        Fault {
            what: what.into(),
            given: given.into(),
            allowed: allowed.into(),
        }
    }

    /// Returns the error with its file and line number.
    pub fn at(self, file: &str, line: usize) -> FormatError {
        FormatError::Line {
            file: file.to_owned(),
            line,
            fault: self,
        }
    }
}
