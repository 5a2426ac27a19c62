//! The journal of a study that is under way: one line per point, so that a study stopped at any moment can go on.
//!
//! Appends complete lines and makes them durable in batches; when a study is started again, reads the lines
//! of the same study and drops an incomplete last line. One process has it at a time. Leaves out: results files (`report::output`).
//! Units: lines.

use super::StudyError;
use super::run::Outcome;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest time before written lines are made durable.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug, Serialize)]
struct Header {
    /// Hash of everything that decides the results.
    study: String,
    points: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    point: usize,
    outcome: Outcome,
}

/// The open journal of a study, whose file this process has locked.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<(File, Instant)>,
}

impl Journal {
    /// The journal beside a results file.
    pub fn path_for(results: &Path) -> PathBuf {
        let mut name = results.file_name().unwrap_or_default().to_os_string();
        name.push(".journal");
        results.with_file_name(name)
    }

    /// Opens or begins the journal of the study with this hash, for this process alone; returns the outcomes that it holds.
    pub fn open(
        path: &Path,
        study: &str,
        points: usize,
    ) -> Result<(Journal, Vec<Option<Outcome>>), StudyError> {
        let failed = |message: String| StudyError::Journal {
            file: path.display().to_string(),
            message,
        };
        let io = |error: std::io::Error| failed(error.to_string());
        let mut file = locked(path).map_err(failed)?;
        let header = Header {
            study: study.to_owned(),
            points,
        };
        let header = line_of(&header).map_err(io)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(io)?;
        let mut done: Vec<Option<Outcome>> = vec![None; points];
        let kept = match text.strip_prefix(&header[..]) {
            Some(lines) => header.len() + read_lines(lines, &mut done),
            // It was stopped while it began.
            None if header.starts_with(&text) => 0,
            None => {
                return Err(failed(
                    "given the journal of another study or of another build of the program, or some other file; allowed: what began it, or remove the file".into(),
                ));
            }
        };
        file.set_len(kept as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        if kept == 0 {
            file.write_all(&header).map_err(io)?;
            file.sync_data().map_err(io)?;
        }
        let journal = Journal {
            path: path.to_owned(),
            file: Mutex::new((file, Instant::now())),
        };
        Ok((journal, done))
    }

    /// Adds a point; made durable now and then, and at the end.
    pub fn append(&self, point: usize, outcome: &Outcome) -> Result<(), StudyError> {
        let line = Line {
            point,
            outcome: outcome.clone(),
        };
        let text = line_of(&line).map_err(|error| self.failed(&error))?;
        let mut guard = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, synced) = &mut *guard;
        file.write_all(&text).map_err(|error| self.failed(&error))?;
        if synced.elapsed() > SYNC_INTERVAL {
            file.sync_data().map_err(|error| self.failed(&error))?;
            *synced = Instant::now();
        }
        Ok(())
    }

    /// The results are written elsewhere: removes the journal.
    pub fn finish(self) -> Result<(), StudyError> {
        std::fs::remove_file(&self.path).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> StudyError {
        StudyError::Journal {
            file: self.path.display().to_string(),
            message: error.to_string(),
        }
    }
}

/// Opens the journal, created if missing, and locks it for this process; refuses it while another process holds the lock.
fn locked(path: &Path) -> Result<File, String> {
    let io = |error: std::io::Error| error.to_string();
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err("given something that is no regular file; allowed: a file, or none".into());
    }
    loop {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(
                    "another process predicts this study now; allowed: one at a time".into(),
                );
            }
            Err(TryLockError::Error(error)) => return Err(error.to_string()),
        }
        // Who had it may have ended meanwhile, and removed it.
        if path.exists() {
            return Ok(file);
        }
    }
}

/// Reads complete lines into `done` and returns their length in bytes. Stops at the first line that cannot be read.
fn read_lines(text: &[u8], done: &mut [Option<Outcome>]) -> usize {
    let mut kept = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match serde_json::from_slice::<Line>(line) {
            Ok(read) if read.point < done.len() && line.ends_with(b"\n") => {
                done[read.point] = Some(read.outcome);
            }
            _ => break,
        }
        kept += line.len();
    }
    kept
}

fn line_of(what: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(what)?;
    text.push(b'\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(gpops_billion: f64) -> Outcome {
        Outcome {
            gpops_billion: Some(gpops_billion),
            ..Outcome::default()
        }
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped_and_the_rest_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal");
        let (journal, done) = Journal::open(&path, "study", 4).unwrap();
        assert_eq!(done, vec![None; 4]);
        let (first, second) = (outcome(1.0 / 3.0), outcome(2.0));
        journal.append(2, &first).unwrap();
        journal.append(0, &second).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let header = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (journal, done) = Journal::open(&path, "study", 4).unwrap();
            let first_end = header
                + whole[header..]
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .unwrap()
                + 1;
            assert_eq!(done[2], (cut >= first_end).then(|| first.clone()));
            assert_eq!(done[0], (cut == whole.len()).then(|| second.clone()));
            // What follows begins on a line of its own.
            journal.append(3, &second).unwrap();
            drop(journal);
            assert_eq!(
                Journal::open(&path, "study", 4).unwrap().1[3],
                Some(second.clone())
            );
        }
    }

    #[test]
    fn another_study_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal");
        drop(Journal::open(&path, "one", 4).unwrap());
        let message = Journal::open(&path, "two", 4).unwrap_err().to_string();
        assert!(message.contains("another study"), "{message}");
        for foreign in ["a letter\n", "a letter", "\n"] {
            std::fs::write(&path, foreign).unwrap();
            assert!(Journal::open(&path, "one", 4).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(Journal::open(&path, "one", 4).is_err());
    }

    #[test]
    fn one_process_at_a_time_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal");
        let (journal, _) = Journal::open(&path, "one", 4).unwrap();
        let message = Journal::open(&path, "one", 4).unwrap_err().to_string();
        assert!(message.contains("another process"), "{message}");
        journal.append(1, &outcome(2.0)).unwrap();
        drop(journal);
        assert!(Journal::open(&path, "one", 4).unwrap().1[1].is_some());
    }
}
