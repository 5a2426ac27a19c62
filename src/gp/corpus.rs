//! Corpora: evaluated programs sampled over runs and generations, in a file.
//!
//! Models: a text file of one JSON header line, the line `run,generation,program`, and one such line per program.
//! Leaves out: fitness values; the header's statistics describe the runs.
//! Units: percentages of programs; stack depth in levels.
//! Sources: Chitty (2D stack) table 5 for the depth statistics.

use super::evolve::EvolveConfig;
use super::program::{ProgramError, Rpn};
use super::record::Size;
use super::stack_depth::rpn_stack_depth;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const FORMAT: &str = "warpstack-corpus";
const VERSION: u32 = 1;
const COLUMNS: &str = "run,generation,program";

/// First line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    pub format: String,
    pub version: u32,
    pub problem: String,
    pub seed: u64,
    pub runs: u32,
    /// Command that made the file.
    pub command: String,
    /// Fitness cases that the programs were evaluated on during evolution.
    pub evaluated_cases: usize,
    pub settings: EvolveConfig,
    pub statistics: Statistics,
    /// Longest program of each generation of each run; empty if it was not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub longest: Vec<Vec<Size>>,
}

/// Statistics of the programs in the file, and the number of solved runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    pub n_programs: usize,
    pub solved_runs: u32,
    pub mean_nodes: f64,
    pub median_nodes: usize,
    pub max_nodes: usize,
    /// `(stack limit, percentage of programs within it)` for RPN.
    pub rpn_depth_percentages: Vec<(usize, f64)>,
}

/// One sampled program.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub run: u32,
    pub generation: u32,
    pub program: Rpn,
}

/// A corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    pub header: Header,
    pub entries: Vec<Entry>,
}

/// Error in a corpus file.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}, line {line}, {field}: {message}", path.display())]
    Format {
        path: PathBuf,
        line: usize,
        field: &'static str,
        message: String,
    },
}

impl Statistics {
    pub fn of(programs: &[Entry], solved_runs: u32) -> Self {
        let mut nodes: Vec<usize> = programs.iter().map(|e| e.program.n_nodes()).collect();
        nodes.sort_unstable();
        let n = programs.len();
        let within = |limit| {
            programs
                .iter()
                .filter(|e| rpn_stack_depth(&e.program) <= limit)
                .count()
        };
        let percent = |count: usize| (10_000.0 * count as f64 / n.max(1) as f64).round() / 100.0;
        Statistics {
            n_programs: n,
            solved_runs,
            mean_nodes: (100.0 * nodes.iter().sum::<usize>() as f64 / n.max(1) as f64).round()
                / 100.0,
            median_nodes: nodes.get(n / 2).copied().unwrap_or(0),
            max_nodes: nodes.last().copied().unwrap_or(0),
            rpn_depth_percentages: (2..=10)
                .map(|limit| (limit, percent(within(limit))))
                .collect(),
        }
    }
}

impl Header {
    /// Returns a header of the current format.
    pub fn new(
        problem: &str,
        seed: u64,
        runs: u32,
        command: String,
        evaluated_cases: usize,
        settings: EvolveConfig,
        statistics: Statistics,
    ) -> Self {
        let (format, version) = (FORMAT.to_owned(), VERSION);
        Header {
            format,
            version,
            problem: problem.to_owned(),
            seed,
            runs,
            command,
            evaluated_cases,
            settings,
            statistics,
            longest: Vec::new(),
        }
    }
}

impl Header {
    /// Returns the longest program of a generation, if it was kept.
    pub fn longest(&self, run: u32, generation: u32) -> Option<Size> {
        let run = self.longest.get(run as usize)?;
        run.get(generation as usize).copied()
    }
}

impl Corpus {
    /// Reads a corpus. Checks that programs are valid, but not that they fit a problem.
    pub fn load(path: &Path) -> Result<Self, CorpusError> {
        let text = std::fs::read_to_string(path).map_err(|source| CorpusError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, path)
    }

    /// Parses the text of a corpus; `path` is for messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self, CorpusError> {
        let error = |line, field, message: String| CorpusError::Format {
            path: path.to_owned(),
            line,
            field,
            message,
        };
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
        let (_, first) = lines
            .next()
            .ok_or_else(|| error(1, "header", "file is empty".to_owned()))?;
        let header: Header =
            serde_json::from_str(first).map_err(|e| error(1, "header", e.to_string()))?;
        if header.format != FORMAT || header.version != VERSION {
            let given = format!(
                "is `{} {}`, allowed: `{FORMAT} {VERSION}`",
                header.format, header.version
            );
            return Err(error(1, "format", given));
        }
        match lines.next() {
            Some((_, COLUMNS)) => {}
            other => {
                let given = other.map_or("end of file", |(_, line)| line);
                return Err(error(
                    2,
                    "columns",
                    format!("is `{given}`, allowed: `{COLUMNS}`"),
                ));
            }
        }
        let entries = lines
            .map(|(line, text)| {
                Entry::parse(text).map_err(|(field, message)| error(line, field, message))
            })
            .collect::<Result<Vec<_>, _>>()?;
        if entries.len() != header.statistics.n_programs {
            let message = format!(
                "header announces {} programs, the file has {}",
                header.statistics.n_programs,
                entries.len()
            );
            return Err(error(entries.len() + 2, "n_programs", message));
        }
        Ok(Corpus { header, entries })
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        let header = serde_json::to_string(&self.header)
            .expect("a header of strings and numbers has a JSON form");
        let mut text = format!("{header}\n{COLUMNS}\n");
        for entry in &self.entries {
            text.push_str(&format!(
                "{},{},{}\n",
                entry.run, entry.generation, entry.program
            ));
        }
        text
    }
}

impl Entry {
    fn parse(line: &str) -> Result<Self, (&'static str, String)> {
        let mut fields = line.splitn(3, ',');
        let number = |field, text: Option<&str>| {
            let text = text.unwrap_or("");
            text.parse::<u32>()
                .map_err(|_| (field, format!("is `{text}`, allowed: a whole number")))
        };
        let run = number("run", fields.next())?;
        let generation = number("generation", fields.next())?;
        let program = fields
            .next()
            .unwrap_or("")
            .parse()
            .map_err(|e: ProgramError| ("program", e.to_string()))?;
        Ok(Entry {
            run,
            generation,
            program,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        let entry = |run, generation, text: &str| Entry {
            run,
            generation,
            program: text.parse().unwrap(),
        };
        let entries = vec![
            entry(0, 0, "X1"),
            entry(0, 1, "X1 X1 *"),
            entry(1, 0, "X1 X1 X1 + /"),
        ];
        let statistics = Statistics::of(&entries, 0);
        Corpus {
            header: Header::new(
                "sextic",
                7,
                2,
                "test".into(),
                10,
                EvolveConfig::default(),
                statistics,
            ),
            entries,
        }
    }

    #[test]
    fn text_round_trip() {
        let corpus = corpus();
        assert_eq!(
            Corpus::parse(&corpus.to_text(), Path::new("c")).unwrap(),
            corpus
        );
        assert_eq!(
            corpus.header.statistics.rpn_depth_percentages[0],
            (2, 66.67)
        );
    }

    #[test]
    fn errors_name_file_line_and_field() {
        let text = corpus().to_text();
        let error = |text: &str| {
            Corpus::parse(text, Path::new("bad.corpus"))
                .unwrap_err()
                .to_string()
        };
        assert!(error("").starts_with("bad.corpus, line 1, header"));
        assert!(
            error(&text.replacen("warpstack-corpus", "other", 1))
                .contains("line 1, format: is `other 1`")
        );
        assert!(error(&text.replace(COLUMNS, "a,b")).contains("line 2, columns: is `a,b`"));
        assert!(
            error(&text.replace("0,1,X1 X1 *", "0,one,X1 X1 *"))
                .contains("line 4, generation: is `one`")
        );
        assert!(
            error(&text.replace("X1 X1 X1 + /", "X1 X1 + /"))
                .contains("line 5, program: token 3 `/`")
        );
        assert!(
            error(text.trim_end().rsplit_once('\n').unwrap().0)
                .contains("announces 3 programs, the file has 2")
        );
    }
}
