//! Measured launches of the other papers' systems, as `measure paper` writes them.
//!
//! Leaves out: what is predicted for them (`predictor`). Units: milliseconds, warp instructions.
//! A row may leave `median_ms` empty, to be predicted before it is measured, and may have counted `warp_instructions`.

use super::columns::present_names;
use super::papers::Paper;
use crate::systems::gpocl::{Domain, Strategy};
use crate::systems::langdon::{self, POPULATION, THREADS_PER_PROGRAM};
use crate::systems::options::LaunchOptions;
use crate::systems::robilliard::{BLOCK_SIZES, kernel::Scheme, problem::Benchmark};
use crate::util::rows::{CsvRow, Rows, RowsError};

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperRow {
    pub paper: Paper,
    pub launch: LaunchOptions,
    pub seed: u64,
    pub milliseconds: Option<f64>,
    pub warp_instructions: Option<u64>,
    /// GP operations of the launch, in billions, by the mean size of the programs that were measured; `None` where the row does not have it.
    pub billion_operations: Option<f64>,
}

/// Largest relative difference of the operations of equal programs: rounding.
const SAME_OPERATIONS: f64 = 1e-3;

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

    /// Tells whether a launch of so many billion operations runs the row's programs, as far as the row says. Robilliard's were evolved with
    /// the C library's elementary functions, so not every population can be evolved again.
    pub fn has_programs_of(&self, billion_operations: f64) -> bool {
        let apart = |own: f64| (billion_operations / own - 1.0).abs();
        self.billion_operations
            .is_none_or(|own| apart(own) < SAME_OPERATIONS)
    }

    pub fn population(&self) -> u32 {
        self.launch.population.unwrap_or_default()
    }
}

/// The rows of a file whose first column is `paper`; `None` for any other. `file` is used in messages only.
pub fn parse(text: &str, file: &str) -> Result<Option<Vec<PaperRow>>, RowsError> {
    let mut rows = Rows::read(text, file)?;
    if rows.header.first().is_none_or(|name| name != "paper") {
        return Ok(None);
    }
    present_names(&mut rows);
    let rows = rows.iter().map(paper_row);
    Ok(Some(rows.collect::<Result<_, _>>()?))
}

fn paper_row(row: CsvRow<'_>) -> Result<PaperRow, RowsError> {
    let paper = row.named("paper")?;
    let launch = match paper {
        Paper::Langdon => langdon(row),
        Paper::Gpocl => gpocl(row),
        Paper::Robilliard => robilliard(row),
    }?;
    let counted = row.optional("warp_instructions", "a whole number", |_| true)?;
    let milliseconds = row.optional("median_ms", "a positive number", |ms| *ms > 0.0)?;
    let billion_operations = match paper {
        Paper::Robilliard => operations(row)?,
        Paper::Langdon | Paper::Gpocl => None,
    };
    Ok(PaperRow {
        paper,
        launch,
        seed: row.value("seed", "a whole number")?,
        milliseconds,
        warp_instructions: counted,
        billion_operations,
    })
}

fn langdon(row: CsvRow<'_>) -> Result<LaunchOptions, RowsError> {
    const PROGRAM: &str = "1, 2, 4, 8, 16, 32, 64";
    const BLOCK: &str = "32, 64, 128, 256, no less than threads_per_program";
    let per_program: u32 = row.checked("threads_per_program", PROGRAM, |threads| {
        THREADS_PER_PROGRAM.contains(threads)
    })?;
    let per_block: u32 = row.checked("threads", BLOCK, |threads| {
        langdon::BLOCK_SIZES.contains(threads) && *threads >= per_program
    })?;
    Ok(LaunchOptions {
        problem: Some("mux20".to_owned()),
        threads_per_block: Some(per_block),
        threads_per_program: Some(per_program),
        population: Some(POPULATION),
        ..LaunchOptions::of("submachine")
    })
}

fn robilliard(row: CsvRow<'_>) -> Result<LaunchOptions, RowsError> {
    const THREADS: &str = "32, 64, 128, 256, 512";
    let scheme: Scheme = row.named("scheme")?;
    let problem = benchmark(row)?;
    Ok(LaunchOptions {
        problem: Some(problem.to_string()),
        threads_per_block: Some(
            row.checked("threads", THREADS, |threads| BLOCK_SIZES.contains(threads))?,
        ),
        population: Some(size(row, "population")?),
        ..LaunchOptions::of(scheme.name())
    })
}

fn benchmark(row: CsvRow<'_>) -> Result<Benchmark, RowsError> {
    let problem = Benchmark::named(row.text("problem"));
    problem.map_err(|error| row.refuse("problem", error))
}

/// Billion operations of a launch of Robilliard's, by the mean nodes of its programs.
fn operations(row: CsvRow<'_>) -> Result<Option<f64>, RowsError> {
    let nodes: Option<f64> =
        row.optional("mean_nodes", "a positive number", |nodes| *nodes > 0.0)?;
    let problem = benchmark(row)?;
    let population = f64::from(size(row, "population")?);
    let cases = problem.case_words().len() as f64;
    Ok(nodes.map(|nodes| population * nodes * cases / 1e9))
}

fn gpocl(row: CsvRow<'_>) -> Result<LaunchOptions, RowsError> {
    let strategy: Strategy = row.named("strategy")?;
    let domain: Domain = row.named("domain")?;
    Ok(LaunchOptions {
        problem: Some(domain.name().to_owned()),
        population: Some(size(row, "population")?),
        cases: Some(size(row, "dataset")?),
        ..LaunchOptions::of(strategy.kernel())
    })
}

fn size(row: CsvRow<'_>, column: &str) -> Result<u32, RowsError> {
    row.checked(column, "1 to 1000000", |size| {
        (1..=1_000_000).contains(size)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_programs_than_the_measured_ones_are_told_by_their_operations() {
        let text = "paper,seed,scheme,problem,population,threads,median_ms,mean_nodes\n\
                    robilliard,71,blockgp,mux6,500,32,0.05,62.5\n\
                    robilliard,71,blockgp,mux6,500,32,,\n";
        let rows = parse(text, "rows.csv").unwrap().unwrap();
        assert_eq!(rows[0].billion_operations, Some(0.002));
        assert!(rows[0].has_programs_of(0.002_001));
        assert!(!rows[0].has_programs_of(0.0021));
        assert!(rows[1].has_programs_of(0.0021));
    }

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
            let file = format!("fixtures/measured/h200/{}/seed71.csv", paper.name());
            let rows = parse(&std::fs::read_to_string(&file).unwrap(), &file);
            let rows = rows.unwrap().unwrap();
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
