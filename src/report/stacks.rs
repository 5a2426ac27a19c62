//! Tables 5 and 6 side by side with the paper: rows, text, summary.
//!
//! Leaves out: running GP. Units: percentages of programs, cumulative; limits in stack levels.
//! Sources: Chitty (2D stack) tables 5 and 6.

use super::columns::Columns;
use crate::gp::depth_profile::Representation;
use crate::gp::programs::paper_depths::paper_percentages;
use crate::gp::record::Record;
use crate::validate::stack_tables::RunSpread;

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

/// Summarizes the runs, and the mean absolute error per problem and over all given cells.
pub fn summary(records: &[Record], rows: &[StackTableCell]) -> String {
    let mut text = String::new();
    for record in records {
        let solved = record.runs.iter().filter(|run| run.solved).count();
        let error = mean_error(rows.iter().filter(|row| row.problem == record.problem));
        text += &format!(
            "{}: {} runs ({solved} solved) on {} cases, {} programs of {:.1} nodes on average, {}\n",
            record.problem,
            record.runs.len(),
            record.evaluated_cases,
            record.depths().n_programs(),
            record.mean_nodes(),
            error.map_or("no measured values".into(), |e| format!(
                "mean absolute error {e:.2} points"
            )),
        );
    }
    for record in records {
        text += &spread(record, rows);
    }
    if let Some(error) = mean_error(rows.iter()) {
        text += &format!("all given cells: mean absolute error {error:.2} points\n");
    }
    let (kept, all) = order_kept(rows);
    text + &format!("order of the problems as in the paper in {kept} of {all} pairs\n")
}

/// Compares the paper's row with single runs; empty without at least two runs and a measured row.
fn spread(record: &Record, rows: &[StackTableCell]) -> String {
    let problem = &record.problem;
    let runs: Vec<_> = record.runs.iter().map(|run| &run.depths).collect();
    let error = mean_error(rows.iter().filter(|row| row.problem == *problem));
    let (Ok(Some(spread)), Some(error)) = (RunSpread::of(problem, &runs), error) else {
        return String::new();
    };
    let range = |sorted: &[f64]| {
        let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
        format!(
            "{first:.1} to {last:.1} points, median {:.1}",
            sorted[sorted.len() / 2]
        )
    };
    format!(
        "{problem}: a run alone is {} from the paper, {} from the other runs; {} of {} runs are as far from the others as the \
         paper is from all\n",
        range(&spread.to_paper),
        range(&spread.to_others),
        spread.at_least_as_far(error),
        runs.len(),
    )
}

/// Mean absolute difference over the cells with a paper value.
pub fn mean_error<'a>(rows: impl Iterator<Item = &'a StackTableCell>) -> Option<f64> {
    let errors: Vec<f64> = rows.filter_map(StackTableCell::error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

/// Pairs of problems at one limit that the paper tells apart, and how many of them come in its order.
pub fn order_kept(rows: &[StackTableCell]) -> (usize, usize) {
    let (mut kept, mut all) = (0, 0);
    for (i, a) in rows.iter().enumerate() {
        for b in &rows[i + 1..] {
            let same = a.representation == b.representation && a.stack_limit == b.stack_limit;
            let (Some(paper_a), Some(paper_b)) = (a.paper_percent, b.paper_percent) else {
                continue;
            };
            if same && paper_a != paper_b {
                all += 1;
                kept +=
                    usize::from((a.percent_programs > b.percent_programs) == (paper_a > paper_b));
            }
        }
    }
    (kept, all)
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
    fn errors_and_order() {
        let rows = [
            row("a", 10.0, Some(12.0)),
            row("b", 20.0, Some(11.0)),
            row("c", 30.0, None),
        ];
        assert_eq!(mean_error(rows.iter()), Some(5.5));
        assert_eq!(order_kept(&rows), (0, 1));
    }
}
