//! Presets of CPU cores: every value with unit, kind and source.
//!
//! Models: one core, its vector instructions on either path, its caches and its share of the memory. The files are under
//! `fixtures/cpus/`.
//! Leaves out: several threads on one core.
//! Units: in the files, checked here.
//! Sources: in the files.

use super::count::{CLASSES, Width};
use super::residency::LEVELS;
use crate::device::table::{
    Allowed, Entry, Field, FieldValue, PresetFile, check_ranges, find, get,
};
use crate::device::{DeviceError, Reader, text_of};
use crate::util::refused::Refused;

/// Built-in presets; the last one fits every processor.
const BUILTIN: [(&str, &str); 4] = [
    ("zen5", include_str!("../../fixtures/cpus/zen5.toml")),
    ("zen4", include_str!("../../fixtures/cpus/zen4.toml")),
    (
        "golden-cove",
        include_str!("../../fixtures/cpus/golden-cove.toml"),
    ),
    ("x86-64", include_str!("../../fixtures/cpus/x86-64.toml")),
];

/// Names of the built-in presets.
pub fn builtin_names() -> [&'static str; 4] {
    BUILTIN.map(|(name, _)| name)
}

/// Name of the machine that the program runs on.
pub const THIS: &str = "cpu";

/// A cache and its link to the next level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cache {
    pub bytes: f64,
    pub ways: f64,
    /// Bandwidth from the next level; `write_bytes_per_cycle`: to the next level.
    pub read_bytes_per_cycle: f64,
    pub write_bytes_per_cycle: f64,
}

/// Throughput of instructions on registers of one width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Registers {
    /// Instructions started per cycle, by class.
    pub per_cycle: [f64; CLASSES],
    /// Vector instructions started per cycle, all classes together.
    pub vector_per_cycle: f64,
    pub loads_per_cycle: f64,
    pub stores_per_cycle: f64,
    /// Loads and stores together.
    pub memory_per_cycle: f64,
}

/// Plain numbers of a core.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    pub clock_ghz: f64,
    /// Instructions started per cycle.
    pub issue_per_cycle: f64,
    /// Instructions per cycle of an interpreter's own code, between its jumps.
    pub branchy_per_cycle: f64,
    pub mispredict_cycles: f64,
    /// Executions of a sequence of jumps before it is predicted.
    pub learning_runs: f64,
    /// Iterations of the longest loop whose end is always predicted; with four times as many it never is.
    pub predicted_rounds: f64,
    pub registers: Registers,
    /// Latency of each instruction class.
    pub latency: [f64; CLASSES],
    /// Latency of a load.
    pub load_cycles: f64,
    /// Latency from storing a vector to an instruction that loads it.
    pub forward_cycles: f64,
    /// Vector instructions that may wait for their operands.
    pub vector_window: f64,
    /// Whether cache transfers overlap with computation.
    pub overlaps: bool,
    pub caches: [Cache; LEVELS],
}

/// A core and the sources of its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    pub name: String,
    pub title: String,
    /// Vendor in CPUID's notation; empty for the preset that fits all.
    pub vendor: String,
    pub families: Vec<u32>,
    /// CPUID models; empty: all models of the families.
    pub models: Vec<u32>,
    /// Values in the order of the fields.
    pub values: Vec<Entry>,
}

const PER_CYCLE: &str = "instructions/cycle";
const BYTES_PER_CYCLE: &str = "bytes/cycle";

/// Allowed range of positive values.
const POSITIVE: Allowed = (0.01, 1e12);

const fn field(section: &'static str, name: &'static str, unit: &'static str) -> Field {
    Field {
        section,
        name,
        unit,
        allowed: POSITIVE,
        readers: &[Reader::Cpu],
        title: "",
        form: <f64 as FieldValue>::form,
    }
}

/// Declares a field that may be zero.
const fn or_none(section: &'static str, name: &'static str, unit: &'static str) -> Field {
    Field {
        allowed: (0.0, POSITIVE.1),
        ..field(section, name, unit)
    }
}

/// Fields besides those of the registers.
const FIELDS: [Field; 31] = [
    field("core", "clock_ghz", "GHz"),
    field("core", "issue_per_cycle", PER_CYCLE),
    field("core", "branchy_per_cycle", PER_CYCLE),
    field("core", "mispredict_cycles", "cycles"),
    field("core", "learning_runs", "runs"),
    field("core", "predicted_rounds", "rounds"),
    or_none("core", "overlaps", "yes/no"),
    field("core", "vector_window", "instructions"),
    field("latency", "load_cycles", "cycles"),
    field("latency", "forward_cycles", "cycles"),
    field("latency", "multiply_cycles", "cycles"),
    field("latency", "add_cycles", "cycles"),
    field("latency", "compare_cycles", "cycles"),
    field("latency", "logic_cycles", "cycles"),
    field("latency", "shift_cycles", "cycles"),
    field("latency", "convert_cycles", "cycles"),
    field("latency", "scale_cycles", "cycles"),
    field("latency", "divide_cycles", "cycles"),
    field("latency", "mask_cycles", "cycles"),
    field("l1", "bytes", "bytes"),
    field("l1", "ways", "ways"),
    field("l2", "bytes", "bytes"),
    field("l2", "ways", "ways"),
    field("l2", "read_bytes_per_cycle", BYTES_PER_CYCLE),
    field("l2", "write_bytes_per_cycle", BYTES_PER_CYCLE),
    or_none("l3", "bytes", "bytes"),
    field("l3", "ways", "ways"),
    field("l3", "read_bytes_per_cycle", BYTES_PER_CYCLE),
    field("l3", "write_bytes_per_cycle", BYTES_PER_CYCLE),
    field("memory", "read_gb_per_second", "GB/s"),
    field("memory", "write_gb_per_second", "GB/s"),
];

/// Register fields: those of `count::Class`, in its order, then the others of `Registers`.
const REGISTER_FIELDS: [&str; CLASSES + 4] = [
    "multiply_per_cycle",
    "add_per_cycle",
    "compare_per_cycle",
    "logic_per_cycle",
    "shift_per_cycle",
    "convert_per_cycle",
    "scale_per_cycle",
    "divide_per_cycle",
    "mask_per_cycle",
    "vector_per_cycle",
    "loads_per_cycle",
    "stores_per_cycle",
    "memory_per_cycle",
];

/// All fields of a preset.
fn fields() -> Vec<Field> {
    let widths = [Width::Whole, Width::Half].into_iter();
    let of_registers =
        widths.flat_map(|width| REGISTER_FIELDS.map(|name| field(section(width), name, PER_CYCLE)));
    FIELDS.into_iter().chain(of_registers).collect()
}

fn section(width: Width) -> &'static str {
    match width {
        Width::Whole => "avx512",
        Width::Half => "avx2",
    }
}

impl Preset {
    /// Loads a built-in preset.
    pub fn load(name: &str) -> Result<Self, DeviceError> {
        match text_of(&BUILTIN, name) {
            Some(text) => Self::parse(name, text),
            None => Err(unknown(name)),
        }
    }

    /// Parses a preset. Every value must be present, and no other; a section of registers may be absent.
    pub fn parse(name: &str, text: &str) -> Result<Self, DeviceError> {
        let file = PresetFile::parse(text, name, &fields())?;
        Self::of(file).map_err(|error| DeviceError::in_file(name, error))
    }

    fn of(mut file: PresetFile) -> Result<Self, Refused> {
        let preset = Preset {
            name: file.identity("name")?,
            title: file.identity("title")?,
            vendor: file.identity("vendor")?,
            families: file.identity("families")?,
            models: file.identity("models")?,
            values: file.into_entries()?,
        };
        check_ranges(&preset.values)?;
        let widths = [Width::Whole, Width::Half];
        for width in widths.into_iter().filter(|width| preset.has(*width)) {
            preset.numbers(width)?;
        }
        Ok(preset)
    }

    /// Describes the core in one line.
    pub fn about(&self) -> String {
        let value = |section, field| self.value(section, field).unwrap_or(0.0);
        format!(
            "model of the CPU: {} ({}) at {:.2} GHz, L1 {:.0} KiB, L2 {:.0} KiB, L3 {:.0} MiB",
            self.name,
            self.title,
            value("core", "clock_ghz"),
            value("l1", "bytes") / 1024.0,
            value("l2", "bytes") / 1024.0,
            value("l3", "bytes") / 1_048_576.0
        )
    }

    /// Tells whether the preset covers instructions on registers of this width.
    pub fn has(&self, width: Width) -> bool {
        let section = section(width);
        self.values.iter().any(|value| value.section == section)
    }

    /// Returns a value; `None` if no value has this name.
    pub fn value(&self, section: &str, field: &str) -> Option<f64> {
        find(&self.values, section, field)?.number()
    }

    /// Returns the core with one value changed.
    pub fn with(&self, key: &str, value: f64) -> Result<Self, DeviceError> {
        let mut changed = self.clone();
        match changed.values.iter_mut().find(|entry| entry.key() == key) {
            Some(entry) => entry.value = value.into(),
            None => {
                let wrong = Refused::field(key, "an unknown name", "one of the preset's values");
                return Err(DeviceError::in_file(&self.name, wrong));
            }
        }
        Ok(changed)
    }

    /// Returns the plain numbers for registers of this width.
    pub fn machine(&self, width: Width) -> Result<Machine, DeviceError> {
        let numbers = self.numbers(width);
        numbers.map_err(|error| DeviceError::in_file(&self.name, error))
    }

    fn numbers(&self, width: Width) -> Result<Machine, Refused> {
        if !self.has(width) {
            let other = match width {
                Width::Whole => "avx2",
                Width::Half => "avx512",
            };
            return Err(Refused::field("registers", section(width), other));
        }
        let number = |section: &str, field: &str| get::<f64>(&self.values, section, field);
        let core = |field: &str| number("core", field);
        let clock_ghz = core("clock_ghz")?;
        let cache = |level: &str, next: [f64; 2]| {
            Ok(Cache {
                bytes: number(level, "bytes")?,
                ways: number(level, "ways")?,
                read_bytes_per_cycle: next[0],
                write_bytes_per_cycle: next[1],
            })
        };
        let rates = |section: &str| -> Result<[f64; 2], Refused> {
            Ok([
                number(section, "read_bytes_per_cycle")?,
                number(section, "write_bytes_per_cycle")?,
            ])
        };
        let memory = [
            number("memory", "read_gb_per_second")? / clock_ghz,
            number("memory", "write_gb_per_second")? / clock_ghz,
        ];
        Ok(Machine {
            clock_ghz,
            issue_per_cycle: core("issue_per_cycle")?,
            branchy_per_cycle: core("branchy_per_cycle")?,
            mispredict_cycles: core("mispredict_cycles")?,
            learning_runs: core("learning_runs")?,
            predicted_rounds: core("predicted_rounds")?,
            registers: self.registers(width)?,
            latency: self.latency()?,
            load_cycles: number("latency", "load_cycles")?,
            forward_cycles: number("latency", "forward_cycles")?,
            vector_window: core("vector_window")?,
            overlaps: core("overlaps")? > 0.0,
            caches: [
                cache("l1", rates("l2")?)?,
                cache("l2", rates("l3")?)?,
                cache("l3", memory)?,
            ],
        })
    }

    fn latency(&self) -> Result<[f64; CLASSES], Refused> {
        let mut latency = [0.0; CLASSES];
        for (cycles, field) in latency.iter_mut().zip(REGISTER_FIELDS) {
            let class = field.trim_end_matches("_per_cycle");
            *cycles = get(&self.values, "latency", &format!("{class}_cycles"))?;
        }
        Ok(latency)
    }

    fn registers(&self, width: Width) -> Result<Registers, Refused> {
        let mut numbers = [0.0; REGISTER_FIELDS.len()];
        for (number, field) in numbers.iter_mut().zip(REGISTER_FIELDS) {
            *number = get(&self.values, section(width), field)?;
        }
        let mut per_cycle = [0.0; CLASSES];
        per_cycle.copy_from_slice(&numbers[..CLASSES]);
        Ok(Registers {
            per_cycle,
            vector_per_cycle: numbers[CLASSES],
            loads_per_cycle: numbers[CLASSES + 1],
            stores_per_cycle: numbers[CLASSES + 2],
            memory_per_cycle: numbers[CLASSES + 3],
        })
    }
}

/// Refuses a name or a processor that has no preset.
pub(super) fn unknown(name: &str) -> DeviceError {
    DeviceError::Unknown {
        given: name.to_owned(),
        allowed: format!("{THIS}, {}", builtin_names().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_every_value() {
        for name in builtin_names() {
            let preset = Preset::load(name).unwrap();
            assert_eq!(preset.name, name);
            for width in [Width::Whole, Width::Half] {
                let machine = preset.machine(width).unwrap();
                assert!(machine.clock_ghz > 0.5);
            }
        }
    }

    fn refused(change: impl Fn(&str) -> String) -> String {
        let (_, text) = BUILTIN[0];
        Preset::parse("changed", &change(text))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn what_is_wrong_is_named() {
        let no_unit = refused(|text| text.replacen("unit = \"GHz\"", "unit = \"MHz\"", 1));
        assert!(
            no_unit.contains("core.clock_ghz") && no_unit.contains("GHz"),
            "{no_unit}"
        );
        let unknown = refused(|text| text.replacen("clock_ghz", "speed", 1));
        assert!(unknown.contains("core.speed"), "{unknown}");
        let no_range = refused(|text| text.replacen("low = 1, high = 8, ", "", 1));
        assert!(no_range.contains("core.learning_runs"), "{no_range}");
        let absent = refused(|text| text.replacen("ways = ", "others = ", 1));
        assert!(absent.contains("l1."), "{absent}");
        let given = Preset::named("zen6").unwrap_err().to_string();
        assert!(
            given.contains("zen6") && given.contains("golden-cove"),
            "{given}"
        );
    }
}
