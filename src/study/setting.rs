//! The settings that a study can change: the launch, and every value of the device's preset.
//!
//! Finds a key by name, applies a value, checks the changed preset as if it were a file.
//! Leaves out: whether a kernel exists and a block fits; the model checks that.
//! Units: those of the preset's fields. Sources: `device/parts/` for the fields.

use super::StudyError;
use crate::device::table::find;
use crate::device::{Device, DeviceError, Entry, Kind, Preset, Reader, ledger};
use crate::systems::options::{LaunchOptions, Size};

/// Setting that a study varies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    Problem,
    Kernel,
    Size(Size),
    /// A field of the preset: section and name.
    Field(String, String),
}

/// Type of a setting's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Whole,
    Number,
    Truth,
    Text,
}

impl Type {
    /// Describes the allowed values, for messages.
    pub fn allowed(self) -> &'static str {
        match self {
            Type::Whole => "a whole number, with K, M or G for multiples of 1024",
            Type::Number => "a number",
            Type::Truth => "true, false",
            Type::Text => "a name",
        }
    }
}

/// Names of launch settings.
fn launch_keys() -> impl Iterator<Item = (&'static str, Key, Type)> {
    let names = [
        ("problem", Key::Problem, Type::Text),
        ("kernel", Key::Kernel, Type::Text),
    ];
    let sizes = Size::ALL
        .iter()
        .map(|&size| (size.name(), Key::Size(size), Type::Whole));
    names.into_iter().chain(sizes)
}

/// Short names of the fields that are varied most.
const SHORT: [(&str, &str); 8] = [
    ("clock", "chip.clock_mhz"),
    ("smx", "chip.n_smx"),
    ("schedulers", "issue.n_schedulers"),
    ("registers", "limits.registers_per_smx"),
    ("l2_bytes", "l2.bytes"),
    ("l2_latency", "l2.hit_latency_cycles"),
    ("dram_bandwidth", "dram.bandwidth_gb_per_s"),
    ("dram_latency", "dram.latency_cycles"),
];

impl Key {
    /// The name in results.
    pub fn name(&self) -> String {
        match self {
            Key::Field(section, field) => format!("{section}.{field}"),
            Key::Problem => "problem".to_owned(),
            Key::Kernel => "kernel".to_owned(),
            Key::Size(size) => size.name().to_owned(),
        }
    }

    /// Whether its values are a column of their own in results: all but what every launch has.
    pub fn is_extra(&self) -> bool {
        matches!(
            self,
            Key::Field(..)
                | Key::Size(
                    Size::CaseBlocks | Size::Population | Size::Cases | Size::ThreadsPerProgram
                )
        )
    }

    /// Ranges of sizes and threads double.
    pub fn doubles(&self) -> bool {
        match self {
            Key::Size(size) => {
                matches!(size, Size::Threads | Size::L1Kib | Size::ThreadsPerProgram)
            }
            Key::Field(_, field) => field.ends_with("bytes"),
            _ => false,
        }
    }
}

/// The preset that a study starts from, whose fields can be changed.
#[derive(Debug, Clone)]
pub struct Base {
    pub device: Device,
    preset: Preset,
    name: String,
}

/// One combination: a device and a launch.
#[derive(Debug, Clone)]
pub struct Site {
    pub device: Device,
    pub options: LaunchOptions,
}

impl Base {
    /// Loads a base by name or path.
    pub fn load(name_or_path: &str) -> Result<Base, StudyError> {
        Ok(Base::of(Preset::load(name_or_path)?, name_or_path))
    }

    /// Returns the base of a preset that was read from `name`.
    pub fn of(preset: Preset, name: &str) -> Base {
        Base {
            device: preset.device.clone(),
            preset,
            name: name.to_owned(),
        }
    }

    /// The preset in the program.
    pub fn gtx670() -> Result<Base, StudyError> {
        Base::load("gtx670")
    }

    /// A key and the type of its values: a launch setting, a short name, `section.field`, or a field's name that
    /// occurs in one section only.
    pub fn key(&self, name: &str) -> Result<(Key, Type), StudyError> {
        // As options are written, too.
        let name = &name.replace('-', "_");
        // A part of its name is another thing's.
        if name == "l1_bytes" {
            let allowed = "l1 (in KiB), or instruction_cache.l1_bytes";
            return Err(StudyError::input("key", name, allowed));
        }
        if let Some((_, key, ty)) = launch_keys().find(|(known, _, _)| *known == name) {
            return Ok((key, ty));
        }
        let short = SHORT.iter().find(|(known, _)| *known == name);
        let name = short.map_or(name.as_str(), |(_, full)| full);
        let found: Vec<(Key, Type)> = self
            .fields()
            .filter(|(section, field, _)| {
                field == name || name.rsplit_once('.') == Some((section.as_str(), field.as_str()))
            })
            .map(|(section, field, ty)| (Key::Field(section, field), ty))
            .collect();
        match &found[..] {
            [one] => Ok(one.clone()),
            [] => self
                .reference(name)
                .ok_or_else(|| StudyError::input("key", name, self.allowed(&[]))),
            several => Err(StudyError::input("key", name, self.allowed(several))),
        }
    }

    /// A key that names a value kept as a reference: found so that it can be refused with the reason.
    fn reference(&self, name: &str) -> Option<(Key, Type)> {
        let is_meant = |entry: &&Entry| {
            let key = entry.key();
            key == name || key.strip_prefix("reference.") == Some(name) || entry.field == name
        };
        let mut found = self
            .preset
            .entries
            .iter()
            .filter(|entry| entry.readers.is_empty())
            .filter(is_meant);
        let entry = found.next()?;
        let key = Key::Field(entry.section.clone(), entry.field.clone());
        Some((key, Type::Number))
    }

    /// Refuses a field of the preset whose change `engine` would not notice, alone or with the other keys of `varied`.
    pub fn check_read(&self, key: &Key, engine: Reader, varied: &[&Key]) -> Result<(), StudyError> {
        let name = key.name();
        let Some(entry) = self.preset.entries.iter().find(|entry| entry.key() == name) else {
            return Ok(());
        };
        let unread = |why: String| StudyError::Unread {
            key: name.trim_start_matches("reference.").to_owned(),
            engine: option_of(engine),
            reader: engine.name(),
            why,
        };
        if entry.readers.is_empty() {
            return Err(unread(
                "nothing reads this one, it is kept as a reference".into(),
            ));
        }
        if !entry.readers.iter().any(|reader| reader.serves(engine)) {
            let engines: Vec<&str> = entry
                .readers
                .iter()
                .map(|&reader| option_of(reader))
                .collect();
            return Err(unread(format!(
                "--engine {} reads this one",
                engines.join(" and ")
            )));
        }
        let is_decided = |condition: &ledger::Condition| {
            varied
                .iter()
                .any(|other| condition.is_decided_by(&other.name()))
        };
        match ledger::idle(&self.device, &name) {
            Some(condition) if !is_decided(condition) => {
                let because = condition.because;
                Err(unread(format!(
                    "on this device nothing reads this one: {because}"
                )))
            }
            _ => Ok(()),
        }
    }

    fn allowed(&self, several: &[(Key, Type)]) -> String {
        let names: Vec<String> = several.iter().map(|(key, _)| key.name()).collect();
        if !names.is_empty() {
            return names.join(", ");
        }
        let launch: Vec<&str> = launch_keys().map(|(name, _, _)| name).collect();
        let short: Vec<&str> = SHORT.iter().map(|(name, _)| *name).collect();
        format!(
            "{}, {}, or section.field of the preset (`warpstack list devices {}` lists them)",
            launch.join(", "),
            short.join(", "),
            self.device.name
        )
    }

    /// Fields with one value, and their types.
    fn fields(&self) -> impl Iterator<Item = (String, String, Type)> + '_ {
        let read = self
            .preset
            .entries
            .iter()
            .filter(|entry| !entry.is_reference());
        read.filter_map(|entry| {
            let ty = match &entry.value {
                toml::Value::Integer(_) => Type::Whole,
                toml::Value::Float(_) => Type::Number,
                toml::Value::Boolean(_) => Type::Truth,
                toml::Value::String(_) => Type::Text,
                _ => return None,
            };
            Some((entry.section.clone(), entry.field.clone(), ty))
        })
    }

    /// Numbers above 0 that `engine` reads and nothing makes idle, with their kinds.
    pub fn numbers(&self, engine: Reader) -> Vec<(Key, Kind, f64)> {
        let entries = self.preset.entries.iter();
        let found = entries.filter_map(|entry| {
            let value = self.value(&entry.section, &entry.field)?;
            let key = Key::Field(entry.section.clone(), entry.field.clone());
            let is_read = value > 0.0 && self.check_read(&key, engine, &[]).is_ok();
            is_read.then_some((key, entry.kind, value))
        });
        found.collect()
    }

    /// The value of a field that is a number.
    pub fn value(&self, section: &str, field: &str) -> Option<f64> {
        find(&self.preset.entries, section, field)?.number()
    }

    /// Whether the values of a field are whole numbers.
    pub fn is_whole(&self, key: &Key) -> bool {
        self.fields()
            .any(|(section, field, ty)| *key == Key::Field(section, field) && ty == Type::Whole)
    }

    /// The device with some of its fields changed.
    pub fn device(&self, changes: &[(&Key, &str)]) -> Result<Device, StudyError> {
        let mut fields = Vec::new();
        for (key, value) in changes {
            if let Key::Field(section, field) = key
                && let Some(entry) = find(&self.preset.entries, section, field)
            {
                let typed = typed(&entry.value, value).ok_or_else(|| {
                    let name = format!("value of {section}.{field}");
                    StudyError::input(name, *value, "a number in range")
                })?;
                fields.push((section.as_str(), field.as_str(), typed));
            }
        }
        if fields.is_empty() {
            return Ok(self.device.clone());
        }
        let changed = self.preset.with(&fields);
        let file = format!("{} as changed", self.name);
        Ok(changed.map_err(|error| DeviceError::in_file(&file, error))?)
    }
}

/// Returns the command line's name of an engine.
fn option_of(reader: Reader) -> &'static str {
    match reader {
        Reader::Model => "analytical",
        _ => "simulator",
    }
}

/// `text` as a value of the same type.
fn typed(like: &toml::Value, text: &str) -> Option<toml::Value> {
    Some(match like {
        toml::Value::Integer(_) => toml::Value::Integer(text.parse().ok()?),
        toml::Value::Float(_) => toml::Value::Float(text.parse().ok()?),
        toml::Value::Boolean(_) => toml::Value::Boolean(text.parse().ok()?),
        _ => toml::Value::String(text.to_owned()),
    })
}

/// A launch with some of its settings changed.
pub fn changed(
    base: &LaunchOptions,
    changes: &[(&Key, &str)],
) -> Result<LaunchOptions, StudyError> {
    let mut options = base.clone();
    for (key, value) in changes {
        match key {
            Key::Problem => options.problem = Some((*value).to_owned()),
            Key::Kernel => options.kernel = (*value).to_owned(),
            Key::Size(size) => {
                let what = || format!("value of {}", key.name());
                let number = value.parse();
                let refused = |_| StudyError::input(what(), *value, "0 to 4294967295");
                *options.size(*size) = Some(number.map_err(refused)?);
            }
            Key::Field(..) => {}
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_field_changes_the_device_and_nothing_else() {
        let base = Base::gtx670().unwrap();
        let (clock, _) = base.key("clock").unwrap();
        let (ports, _) = base.key("l2.port_bytes_per_cycle").unwrap();
        let changed = base.device(&[(&clock, "2000"), (&ports, "64")]).unwrap();
        assert_eq!(changed.chip.clock_mhz, 2000.0);
        assert_eq!(changed.l2.port_bytes_per_cycle, 64.0);
        let mut back = changed;
        back.chip.clock_mhz = base.device.chip.clock_mhz;
        back.l2.port_bytes_per_cycle = base.device.l2.port_bytes_per_cycle;
        assert_eq!(back, base.device);
    }

    fn refusal(key: &str, engine: Reader, varied: &[&str]) -> Option<String> {
        let base = Base::gtx670().unwrap();
        let varied: Vec<Key> = varied
            .iter()
            .map(|name| base.key(name).unwrap().0)
            .collect();
        let varied: Vec<&Key> = varied.iter().collect();
        let (key, _) = base.key(key).unwrap();
        base.check_read(&key, engine, &varied)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_key_that_the_engine_does_not_read_is_refused_with_the_one_that_does() {
        assert_eq!(refusal("l2.bytes", Reader::Model, &[]), None);
        assert_eq!(
            refusal("limits.registers_per_smx", Reader::Model, &[]),
            None
        );
        assert_eq!(
            refusal("tlb.l1_reach_bytes", Reader::Sim, &[]).unwrap(),
            "key tlb.l1_reach_bytes: given --engine simulator; allowed: keys that the simulator reads; nothing reads this one, it is kept as a reference"
        );
        assert_eq!(
            refusal("load_store.arbitration", Reader::Model, &[]).unwrap(),
            "key load_store.arbitration: given --engine analytical; allowed: keys that the analytical model reads; --engine simulator reads this one"
        );
    }

    #[test]
    fn a_key_that_acts_only_beside_another_value_is_refused_unless_that_is_varied_too() {
        let message = refusal("store_queue_lines", Reader::Sim, &[]).unwrap();
        assert!(message.contains("l1.write_back is not false"), "{message}");
        assert_eq!(
            refusal("store_queue_lines", Reader::Sim, &["l1.write_back"]),
            None
        );
    }

    #[test]
    fn presets_keep_their_ranges() {
        let base = Base::gtx670().unwrap();
        let (smx, _) = base.key("smx").unwrap();
        let message = base.device(&[(&smx, "0")]).unwrap_err().to_string();
        assert!(message.contains("chip.n_smx: given 0"), "{message}");
    }
}
