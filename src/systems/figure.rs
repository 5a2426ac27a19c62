//! A predicted figure of a paper, with its id if the paper published it.

use super::{gpocl, langdon, robilliard};
use crate::util::band::Band;

/// Id of a figure that a paper may have published; its text is in `fixtures/papers/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Id {
    Langdon(langdon::published::Published),
    Gpocl(gpocl::published::Published),
    Robilliard(robilliard::published::Published),
}

/// A predicted figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `None` for figures that no paper publishes, and on devices other than the paper's.
    pub id: Option<Id>,
    /// Table, figure or section of the paper.
    pub experiment: &'static str,
    /// Configuration, with the device first.
    pub configuration: String,
    /// Name of the quantity, with its unit.
    pub quantity: &'static str,
    /// The primary reading, and the range of all readings: ends of a band, chips of a card, compilers.
    pub predicted: Band,
}

impl Figure {
    /// Makes a figure without an id.
    pub fn new(
        experiment: &'static str,
        configuration: impl Into<String>,
        quantity: &'static str,
        predicted: impl Into<Band>,
    ) -> Self {
        Figure {
            id: None,
            experiment,
            configuration: configuration.into(),
            quantity,
            predicted: predicted.into(),
        }
    }

    /// Returns the figure with an id.
    pub fn of(self, id: Option<Id>) -> Self {
        Figure { id, ..self }
    }
}
