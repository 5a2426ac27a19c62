//! Machines whose values are all numbers: a struct and its list of fields in one declaration, a preset as its entries.
//!
//! Leaves out: what a file looks like (`table.rs`). Units: those of the fields.

use super::load::DeviceError;
use super::table::{Allowed, Entry, Field, PresetFile, check_ranges};
use crate::util::band::Band;
use crate::util::refused::Refused;

/// A machine whose values are all numbers: see `numbers!`.
pub trait Numbers: Copy {
    const FIELDS: &'static [Field];

    fn read(entries: &[Entry]) -> Result<Self, Refused>;

    /// Returns the machine with one value changed; `field` is its name without the section.
    fn with(self, field: &str, value: f64) -> Self;
}

/// The allowed range of a machine's numbers.
pub const NOT_NEGATIVE: Allowed = (0.0, 1e12);

/// A struct of numbers, each of which is a field of a preset: section, name, unit and title.
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
                    title: $title,
                    form: <f64 as $crate::device::table::FieldValue>::form,
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

/// A machine whose values are all numbers, and where they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Sourced<T> {
    /// On the command line.
    pub name: String,
    /// On the box.
    pub title: String,
    pub machine: T,
    /// One for each field, in the order of the list.
    pub entries: Vec<Entry>,
}

impl<T: Numbers> Sourced<T> {
    /// `file` is used in messages only.
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

    /// A result with the machine's ranges as causes of a band.
    pub fn band(&self, of: impl Fn(&T) -> f64) -> Band {
        let ends = self.entries.iter().filter_map(|entry| {
            let (low, high) = entry.range?;
            Some([low, high].map(|end| of(&self.machine.with(&entry.field, end))))
        });
        Band::of(of(&self.machine), ends)
    }
}
