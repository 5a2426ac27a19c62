//! Runs of genetic programming that may be the paper's: those nearest to its Tables 5 and 6.
//!
//! Models: each row of the paper comes from one run (`docs/tables-5-6.md`), so the paper's programs resemble those of the runs with
//! such rows, not the mean of all runs: rejection sampling, with the two rows of a problem as the summary. Leaves out: speeds.
//! Units: percentage points. Sources: Chitty (2D stack) tables 5 and 6; Beaumont et al., Approximate Bayesian computation in population
//! genetics, Genetics 162, 2002.

use super::stats::mean;
use crate::gp::depth_profile::{DepthProfile, Representation};
use crate::gp::problem::{PAPER, names};
use crate::gp::programs::paper_depths::paper_percentages;
use crate::gp::record::RunRecord;
use crate::util::rows::RowsError;
use std::error::Error;

/// Refused before any run where the paper has no rows.
pub fn check(problem: &str) -> Result<(), Box<dyn Error>> {
    match distance_to_paper(problem, &DepthProfile::default())? {
        Some(_) => Ok(()),
        None => Err(format!(
            "--nearest: given the problem {problem}; allowed: one of the paper's Tables 5 and 6: {}",
            names(&PAPER)
        )
        .into()),
    }
}

/// Mean absolute difference of these programs to the paper's percentages over both tables, in points; `None` if
/// the paper has no rows of the problem.
fn distance_to_paper(problem: &str, depths: &DepthProfile) -> Result<Option<f64>, RowsError> {
    let mut differences = Vec::new();
    for representation in [Representation::Rpn, Representation::Lgp] {
        for (limit, paper) in paper_percentages(representation, problem)? {
            differences.push((depths.percent_within(representation, limit) - paper).abs());
        }
    }
    Ok(mean(&differences))
}

/// The numbers of all runs but the `n` nearest, in order.
pub fn others(problem: &str, runs: &[RunRecord], n: usize) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut distances = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let distance = distance_to_paper(problem, &run.depths)?.unwrap_or(f64::INFINITY);
        distances.push((distance, number as u32));
    }
    distances.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut others: Vec<u32> = distances.iter().skip(n).map(|&(_, run)| run).collect();
    others.sort_unstable();
    Ok(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::corpus::Corpus;
    use crate::gp::record::Record;
    use std::path::Path;

    /// A run whose programs all need this RPN depth, and one LGP level less.
    fn run_at(depth: usize) -> RunRecord {
        let counts = |depth: usize| (0..=depth).map(|d| u64::from(d == depth)).collect();
        RunRecord {
            depths: DepthProfile {
                rpn: counts(depth),
                lgp: counts(depth - 1),
            },
            ..RunRecord::new(0)
        }
    }

    #[test]
    fn the_distance_is_the_mean_over_both_tables() {
        let exact = distance_to_paper("sextic", &run_at(4).depths)
            .unwrap()
            .unwrap();
        let paper = |r| paper_percentages(r, "sextic").unwrap();
        let by_hand: f64 = (paper(Representation::Rpn).iter())
            .map(|&(limit, p)| if limit < 4 { p } else { 100.0 - p })
            .chain((paper(Representation::Lgp).iter()).map(
                |&(limit, p)| {
                    if limit < 3 { p } else { 100.0 - p }
                },
            ))
            .sum();
        assert!((exact - by_hand / 20.0).abs() < 1e-9);
    }

    #[test]
    fn runs_far_from_the_papers_rows_are_left_out() {
        // The sextic's programs fit four levels in 85 of 100 cases.
        let runs: Vec<RunRecord> = [9, 4, 12, 3].map(run_at).into();
        assert_eq!(others("sextic", &runs, 2).unwrap(), [0, 2]);
        assert_eq!(others("sextic", &runs, 1).unwrap().len(), 3);
        assert!(others("sextic", &runs, 9).unwrap().is_empty());
    }

    #[test]
    fn the_corpora_hold_the_nearest_runs_of_their_records() {
        let read = |path: &str| {
            let root = env!("CARGO_MANIFEST_DIR");
            std::fs::read_to_string(format!("{root}/fixtures/{path}")).unwrap()
        };
        for (problem, record, n) in [
            ("sextic", "sextic", 8),
            ("shuttle", "shuttle", 8),
            ("kddcup", "kddcup-own", 4),
            ("mux20", "mux20-own", 8),
        ] {
            let record = Record::parse(&read(&format!("runs/{record}.json")), record).unwrap();
            let text = read(&format!("corpus/{problem}.corpus"));
            let corpus = Corpus::parse(&text, Path::new(problem)).unwrap();
            let left_out = others(problem, &record.runs, n).unwrap();
            let mut kept: Vec<u32> = (0..record.runs.len() as u32).collect();
            kept.retain(|run| !left_out.contains(run));
            let mut sampled: Vec<u32> = corpus.entries.iter().map(|entry| entry.run).collect();
            sampled.sort_unstable();
            sampled.dedup();
            assert_eq!(sampled, kept, "{problem}");
            assert!(corpus.header.command.contains(&format!("--nearest {n} ")));
        }
    }

    #[test]
    fn only_the_papers_problems_have_rows() {
        assert!(check("mux20").is_ok());
        let error = check("spirals").unwrap_err().to_string();
        assert!(
            error.contains("spirals") && error.contains("sextic"),
            "{error}"
        );
    }
}
