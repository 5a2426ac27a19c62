//! Presets as flat tables: every value by section and field, with unit, kind, source and range.
//!
//! One reader for GPUs, VLIW machines and the papers' hosts. A machine lists its fields ([`Field`]); [`PresetFile`]
//! checks a file against the list, and [`get`] returns a value as the type that the models use.
//!
//! Leaves out: relations between values (`parts/`).
//! Units: part of the file; each must be the one that the field expects.

use super::ledger::{Condition, Reader};
use super::load::DeviceError;
use super::policy::choice;
use crate::util::refused::Refused;

choice! {
    /// Origin of a value.
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    Kind {
        /// Published by the vendor, or in a datasheet.
        Documented = "documented",
        /// Measured, possibly on a sibling chip; the source names the chip.
        Measured = "measured",
        /// Computed or chosen from documented and measured values; the source describes how.
        Derived = "derived",
        /// Unknown: a value from the range that the source gives.
        Assumed = "assumed",
        /// Chosen so that predictions match measurements; the source names the cells.
        Fitted = "fitted",
    }
}

/// Smallest and largest allowed number of a value.
pub type Allowed = (f64, f64);

/// No limit: for values that are not numbers.
pub const ANY: Allowed = (f64::NEG_INFINITY, f64::INFINITY);

/// Required value of a preset.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub section: &'static str,
    pub name: &'static str,
    pub unit: &'static str,
    pub allowed: Allowed,
    /// Parts of the program whose results depend on it.
    pub readers: &'static [Reader],
    /// Value of machines without the mechanism, whose files may leave the field out; `None` if none may.
    pub neutral: fn() -> Option<toml::Value>,
    /// Conditions under which it takes effect.
    pub conditions: &'static [&'static Condition],
}

/// Entry `{ value = .., low = .., high = .., unit = "..", kind = "..", source = ".." }` of a preset. `low` and `high` come in
/// pairs: the range in which the true value lies.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub section: String,
    pub field: String,
    pub value: toml::Value,
    pub range: Option<(f64, f64)>,
    pub unit: String,
    pub kind: Kind,
    pub source: String,
    /// Parts of the program whose results depend on it; none for a reference.
    pub readers: &'static [Reader],
    /// Smallest and largest allowed number.
    pub allowed: Allowed,
}

/// Type of a preset value.
pub trait FieldValue: Sized {
    /// Describes the form in a file, for messages.
    fn form() -> String;
    /// Converts a value; `None` if it has another form.
    fn of(value: &toml::Value) -> Option<Self>;
}

macro_rules! plain_value {
    ($($ty:ty: $form:literal, $of:expr;)+) => { $(
        impl FieldValue for $ty {
            fn form() -> String {
                $form.into()
            }
            fn of(value: &toml::Value) -> Option<Self> {
                let of: fn(&toml::Value) -> Option<Self> = $of;
                of(value)
            }
        }
    )+ };
}

plain_value! {
    u32: "a whole number", |value| u32::try_from(value.as_integer()?).ok();
    f64: "a number", |value| value.as_float().or(value.as_integer().map(|whole| whole as f64));
    bool: "true or false", toml::Value::as_bool;
    String: "a text", |value| value.as_str().map(str::to_owned);
    toml::Table: "a table", |value| value.as_table().cloned();
    toml::Value: "a value", |value| Some(value.clone());
}

impl<T: FieldValue> FieldValue for Vec<T> {
    fn form() -> String {
        format!("a list, each {}", T::form())
    }
    fn of(value: &toml::Value) -> Option<Self> {
        value.as_array()?.iter().map(T::of).collect()
    }
}

/// Returns the whole numbers of a table with exactly these fields.
pub(super) fn record<const N: usize>(value: &toml::Value, names: [&str; N]) -> Option<[u32; N]> {
    let table = value.as_table().filter(|table| table.len() == N)?;
    let mut numbers = [0; N];
    for (number, name) in numbers.iter_mut().zip(names) {
        *number = u32::of(table.get(name)?)?;
    }
    Some(numbers)
}

/// Removes a field from a table of the file; `path` is the table's name.
fn take<T: FieldValue>(table: &mut toml::Table, path: &str, name: &str) -> Result<T, Refused> {
    let field = match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
    let Some(value) = table.remove(name) else {
        return Err(Refused::field(&field, "nothing", T::form()));
    };
    T::of(&value).ok_or_else(|| Refused::field(&field, value, T::form()))
}

fn take_optional<T: FieldValue>(
    table: &mut toml::Table,
    path: &str,
    name: &str,
) -> Result<Option<T>, Refused> {
    let is_there = table.contains_key(name);
    is_there.then(|| take(table, path, name)).transpose()
}

/// Refuses a table with fields left over.
fn refuse_rest(table: &toml::Table, path: &str, allowed: &str) -> Result<(), Refused> {
    match table.keys().next() {
        Some(name) => Err(Refused::field(
            &format!("{path}.{name}"),
            "a field that nothing reads",
            allowed,
        )),
        None => Ok(()),
    }
}

/// Name of sections whose values nothing reads: any name, unit and type is allowed in them.
const REFERENCE: &str = "reference";

/// A file checked against a list of fields.
#[derive(Debug)]
pub struct PresetFile {
    /// The section `device`, whose fields are plain: name, title and the like.
    identity: toml::Table,
    /// Entries in the order of the list, references last.
    pub entries: Vec<Entry>,
}

impl PresetFile {
    /// Parses a file; `file` is used in messages only.
    pub fn parse(text: &str, file: &str, fields: &[Field]) -> Result<Self, DeviceError> {
        let table = text.parse().map_err(|error| DeviceError::Parse {
            file: file.to_owned(),
            line: crate::util::input::toml_line(text, &error),
            message: error.message().replace('\n', " "),
        })?;
        PresetFile::of(table, fields).map_err(|error| DeviceError::in_file(file, error))
    }

    pub fn of(mut file: toml::Table, fields: &[Field]) -> Result<Self, Refused> {
        let identity = take(&mut file, "", "device")?;
        let mut found = Vec::new();
        let mut sections = Vec::new();
        let references: Option<toml::Table> = take_optional(&mut file, "", REFERENCE)?;
        for (section, content) in references.into_iter().flatten() {
            sections.push((format!("{REFERENCE}.{section}"), content));
        }
        sections.extend(file);
        for (section, content) in sections {
            let Some(content) = toml::Table::of(&content) else {
                return Err(Refused::field(&section, content, "a section of values"));
            };
            for (field, value) in content {
                found.push(Entry::of(&section, &field, &value)?);
            }
        }
        let mut entries = Vec::with_capacity(found.len());
        for field in fields {
            let given = found.iter().position(|entry| field.is(entry));
            let entry = match given {
                Some(at) => Some(field.checked(found.remove(at))?),
                None => field.absent(),
            };
            entries.extend(entry);
        }
        if let Some(unknown) = found.iter().find(|entry| !entry.is_reference()) {
            let section = &unknown.section;
            return Err(Refused::field(
                &unknown.key(),
                "a value that nothing reads",
                format!("the values of other presets, or the section {REFERENCE}.{section}"),
            ));
        }
        entries.extend(found);
        Ok(PresetFile { identity, entries })
    }

    /// Takes a field of the section `device`.
    pub fn identity<T: FieldValue>(&mut self, name: &str) -> Result<T, Refused> {
        take(&mut self.identity, "device", name)
    }

    /// Takes an optional field of the section `device`.
    pub fn identity_optional<T: FieldValue>(&mut self, name: &str) -> Result<Option<T>, Refused> {
        take_optional(&mut self.identity, "device", name)
    }

    /// Returns all values, once every field of the section `device` has been taken.
    pub fn into_entries(self) -> Result<Vec<Entry>, Refused> {
        refuse_rest(&self.identity, "device", "the fields of other presets")?;
        Ok(self.entries)
    }
}

impl Field {
    /// Returns `section.name`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    fn is(&self, entry: &Entry) -> bool {
        self.name == entry.field && self.section == entry.section
    }

    /// Returns the entry of a machine whose file leaves the field out, if it may.
    fn absent(&self) -> Option<Entry> {
        Some(Entry {
            section: self.section.to_owned(),
            field: self.name.to_owned(),
            value: (self.neutral)()?,
            range: None,
            unit: self.unit.to_owned(),
            kind: Kind::Derived,
            source: "not in the file: the machine has no such mechanism".to_owned(),
            readers: self.readers,
            allowed: self.allowed,
        })
    }

    /// Returns the entry with its readers, after checking unit and range.
    fn checked(&self, entry: Entry) -> Result<Entry, Refused> {
        if entry.unit != self.unit {
            return Err(Refused::field(
                &format!("{}.unit", self.key()),
                format!("\"{}\"", entry.unit),
                format!("\"{}\"", self.unit),
            ));
        }
        let entry = Entry {
            readers: self.readers,
            allowed: self.allowed,
            ..entry
        };
        entry.check()?;
        Ok(entry)
    }
}

impl Entry {
    fn of(section: &str, field: &str, value: &toml::Value) -> Result<Entry, Refused> {
        let key = format!("{section}.{field}");
        let form = "{ value, unit, kind, source }, and low and high for a range";
        let mut parts = toml::Table::of(value).ok_or_else(|| Refused::field(&key, value, form))?;
        let low = take_optional(&mut parts, &key, "low")?;
        let range = match (low, take_optional(&mut parts, &key, "high")?) {
            (Some(low), Some(high)) => Some((low, high)),
            (None, None) => None,
            _ => return Err(Refused::field(&key, value, form)),
        };
        let entry = Entry {
            section: section.to_owned(),
            field: field.to_owned(),
            value: take(&mut parts, &key, "value")?,
            range,
            unit: take(&mut parts, &key, "unit")?,
            kind: take(&mut parts, &key, "kind")?,
            source: take(&mut parts, &key, "source")?,
            readers: &[],
            allowed: ANY,
        };
        refuse_rest(&parts, &key, form)?;
        if entry.source.trim().is_empty() {
            let allowed = "where the value comes from";
            let field = format!("{key}.source");
            return Err(Refused::field(&field, "an empty text", allowed));
        }
        Ok(entry)
    }

    /// Returns `section.field`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.section, self.field)
    }

    /// Tells whether the value is a reference, which nothing reads.
    pub fn is_reference(&self) -> bool {
        self.section.starts_with(REFERENCE)
    }

    /// Returns the value, if it is a number.
    pub fn number(&self) -> Option<f64> {
        f64::of(&self.value)
    }

    /// Returns the bounds of the true value: the value itself if it is known.
    pub fn ends(&self) -> (f64, f64) {
        let value = self.number().unwrap_or_default();
        self.range.unwrap_or((value, value))
    }

    /// Checks that every number is allowed and lies in its own range.
    pub fn check(&self) -> Result<(), Refused> {
        let (low, high) = self.allowed;
        for number in numbers_in(&self.value) {
            if !(low..=high).contains(&number) {
                return Err(Refused::field(
                    &self.key(),
                    number,
                    format!("{low} to {high}"),
                ));
            }
        }
        match (self.range, self.number()) {
            (Some((low, high)), Some(number)) if !(low..=high).contains(&number) => {
                let allowed = format!("{low} to {high}, its own range");
                Err(Refused::field(&self.key(), number, allowed))
            }
            _ => Ok(()),
        }
    }

    /// Formats the value for lists.
    pub fn shown(&self) -> String {
        match self.range {
            Some((low, high)) => format!("{} ({low} to {high})", shown(&self.value)),
            None => shown(&self.value),
        }
    }
}

/// All numbers in a value.
fn numbers_in(value: &toml::Value) -> Vec<f64> {
    match value {
        toml::Value::Integer(number) => vec![*number as f64],
        toml::Value::Float(number) => vec![*number],
        toml::Value::Array(items) => items.iter().flat_map(numbers_in).collect(),
        toml::Value::Table(fields) => fields.values().flat_map(numbers_in).collect(),
        _ => Vec::new(),
    }
}

fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::Boolean(true) => "yes".into(),
        toml::Value::Boolean(false) => "no".into(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        toml::Value::Table(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name} {}", shown(value)));
            fields.collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

/// Finds the entry of a field.
pub fn find<'a>(entries: &'a [Entry], section: &str, field: &str) -> Option<&'a Entry> {
    let is_meant = |entry: &&Entry| entry.field == field && entry.section == section;
    entries.iter().find(is_meant)
}

/// Returns the value of a field.
pub fn get<T: FieldValue>(entries: &[Entry], section: &str, field: &str) -> Result<T, Refused> {
    let wrong = |given: String| {
        let field = format!("{section}.{field}");
        Refused::field(&field, given, T::form())
    };
    match find(entries, section, field) {
        Some(entry) => T::of(&entry.value).ok_or_else(|| wrong(entry.value.to_string())),
        None => Err(wrong("nothing".into())),
    }
}

/// Refuses an assumed value without a range: for machines whose predictions are bands.
pub fn check_ranges(entries: &[Entry]) -> Result<(), Refused> {
    let lacks_range = |entry: &&Entry| entry.kind == Kind::Assumed && entry.range.is_none();
    match entries.iter().find(lacks_range) {
        Some(entry) => Err(Refused::field(
            &entry.key(),
            "an assumed value without a range",
            "low and high beside it",
        )),
        None => Ok(()),
    }
}
