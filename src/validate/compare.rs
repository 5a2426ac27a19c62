//! A predicted value beside the measured one, and the summary over many such pairs.
//!
//! Models: signed error = predicted over measured, less one; means and medians are of its absolute value.
//! Leaves out: cells without a measured value, which count nowhere.
//! Units: billions of GPop/s; percent.

use super::cells::Cell;
use super::measured::Value;
use super::stats;
use crate::util::names::named;

named! {
    /// Whether a cell took part in choosing a fitted value.
    pub enum CellSplit ("split") {
        Fitted = "fitted",
        HeldOut = "held out",
    }
}

/// One cell with what is predicted and what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    pub cell: Cell,
    pub split: CellSplit,
    pub predicted_gpops_billion: f64,
    pub measured: Option<Value>,
}

impl Compared {
    /// Signed: positive where the prediction is too fast.
    pub fn error_percent(&self) -> Option<f64> {
        let measured = self.measured?.gpops_billion;
        Some(100.0 * (self.predicted_gpops_billion / measured - 1.0))
    }
}

/// Figures over the measured cells of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub n_cells: usize,
    pub mean_absolute_error_percent: f64,
    pub median_absolute_error_percent: f64,
    /// Mean of the signed errors: which way the predictions lean.
    pub mean_error_percent: f64,
    /// `None` if the order is not defined (fewer than two cells, or equal values).
    pub spearman: Option<f64>,
    pub best_predicted: Best,
    pub best_measured: Best,
}

/// The best cell by one of the two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    pub cell: Cell,
    pub predicted_gpops_billion: f64,
    pub measured_gpops_billion: f64,
}

impl Summary {
    /// `None` if no cell has a measured value.
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a Compared>) -> Option<Summary> {
        let pairs: Vec<Best> = cells
            .into_iter()
            .filter_map(|compared| {
                Some(Best {
                    cell: compared.cell.clone(),
                    predicted_gpops_billion: compared.predicted_gpops_billion,
                    measured_gpops_billion: compared.measured?.gpops_billion,
                })
            })
            .collect();
        let predicted: Vec<f64> = pairs.iter().map(|p| p.predicted_gpops_billion).collect();
        let measured: Vec<f64> = pairs.iter().map(|p| p.measured_gpops_billion).collect();
        let errors: Vec<f64> = predicted
            .iter()
            .zip(&measured)
            .map(|(predicted, measured)| 100.0 * (predicted / measured - 1.0))
            .collect();
        let absolute: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        let best = |values: &[f64]| {
            let (index, _) = values
                .iter()
                .enumerate()
                .max_by(|(_, a), (_, b)| a.total_cmp(b))?;
            Some(pairs[index].clone())
        };
        Some(Summary {
            n_cells: pairs.len(),
            mean_absolute_error_percent: stats::mean(&absolute)?,
            median_absolute_error_percent: stats::median(&absolute)?,
            mean_error_percent: stats::mean(&errors)?,
            spearman: stats::spearman(&predicted, &measured),
            best_predicted: best(&predicted)?,
            best_measured: best(&measured)?,
        })
    }

    /// Measured speed of the configuration predicted best, in percent of the best measured speed.
    pub fn best_reached_percent(&self) -> f64 {
        100.0 * self.best_predicted.measured_gpops_billion
            / self.best_measured.measured_gpops_billion
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{Table, cells};
    use super::*;

    fn compared(predicted: &[f64], measured: &[Option<f64>]) -> Vec<Compared> {
        cells(Table::Three, "sextic")
            .into_iter()
            .zip(predicted.iter().zip(measured))
            .map(|(cell, (predicted, measured))| Compared {
                cell,
                split: CellSplit::HeldOut,
                predicted_gpops_billion: *predicted,
                measured: measured.map(|gpops_billion| Value {
                    gpops_billion,
                    ci_billion: 0.1,
                }),
            })
            .collect()
    }

    #[test]
    fn summary_of_known_errors() {
        // Errors +10 %, -20 %, 0 %; the fourth cell was not measured.
        let cells = compared(
            &[11.0, 16.0, 15.0, 99.0],
            &[Some(10.0), Some(20.0), Some(15.0), None],
        );
        let summary = Summary::of(&cells).unwrap();
        assert_eq!(summary.n_cells, 3);
        assert!((summary.mean_absolute_error_percent - 10.0).abs() < 1e-9);
        assert!((summary.median_absolute_error_percent - 10.0).abs() < 1e-9);
        assert!((summary.mean_error_percent + 10.0 / 3.0).abs() < 1e-9);
        assert_eq!(summary.spearman, Some(1.0));
        assert_eq!(summary.best_predicted.cell, cells[1].cell);
        assert_eq!(summary.best_reached_percent(), 100.0);
        assert_eq!(cells[3].error_percent(), None);
    }

    #[test]
    fn a_wrong_best_costs() {
        let cells = compared(&[2.0, 1.0], &[Some(9.0), Some(10.0)]);
        let summary = Summary::of(&cells).unwrap();
        assert_eq!(summary.best_predicted.cell, cells[0].cell);
        assert_eq!(summary.best_measured.cell, cells[1].cell);
        assert!((summary.best_reached_percent() - 90.0).abs() < 1e-9);
        assert_eq!(summary.spearman, Some(-1.0));
    }

    #[test]
    fn nothing_measured_has_no_summary() {
        assert_eq!(Summary::of(&compared(&[1.0], &[None])), None);
    }
}
