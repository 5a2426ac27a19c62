//! What the other papers published, beside what was predicted.
//!
//! Leaves out: how a figure was predicted (`papers`). Units: in the quantities' names.
//! Source: `fixtures/papers/`, each value with its place in the paper.

use crate::papers::figure::Figure;
use crate::papers::heavier;
use serde::{Deserialize, Serialize};

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

/// Puts published values beside the figures.
pub fn compare(paper: Paper, figures: Vec<Figure>) -> Result<Vec<Row>, csv::Error> {
    let published = csv::Reader::from_reader(paper.published().as_bytes())
        .deserialize()
        .collect::<Result<Vec<Published>, _>>()?;
    let row = |figure: Figure| {
        let same = |value: &&Published| {
            value.experiment == figure.experiment
                && value.configuration == figure.configuration
                && value.quantity == heavier::plain(figure.quantity)
        };
        let value = published.iter().find(same).map(|value| value.published);
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
