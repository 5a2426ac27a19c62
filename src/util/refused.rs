//! The one form of a refusal: where, what was given, what is allowed.

use std::fmt::Display;

/// Something given that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: given {given}; allowed: {allowed}")]
pub struct Refused {
    /// Where it stands: an option, a field, a file with a line.
    pub place: String,
    /// What was given.
    pub given: String,
    /// What is allowed instead.
    pub allowed: String,
}

impl Refused {
    /// The refusal of `given` at `place`.
    pub fn new(place: impl Display, given: impl Display, allowed: impl Display) -> Self {
        Refused {
            place: place.to_string(),
            given: given.to_string(),
            allowed: allowed.to_string(),
        }
    }

    /// The refusal of a field of a preset.
    pub fn field(name: &str, given: impl Display, allowed: impl Display) -> Self {
        Refused::new(format_args!("field {name}"), given, allowed)
    }

    /// The same inside something larger, named before the place.
    pub fn within(self, outer: impl Display) -> Self {
        Refused {
            place: format!("{outer}, {}", self.place),
            ..self
        }
    }
}
