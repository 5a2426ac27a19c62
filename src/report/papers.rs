//! Figures of a paper as text and CSV, predicted and published.
//!
//! Units: in the quantities' names; percent.

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
pub fn csv(rows: &[Row]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER)?;
    for row in rows {
        let [predicted, published, error] = numbers(row);
        let names = [row.paper, row.experiment, &row.configuration, row.quantity];
        writer.write_record(names.into_iter().chain([&*predicted, &*published, &*error]))?;
    }
    writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))
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
