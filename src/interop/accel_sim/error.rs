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
    #[error("{file}:{line}: {what}: given {given}; allowed: {allowed}")]
    Line {
        file: String,
        line: usize,
        what: String,
        given: String,
        allowed: String,
    },
}

/// An error in a line, without file and line number.
#[derive(Debug, Clone, PartialEq, Eq)]
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
            what: self.what,
            given: self.given,
            allowed: self.allowed,
        }
    }
}
