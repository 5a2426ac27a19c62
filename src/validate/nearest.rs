//! Runs of genetic programming that may be the paper's: those nearest to its Tables 5 and 6.
//!
//! What it models: the paper's rows are those of one run each (`docs/tables-5-6.md`), so that its programs are like those of the runs with
//! such rows, and unlike the mean of all runs: rejection sampling, with the two rows of a problem as the summary. Leaves out: speeds.
//! Units: percentage points. Sources: Chitty (2D stack) tables 5 and 6; Beaumont et al., Approximate Bayesian computation in population
//! genetics, Genetics 162, 2002.

use super::stack_tables::distance_to_paper;
use crate::gp::depth_profile::DepthProfile;
use crate::gp::record::RunRecord;
use std::error::Error;

/// Refused before any run where the paper has no rows.
pub fn check(problem: &str) -> Result<(), Box<dyn Error>> {
    match distance_to_paper(problem, &DepthProfile::default())? {
        Some(_) => Ok(()),
        None => Err(format!(
            "--nearest: given the problem {problem}; allowed: one of the paper's Tables 5 and 6: sextic, shuttle, kddcup, mux20"
        )
        .into()),
    }
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
    fn runs_far_from_the_papers_rows_are_left_out() {
        // The sextic's programs fit four levels in 85 of 100 cases.
        let runs: Vec<RunRecord> = [9, 4, 12, 3].map(run_at).into();
        assert_eq!(others("sextic", &runs, 2).unwrap(), [0, 2]);
        assert_eq!(others("sextic", &runs, 1).unwrap().len(), 3);
        assert_eq!(others("sextic", &runs, 9).unwrap(), []);
    }

    #[test]
    fn only_the_papers_problems_have_rows() {
        assert!(check("mux20").is_ok());
        let error = check("spirals").unwrap_err().to_string();
        assert!(error.contains("spirals") && error.contains("sextic"), "{error}");
    }
}
