//! The preset of a card as a file: values that were found in place of the template's.
//!
//! Leaves out: what is found (`infer`). Units: those of the fields.

use super::infer::{Found, rules};
use super::readings::Readings;
use crate::device::table::Entry;
use crate::device::{DeviceError, Kind, Preset};
use crate::isa::Arch;
use std::fmt::Write;

/// Documented values of every card with probes, and assumed ones with their ranges.
const TEMPLATE: &str = include_str!("../../../fixtures/probes/template.toml");

/// Returns the preset that follows from readings, under a name, and its file.
pub fn preset(readings: &Readings, name: &str) -> Result<(Preset, String), DeviceError> {
    let mut preset = Preset::from_toml(TEMPLATE, "template.toml")?;
    for (key, rule) in rules() {
        let entry = preset.entries.iter_mut().find(|entry| entry.key() == *key);
        if let (Some(entry), Some(found)) = (entry, rule(readings)) {
            replace(entry, found);
        }
    }
    for entry in &mut preset.entries {
        if entry.kind == Kind::Assumed {
            entry.source = format!("not measured here: {}", entry.source);
        }
    }
    // The file is read as any other, with all its checks.
    let head = head(readings, name);
    let text = text(&head, &preset.entries);
    Ok((Preset::from_toml(&text, &format!("{name}.toml"))?, text))
}

fn replace(entry: &mut Entry, found: Found) {
    entry.value = found.value;
    entry.kind = found.kind;
    entry.source = found.source;
    entry.range = None;
}

/// Returns the section `device`.
fn head(readings: &Readings, name: &str) -> String {
    let capability = readings.fact("compute_capability").unwrap_or(0.0) as i32;
    let (major, minor) = (capability / 10, capability % 10);
    let code = Arch::for_gpu((major, minor));
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    format!(
        "[device]\nname = {}\ntitle = {}\ncompute_capability = \"{major}.{minor}\"\ncode = \"{code}\"\nvalidated = \"never\"\n",
        quoted(name),
        quoted(&readings.card),
    )
}

/// Returns the text of a file with these entries, a section after the other.
fn text(head: &str, entries: &[Entry]) -> String {
    let mut text = head.to_owned();
    let mut section = "";
    for entry in entries {
        if entry.section != section {
            section = &entry.section;
            let _ = write!(text, "\n[{section}]\n");
        }
        let range = match entry.range {
            Some((low, high)) => format!(", low = {low:?}, high = {high:?}"),
            None => String::new(),
        };
        let source = toml::Value::String(entry.source.clone());
        let _ = writeln!(
            text,
            "{} = {{ value = {}{range}, unit = \"{}\", kind = \"{}\", source = {source} }}",
            entry.field,
            entry.value,
            entry.unit,
            entry.kind.name()
        );
    }
    text
}
