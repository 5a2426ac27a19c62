//! Measured launches of the other papers' systems, as `measure --paper` writes them.
//!
//! Leaves out: what is predicted for them (`predictor`). Units: milliseconds, warp instructions.
//! A row may leave `median_ms` empty, to be predicted before it is measured, and may have counted `warp_instructions`.

use super::MeasuredError;
use super::columns::present_name;
use super::papers::Paper;
use crate::systems::gpocl::{Domain, Strategy};
use crate::systems::langdon::{POPULATION, THREADS_PER_BLOCK, THREADS_PER_PROGRAM};
use crate::systems::options::LaunchOptions;
use crate::systems::robilliard;
use std::collections::HashMap;

/// Launches of a paper's system on the H200, none of which had been run when they were predicted.
#[derive(Debug, Clone, Copy)]
pub struct Committed {
    /// In the repository.
    pub file: &'static str,
    text: &'static str,
}

impl Committed {
    pub fn of(paper: Paper) -> Self {
        macro_rules! committed {
            ($file:literal) => {
                Committed {
                    file: $file,
                    text: include_str!(concat!("../../", $file)),
                }
            };
        }
        match paper {
            Paper::Langdon => committed!("fixtures/measured/h200/langdon/seed71.csv"),
            Paper::Gpocl => committed!("fixtures/measured/h200/gpocl/seed71.csv"),
            Paper::Robilliard => committed!("fixtures/measured/h200/robilliard/seed71.csv"),
        }
    }

    pub fn rows(self) -> Result<Vec<PaperRow>, MeasuredError> {
        Ok(parse(self.text, self.file)?.unwrap_or_default())
    }
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperRow {
    pub paper: Paper,
    pub launch: LaunchOptions,
    pub seed: u64,
    pub milliseconds: Option<f64>,
    pub warp_instructions: Option<u64>,
}

impl PaperRow {
    /// The system, and the way in which it is used.
    pub fn names(&self) -> (String, String) {
        let launch = &self.launch;
        let problem = launch.problem.as_deref().unwrap_or_default();
        let way = match self.paper {
            Paper::Langdon => {
                let threads = launch.threads_per_program.unwrap_or_default();
                format!("{threads} threads per program")
            }
            Paper::Robilliard => launch.kernel.clone(),
            Paper::Gpocl => {
                let strategy = launch.kernel.trim_start_matches("gpocl-");
                format!("{strategy}, {} rows", launch.cases.unwrap_or_default())
            }
        };
        (format!("{} {problem}", self.paper.name()), way)
    }

    pub fn population(&self) -> u32 {
        self.launch.population.unwrap_or_default()
    }
}

/// The rows of a file whose first column is `paper`; `None` for any other. `file` is used in messages only.
pub fn parse(text: &str, file: &str) -> Result<Option<Vec<PaperRow>>, MeasuredError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let failed = |error: csv::Error| super::measured::csv_error(file, &error);
    let header = reader.headers().map_err(failed)?.clone();
    if header.get(0) != Some("paper") {
        return Ok(None);
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(failed)?;
        let fields = Fields {
            file,
            line: record.position().map_or(0, csv::Position::line),
            values: header.iter().map(present_name).zip(record.iter()).collect(),
        };
        rows.push(fields.row()?);
    }
    Ok(Some(rows))
}

struct Fields<'a> {
    file: &'a str,
    line: u64,
    values: HashMap<&'a str, &'a str>,
}

impl Fields<'_> {
    fn row(&self) -> Result<PaperRow, MeasuredError> {
        const PAPERS: &str = "langdon, gpocl, robilliard";
        let paper = self.value("paper", PAPERS)?;
        let launch = match paper {
            Paper::Langdon => self.langdon(),
            Paper::Gpocl => self.gpocl(),
            Paper::Robilliard => self.robilliard(),
        }?;
        Ok(PaperRow {
            paper,
            launch,
            seed: self.value("seed", "a whole number")?,
            milliseconds: self
                .optional("median_ms", "a positive number, or nothing", |ms| *ms > 0.0)?,
            warp_instructions: self.optional(
                "warp_instructions",
                "a whole number, or nothing",
                |_| true,
            )?,
        })
    }

    fn langdon(&self) -> Result<LaunchOptions, MeasuredError> {
        const PROGRAM: &str = "1, 2, 4, 8, 16, 32, 64";
        const BLOCK: &str = "32, 64, 128, 256, no less than threads_per_program";
        let per_program: u32 = self.value("threads_per_program", PROGRAM)?;
        let per_block: u32 = self.value("threads", BLOCK)?;
        if !THREADS_PER_PROGRAM.contains(&per_program) {
            return Err(self.wrong("threads_per_program", PROGRAM));
        }
        if !THREADS_PER_BLOCK.contains(&per_block) || per_block < per_program {
            return Err(self.wrong("threads", BLOCK));
        }
        Ok(LaunchOptions {
            problem: Some("mux20".to_owned()),
            threads_per_block: Some(per_block),
            threads_per_program: Some(per_program),
            population: Some(POPULATION),
            ..LaunchOptions::of("submachine")
        })
    }

    fn robilliard(&self) -> Result<LaunchOptions, MeasuredError> {
        const THREADS: &str = "32, 64, 128, 256, 512";
        const SCHEMES: &str = "blockgp, blockgp-shared, threadgp";
        const BENCHMARKS: &str =
            "regression-64, regression-256, regression-1024, mux6, mux11, spirals";
        let (scheme, problem) = (self.text("scheme"), self.text("problem"));
        let threads_per_block = self.value("threads", THREADS)?;
        if !robilliard::BLOCK_SIZES.contains(&threads_per_block) {
            return Err(self.wrong("threads", THREADS));
        }
        let _: robilliard::kernel::Scheme = self.value("scheme", SCHEMES)?;
        let known = robilliard::problem::Benchmark::named(problem);
        known.map_err(|_| self.wrong("problem", BENCHMARKS))?;
        Ok(LaunchOptions {
            problem: Some(problem.to_owned()),
            threads_per_block: Some(threads_per_block),
            population: Some(self.size("population")?),
            ..LaunchOptions::of(scheme)
        })
    }

    fn size(&self, field: &'static str) -> Result<u32, MeasuredError> {
        const SIZE: &str = "1 to 1000000";
        let size: u32 = self.value(field, SIZE)?;
        match (1..=1_000_000).contains(&size) {
            true => Ok(size),
            false => Err(self.wrong(field, SIZE)),
        }
    }

    fn gpocl(&self) -> Result<LaunchOptions, MeasuredError> {
        let strategy: Strategy = self.value("strategy", "fp, pppe, ppcu")?;
        let domain: Domain = self.value("domain", "regression, classification")?;
        Ok(LaunchOptions {
            problem: Some(domain.name().to_owned()),
            population: Some(self.size("population")?),
            cases: Some(self.size("dataset")?),
            ..LaunchOptions::of(strategy.kernel())
        })
    }

    fn text(&self, field: &str) -> &str {
        self.values.get(field).copied().unwrap_or("").trim()
    }

    fn value<T: std::str::FromStr>(
        &self,
        field: &'static str,
        allowed: &'static str,
    ) -> Result<T, MeasuredError> {
        let value = self.text(field).parse();
        value.map_err(|_| self.wrong(field, allowed))
    }

    fn optional<T: std::str::FromStr>(
        &self,
        field: &'static str,
        allowed: &'static str,
        holds: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, MeasuredError> {
        if self.text(field).is_empty() {
            return Ok(None);
        }
        let value: T = self.value(field, allowed)?;
        match holds(&value) {
            true => Ok(Some(value)),
            false => Err(self.wrong(field, allowed)),
        }
    }

    fn wrong(&self, field: &'static str, allowed: &'static str) -> MeasuredError {
        MeasuredError::Field {
            file: self.file.to_owned(),
            line: self.line,
            field,
            given: self.text(field).to_owned(),
            allowed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both_papers_are_read() {
        let text = "paper,seed,strategy,domain,population,dataset,threads_per_program,threads,median_ms\n\
                    gpocl,3,ppcu,regression,100,1000,,,\n\
                    langdon,4,,,,,8,64,2.5\n";
        let rows = parse(text, "rows.csv").unwrap().unwrap();
        assert_eq!(rows[0].names().1, "ppcu, 1000 rows");
        assert_eq!(
            (rows[0].milliseconds, rows[1].milliseconds),
            (None, Some(2.5))
        );
    }

    #[test]
    fn committed_rows_are_measured_launches_of_their_paper() {
        for (paper, n_rows) in [
            (Paper::Langdon, 27),
            (Paper::Gpocl, 24),
            (Paper::Robilliard, 51),
        ] {
            let rows = Committed::of(paper).rows().unwrap();
            assert_eq!(rows.len(), n_rows, "{paper:?}");
            let is_own = |row: &PaperRow| row.names().0.starts_with(paper.name());
            assert!(
                rows.iter()
                    .all(|row| is_own(row) && row.milliseconds.is_some())
            );
        }
    }

    #[test]
    fn other_files_are_left_to_others_and_wrong_fields_are_named() {
        assert!(parse("gpu,seed\n", "f").unwrap().is_none());
        let text = "paper,seed,threads_per_program,threads,median_ms\nlangdon,4,64,32,1\n";
        let message = parse(text, "f").unwrap_err().to_string();
        assert!(
            message.contains("f, line 2, field threads: given \"32\""),
            "{message}"
        );
    }
}
