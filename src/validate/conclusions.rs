//! The main paper's conclusions: how much faster one table's interpreter is than another's, predicted and measured.
//!
//! Models: a gain is the ratio of the best cells of two tables for a problem; the paper gives its mean over the problems and its
//! largest value. Leaves out: tables of which not every cell was predicted.
//! Units: ratios of speeds. Source: Chitty 2016, the text beside Tables 4 and 7 to 10.

use super::cells::{Axis, PROBLEMS, Table};
use super::compare::Compared;
use crate::util::stats;

/// Published speedup between two tables of the paper.
struct Stated {
    text: &'static str,
    tables: [Table; 2],
    mean: f64,
    largest: Option<f64>,
}

const STATED: [Stated; 8] = [
    stated(
        "two-dimensional stack, postfix",
        Table::Four,
        Table::Three,
        1.14,
        Some(1.27),
    ),
    stated("linear programs", Table::Seven, Table::Three, 1.17, None),
    stated(
        "two-dimensional stack, linear",
        Table::Eight,
        Table::Seven,
        1.4,
        None,
    ),
    stated(
        "linear and two-dimensional, over two-dimensional",
        Table::Eight,
        Table::Four,
        1.44,
        None,
    ),
    stated(
        "linear and two-dimensional, over neither",
        Table::Eight,
        Table::Three,
        1.64,
        None,
    ),
    stated("vector types", Table::Nine, Table::Eight, 1.01, None),
    stated("levels in registers", Table::Ten, Table::Nine, 1.14, None),
    stated(
        "everything together",
        Table::Ten,
        Table::Three,
        1.88,
        Some(2.11),
    ),
];

const fn stated(
    text: &'static str,
    faster: Table,
    slower: Table,
    mean: f64,
    largest: Option<f64>,
) -> Stated {
    Stated {
        text,
        tables: [faster, slower],
        mean,
        largest,
    }
}

/// A gain, as the mean over problems and the largest of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    pub mean: f64,
    pub largest: f64,
}

impl Gain {
    fn of(ratios: &[f64]) -> Option<Gain> {
        Some(Gain {
            mean: stats::mean(ratios)?,
            largest: ratios.iter().copied().fold(f64::MIN, f64::max),
        })
    }
}

/// A conclusion of the paper beside the predicted and the measured gain.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    pub text: &'static str,
    /// Numbers of the faster and the slower table.
    pub tables: [u32; 2],
    pub predicted: Gain,
    /// From the tables' values; `None` where a table has none.
    pub measured: Option<Gain>,
    /// Mean and, if given, largest gain in the paper's text.
    pub stated: (f64, Option<f64>),
}

/// The best cell of a table for a problem by `speed`.
fn best(
    cells: &[Compared],
    table: Table,
    problem: &str,
    speed: impl Fn(&Compared) -> Option<f64>,
) -> Option<f64> {
    let own = cells
        .iter()
        .filter(|one| one.cell.table == table && one.cell.problem == problem);
    own.filter_map(speed).max_by(f64::total_cmp)
}

/// The conclusions whose tables are all among the cells, for all problems of the paper; none for fewer problems.
pub fn conclusions(cells: &[Compared]) -> Vec<Conclusion> {
    let predicted = |one: &Compared| Some(one.predicted_gpops_billion);
    let measured = |one: &Compared| one.measured.map(|value| value.gpops_billion);
    let conclusion = |stated: &Stated| {
        let [faster, slower] = stated.tables;
        let ratios = |speed: &dyn Fn(&Compared) -> Option<f64>| -> Option<Vec<f64>> {
            let ratio = |problem: &&str| {
                let [a, b] = [faster, slower].map(|table| best(cells, table, problem, speed));
                Some(a? / b?)
            };
            PROBLEMS.iter().map(ratio).collect()
        };
        Some(Conclusion {
            text: stated.text,
            tables: stated.tables.map(Table::number),
            predicted: Gain::of(&ratios(&predicted)?)?,
            measured: ratios(&measured).and_then(|ratios| Gain::of(&ratios)),
            stated: (stated.mean, stated.largest),
        })
    };
    STATED.iter().filter_map(conclusion).collect()
}

/// The number of stack levels in registers that is best for a problem: predicted and measured.
pub fn best_levels(cells: &[Compared]) -> Vec<(String, u32, u32)> {
    let best = |problem: &str, speed: &dyn Fn(&Compared) -> Option<f64>| {
        let own = cells
            .iter()
            .filter(|one| one.cell.table == Table::Ten && one.cell.problem == problem);
        let best = own
            .filter_map(|one| Some((speed(one)?, one.cell.axis)))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        match best?.1 {
            Axis::StackRegisters(levels) => Some(levels),
            _ => None,
        }
    };
    let levels = |problem: &&str| {
        let predicted = best(problem, &|one| Some(one.predicted_gpops_billion))?;
        let measured = best(problem, &|one| Some(one.measured?.gpops_billion))?;
        Some(((*problem).to_owned(), predicted, measured))
    };
    PROBLEMS.iter().filter_map(levels).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::{Measured, cells};

    /// Every measured cell, as if predicted to be a tenth faster in Table 4.
    fn compared() -> Vec<Compared> {
        let of_table = |table: Table| {
            let measured = Measured::of_paper(table).unwrap();
            let of_problem = |problem: &&str| cells(table, problem);
            let all: Vec<_> = PROBLEMS.iter().flat_map(of_problem).collect();
            all.into_iter().map(move |cell| {
                let value = measured.get(&cell);
                let speed = value.map_or(1.0, |value| value.gpops_billion);
                let factor = if table == Table::Four { 1.1 } else { 1.0 };
                Compared {
                    split: cell.split(),
                    predicted_gpops_billion: factor * speed,
                    measured: value,
                    cell,
                }
            })
        };
        Table::ALL.into_iter().flat_map(of_table).collect()
    }

    #[test]
    fn the_tables_give_the_papers_own_conclusions() {
        let found = conclusions(&compared());
        assert_eq!(found.len(), STATED.len());
        for conclusion in &found {
            let measured = conclusion.measured.expect("every table was measured");
            let (mean, largest) = conclusion.stated;
            assert!((measured.mean - mean).abs() < 0.03, "{conclusion:?}");
            if let Some(largest) = largest {
                assert!((measured.largest - largest).abs() < 0.02, "{conclusion:?}");
            }
        }
        let [first, ..] = &found[..] else { panic!() };
        let ratio = first.predicted.mean / first.measured.unwrap().mean;
        assert!((ratio - 1.1).abs() < 1e-9, "{first:?}");
    }

    #[test]
    fn the_best_number_of_levels_is_the_papers() {
        let levels: Vec<u32> = best_levels(&compared()).iter().map(|one| one.2).collect();
        assert_eq!(levels, [1, 2, 3, 3]);
    }
}
