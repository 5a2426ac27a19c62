//! Counts of programs by the stack depth they need.
//!
//! Models: counts for RPN and for LGP, as in Tables 5 and 6 of the paper.
//! Leaves out: the runs and generations that the programs come from.
//! Units: stack levels; percentages of programs, cumulative.
//! Sources: Chitty (2D stack) section 5, tables 5 and 6.

use super::program::Rpn;
use super::stack_depth::{lgp_stack_depth, rpn_stack_depth};
use crate::util::names::named;
use serde::{Deserialize, Serialize};

named! {
    /// Program encoding for an interpreter.
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Representation ("representation") {
        Rpn = "rpn",
        Lgp = "lgp",
    }
}

impl Representation {
    /// Stack limits of the paper's table.
    pub fn limits(self) -> std::ops::RangeInclusive<usize> {
        match self {
            Representation::Rpn => 2..=10,
            Representation::Lgp => 1..=11,
        }
    }
}

/// Counts of programs by stack depth: element d counts the programs that need exactly d levels.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthProfile {
    pub rpn: Vec<u64>,
    pub lgp: Vec<u64>,
}

impl DepthProfile {
    pub fn of<'a>(programs: impl IntoIterator<Item = &'a Rpn>) -> Self {
        let mut profile = DepthProfile::default();
        for program in programs {
            count(&mut profile.rpn, rpn_stack_depth(program), 1);
            count(&mut profile.lgp, lgp_stack_depth(program), 1);
        }
        profile
    }

    /// Adds the counts of another profile.
    pub fn merge(&mut self, other: &DepthProfile) {
        other
            .rpn
            .iter()
            .enumerate()
            .for_each(|(depth, &n)| count(&mut self.rpn, depth, n));
        other
            .lgp
            .iter()
            .enumerate()
            .for_each(|(depth, &n)| count(&mut self.lgp, depth, n));
    }

    pub fn n_programs(&self) -> u64 {
        self.rpn.iter().sum()
    }

    /// Percentage of programs that can be evaluated within `limit` stack levels.
    pub fn percent_within(&self, representation: Representation, limit: usize) -> f64 {
        let counts = match representation {
            Representation::Rpn => &self.rpn,
            Representation::Lgp => &self.lgp,
        };
        let within: u64 = counts.iter().take(limit + 1).sum();
        100.0 * within as f64 / self.n_programs().max(1) as f64
    }
}

fn count(counts: &mut Vec<u64>, depth: usize, n: u64) {
    if counts.len() <= depth {
        counts.resize(depth + 1, 0);
    }
    counts[depth] += n;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_cumulative() {
        let programs: Vec<Rpn> = ["X1", "X1 X1 +", "X1 X1 X1 + +", "X1 X1 + X1 X1 + *"]
            .map(|p| p.parse().unwrap())
            .into();
        let mut profile = DepthProfile::of(&programs);
        profile.merge(&DepthProfile::of(&programs));
        assert_eq!(profile.n_programs(), 8);
        let percent = |representation, limit| profile.percent_within(representation, limit);
        assert_eq!(
            [1, 2, 3, 10].map(|limit| percent(Representation::Rpn, limit)),
            [25.0, 50.0, 100.0, 100.0]
        );
        assert_eq!(
            [1, 2].map(|limit| percent(Representation::Lgp, limit)),
            [75.0, 100.0]
        );
    }
}
