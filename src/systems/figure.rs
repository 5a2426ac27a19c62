//! A predicted figure of a paper, and the id that it has if the paper published it.

use super::{gpocl, langdon, robilliard};
use crate::util::band::Band;

/// The id of a figure that a paper may have published; the text of an id is in `fixtures/papers/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Id {
    Langdon(langdon::published::Published),
    Gpocl(gpocl::published::Published),
    Robilliard(robilliard::published::Published),
}

/// See the module text.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `None` of what no paper publishes, and on devices that are not the paper's.
    pub id: Option<Id>,
    /// Where in the paper.
    pub experiment: &'static str,
    /// The device first.
    pub configuration: String,
    /// With its unit.
    pub quantity: &'static str,
    /// The primary reading, and the range of all readings: ends of a band, chips of a card, compilers.
    pub predicted: Band,
}

impl Figure {
    /// A figure without an id.
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
