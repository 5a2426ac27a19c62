//! The journal of a study that is under way: one line per point, so that a study stopped at any moment can go on.
//!
//! What it does: appends complete lines and makes them durable in batches; when a study is started again, reads the lines
//! of the same study and drops one that was cut off. What it leaves out: results files (`report::output`).
//! Units: lines.

use super::StudyError;
use super::run::Outcome;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long written lines may wait to be made durable.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug, Serialize, Deserialize)]
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

/// See the module text.
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

    /// Opens or begins the journal of the study with this hash; returns the outcomes that it holds.
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
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(io)?;
        let complete = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let mut done: Vec<Option<Outcome>> = vec![None; points];
        // The first line that cannot be read ends what is known.
        let mut kept = 0;
        for (index, line) in text[..complete]
            .split_inclusive(|byte| *byte == b'\n')
            .enumerate()
        {
            if index == 0 {
                let header: Option<Header> = serde_json::from_slice(line).ok();
                let same =
                    header.is_some_and(|header| header.study == study && header.points == points);
                if !same {
                    return Err(failed(
                        "given the journal of another study; allowed: the study that began it, or remove the file".into(),
                    ));
                }
            } else {
                match serde_json::from_slice::<Line>(line) {
                    Ok(line) if line.point < points => done[line.point] = Some(line.outcome),
                    _ => break,
                }
            }
            kept += line.len();
        }
        file.set_len(kept as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        if kept == 0 {
            let header = Header {
                study: study.to_owned(),
                points,
            };
            write_line(&mut file, &header).map_err(io)?;
            file.sync_data().map_err(io)?;
        }
        let journal = Journal {
            path: path.to_owned(),
            file: Mutex::new((file, Instant::now())),
        };
        Ok((journal, done))
    }

    /// Adds points in one write; made durable now and then, and at the end.
    pub fn append<'a>(
        &self,
        outcomes: impl IntoIterator<Item = (usize, &'a Outcome)>,
    ) -> Result<(), StudyError> {
        let mut text = Vec::new();
        for (point, outcome) in outcomes {
            let line = Line {
                point,
                outcome: outcome.clone(),
            };
            write_line(&mut text, &line).map_err(|error| self.failed(&error))?;
        }
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

fn write_line(to: &mut impl Write, line: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    to.write_all(&text)
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
        journal.append([(2, &first), (0, &second)]).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let header = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for cut in header..=whole.len() {
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
            journal.append([(3, &second)]).unwrap();
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
        std::fs::write(&path, "a letter\n").unwrap();
        assert!(Journal::open(&path, "one", 4).is_err());
    }
}
