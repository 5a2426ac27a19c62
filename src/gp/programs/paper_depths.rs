//! The paper's percentages of programs within a stack limit.
//!
//! Models: Tables 5 (RPN) and 6 (LGP). Leaves out: the origin of the percentages.
//! Units: percentages of programs, cumulative; limits in stack levels.
//! Sources: Chitty (2D stack) tables 5 and 6.

use super::DepthPercentages;
use crate::gp::depth_profile::Representation;
use crate::util::rows::{Rows, RowsError};

const TABLE_5: &str = include_str!("../../../fixtures/papers/table5.csv");
const TABLE_6: &str = include_str!("../../../fixtures/papers/table6.csv");

/// Returns the `(stack limit, percentage)` pairs of a problem; empty if the paper's values are not available.
pub fn paper_percentages(
    representation: Representation,
    problem: &str,
) -> Result<Vec<(usize, f64)>, RowsError> {
    let text = match representation {
        Representation::Rpn => TABLE_5,
        Representation::Lgp => TABLE_6,
    };
    percentages(text, problem)
}

fn percentages(text: &str, problem: &str) -> Result<Vec<(usize, f64)>, RowsError> {
    let mut found = Vec::new();
    for row in Rows::read(text, "stack depths of the paper")?.iter() {
        let percent = row.value("percent_programs", "a number")?;
        let limit = row.value("stack_limit", "a whole number")?;
        found.extend((row.text("problem") == problem).then_some((limit, percent)));
    }
    Ok(found)
}

/// Returns the percentages of both tables, if the problem has any.
pub fn of_paper(problem: &str) -> Result<Option<DepthPercentages>, RowsError> {
    let found = DepthPercentages {
        rpn: paper_percentages(Representation::Rpn, problem)?,
        lgp: paper_percentages(Representation::Lgp, problem)?,
    };
    Ok(Some(found).filter(|found| !found.rpn.is_empty() && !found.lgp.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_what_the_paper_prints() {
        let sextic = paper_percentages(Representation::Rpn, "sextic").unwrap();
        assert_eq!((sextic.len(), sextic[2]), (9, (4, 84.72)));
        let mux = paper_percentages(Representation::Lgp, "mux20").unwrap();
        assert_eq!((mux.len(), mux[0]), (11, (1, 16.01)));
        assert!(
            paper_percentages(Representation::Lgp, "mux6")
                .unwrap()
                .is_empty()
        );
        let kddcup = paper_percentages(Representation::Lgp, "kddcup").unwrap();
        assert_eq!((kddcup.len(), kddcup[2]), (11, (3, 96.99)));
    }

    #[test]
    fn every_row_of_tables_5_and_6_is_read() {
        let problems =
            ["sextic", "shuttle", "kddcup", "mux20"].map(|name| of_paper(name).unwrap().unwrap());
        let rpn: usize = problems.iter().map(|p| p.rpn.len()).sum();
        let lgp: usize = problems.iter().map(|p| p.lgp.len()).sum();
        assert_eq!(rpn, TABLE_5.lines().count() - 1);
        assert_eq!(lgp, TABLE_6.lines().count() - 1);
        assert_eq!(problems[0].rpn[0], (2, 18.71));
        assert_eq!(of_paper("mux6").unwrap(), None);
    }

    #[test]
    fn a_row_that_cannot_be_read_is_an_error() {
        let damaged = TABLE_5.replacen("84.72", "many", 1);
        assert_ne!(damaged, TABLE_5);
        // Of any problem.
        for problem in ["sextic", "mux20"] {
            assert!(percentages(&damaged, problem).is_err());
        }
    }
}
