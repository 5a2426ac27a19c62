//! A reproduced table of the paper as text and rows, and the summary under it.
//!
//! Leaves out: computing the figures (`validate`). Units: billions of GPop/s, percent.

use super::columns::Columns;
use super::grouped;
use super::table::table;
use crate::launch::prediction::Prediction;
use crate::validate::compare::Best;
use crate::validate::conclusions::{self, Conclusion, Gain};
use crate::validate::{CellSplit, Compared, Summary, stats};

/// A cell beside everything that is predicted of it.
pub struct Reproduced<'a> {
    pub compared: &'a Compared,
    pub prediction: &'a Prediction,
}

/// Returns the columns of one row per cell; measured and error are empty for unmeasured cells. A new column is a line here.
pub fn columns<'a>() -> Columns<Reproduced<'a>> {
    let measured = |row: &Reproduced| row.compared.measured.map(|value| value.gpops_billion);
    Columns::<Reproduced<'a>>::new(5)
        .column("table", "table", |row| row.compared.cell.table.number())
        .column("problem", "problem", |row| {
            row.compared.cell.problem.clone()
        })
        .column("threads", "threads", |row| {
            row.compared.cell.threads_per_block
        })
        .column("axis", "axis", |row| row.compared.cell.table.axis_name())
        .column("value", "value", |row| row.compared.cell.axis.value())
        .column("predicted (billion GPop/s)", GPOPS, |row| {
            row.prediction.gpops_billion
        })
        .digits(3)
        .column("measured", "measured_gpops_billion", move |row| {
            measured(row)
        })
        .digits(3)
        .column("error (%)", "error_percent", |row| {
            row.compared.error_percent()
        })
        .digits(2)
        .shown("cell is", |row| row.compared.split.name().to_owned())
        .rounded()
}

const GPOPS: &str = "predicted_gpops_billion";

/// Columns of a summary.
const SUMMARY: [&str; 7] = [
    "cells of",
    "n",
    "mean |error| (%)",
    "median |error| (%)",
    "mean error (%)",
    "Spearman",
    "predicted best reaches (%)",
];

/// The summary: each problem of each table, then all cells, fitted and held out apart.
pub fn summary(cells: &[Compared]) -> String {
    let rows = summary_rows(cells);
    if rows.is_empty() {
        return "no cell has a measured value\n".into();
    }
    let bests = grouped(cells, block_of).into_iter();
    let bests = bests.filter_map(|(name, block)| Some(best_line(&name, &Summary::of(block)?)));
    table(&SUMMARY, rows, 1) + &bests.collect::<String>()
}

/// The rows of the summary; fitted and held-out cells of a block apart if it has both.
fn summary_rows(cells: &[Compared]) -> Vec<Vec<String>> {
    const SPLITS: [CellSplit; 2] = [CellSplit::Fitted, CellSplit::HeldOut];
    let of_split = |name: String, cells: &[&Compared], split: CellSplit| {
        let part = cells.iter().copied().filter(|cell| cell.split == split);
        Some(summary_row(&name, &Summary::of(part)?))
    };
    let mut rows = Vec::new();
    for (name, block) in grouped(cells, block_of) {
        let whole = Summary::of(block.iter().copied());
        rows.extend(whole.map(|summary| summary_row(&name, &summary)));
        let parts =
            SPLITS.map(|split| of_split(format!("{name}: {}", split.name()), &block, split));
        if let [Some(fitted), Some(held_out)] = parts {
            rows.extend([fitted, held_out]);
        }
    }
    let all: Vec<&Compared> = cells.iter().collect();
    let totals = SPLITS.map(|split| of_split(format!("{} cells", split.name()), &all, split));
    rows.extend(totals.into_iter().flatten());
    rows
}

/// The paper's conclusions, predicted and measured; nothing unless the cells are whole tables of all problems.
pub fn conclusions(cells: &[Compared]) -> String {
    let found = conclusions::conclusions(cells);
    if found.is_empty() {
        return String::new();
    }
    let gain = |gain: &Gain| [gain.mean, gain.largest].map(|ratio| format!("{ratio:.2}"));
    let row = |one: &Conclusion| {
        let [faster, slower] = one.tables;
        let measured = one
            .measured
            .map_or(["-", "-"].map(str::to_owned), |one| gain(&one));
        let (mean, largest) = one.stated;
        let cells = [one.text.to_owned(), format!("{faster} / {slower}")].into_iter();
        let cells = cells.chain(gain(&one.predicted)).chain(measured);
        let largest = largest.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        cells.chain([format!("{mean:.2}"), largest]).collect()
    };
    let headers = [
        "gain of",
        "tables",
        "predicted",
        "largest",
        "measured",
        "largest",
        "paper says",
        "largest",
    ];
    let mut text =
        "\nThe paper's conclusions: best cell over best cell, mean over the four problems\n"
            .to_owned();
    text += &table(&headers, found.iter().map(row).collect(), 2);
    let levels = conclusions::best_levels(cells);
    if !levels.is_empty() {
        let row = |(problem, predicted, measured): &(String, u32, u32)| {
            vec![problem.clone(), predicted.to_string(), measured.to_string()]
        };
        text += "\n";
        let headers = ["best levels in registers", "predicted", "measured"];
        text += &table(&headers, levels.iter().map(row).collect(), 1);
    }
    text
}

/// Describes the spread of results over draws of programs from the corpus; empty for fewer than two draws.
pub fn spread(draws: &[&[Compared]]) -> String {
    if draws.len() < 2 {
        return String::new();
    }
    let deviations: Vec<f64> = (0..draws[0].len())
        .filter_map(|cell| {
            let values: Vec<f64> = draws
                .iter()
                .map(|draw| draw[cell].predicted_gpops_billion)
                .collect();
            stats::relative_deviation_percent(&values)
        })
        .collect();
    let errors: Vec<f64> = draws
        .iter()
        .filter_map(|draw| Summary::of(*draw))
        .map(|summary| summary.mean_absolute_error_percent)
        .collect();
    let most = |values: &[f64]| values.iter().copied().fold(f64::MIN, f64::max);
    let least = |values: &[f64]| values.iter().copied().fold(f64::MAX, f64::min);
    let mut text = format!(
        "{} draws of programs: standard deviation of a cell {:.1} % in the mean, {:.1} % at most",
        draws.len(),
        stats::mean(&deviations).unwrap_or(0.0),
        most(&deviations)
    );
    if !errors.is_empty() {
        let (low, high) = (least(&errors), most(&errors));
        text += &format!("; mean |error| {low:.1} to {high:.1} %");
    }
    text + "\n"
}

/// The table and the problem of a cell.
fn block_of(compared: &&Compared) -> String {
    let cell = &compared.cell;
    format!("table {}, {}", cell.table.number(), cell.problem)
}

/// Figures of a summary as texts, after its name.
fn summary_row(name: &str, summary: &Summary) -> Vec<String> {
    vec![
        name.into(),
        summary.n_cells.to_string(),
        format!("{:.1}", summary.mean_absolute_error_percent),
        format!("{:.1}", summary.median_absolute_error_percent),
        format!("{:+.1}", summary.mean_error_percent),
        summary
            .spearman
            .map_or(String::new(), |rho| format!("{rho:.3}")),
        format!("{:.1}", summary.best_reached_percent()),
    ]
}

fn best_line(name: &str, summary: &Summary) -> String {
    let describe = |best: &Best| {
        format!(
            "{} ({:.1} predicted, {:.1} measured)",
            best.cell.label(),
            best.predicted_gpops_billion,
            best.measured_gpops_billion
        )
    };
    format!(
        "{name}: best predicted {}; best measured {}\n",
        describe(&summary.best_predicted),
        describe(&summary.best_measured)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::measured::Value;
    use crate::validate::{Table, cells};

    fn some_cells() -> Vec<Compared> {
        let value = |gpops_billion| Value {
            gpops_billion,
            ci_billion: 0.1,
        };
        let cell = |index: usize| cells(Table::Four, "sextic")[index].clone();
        vec![
            Compared {
                cell: cell(0),
                split: CellSplit::Fitted,
                predicted_gpops_billion: 11.0,
                measured: Some(value(10.0)),
            },
            Compared {
                cell: cell(1),
                split: CellSplit::HeldOut,
                predicted_gpops_billion: 12.0,
                measured: None,
            },
        ]
    }

    #[test]
    fn spread_is_that_of_the_predictions() {
        let [first, mut second] = [some_cells(), some_cells()];
        second[0].predicted_gpops_billion = 9.0;
        let draws = [&first[..], &second];
        // First cell 11 and 9: mean 10, deviation sqrt(2); second cell equal in both.
        let text = spread(&draws);
        assert!(text.contains("7.1 % in the mean, 14.1 % at most"), "{text}");
        assert!(text.contains("mean |error| 10.0 to 10.0 %"), "{text}");
        assert_eq!(spread(&draws[..1]), "");
    }

    #[test]
    fn summary_keeps_fitted_and_held_out_apart() {
        let text = summary(&some_cells());
        assert!(text.contains("fitted cells"), "{text}");
        assert!(
            !text.contains("held out cells"),
            "nothing held out was measured: {text}"
        );
        assert!(
            text.contains("best predicted 32 threads, stack_dim 2 (11.0 predicted"),
            "{text}"
        );
        let mut both = some_cells();
        both[1].measured = both[0].measured;
        let text = summary(&both);
        assert!(text.contains("table 4, sextic: fitted"), "{text}");
        assert!(text.contains("table 4, sextic: held out"), "{text}");
        assert_eq!(
            summary(&some_cells()[1..]),
            "no cell has a measured value\n"
        );
    }
}
