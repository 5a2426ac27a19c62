//! Loading device files: built-in presets by name, any other file by path.
//!
//! Leaves out: defaults. A file states every field but those of mechanisms that the machine lacks.
//! Units: in `parts/`, with the ranges.
//! Sources: in the files themselves.

use super::parts::FIELDS;
use super::table::{Entry, PresetFile};
use super::{Device, Preset, Validated};
use crate::util::refused::Refused;
use std::path::Path;

/// Built-in presets: name and file text.
const BUILTIN: &[(&str, &str)] = &[
    ("gtx670", include_str!("../../fixtures/devices/gtx670.toml")),
    ("g80", include_str!("../../fixtures/devices/g80.toml")),
    ("gtx285", include_str!("../../fixtures/devices/gtx285.toml")),
    ("gtx295", include_str!("../../fixtures/devices/gtx295.toml")),
    ("t10p", include_str!("../../fixtures/devices/t10p.toml")),
    ("h200", include_str!("../../fixtures/devices/h200.toml")),
    ("t4", include_str!("../../fixtures/devices/t4.toml")),
    ("a100", include_str!("../../fixtures/devices/a100.toml")),
    (
        "rtx3090",
        include_str!("../../fixtures/devices/rtx3090.toml"),
    ),
    (
        "rtx4090",
        include_str!("../../fixtures/devices/rtx4090.toml"),
    ),
    ("h100", include_str!("../../fixtures/devices/h100.toml")),
];

/// Built-in presets of VLIW machines: name and file text. `vliw::preset` reads them.
pub(crate) const VLIW: &[(&str, &str)] = &[(
    "hd5750",
    include_str!("../../fixtures/devices/vliw/hd5750.toml"),
)];

/// Error in loading a device.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// No preset of this name.
    #[error("unknown device \"{given}\"; allowed: {allowed}")]
    Unknown {
        /// Given name.
        given: String,
        /// Allowed names.
        allowed: String,
    },
    /// A machine without warps and schedulers.
    #[error(
        "device {given}: given a machine of VLIW SIMDs; allowed with it: `reproduce --paper gpocl --device {given}`, `list devices {given}`"
    )]
    OtherKind {
        /// Given name.
        given: String,
    },
    /// A file that cannot be read.
    #[error("cannot read device file {file}: {source}")]
    Read {
        /// File name.
        file: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A file that is not a device file.
    #[error("device file {file}, line {line}: {message}")]
    Parse {
        /// File name.
        file: String,
        /// Line number, counted from 1.
        line: usize,
        /// Description of the error.
        message: String,
    },
    /// A value that no device can have.
    #[error(transparent)]
    Value(#[from] Refused),
}

impl DeviceError {
    /// Refuses a value, adding the name of the file.
    pub fn in_file(file: &str, refused: Refused) -> Self {
        DeviceError::Value(refused.within(format_args!("device file {file}")))
    }
}

/// Returns the text of the preset `name` among `builtin`.
pub fn text_of(builtin: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let found = builtin.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

/// Names of the built-in presets.
pub fn builtin_names() -> Vec<&'static str> {
    BUILTIN.iter().map(|(name, _)| *name).collect()
}

impl Preset {
    /// Loads a built-in preset by name, or a file by path (anything that ends in `.toml`).
    pub fn load(name_or_path: &str) -> Result<Preset, DeviceError> {
        let text = Preset::text(name_or_path)?;
        match name_or_path.ends_with(".toml") {
            true => Preset::from_toml(&text, name_or_path),
            false => Preset::from_toml(&text, &format!("{name_or_path}.toml")),
        }
    }

    /// Returns the text of a preset, named as for [`Preset::load`].
    pub fn text(name_or_path: &str) -> Result<String, DeviceError> {
        if name_or_path.ends_with(".toml") {
            return read(Path::new(name_or_path));
        }
        let found = text_of(BUILTIN, name_or_path);
        found
            .map(str::to_owned)
            .ok_or_else(|| unknown(name_or_path))
    }

    /// Parses a device file; `file` is used in messages only.
    pub fn from_toml(text: &str, file: &str) -> Result<Preset, DeviceError> {
        let parsed = PresetFile::parse(text, file, &FIELDS)?;
        Preset::of(parsed).map_err(|error| DeviceError::in_file(file, error))
    }

    /// Builds a preset from a table that was read and changed; `file` is used in messages only.
    pub fn from_table(table: toml::Table, file: &str) -> Result<Preset, DeviceError> {
        let parsed = PresetFile::of(table, &FIELDS).and_then(Preset::of);
        parsed.map_err(|error| DeviceError::in_file(file, error))
    }

    fn of(mut file: PresetFile) -> Result<Preset, Refused> {
        let mut device = Device::read(&file.entries)?;
        device.name = file.identity("name")?;
        device.title = file.identity("title")?;
        device.compute_capability = file.identity("compute_capability")?;
        device.code = file.identity("code")?;
        // A file without this field was never validated.
        let validated = file.identity_optional("validated")?;
        device.validated = validated.unwrap_or(Validated::Never);
        device.check()?;
        let entries = file.into_entries()?;
        Ok(Preset { device, entries })
    }

    /// Returns the device with other values of some fields, each named by section and field.
    pub fn with(&self, changes: &[(&str, &str, toml::Value)]) -> Result<Device, Refused> {
        let mut entries = self.entries.clone();
        for (section, field, value) in changes {
            let is_meant = |entry: &&mut Entry| entry.section == *section && entry.field == *field;
            if let Some(entry) = entries.iter_mut().find(is_meant) {
                entry.value = value.clone();
                entry.check()?;
            }
        }
        let known = &self.device;
        let device = Device {
            name: known.name.clone(),
            title: known.title.clone(),
            compute_capability: known.compute_capability.clone(),
            code: known.code.clone(),
            validated: known.validated,
            ..Device::read(&entries)?
        };
        device.check()?;
        Ok(device)
    }
}

fn read(path: &Path) -> Result<String, DeviceError> {
    crate::util::input::text(path).map_err(|source| DeviceError::Read {
        file: path.display().to_string(),
        source,
    })
}

fn unknown(name: &str) -> DeviceError {
    let given = name.to_owned();
    match VLIW.iter().any(|(one, _)| *one == name) {
        true => DeviceError::OtherKind { given },
        false => DeviceError::Unknown {
            given,
            allowed: builtin_names().join(", ") + ", or the path of a .toml file",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GTX670: &str = include_str!("../../fixtures/devices/gtx670.toml");

    fn error_of(text: &str) -> String {
        Preset::from_toml(text, "x.toml")
            .expect_err("must be refused")
            .to_string()
    }

    #[test]
    fn builtin_preset_loads_and_names_itself() {
        for name in builtin_names() {
            assert_eq!(Preset::load(name).unwrap().device.name, name);
        }
    }

    #[test]
    fn every_entry_has_a_source_and_derived_numbers_hold() {
        let preset = Preset::load("gtx670").unwrap();
        assert!(preset.entries.len() > 100);
        let device = &preset.device;
        assert_eq!(device.l1_geometry(49152).unwrap().n_ways, 6);
        assert_eq!(device.split_for_l1(49152).unwrap().shared_bytes, 16384);
        assert!(device.l1_geometry(1).is_none());
        let fp32 = device.pipe(crate::isa::OpClass::Fp32);
        assert_eq!(fp32, Some((super::super::Pipe::Cores, 192.0)));
    }

    #[test]
    fn wrong_type_names_file_and_field() {
        let text = GTX670.replace("n_smx = { value = 7,", "n_smx = { value = \"seven\",");
        let message = error_of(&text);
        assert_eq!(
            message,
            "device file x.toml, field chip.n_smx: given \"seven\"; allowed: a whole number"
        );
        let text = GTX670.replace("[dram]", "[dram");
        let message = error_of(&text);
        assert!(message.contains("x.toml, line"), "{message}");
        assert!(!message.contains('\n'));
    }

    #[test]
    fn missing_and_unknown_fields_are_named() {
        let missing: String = GTX670
            .lines()
            .filter(|line| !line.starts_with("n_ways"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(error_of(&missing).contains("n_ways"));
        let unknown = GTX670.replace("n_ways =", "n_wais =");
        assert!(error_of(&unknown).contains("n_wais"));
    }

    #[test]
    fn a_mechanism_that_is_not_in_the_file_is_absent() {
        let mut table: toml::Table = GTX670.parse().unwrap();
        let fill = table["load_store"].as_table_mut().unwrap();
        fill.remove("fill_bytes_per_cycle").unwrap();
        let preset = Preset::from_table(table, "x.toml").unwrap();
        assert_eq!(preset.device.load_store.fill_bytes_per_cycle, 0);
        let entry =
            super::super::table::find(&preset.entries, "load_store", "fill_bytes_per_cycle");
        assert!(entry.unwrap().source.contains("not in the file"));
    }

    #[test]
    fn out_of_range_unit_and_source_are_refused() {
        let range = GTX670.replace("n_smx = { value = 7,", "n_smx = { value = 0,");
        assert_eq!(
            error_of(&range),
            "device file x.toml, field chip.n_smx: given 0; allowed: 1 to 1024"
        );
        let unit = GTX670.replacen("unit = \"SMX\"", "unit = \"SM\"", 1);
        assert!(error_of(&unit).contains("chip.n_smx.unit: given \"SM\"; allowed: \"SMX\""));
        let line = GTX670.lines().find(|line| line.starts_with("n_smx"));
        let (before, _) = line.and_then(|line| line.split_once("source = ")).unwrap();
        let source = GTX670.replace(line.unwrap(), &format!("{before}source = \" \" }}"));
        assert!(error_of(&source).contains("chip.n_smx.source: given an empty text"));
    }

    /// Refuses a preset with one field replaced, and returns the message.
    fn with(field: &str, value: &str) -> String {
        let (section, name) = field.split_once('.').unwrap();
        let mut table: toml::Table = GTX670.parse().unwrap();
        let place = &mut table[section][name];
        let place = match place.get("value") {
            Some(_) => &mut place["value"],
            None => place,
        };
        *place = format!("x = {value}").parse::<toml::Table>().unwrap()["x"].clone();
        let refused = Preset::from_table(table, "x.toml");
        refused.expect_err(field).to_string()
    }

    #[test]
    fn relations_name_both_fields() {
        let geometry = "[{ bytes = 16384, n_sets = 31, n_ways = 4 }]";
        for (field, value, other) in [
            ("l1.geometry", geometry, "l1.splits"),
            ("l1.splits", "[]", "at least one"),
            ("l1.line_bytes", "96", "power of two"),
            ("l1.sector_bytes", "33", "power of two"),
            ("l1.reserved_ways", "4", "l1.geometry"),
            ("l2.replacement", "\"rows\"", "L1"),
            ("l2.bytes", "1073741824", "l2.line_bytes of 128"),
            (
                "instruction_cache.l1_bytes",
                "64",
                "instruction_cache.line_bytes",
            ),
            (
                "instruction_cache.l15_bytes",
                "511",
                "instruction_cache.line_bytes",
            ),
            (
                "instruction_cache.l0_bytes",
                "127",
                "instruction_cache.line_bytes",
            ),
            (
                "instruction_cache.group_bytes",
                "27",
                "instructions_per_group",
            ),
            (
                "instruction_cache.cycles_per_instruction",
                "[2.0]",
                "4 values",
            ),
            (
                "throughput.fp32_lanes_per_cycle",
                "31.0",
                "pipes.fp32 = cores",
            ),
            (
                "throughput.sfu_lanes_per_cycle",
                "0.01",
                "issue.n_schedulers = 4",
            ),
            ("shared.lanes_together", "17", "16 or 32"),
            ("device.name", "\"\"", "one word"),
            (
                "device.compute_capability",
                "\"banana\"",
                "as NVIDIA counts",
            ),
        ] {
            let message = with(field, value);
            let named = message.contains(&format!("field {field}"));
            assert!(named && message.contains(other), "{field}: {message}");
        }
    }

    #[test]
    fn rows_that_would_fill_the_memory_are_refused() {
        let mut table: toml::Table = GTX670.parse().unwrap();
        let rows = [
            ("replacement", toml::Value::from("rows")),
            ("lines_per_row", 64.into()),
        ];
        for (field, value) in rows {
            table["l1"][field]["value"] = value;
        }
        table["l1"]["row_bits"]["value"] = vec![4095].into();
        let message = Preset::from_table(table, "x.toml").unwrap_err().to_string();
        assert!(
            message.contains("l1.row_bits") && message.contains("l1.lines_per_row"),
            "{message}"
        );
    }

    #[test]
    fn unknown_device_lists_what_exists() {
        let message = Preset::load("gtx999").unwrap_err().to_string();
        assert!(
            message.contains("gtx999") && message.contains("gtx670"),
            "{message}"
        );
    }
}
