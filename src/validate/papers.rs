//! What the other papers published, beside what was predicted.
//!
//! Leaves out: how a figure was predicted (`papers`). Units: in the quantities' names.
//! Source: `fixtures/papers/`, each value with its place in the paper.

use crate::systems::figure::Figure;
use crate::systems::heavier;
use serde::{Deserialize, Serialize};

/// What names one end of a band in a quantity.
const ENDS: [&str; 4] = [", lower end", ", upper end", ", low end", ", high end"];

const LANGDON: &str = include_str!("../../fixtures/papers/langdon.csv");
const GPOCL: &str = include_str!("../../fixtures/papers/gpocl.csv");
const ROBILLIARD: &str = include_str!("../../fixtures/papers/robilliard.csv");

/// A paper whose figures can be reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    /// Langdon 2010.
    Langdon,
    /// Augusto and Barbosa 2013.
    Gpocl,
    /// Robilliard et al. 2008.
    Robilliard,
}

impl Paper {
    pub fn name(self) -> &'static str {
        match self {
            Paper::Langdon => "langdon",
            Paper::Gpocl => "gpocl",
            Paper::Robilliard => "robilliard",
        }
    }

    fn published(self) -> &'static str {
        match self {
            Paper::Langdon => LANGDON,
            Paper::Gpocl => GPOCL,
            Paper::Robilliard => ROBILLIARD,
        }
    }
}

#[derive(Debug, Deserialize)]
struct Published {
    experiment: String,
    configuration: String,
    quantity: String,
    published: f64,
}

/// One line of a reproduction.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub paper: &'static str,
    pub experiment: &'static str,
    pub configuration: String,
    pub quantity: &'static str,
    pub predicted: f64,
    pub published: Option<f64>,
    /// None where 0 was published.
    pub error_percent: Option<f64>,
}

/// What a paper published.
fn all(paper: Paper) -> Result<Vec<Published>, csv::Error> {
    csv::Reader::from_reader(paper.published().as_bytes())
        .deserialize()
        .collect()
}

/// One of these values, where it is among them.
fn find(
    published: &[Published],
    experiment: &str,
    configuration: &str,
    quantity: &str,
) -> Option<f64> {
    let is_it = |value: &&Published| {
        value.experiment == experiment
            && value.configuration == configuration
            && value.quantity == quantity
    };
    published.iter().find(is_it).map(|value| value.published)
}

/// A published value, where there is one.
pub fn published(
    paper: Paper,
    experiment: &str,
    configuration: &str,
    quantity: &str,
) -> Result<Option<f64>, csv::Error> {
    Ok(find(&all(paper)?, experiment, configuration, quantity))
}

/// Puts published values beside the figures.
pub fn compare(paper: Paper, figures: Vec<Figure>) -> Result<Vec<Row>, csv::Error> {
    let published = all(paper)?;
    let row = |figure: Figure| {
        let quantity = heavier::plain(figure.quantity);
        let value = find(
            &published,
            figure.experiment,
            &figure.configuration,
            quantity,
        );
        Row {
            paper: paper.name(),
            experiment: figure.experiment,
            quantity: figure.quantity,
            predicted: figure.predicted,
            published: value,
            error_percent: value
                .filter(|value| *value != 0.0)
                .map(|value| 100.0 * (figure.predicted / value - 1.0)),
            configuration: figure.configuration,
        }
    };
    Ok(figures.into_iter().map(row).collect())
}

/// A published value with everything that was predicted for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer<'a> {
    pub experiment: &'a str,
    pub configuration: &'a str,
    pub quantity: &'a str,
    pub published: f64,
    pub predicted: f64,
    /// Least and largest prediction, where there are several.
    pub band: Option<(f64, f64)>,
}

impl Answer<'_> {
    /// Of a prediction.
    pub fn error_percent(&self, predicted: f64) -> f64 {
        100.0 * (predicted / self.published - 1.0)
    }
}

/// The published values among the rows, in their order.
pub fn answers(rows: &[Row]) -> Vec<Answer<'_>> {
    let answers = rows.iter().filter_map(|row| answer(row, rows));
    answers.collect()
}

/// `None` if nothing was published for the row, or if it is one end of another's band.
fn answer<'a>(row: &'a Row, rows: &[Row]) -> Option<Answer<'a>> {
    let is_own = |other: &&Row| {
        other.experiment == row.experiment
            && other.configuration == row.configuration
            && whole(other.quantity) == row.quantity
    };
    let predicted: Vec<f64> = rows
        .iter()
        .filter(is_own)
        .map(|other| other.predicted)
        .collect();
    Some(Answer {
        experiment: row.experiment,
        configuration: &row.configuration,
        quantity: row.quantity,
        published: row.published?,
        predicted: row.predicted,
        band: Some(extent(&predicted)?).filter(|_| predicted.len() > 1),
    })
}

/// A quantity without what says which end of a band it is.
fn whole(quantity: &str) -> String {
    let plain = heavier::plain(quantity).to_owned();
    ENDS.into_iter()
        .fold(plain, |text, end| text.replace(end, ""))
}

fn extent(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    let most = values.iter().copied().max_by(f64::total_cmp)?;
    Some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(configuration: &str, quantity: &'static str, predicted: f64) -> Figure {
        Figure {
            experiment: "table 4",
            configuration: configuration.into(),
            quantity,
            predicted,
        }
    }

    #[test]
    fn an_answer_has_all_predictions_of_its_published_value() {
        let figures = vec![
            figure("gtx285 fp", "peak speed (billion GPop/s)", 9.0),
            figure(
                "gtx285 fp",
                "peak speed (billion GPop/s), heavier compiler",
                8.2,
            ),
            figure("hd5750 fp", "peak speed (billion GPop/s)", 1.5),
            figure("hd5750 fp", "peak speed, lower end (billion GPop/s)", 1.0),
            figure("hd5750 fp", "peak speed, upper end (billion GPop/s)", 2.0),
            figure("gtx285 ppcu", "median speed (billion GPop/s)", 12.3),
            figure("gtx285 ppcu", "nothing that was published", 1.0),
        ];
        let rows = compare(Paper::Gpocl, figures).unwrap();
        let answers = answers(&rows);
        let bands: Vec<_> = answers
            .iter()
            .map(|one| (one.predicted, one.band))
            .collect();
        assert_eq!(
            bands,
            [
                (9.0, Some((8.2, 9.0))),
                (1.5, Some((1.0, 2.0))),
                (12.3, None)
            ]
        );
        assert!((answers[0].error_percent(8.2) + 20.0).abs() < 1e-9);
        assert!(answers[2].error_percent(12.3).abs() < 1e-9);
    }
}
