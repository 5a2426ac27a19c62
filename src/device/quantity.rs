//! One value of a device file, with its unit, kind and source, and the checks it must pass.
//!
//! Leaves out: relations between values (`checks.rs`).
//! Units: the unit is part of the file and must be the one that the field expects.

use super::ledger::Reader;
use serde::{Deserialize, Serialize};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Printed by the vendor, or a datasheet.
    Documented,
    /// Measured by somebody, possibly on a sibling chip; the source says on which.
    Measured,
    /// Computed or chosen from documented and measured values; the source says how.
    Derived,
    /// Not known: a value out of the range that the source gives.
    Assumed,
    /// Chosen so that predictions meet measurements; the source says on which cells.
    Fitted,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Documented => "documented",
            Kind::Measured => "measured",
            Kind::Derived => "derived",
            Kind::Assumed => "assumed",
            Kind::Fitted => "fitted",
        }
    }
}

/// `{ value = .., unit = "..", kind = "..", source = ".." }` in a device file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantity<T> {
    pub value: T,
    pub unit: String,
    pub kind: Kind,
    pub source: String,
}

/// A value as people read it, for lists of what a preset holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    pub section: String,
    pub field: String,
    pub value: String,
    pub unit: String,
    pub kind: Kind,
    pub source: String,
    /// Whose results depend on it; nobody's: a reference.
    pub readers: &'static [Reader],
    /// The least and the most that a number in it may be.
    #[serde(skip)]
    pub allowed: Allowed,
}

impl Entry {
    /// `section.field`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.section, self.field)
    }
}

/// A field whose content is not allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("field {field}: given {given}; allowed: {allowed}")]
pub struct FieldError {
    pub field: String,
    pub given: String,
    pub allowed: String,
}

/// What a number may be; [`ANY`] for fields that are not numbers.
pub type Allowed = (f64, f64);

/// No limit on the value.
pub const ANY: Allowed = (f64::NEG_INFINITY, f64::INFINITY);

/// A value that a device file can hold.
pub trait FieldValue {
    /// The numbers in it that must lie in the allowed range.
    fn numbers(&self) -> Vec<f64>;
    /// As printed in lists.
    fn show(&self) -> String;
}

macro_rules! number_value {
    ($($ty:ty),*) => { $(
        impl FieldValue for $ty {
            fn numbers(&self) -> Vec<f64> { vec![*self as f64] }
            fn show(&self) -> String { self.to_string() }
        }
    )* };
}
number_value!(u32, u64, f64);

impl FieldValue for bool {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
    fn show(&self) -> String {
        if *self { "yes" } else { "no" }.into()
    }
}

impl FieldValue for String {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
    fn show(&self) -> String {
        self.clone()
    }
}

impl FieldValue for toml::Value {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
    fn show(&self) -> String {
        match self {
            toml::Value::Boolean(value) => value.show(),
            toml::Value::String(value) => value.clone(),
            other => other.to_string(),
        }
    }
}

impl<T: FieldValue> FieldValue for Vec<T> {
    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(FieldValue::numbers).collect()
    }
    fn show(&self) -> String {
        let items: Vec<String> = self.iter().map(FieldValue::show).collect();
        items.join(", ")
    }
}

impl<T: FieldValue> Quantity<T> {
    /// The plain value, after checking unit, source and range; notes it in `entries`.
    pub fn check(
        self,
        section: &'static str,
        field: &'static str,
        unit: &'static str,
        allowed: Allowed,
        readers: &'static [Reader],
        entries: &mut Vec<Entry>,
    ) -> Result<T, FieldError> {
        let error = |what: &str, given: String, allowed: String| FieldError {
            field: format!("{section}.{field}{what}"),
            given,
            allowed,
        };
        if self.unit != unit {
            return Err(error(
                ".unit",
                format!("\"{}\"", self.unit),
                format!("\"{unit}\""),
            ));
        }
        self.check_source(section, field)?;
        let (low, high) = allowed;
        for number in self.value.numbers() {
            if !(low..=high).contains(&number) {
                return Err(error("", number.to_string(), format!("{low} to {high}")));
            }
        }
        entries.push(Entry {
            section: section.into(),
            field: field.into(),
            value: self.value.show(),
            unit: unit.into(),
            kind: self.kind,
            source: self.source,
            readers,
            allowed,
        });
        Ok(self.value)
    }

    /// A value that nothing reads: of any name, unit and type.
    pub fn reference(self, section: &str, field: &str) -> Result<Entry, FieldError> {
        self.check_source(section, field)?;
        Ok(Entry {
            section: section.into(),
            field: field.into(),
            value: self.value.show(),
            unit: self.unit,
            kind: self.kind,
            source: self.source,
            readers: &[],
            allowed: ANY,
        })
    }

    fn check_source(&self, section: &str, field: &str) -> Result<(), FieldError> {
        if !self.source.trim().is_empty() {
            return Ok(());
        }
        Err(FieldError {
            field: format!("{section}.{field}.source"),
            given: "an empty text".into(),
            allowed: "where the value comes from".into(),
        })
    }
}
