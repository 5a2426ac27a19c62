//! Figures of a paper as text and rows, predicted and published.
//!
//! Units: in the quantities' names; percent.

use super::rows;
use super::table::table;
use crate::validate::papers::Row;

const HEADER: [&str; 7] = [
    "paper",
    "experiment",
    "configuration",
    "quantity",
    "predicted",
    "published",
    "error_percent",
];

/// One line per figure; published and error are empty where nothing was published.
pub fn rows(figures: &[Row]) -> Vec<rows::Row> {
    let of_figure = |row: &Row| {
        let names = [row.paper, row.experiment, &row.configuration, row.quantity];
        let names = names.map(str::to_owned).into_iter();
        rows::Row::rounded(&HEADER, names.chain(numbers(row)))
    };
    figures.iter().map(of_figure).collect()
}

/// The same as a text table.
pub fn text(rows: &[Row]) -> String {
    let headers = [
        "experiment",
        "configuration",
        "quantity",
        "predicted",
        "published",
        "error (%)",
    ];
    let line = |row: &Row| {
        let names = [row.experiment, &row.configuration, row.quantity].map(str::to_owned);
        names.into_iter().chain(numbers(row)).collect()
    };
    table(&headers, rows.iter().map(line).collect(), 3)
}

fn numbers(row: &Row) -> [String; 3] {
    let number = |value: Option<f64>, digits: usize| {
        value.map_or(String::new(), |value| format!("{value:.digits$}"))
    };
    [
        number(Some(row.predicted), 2),
        row.published
            .map_or(String::new(), |value| value.to_string()),
        number(row.error_percent, 1),
    ]
}
