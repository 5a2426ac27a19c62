//! Machines with numeric values only: a struct and its list of fields in one declaration, a preset as its entries.
//!
//! Leaves out: the file format (`table.rs`).
//! Units: those of the fields.

use super::load::DeviceError;
use super::table::{Allowed, Entry, Field, PresetFile, check_ranges};
use crate::util::band::Band;
use crate::util::refused::Refused;

/// A machine with numeric values only: see `numbers!`.
pub trait Numbers: Copy {
    const FIELDS: &'static [Field];

    fn read(entries: &[Entry]) -> Result<Self, Refused>;

    /// Returns the machine with one value changed; `field` is its name without the section.
    fn with(self, field: &str, value: f64) -> Self;
}

/// Allowed range of a machine's numbers.
pub const NOT_NEGATIVE: Allowed = (0.0, 1e12);

/// Declares a struct of numbers, each a field of a preset: section, name, unit and description.
macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident, $readers:expr;
        $($section:ident { $($field:ident $unit:literal, $title:literal;)+ })+
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name { $($(#[doc = $title] pub $field: f64,)+)+ }

        impl $crate::device::numbers::Numbers for $name {
            const FIELDS: &'static [$crate::device::table::Field] = &[$($(
                $crate::device::table::Field {
                    section: stringify!($section),
                    name: stringify!($field),
                    unit: $unit,
                    allowed: $crate::device::numbers::NOT_NEGATIVE,
                    readers: $readers,
                    neutral: || None,
                    conditions: &[],
                },
            )+)+];

            fn read(
                entries: &[$crate::device::table::Entry],
            ) -> Result<Self, $crate::util::refused::Refused> {
                Ok($name { $($(
                    $field: $crate::device::table::get(
                        entries, stringify!($section), stringify!($field),
                    )?,
                )+)+ })
            }

            fn with(mut self, field: &str, value: f64) -> Self {
                $($(if field == stringify!($field) { self.$field = value; })+)+
                self
            }
        }
    };
}
pub(crate) use numbers;

/// A machine with numeric values only, and their sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Sourced<T> {
    /// Name on the command line.
    pub name: String,
    /// Product name.
    pub title: String,
    pub machine: T,
    /// Entries of all fields, in the order of the list.
    pub entries: Vec<Entry>,
}

impl<T: Numbers> Sourced<T> {
    /// Parses a preset; `file` is used in messages only.
    pub fn parse(text: &str, file: &str) -> Result<Self, DeviceError> {
        let parsed = PresetFile::parse(text, file, T::FIELDS)?;
        Sourced::of(parsed).map_err(|error| DeviceError::in_file(file, error))
    }

    fn of(mut file: PresetFile) -> Result<Self, Refused> {
        let (name, title) = (file.identity("name")?, file.identity("title")?);
        let entries = file.into_entries()?;
        check_ranges(&entries)?;
        Ok(Sourced {
            name,
            title,
            machine: T::read(&entries)?,
            entries,
        })
    }

    /// Computes a result and its band over the ranges of the machine's values.
    pub fn band(&self, of: impl Fn(&T) -> f64) -> Band {
        let ends = self.entries.iter().filter_map(|entry| {
            let (low, high) = entry.range?;
            Some([low, high].map(|end| of(&self.machine.with(&entry.field, end))))
        });
        Band::of(of(&self.machine), ends)
    }
}
