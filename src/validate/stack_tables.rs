//! How far programs' stack depths are from the paper's, and from each other.
//!
//! Models: mean differences over the limits of Tables 5 and 6. Leaves out: the tables (`gp::programs::paper_depths`).
//! Units: points of percent; limits in stack levels.

use super::stats::mean;
use crate::gp::depth_profile::{DepthProfile, Representation};
use crate::gp::programs::paper_depths::paper_percentages;

/// Mean absolute difference of these programs to the paper's percentages over both tables, in points; none if the
/// paper's values are not at hand.
pub fn distance_to_paper(
    problem: &str,
    depths: &DepthProfile,
) -> Result<Option<f64>, crate::util::rows::RowsError> {
    let mut differences = Vec::new();
    for representation in [Representation::Rpn, Representation::Lgp] {
        for (limit, paper) in paper_percentages(representation, problem)? {
            differences.push((depths.percent_within(representation, limit) - paper).abs());
        }
    }
    Ok(mean(&differences))
}

/// Mean absolute difference between two sets of programs, over the tables' limits, in points.
pub fn distance(a: &DepthProfile, b: &DepthProfile) -> f64 {
    let differences: Vec<f64> = [Representation::Rpn, Representation::Lgp]
        .into_iter()
        .flat_map(|r| r.limits().map(move |limit| (r, limit)))
        .map(|(r, limit)| (a.percent_within(r, limit) - b.percent_within(r, limit)).abs())
        .collect();
    mean(&differences).unwrap_or(0.0)
}

/// How far single runs are from the paper and from each other, in points, smallest first. Where the paper's row is no
/// farther from the runs than they are from each other, it cannot be told from one more run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSpread {
    /// Each run to the paper.
    pub to_paper: Vec<f64>,
    /// Each run to all other runs together.
    pub to_others: Vec<f64>,
}

impl RunSpread {
    /// None for fewer than two runs, or if the paper's values are not at hand.
    pub fn of(
        problem: &str,
        runs: &[&DepthProfile],
    ) -> Result<Option<Self>, crate::util::rows::RowsError> {
        let mut to_paper = Vec::new();
        for run in runs {
            to_paper.extend(distance_to_paper(problem, run)?);
        }
        if runs.len() < 2 || to_paper.is_empty() {
            return Ok(None);
        }
        let to_others = |i: usize| {
            let mut others = DepthProfile::default();
            (runs.iter().enumerate())
                .filter(|(j, _)| *j != i)
                .for_each(|(_, run)| others.merge(run));
            distance(runs[i], &others)
        };
        let mut to_others: Vec<f64> = (0..runs.len()).map(to_others).collect();
        to_paper.sort_by(f64::total_cmp);
        to_others.sort_by(f64::total_cmp);
        Ok(Some(RunSpread {
            to_paper,
            to_others,
        }))
    }

    /// Runs that are at least this far from the others.
    pub fn at_least_as_far(&self, distance: f64) -> usize {
        self.to_others.iter().filter(|&&d| d >= distance).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All programs need this RPN depth, and one level less as LGP.
    fn all_at(depth: usize) -> DepthProfile {
        let counts = |depth: usize| (0..=depth).map(|d| u64::from(d == depth) * 10).collect();
        DepthProfile {
            rpn: counts(depth),
            lgp: counts(depth - 1),
        }
    }

    #[test]
    fn distances_are_means_over_both_tables() {
        assert_eq!(distance(&all_at(4), &all_at(4)), 0.0);
        // One limit of nine and one of eleven differ by all programs.
        assert_eq!(distance(&all_at(4), &all_at(5)), 10.0);
        let exact = distance_to_paper("sextic", &all_at(4)).unwrap().unwrap();
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
        assert_eq!(distance_to_paper("mux6", &all_at(4)).unwrap(), None);
    }

    #[test]
    fn spread_compares_each_run_with_the_others() {
        let runs = [all_at(4), all_at(4), all_at(6)];
        let runs: Vec<&DepthProfile> = runs.iter().collect();
        let spread = RunSpread::of("mux20", &runs).unwrap().unwrap();
        assert_eq!(spread.to_others, [10.0, 10.0, 20.0]);
        assert_eq!(spread.at_least_as_far(10.5), 1);
        assert_eq!(spread.to_paper.len(), 3);
        assert_eq!(RunSpread::of("mux20", &runs[..1]).unwrap(), None);
        assert_eq!(RunSpread::of("mux6", &runs).unwrap(), None);
    }
}
