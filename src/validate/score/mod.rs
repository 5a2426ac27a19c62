//! Scores of predictions of everything measured: ours, simple predictors', anybody's.
//!
//! Models: [`sets`] are the measured rows, [`predictions`] the predicted values, [`baselines`] simple predictors, of which [`roofline`]
//! has a file of its own. Leaves out: predicting. Units: percent. An error is the absolute difference of a predicted from a measured value,
//! in percent of the measured one. Sources: `docs/data.md`; errors of the day in `fixtures/measured/series.csv`.

pub mod baselines;
pub mod predictions;
pub mod roofline;
pub mod sets;

use crate::systems::chitty::split::MeasurementSplit;
use crate::util::rows::{Rows, RowsError};
use crate::util::stats;
use predictions::{Own, Predictions};
use sets::{Origin, Row};

/// Errors of one predictor on one block.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub block: String,
    pub predictor: String,
    /// Rows of the block that are predicted.
    pub launches: usize,
    /// Rows of the block without a prediction.
    pub missing: usize,
    pub mean: f64,
    /// `None` where only the mean was written down.
    pub median: Option<f64>,
    pub worst: Option<f64>,
    /// Spearman's, of predicted and measured values.
    pub rank_correlation: Option<f64>,
}

/// Rows that are judged together, in the order of the table.
const BLOCKS: [&str; 7] = [
    "GTX 670, held out",
    "H200, held out",
    "H200, blind sets",
    "H200, one program",
    "H200, other papers",
    "H100, blind",
    "H100, accumulator",
];

/// Returns the block of a row; `None` for rows of the calibration split.
pub fn block(row: &Row) -> Option<&'static str> {
    let is_held_out = row.split == MeasurementSplit::Holdout;
    match (&row.origin, row.set) {
        (Origin::Cell(_), _) => is_held_out.then_some(BLOCKS[0]),
        (_, "h200/runs" | "h200/carveout") => is_held_out.then_some(BLOCKS[1]),
        (_, "h200/copies") => Some(BLOCKS[3]),
        (Origin::Paper(_), _) => Some(BLOCKS[4]),
        (_, "h100/runs") => Some(BLOCKS[5]),
        _ if row.device == "h100" => Some(BLOCKS[6]),
        _ => Some(BLOCKS[2]),
    }
}

/// Returns the table: for each block the predictor of the file, if there is one, the two engines and the baselines.
pub fn table(rows: &[Row], own: &[Option<Own>], given: Option<(&str, &Predictions)>) -> Vec<Line> {
    let of_own = |value: fn(&Own) -> Option<f64>| -> Vec<_> {
        own.iter().map(|own| own.as_ref().and_then(value)).collect()
    };
    let given = given.map(|(name, given)| (name, rows.iter().map(|row| given.get(row)).collect()));
    let predictors: Vec<(&str, Vec<Option<f64>>)> = given
        .into_iter()
        .chain([
            ("simulator", of_own(|own| Some(own.simulator))),
            ("analytical", of_own(|own| own.analytical)),
            ("mean", baselines::mean(rows)),
            ("nearest", baselines::nearest(rows, own)),
            ("roofline", baselines::roofline(rows, own)),
            ("twin card", baselines::twin_card(rows)),
        ])
        .collect();
    let of_block = |block| {
        let lines = predictors.iter();
        lines.filter_map(move |(name, predicted)| line(rows, block, name, predicted))
    };
    BLOCKS.into_iter().flat_map(of_block).collect()
}

/// Compares the predictions of a block; `None` if there are none.
fn line(rows: &[Row], of_block: &str, name: &str, predicted: &[Option<f64>]) -> Option<Line> {
    let pairs = rows.iter().zip(predicted);
    let pairs: Vec<_> = pairs
        .filter(|(row, _)| block(row) == Some(of_block))
        .collect();
    let (measured, predicted): (Vec<f64>, Vec<f64>) = pairs
        .iter()
        .filter_map(|(row, predicted)| Some((row.measured, (**predicted)?)))
        .unzip();
    let errors = measured.iter().zip(&predicted);
    let errors: Vec<f64> = errors
        .map(|(measured, predicted)| 100.0 * (predicted / measured - 1.0).abs())
        .collect();
    Some(Line {
        block: of_block.to_owned(),
        predictor: name.to_owned(),
        launches: errors.len(),
        missing: pairs.len() - errors.len(),
        mean: stats::mean(&errors)?,
        median: stats::median(&errors),
        worst: errors.iter().copied().max_by(f64::total_cmp),
        rank_correlation: stats::spearman(&predicted, &measured),
    })
}

/// Returns the errors of blind predictions by block, each launch with the same weight, as they were written down on the day.
pub fn of_the_day() -> Result<Vec<Line>, RowsError> {
    const SERIES: &str = include_str!("../../../fixtures/measured/series.csv");
    let file = Rows::read(SERIES, "series.csv")?;
    let mut lines: Vec<Line> = Vec::new();
    for row in file.iter() {
        let percent = |column| row.optional(column, "a number of at least 0", |v: &f64| *v >= 0.0);
        let (Some(mean), worst) = (percent("mean_percent")?, percent("worst_percent")?) else {
            continue;
        };
        let launches = row.count("launches")? as usize;
        let block = row.text("block");
        match lines.iter_mut().find(|line| line.block == block) {
            Some(line) => {
                let sum = line.mean * line.launches as f64 + mean * launches as f64;
                line.launches += launches;
                line.mean = sum / line.launches as f64;
                line.worst = line.worst.into_iter().chain(worst).max_by(f64::total_cmp);
            }
            None => lines.push(Line {
                block: block.to_owned(),
                predictor: "simulator of the day".to_owned(),
                launches,
                missing: 0,
                mean,
                median: None,
                worst,
                rank_correlation: None,
            }),
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_rows_of_the_table_of_trust_and_beat_the_mean() {
        let rows = sets::rows().unwrap();
        let own = predictions::committed(&rows).unwrap();
        let lines = table(&rows, &own, None);
        let of = |block: &str, name: &str| {
            let is_it = |line: &&Line| line.block == block && line.predictor == name;
            lines.iter().find(is_it).unwrap()
        };
        for (block, n) in [
            ("GTX 670, held out", 924),
            ("H200, held out", 291),
            ("H200, other papers", 358),
            ("H100, blind", 410),
        ] {
            let line = of(block, "simulator");
            assert_eq!(line.launches + line.missing, n, "{block}");
        }
        for block in BLOCKS {
            assert!(of(block, "mean").mean > of(block, "simulator").mean);
        }
        assert!(of("H100, blind", "twin card").launches > 200);
    }

    #[test]
    fn measured_values_score_zero_and_missing_rows_are_counted() {
        let rows = sets::rows().unwrap();
        let own = vec![None; rows.len()];
        let runs = rows.iter().filter(|row| row.set == "h200/runs").take(400);
        let some: String = runs
            .map(|row| format!("{},{},{}\n", row.set, row.number, row.measured))
            .collect();
        let text = format!("set,row,predicted\n{some}");
        let given = Predictions::parse(&text, "p.csv", &rows).unwrap();
        let lines = table(&rows, &own, Some(("p.csv", &given)));
        let own = lines.iter().filter(|line| line.predictor == "p.csv");
        let own: Vec<&Line> = own.collect();
        assert_eq!(own.len(), 1, "one block judges rows of this set");
        assert_eq!(
            (own[0].block.as_str(), own[0].launches + own[0].missing),
            ("H200, held out", 291)
        );
        assert!(own[0].missing > 0 && own[0].mean == 0.0 && own[0].worst == Some(0.0));
    }
}
