//! The one form of a refusal: the place, the value given, the values allowed.

use std::fmt::Display;

/// A refused value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: given {given}; allowed: {allowed}")]
pub struct Refused {
    /// Place of the value: an option, a field, a file with a line.
    pub place: String,
    /// Value that was given.
    pub given: String,
    /// Values that are allowed instead.
    pub allowed: String,
}

impl Refused {
    /// Returns the refusal of `given` at `place`.
    pub fn new(place: impl Display, given: impl Display, allowed: impl Display) -> Self {
        Refused {
            place: place.to_string(),
            given: given.to_string(),
            allowed: allowed.to_string(),
        }
    }

    /// Returns the refusal of a field of a preset.
    pub fn field(name: &str, given: impl Display, allowed: impl Display) -> Self {
        Refused::new(format_args!("field {name}"), given, allowed)
    }

    /// Returns this refusal with `outer`, the enclosing place, named before its own.
    pub fn within(self, outer: impl Display) -> Self {
        Refused {
            place: format!("{outer}, {}", self.place),
            ..self
        }
    }
}
