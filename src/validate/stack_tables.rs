//! The paper's percentages of programs within a stack limit.
//!
//! Models: Tables 5 (RPN) and 6 (LGP) as far as they are given.
//! Leaves out: the KDD Cup rows, whose values are not at hand.
//! Units: percentages of programs, cumulative; limits in stack levels.
//! Sources: Chitty (2D stack) tables 5 and 6.

use crate::gp::depth_profile::Representation;
use serde::Deserialize;

const TABLE_5: &str = include_str!("../../fixtures/papers/table5.csv");
const TABLE_6: &str = include_str!("../../fixtures/papers/table6.csv");

#[derive(Debug, Clone, Deserialize)]
struct Row {
    problem: String,
    stack_limit: usize,
    percent_programs: f64,
}

/// `(stack limit, percentage)` of a problem; empty if the paper's values are not at hand.
pub fn paper_percentages(
    representation: Representation,
    problem: &str,
) -> Result<Vec<(usize, f64)>, csv::Error> {
    let text = match representation {
        Representation::Rpn => TABLE_5,
        Representation::Lgp => TABLE_6,
    };
    let rows = csv::Reader::from_reader(text.as_bytes())
        .into_deserialize::<Row>()
        .collect::<Result<Vec<_>, _>>()?;
    let of_problem = rows.into_iter().filter(|row| row.problem == problem);
    Ok(of_problem
        .map(|row| (row.stack_limit, row.percent_programs))
        .collect())
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
            paper_percentages(Representation::Lgp, "kddcup")
                .unwrap()
                .is_empty()
        );
    }
}
