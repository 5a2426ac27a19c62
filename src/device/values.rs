//! Values of machines of other kinds, by `section.field`: what presets of VLIW GPUs and of cores of CPUs have in common.
//!
//! Leaves out: which values there are, their units. Units: in the files. Sources: in the files.

use super::quantity::Kind;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `{ value = .., low = .., high = .., unit = "..", kind = "..", source = ".." }`; the range belongs to assumed values.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// What the models use.
    pub value: f64,
    /// The least that it may be.
    pub low: Option<f64>,
    /// The most that it may be.
    pub high: Option<f64>,
    /// The unit of all three.
    pub unit: String,
    /// Where it comes from.
    pub kind: Kind,
    /// The same in words.
    pub source: String,
}

/// By section, then by field, as a file has them.
pub type Sections = BTreeMap<String, BTreeMap<String, Value>>;

/// What is given and what is allowed where an assumed value has no range.
pub const WITHOUT_RANGE: [&str; 2] = ["an assumed value without a range", "low and high beside it"];

impl Value {
    /// The least and the most that it may be; the value itself where it is known.
    pub fn range(&self) -> (f64, f64) {
        (
            self.low.unwrap_or(self.value),
            self.high.unwrap_or(self.value),
        )
    }

    /// A number that lies in its range.
    pub fn is_in_range(&self) -> bool {
        let (low, high) = self.range();
        self.value.is_finite() && self.value >= low && self.value <= high
    }

    /// An assumed value must have one.
    pub fn lacks_range(&self) -> bool {
        self.kind == Kind::Assumed && (self.low.is_none() || self.high.is_none())
    }
}

/// By `section.field`.
pub fn by_key(sections: Sections) -> BTreeMap<String, Value> {
    let values = sections.into_iter().flat_map(|(section, values)| {
        let key = move |field| format!("{section}.{field}");
        values
            .into_iter()
            .map(move |(field, value)| (key(field), value))
    });
    values.collect()
}

/// The text of the preset of this name among those in the binary.
pub fn text_of(builtin: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let found = builtin.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

/// A file's mistake in one line.
pub fn message(text: &str, error: &toml::de::Error) -> String {
    let line = crate::util::input::toml_line(text, error);
    format!("line {line}: {}", error.message().replace('\n', " "))
}
