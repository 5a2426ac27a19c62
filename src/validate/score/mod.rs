//! Scores of predictions of everything measured: ours, simple predictors', anybody's.
//!
//! Models: [`sets`] are the measured rows, [`blocks`] the rows judged together, [`predictions`] the predicted values, [`baselines`]
//! simple predictors, of which [`regression`] and [`roofline`] have files of their own, [`bootstrap`] intervals, [`series`] the record of
//! every set that was measured. Leaves out: predicting. Units: percent. An error is the absolute difference of a predicted from a measured value, in
//! percent of the measured one. Sources: `docs/data.md`.

pub mod baselines;
pub mod blocks;
pub mod bootstrap;
pub mod predictions;
pub mod regression;
pub mod roofline;
pub mod series;
pub mod sets;

use crate::util::rows::RowsError;
use crate::util::stats;
use baselines::{Baseline, Features, Sample};
use blocks::{Block, Fold};
use predictions::{Own, Predictions};
use sets::{Row, Unit};

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
    /// 90 % interval of the mean; `None` for a single population.
    pub interval: Option<(f64, f64)>,
    /// `None` where only the mean was written down.
    pub median: Option<f64>,
    pub worst: Option<f64>,
    /// Spearman's, of predicted and measured values.
    pub rank_correlation: Option<f64>,
}

/// Returns the table: for each block the predictor of the file, if there is one, the two engines and the baselines.
pub fn table(rows: &[Row], own: &[Option<Own>], given: Option<(&str, &Predictions)>) -> Vec<Line> {
    let samples: Vec<Option<Sample>> = rows
        .iter()
        .zip(own)
        .map(|(row, own)| Some(sample(row, own.as_ref()?)))
        .collect();
    let mut lines = Vec::new();
    for block in blocks::blocks(rows) {
        let judge = |name: &str, predict: &dyn Fn(&Fold) -> Vec<Option<f64>>| {
            line(rows, &block, name, predict)
        };
        let each = |value: &dyn Fn(usize) -> Option<f64>, fold: &Fold| {
            fold.scored.iter().map(|&at| value(at)).collect()
        };
        if let Some((name, given)) = given {
            lines.extend(judge(name, &|fold| each(&|at| given.get(&rows[at]), fold)));
        }
        lines.extend(judge("simulator", &|fold| {
            each(&|at| own[at]?.simulator, fold)
        }));
        lines.extend(judge("analytical", &|fold| {
            each(&|at| own[at]?.analytical, fold)
        }));
        for baseline in Baseline::ALL {
            lines.extend(judge(baseline.name(), &|fold| {
                let fitted = fold.fitted.iter().filter_map(|&at| samples[at].as_ref());
                let fitted: Vec<&Sample> = fitted.collect();
                let scored = fold.scored.iter().map(|&at| samples[at].as_ref());
                let scored: Vec<Option<&Sample>> = scored.collect();
                let known: Vec<&Sample> = scored.iter().copied().flatten().collect();
                let mut predicted = baseline.predict(&fitted, &known).into_iter();
                let place = |sample: &Option<&Sample>| sample.and_then(|_| predicted.next());
                scored.iter().map(place).collect()
            }));
        }
    }
    lines
}

/// Returns the errors of blind predictions, as they were written down on the day.
pub fn of_the_day() -> Result<Vec<Line>, RowsError> {
    let blocks = series::of_the_day(&series::all()?).into_iter();
    let line = |one: series::OfTheDay| Line {
        block: one.block,
        predictor: "simulator of the day".to_owned(),
        launches: one.launches,
        missing: 0,
        mean: one.mean,
        interval: None,
        median: None,
        worst: one.worst,
        rank_correlation: None,
    };
    Ok(blocks.map(line).collect())
}

/// Compares the predictions of a block; `None` if there are none.
fn line(
    rows: &[Row],
    block: &Block,
    name: &str,
    predict: &dyn Fn(&Fold) -> Vec<Option<f64>>,
) -> Option<Line> {
    let folds = block.folds.iter();
    let pairs = folds.flat_map(|fold| fold.scored.iter().copied().zip(predict(fold)));
    let pairs: Vec<(&Row, f64)> = pairs
        .filter_map(|(at, value)| Some((&rows[at], value?)))
        .collect();
    let error = |(row, predicted): &(&Row, f64)| 100.0 * (predicted / row.measured - 1.0).abs();
    let errors: Vec<f64> = pairs.iter().map(error).collect();
    let of_populations: Vec<(&str, f64)> = pairs
        .iter()
        .map(|(row, _)| row.population.as_str())
        .zip(errors.iter().copied())
        .collect();
    let measured: Vec<f64> = pairs.iter().map(|(row, _)| row.measured).collect();
    let predicted: Vec<f64> = pairs.iter().map(|(_, predicted)| *predicted).collect();
    Some(Line {
        block: block.name.to_owned(),
        predictor: name.to_owned(),
        launches: pairs.len(),
        missing: block.n_rows() - pairs.len(),
        mean: stats::mean(&errors)?,
        interval: bootstrap::interval(&of_populations),
        median: stats::median(&errors),
        worst: errors.iter().copied().max_by(f64::total_cmp),
        rank_correlation: stats::spearman(&predicted, &measured),
    })
}

/// A row as baselines see it. A speed is the operations of the launch over its time.
fn sample(row: &Row, own: &Own) -> Sample {
    let work = (row.unit == Unit::Speed).then_some(1e3 * own.billion_operations);
    let (problem, kernel) = row.names();
    let size = |value: f64| (1.0 + value).ln();
    let launch = row.sizes();
    let counted = [
        own.warp_instructions,
        own.l1_lines,
        own.l2_bytes,
        own.dram_bytes,
    ];
    let held = [own.warps, own.waves, own.l1_kib];
    Sample {
        features: Features {
            problem,
            kernel,
            warp_instructions: own.warp_instructions,
            roofline_ms: own.roofline,
            sizes: counted
                .into_iter()
                .chain(held)
                .chain(launch)
                .map(size)
                .collect(),
        },
        milliseconds: work.map_or(row.measured, |work| work / row.measured),
        measured: row.measured,
        work,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the other papers' kernels the model predicts nothing. The other baselines do not err more everywhere: on the H100's accumulator the nearest launch and the regression err less.
    #[test]
    fn the_mean_is_worse_than_the_analytical_model_in_every_block() {
        let rows = sets::rows().unwrap();
        let own = predictions::committed(&rows).unwrap();
        let lines = table(&rows, &own, None);
        let blocks = blocks::blocks(&rows);
        for block in &blocks {
            let mean = |name: &str| {
                let line = lines.iter().find(|line| {
                    (line.block.as_str(), line.predictor.as_str()) == (block.name, name)
                });
                Some(line?.mean)
            };
            let Some(analytical) = mean("analytical") else {
                assert_eq!(block.name, "H200, other papers");
                continue;
            };
            assert!(mean("mean").unwrap() > analytical, "{}", block.name);
            assert!(mean("constant").unwrap() > analytical, "{}", block.name);
        }
    }

    #[test]
    fn measured_values_score_zero_and_missing_rows_are_counted() {
        let rows = sets::rows().unwrap();
        let own = vec![None; rows.len()];
        let some: String = rows
            .iter()
            .filter(|row| row.set == "h200/runs")
            .take(400)
            .map(|row| format!("{},{},{}\n", row.set, row.number, row.measured))
            .collect();
        let given =
            Predictions::parse(&format!("set,row,predicted\n{some}"), "p.csv", &rows).unwrap();
        let lines = table(&rows, &own, Some(("p.csv", &given)));
        let found: Vec<&Line> = lines
            .iter()
            .filter(|line| line.predictor == "p.csv")
            .collect();
        assert_eq!(
            found.len(),
            1,
            "one block has rows of this set that are judged"
        );
        let line = found[0];
        assert_eq!(
            (line.block.as_str(), line.launches + line.missing),
            ("H200, held out", 291)
        );
        assert!(line.missing > 0 && line.mean == 0.0 && line.worst == Some(0.0));
    }
}
