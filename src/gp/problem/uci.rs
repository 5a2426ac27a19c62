//! Data sets of the UCI repository, read in their original formats.
//!
//! Models: finding a file in the data folder, its checksum, numbers in fields.
//! Leaves out: downloading.
//! Units: files as published; line numbers start at 1.
//! Sources: UCI Machine Learning Repository, DOI 10.24432/C5WS31 (Statlog Shuttle), 10.24432/C51C7N (KDD Cup 1999).

use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Name of the environment variable that holds the data folder.
pub const DATA_VARIABLE: &str = "WARPSTACK_DATA";

/// A published file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFile {
    pub name: &'static str,
    pub sha256: &'static str,
    pub n_lines: usize,
    pub doi: &'static str,
}

/// Error in a data set.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error(
        "data set {doi} is not there: give its folder with --data or in {DATA_VARIABLE}; it needs `{name}` with SHA-256 {sha256}"
    )]
    NoFolder {
        name: &'static str,
        sha256: &'static str,
        doi: &'static str,
    },
    #[error("{}: {source}; expected the file of DOI {doi} with SHA-256 {sha256}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
        sha256: &'static str,
        doi: &'static str,
    },
    #[error("{}, line {line}, field {field}: {message}; expected the file of DOI {doi} with SHA-256 {sha256}", path.display())]
    Malformed {
        path: PathBuf,
        line: usize,
        field: usize,
        message: String,
        sha256: &'static str,
        doi: &'static str,
    },
    #[error("{}, line {}, field 1: file ends, expected {expected} lines: the file of DOI {doi} with SHA-256 {sha256}", path.display(), given + 1)]
    Truncated {
        path: PathBuf,
        given: usize,
        expected: usize,
        sha256: &'static str,
        doi: &'static str,
    },
    #[error("{}: SHA-256 is {given}, expected {sha256}: the file of DOI {doi}", path.display())]
    Checksum {
        path: PathBuf,
        given: String,
        sha256: &'static str,
        doi: &'static str,
    },
}

/// Contents of a file, not yet verified.
#[derive(Debug)]
pub struct Raw {
    pub file: SourceFile,
    pub path: PathBuf,
    pub text: Vec<u8>,
    digest: String,
}

/// Returns the data folder: the one given, else the one in the environment.
pub fn folder(given: Option<&Path>) -> Option<PathBuf> {
    given
        .map(Path::to_owned)
        .or_else(|| std::env::var_os(DATA_VARIABLE).map(PathBuf::from))
}

impl Raw {
    /// Reads a file; a name ending in `.gz` is decompressed, if the checksum matches. The checksum is that of the file on disk.
    pub fn read(folder: &Path, file: SourceFile) -> Result<Self, DataError> {
        let path = folder.join(file.name);
        let io = |source| DataError::Io {
            path: path.clone(),
            source,
            sha256: file.sha256,
            doi: file.doi,
        };
        let bytes = std::fs::read(&path).map_err(io)?;
        let digest: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let text = if file.name.ends_with(".gz") {
            if digest != file.sha256 {
                // A file that was not published could decompress to any size.
                return Err(DataError::Checksum {
                    path,
                    given: digest,
                    sha256: file.sha256,
                    doi: file.doi,
                });
            }
            let mut text = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..])
                .read_to_end(&mut text)
                .map_err(io)?;
            text
        } else {
            bytes
        };
        Ok(Raw {
            file,
            path,
            text,
            digest,
        })
    }

    /// Returns `text` as though it were the published file.
    #[doc(hidden)]
    pub fn believed(text: Vec<u8>) -> Self {
        Raw {
            file: SourceFile {
                name: "believed",
                sha256: "",
                n_lines: 0,
                doi: "",
            },
            path: PathBuf::from("believed"),
            text,
            digest: String::new(),
        }
    }

    /// Iterates over the lines with their numbers, including a last line without a newline.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let body = self.text.strip_suffix(b"\n").unwrap_or(&self.text);
        let lines = body
            .split(|&byte| byte == b'\n')
            .filter(|_| !body.is_empty());
        lines
            .enumerate()
            .map(|(i, line)| (i + 1, line.strip_suffix(b"\r").unwrap_or(line)))
    }

    pub fn malformed(&self, line: usize, field: usize, message: impl Into<String>) -> DataError {
        let (path, message) = (self.path.clone(), message.into());
        DataError::Malformed {
            path,
            line,
            field,
            message,
            sha256: self.file.sha256,
            doi: self.file.doi,
        }
    }

    /// Parses a field as a finite number.
    pub fn number(&self, line: usize, field: usize, text: &[u8]) -> Result<f32, DataError> {
        let parsed = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse::<f32>().ok());
        parsed.filter(|n| n.is_finite()).ok_or_else(|| {
            self.malformed(
                line,
                field,
                format!("is `{}`, allowed: a number", String::from_utf8_lossy(text)),
            )
        })
    }

    /// Checks that all lines are present and every byte is as published. Called after parsing, whose errors are more specific.
    pub fn verify(&self, n_lines: usize) -> Result<(), DataError> {
        let SourceFile {
            sha256,
            doi,
            n_lines: expected,
            ..
        } = self.file;
        if n_lines < expected {
            return Err(DataError::Truncated {
                path: self.path.clone(),
                given: n_lines,
                expected,
                sha256,
                doi,
            });
        }
        if self.digest != sha256 {
            return Err(DataError::Checksum {
                path: self.path.clone(),
                given: self.digest.clone(),
                sha256,
                doi,
            });
        }
        Ok(())
    }
}

/// Returns the numbers of at most `n` cases spread evenly over `total`.
pub fn spread(total: usize, n: Option<usize>) -> Vec<usize> {
    let n = n.unwrap_or(total).min(total);
    (0..n)
        .map(|i| (i as u128 * total as u128 / n.max(1) as u128) as usize)
        .collect()
}
