//! Each mutant against the tests that come by it, the quick ones first, golden files last, until one kills it.

use super::Failure;
use super::process::{End, Run};
use super::suites::{self, Suite};
use super::table::{self, Row};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Options {
    /// Mutants at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Stop after this time; another run goes on
    #[arg(long, default_value_t = 36_000)]
    seconds: u64,
    /// Leave out tests that take longer than this
    #[arg(long, default_value_t = 60.0)]
    longest: f64,
    /// Try those of this outcome again, such as "survived"
    #[arg(long)]
    again: Vec<String>,
    /// These mutants alone
    #[arg(long)]
    only: Vec<u32>,
}

struct Trial<'a> {
    folder: &'a Path,
    suites: Vec<Suite>,
    deadline: Instant,
}

pub fn run(folder: &Path, options: &Options) -> Result<(), Failure> {
    let mut suites = suites::read(folder)?;
    suites.retain(|suite| suite.seconds <= options.longest);
    let mut trial = Trial {
        folder,
        suites: Vec::new(),
        deadline: Instant::now() + Duration::from_secs(options.seconds),
    };
    // Only tests that pass here without a mutant can tell one.
    let sound = suites::in_parallel(options.jobs, &suites, |suite| trial.is_sound(suite));
    for sound in sound {
        trial.suites.extend(sound?);
    }
    let key = |a: &Suite, b: &Suite| a.seconds.total_cmp(&b.seconds);
    trial.suites.sort_by(key);
    trial.suites.sort_by_key(Suite::is_golden);
    println!("{} of {} suites", trial.suites.len(), suites.len());
    let path = folder.join("mutants.csv");
    let rows = table::read(&path)?;
    let asked = |row: &Row| {
        let again = row.outcome.is_empty() || options.again.contains(&row.outcome);
        again && (options.only.is_empty() || options.only.contains(&row.mutant))
    };
    let to_try: Vec<usize> = (0..rows.len()).filter(|n| asked(&rows[*n])).collect();
    let rows = Mutex::new(rows);
    // Written after each: a run that is ended has lost nothing.
    let tried = suites::in_parallel(options.jobs, &to_try, |n| {
        let row = locked(&rows)[*n].clone();
        let row = trial.tried(&row)?;
        let mut rows = locked(&rows);
        rows[*n] = row;
        table::write(&path, &rows).map_err(|error| error.to_string())
    });
    tried.into_iter().collect::<Result<(), String>>()?;
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    let tried: Vec<Row> = rows
        .into_iter()
        .filter(|row| !row.outcome.is_empty())
        .collect();
    println!(
        "{}\n{}",
        table::summary(&tried),
        table::fault_matrix(&tried)
    );
    Ok(())
}

fn locked(rows: &Mutex<Vec<Row>>) -> MutexGuard<'_, Vec<Row>> {
    rows.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trial<'_> {
    fn is_sound(&self, suite: &Suite) -> Result<Option<Suite>, String> {
        let limit = Duration::from_secs_f64(5.0 * suite.seconds + 60.0);
        let killed = self.killed(suite, 0, limit)?;
        if let Some(test) = &killed {
            println!(
                "left out, fails without a mutant: {}: {test}",
                suite.binary.name
            );
        }
        Ok(killed.is_none().then(|| suite.clone()))
    }

    fn tried(&self, row: &Row) -> Result<Row, String> {
        let start = Instant::now();
        let (outcome, killed_by) = self.outcome(row.mutant)?;
        let row = Row {
            outcome: outcome.to_owned(),
            killed_by,
            seconds: (start.elapsed().as_secs_f64() * 10.0).round() / 10.0,
            ..row.clone()
        };
        println!(
            "{} {}:{} {} {}",
            row.mutant, row.file, row.line, row.outcome, row.killed_by
        );
        Ok(row)
    }

    fn outcome(&self, mutant: u32) -> Result<(&'static str, String), String> {
        let mut reached = false;
        for suite in self
            .suites
            .iter()
            .filter(|suite| suite.reached.contains(&mutant))
        {
            reached = true;
            let left = self.deadline.saturating_duration_since(Instant::now());
            let limit = Duration::from_secs_f64(3.0 * suite.seconds + 20.0);
            if left < limit {
                return Ok(("", String::new()));
            }
            if let Some(test) = self.killed(suite, mutant, limit)? {
                let outcome = if suite.is_golden() {
                    "golden only"
                } else {
                    "killed"
                };
                return Ok((outcome, format!("{}: {test}", suite.binary.name)));
            }
        }
        let outcome = if reached { "survived" } else { "not reached" };
        Ok((outcome, String::new()))
    }

    fn killed(
        &self,
        suite: &Suite,
        mutant: u32,
        limit: Duration,
    ) -> Result<Option<String>, String> {
        let run = Run {
            folder: self.folder,
            program: &suite.binary.path,
            tests: &suite.tests,
            variable: ("WARPSTACK_MUTANT", mutant.to_string()),
            limit,
            all: false,
        };
        let path = suite.binary.path.display();
        let (end, passed) = run.run().map_err(|error| format!("{path}: {error}"))?;
        Ok(match end {
            End::Killed(test) => Some(test),
            End::Passed if passed.len() < suite.tests.len() => Some("not all tests ran".to_owned()),
            End::Passed => None,
        })
    }
}
