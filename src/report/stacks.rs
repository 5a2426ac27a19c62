//! Tables 5 and 6 side by side with the paper: rows, text, summary.
//!
//! Leaves out: running GP. Units: percentages of programs, cumulative; limits in stack levels.
//! Sources: Chitty (2D stack) tables 5 and 6.

use super::columns::Columns;
use crate::gp::depth_profile::Representation;
use crate::gp::programs::paper_depths::paper_percentages;
use crate::gp::record::Record;

/// One cell of the two tables.
#[derive(Debug, Clone, PartialEq)]
pub struct StackTableCell {
    pub representation: Representation,
    pub problem: String,
    pub stack_limit: usize,
    pub percent_programs: f64,
    pub paper_percent: Option<f64>,
}

impl StackTableCell {
    fn error(&self) -> Option<f64> {
        self.paper_percent
            .map(|paper| (self.percent_programs - paper).abs())
    }
}

/// All cells of these records, Table 5 first.
pub fn rows(records: &[Record]) -> Result<Vec<StackTableCell>, crate::util::rows::RowsError> {
    let mut rows = Vec::new();
    for representation in [Representation::Rpn, Representation::Lgp] {
        for record in records {
            let depths = record.depths();
            let paper = paper_percentages(representation, &record.problem)?;
            rows.extend(representation.limits().map(|stack_limit| {
                StackTableCell {
                    representation,
                    problem: record.problem.clone(),
                    stack_limit,
                    percent_programs: depths.percent_within(representation, stack_limit),
                    paper_percent: paper
                        .iter()
                        .find(|(limit, _)| *limit == stack_limit)
                        .map(|(_, percent)| *percent),
                }
            }));
        }
    }
    Ok(rows)
}

/// Returns the columns of a table with one row per cell.
pub fn columns() -> Columns<StackTableCell> {
    Columns::<StackTableCell>::new(2)
        .column("representation", "representation", |row| {
            row.representation.name()
        })
        .column("problem", "problem", |row| row.problem.clone())
        .column("limit", "stack_limit", |row| row.stack_limit)
        .column("programs %", "percent_programs", |row| row.percent_programs)
        .digits(2)
        .column("paper %", "paper_percent", |row| row.paper_percent)
        .digits(2)
        .shown("difference", |row| {
            let difference = row.paper_percent.map(|paper| row.percent_programs - paper);
            difference.map_or(String::new(), |points| format!("{points:+.2}"))
        })
        .rounded()
}

/// The mean absolute error of each problem and of all cells in one line, as far as the paper has values.
pub fn summary(rows: &[StackTableCell]) -> Option<String> {
    let all = mean_error(rows.iter())?;
    let of_problem = |problem: &str| mean_error(rows.iter().filter(|row| row.problem == problem));
    let first_table = rows
        .iter()
        .filter(|row| row.representation == rows[0].representation);
    let mut problems: Vec<&str> = first_table.map(|row| row.problem.as_str()).collect();
    problems.dedup();
    let each = problems
        .iter()
        .filter_map(|problem| Some((problem, of_problem(problem)?)));
    let each: Vec<String> = each
        .map(|(name, error)| format!("{name} {error:.2}"))
        .collect();
    Some(format!(
        "mean absolute error, points: {}; all cells {all:.2}",
        each.join(", ")
    ))
}

/// Mean absolute difference over the cells with a paper value.
fn mean_error<'a>(rows: impl Iterator<Item = &'a StackTableCell>) -> Option<f64> {
    let errors: Vec<f64> = rows.filter_map(StackTableCell::error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(problem: &str, percent_programs: f64, paper: Option<f64>) -> StackTableCell {
        let representation = Representation::Rpn;
        StackTableCell {
            representation,
            problem: problem.into(),
            stack_limit: 3,
            percent_programs,
            paper_percent: paper,
        }
    }

    #[test]
    fn errors_are_of_the_cells_with_a_value_of_the_paper() {
        let rows = [
            row("a", 10.0, Some(12.0)),
            row("b", 20.0, Some(11.0)),
            row("c", 30.0, None),
        ];
        assert_eq!(
            summary(&rows).unwrap(),
            "mean absolute error, points: a 2.00, b 9.00; all cells 5.50"
        );
        assert_eq!(summary(&rows[2..]), None);
    }
}
