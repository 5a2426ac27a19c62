//! Presets of CPU cores: every value with unit, kind and source.
//!
//! Models: one core, its registers' instructions on either path, its caches and its share of the memory. The files are under `fixtures/cpus/`.
//! Leaves out: several threads on one core. Units: in the files, checked here. Sources: in the files.

use super::count::{CLASSES, Width};
use super::residency::LEVELS;
use crate::device::values::{Sections, Value, WITHOUT_RANGE, by_key, message, text_of};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The presets in the binary, the one that fits every processor last.
const BUILTIN: [(&str, &str); 4] = [
    ("zen5", include_str!("../../fixtures/cpus/zen5.toml")),
    ("zen4", include_str!("../../fixtures/cpus/zen4.toml")),
    (
        "golden-cove",
        include_str!("../../fixtures/cpus/golden-cove.toml"),
    ),
    ("x86-64", include_str!("../../fixtures/cpus/x86-64.toml")),
];

/// Names of the presets in the binary.
pub fn builtin_names() -> [&'static str; 4] {
    BUILTIN.map(|(name, _)| name)
}

/// Why a preset cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CpuError {
    #[error("unknown CPU \"{given}\"; allowed: {THIS}, {}", builtin_names().join(", "))]
    Unknown { given: String },
    #[error("CPU {name}: {message}")]
    Parse { name: String, message: String },
    #[error("CPU {name}, {field}: given {given}; allowed: {allowed}")]
    Field {
        name: String,
        field: String,
        given: String,
        allowed: String,
    },
}

/// The name of the machine that the program runs on.
pub const THIS: &str = "cpu";

/// A cache and its way to the level above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cache {
    pub bytes: f64,
    pub ways: f64,
    /// Between it and the next level.
    pub read_bytes_per_cycle: f64,
    pub write_bytes_per_cycle: f64,
}

/// Instructions on registers of one width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Registers {
    /// Of each class that start in a cycle.
    pub per_cycle: [f64; CLASSES],
    /// Of all together.
    pub vector_per_cycle: f64,
    pub loads_per_cycle: f64,
    pub stores_per_cycle: f64,
    /// Both together.
    pub memory_per_cycle: f64,
}

/// The plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    pub clock_ghz: f64,
    /// Instructions that start in a cycle.
    pub issue_per_cycle: f64,
    /// Those of an interpreter's own code, between its jumps.
    pub branchy_per_cycle: f64,
    pub mispredict_cycles: f64,
    /// Times that a sequence of jumps runs before it is predicted.
    pub learning_runs: f64,
    /// Rounds of the longest loop whose end is always predicted; of one four times as long it never is.
    pub predicted_rounds: f64,
    pub registers: Registers,
    /// From an instruction of each class to one that needs it.
    pub latency: [f64; CLASSES],
    /// From a load to an instruction that needs it.
    pub load_cycles: f64,
    /// From an instruction that stores a vector to one that needs what was stored.
    pub forward_cycles: f64,
    /// Instructions on vectors that may wait for their operands.
    pub vector_window: f64,
    /// What the caches move hides behind what the core computes.
    pub overlaps: bool,
    pub caches: [Cache; LEVELS],
}

/// A core and where its values come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    pub name: String,
    pub title: String,
    /// As CPUID has it; empty for the one that fits all.
    pub vendor: String,
    pub families: Vec<u32>,
    /// Empty: every one of the families.
    pub models: Vec<u32>,
    /// By `section.field`.
    pub values: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct File {
    name: String,
    title: String,
    vendor: String,
    families: Vec<u32>,
    models: Vec<u32>,
    #[serde(flatten)]
    sections: Sections,
}

const PER_CYCLE: &str = "instructions/cycle";
const BYTES_PER_CYCLE: &str = "bytes/cycle";

/// Values besides those of the registers: `section.field`, unit.
const FIELDS: [(&str, &str); 31] = [
    ("core.clock_ghz", "GHz"),
    ("core.issue_per_cycle", PER_CYCLE),
    ("core.branchy_per_cycle", PER_CYCLE),
    ("core.mispredict_cycles", "cycles"),
    ("core.learning_runs", "runs"),
    ("core.predicted_rounds", "rounds"),
    ("core.overlaps", "yes/no"),
    ("core.vector_window", "instructions"),
    ("latency.load_cycles", "cycles"),
    ("latency.forward_cycles", "cycles"),
    ("latency.multiply_cycles", "cycles"),
    ("latency.add_cycles", "cycles"),
    ("latency.compare_cycles", "cycles"),
    ("latency.logic_cycles", "cycles"),
    ("latency.shift_cycles", "cycles"),
    ("latency.convert_cycles", "cycles"),
    ("latency.scale_cycles", "cycles"),
    ("latency.divide_cycles", "cycles"),
    ("latency.mask_cycles", "cycles"),
    ("l1.bytes", "bytes"),
    ("l1.ways", "ways"),
    ("l2.bytes", "bytes"),
    ("l2.ways", "ways"),
    ("l2.read_bytes_per_cycle", BYTES_PER_CYCLE),
    ("l2.write_bytes_per_cycle", BYTES_PER_CYCLE),
    ("l3.bytes", "bytes"),
    ("l3.ways", "ways"),
    ("l3.read_bytes_per_cycle", BYTES_PER_CYCLE),
    ("l3.write_bytes_per_cycle", BYTES_PER_CYCLE),
    ("memory.read_gb_per_second", "GB/s"),
    ("memory.write_gb_per_second", "GB/s"),
];

/// In the order of `count::Class`, then those of `Registers`.
const REGISTER_FIELDS: [(&str, &str); CLASSES + 4] = [
    ("multiply_per_cycle", PER_CYCLE),
    ("add_per_cycle", PER_CYCLE),
    ("compare_per_cycle", PER_CYCLE),
    ("logic_per_cycle", PER_CYCLE),
    ("shift_per_cycle", PER_CYCLE),
    ("convert_per_cycle", PER_CYCLE),
    ("scale_per_cycle", PER_CYCLE),
    ("divide_per_cycle", PER_CYCLE),
    ("mask_per_cycle", PER_CYCLE),
    ("vector_per_cycle", PER_CYCLE),
    ("loads_per_cycle", PER_CYCLE),
    ("stores_per_cycle", PER_CYCLE),
    ("memory_per_cycle", PER_CYCLE),
];

fn section(width: Width) -> &'static str {
    match width {
        Width::Whole => "avx512",
        Width::Half => "avx2",
    }
}

impl Preset {
    /// A preset of the binary.
    pub fn load(name: &str) -> Result<Self, CpuError> {
        match text_of(&BUILTIN, name) {
            Some(text) => Self::parse(name, text),
            None => Err(CpuError::Unknown {
                given: name.to_owned(),
            }),
        }
    }

    /// A preset's text. Every value must be there, and no other; a section of registers may be absent.
    pub fn parse(name: &str, text: &str) -> Result<Self, CpuError> {
        let file: File = toml::from_str(text).map_err(|error| CpuError::Parse {
            name: name.to_owned(),
            message: message(text, &error),
        })?;
        let preset = Preset {
            name: file.name,
            title: file.title,
            vendor: file.vendor,
            families: file.families,
            models: file.models,
            values: by_key(file.sections),
        };
        for (key, value) in &preset.values {
            preset.check(key, value)?;
        }
        let widths = [Width::Whole, Width::Half];
        for width in widths.into_iter().filter(|width| preset.has(*width)) {
            preset.machine(width)?;
        }
        Ok(preset)
    }

    /// What it is and how large, for people.
    pub fn about(&self) -> String {
        let value = |key: &str| self.values.get(key).map_or(0.0, |value| value.value);
        format!(
            "model of the CPU: {} ({}) at {:.2} GHz, L1 {:.0} KiB, L2 {:.0} KiB, L3 {:.0} MiB",
            self.name,
            self.title,
            value("core.clock_ghz"),
            value("l1.bytes") / 1024.0,
            value("l2.bytes") / 1024.0,
            value("l3.bytes") / 1_048_576.0
        )
    }

    /// Whether it says how instructions on these registers execute.
    pub fn has(&self, width: Width) -> bool {
        let prefix = section(width);
        self.values.keys().any(|key| key.starts_with(prefix))
    }

    /// The same core with one value changed.
    pub fn with(&self, key: &str, value: f64) -> Result<Self, CpuError> {
        let mut changed = self.clone();
        match changed.values.get_mut(key) {
            Some(entry) => entry.value = value,
            None => return Err(self.wrong(key, "an unknown name", "one of the preset's values")),
        }
        Ok(changed)
    }

    /// The plain numbers for registers of this width.
    pub fn machine(&self, width: Width) -> Result<Machine, CpuError> {
        if !self.has(width) {
            let other = match width {
                Width::Whole => "avx2",
                Width::Half => "avx512",
            };
            return Err(self.wrong("registers", section(width), other));
        }
        let number = |key: &str| self.number(key);
        let clock_ghz = number("core.clock_ghz")?;
        let cache = |level: &str, next: [f64; 2]| {
            Ok(Cache {
                bytes: number(&format!("{level}.bytes"))?,
                ways: number(&format!("{level}.ways"))?,
                read_bytes_per_cycle: next[0],
                write_bytes_per_cycle: next[1],
            })
        };
        let rates = |section: &str| -> Result<[f64; 2], CpuError> {
            Ok([
                number(&format!("{section}.read_bytes_per_cycle"))?,
                number(&format!("{section}.write_bytes_per_cycle"))?,
            ])
        };
        let memory = [
            number("memory.read_gb_per_second")? / clock_ghz,
            number("memory.write_gb_per_second")? / clock_ghz,
        ];
        Ok(Machine {
            clock_ghz,
            issue_per_cycle: number("core.issue_per_cycle")?,
            branchy_per_cycle: number("core.branchy_per_cycle")?,
            mispredict_cycles: number("core.mispredict_cycles")?,
            learning_runs: number("core.learning_runs")?,
            predicted_rounds: number("core.predicted_rounds")?,
            registers: self.registers(width)?,
            latency: self.latency()?,
            load_cycles: number("latency.load_cycles")?,
            forward_cycles: number("latency.forward_cycles")?,
            vector_window: number("core.vector_window")?,
            overlaps: number("core.overlaps")? > 0.0,
            caches: [
                cache("l1", rates("l2")?)?,
                cache("l2", rates("l3")?)?,
                cache("l3", memory)?,
            ],
        })
    }

    fn latency(&self) -> Result<[f64; CLASSES], CpuError> {
        let mut latency = [0.0; CLASSES];
        for (cycles, (field, _)) in latency.iter_mut().zip(REGISTER_FIELDS) {
            let class = field.trim_end_matches("_per_cycle");
            *cycles = self.number(&format!("latency.{class}_cycles"))?;
        }
        Ok(latency)
    }

    fn registers(&self, width: Width) -> Result<Registers, CpuError> {
        let mut numbers = [0.0; REGISTER_FIELDS.len()];
        for (number, (field, _)) in numbers.iter_mut().zip(REGISTER_FIELDS) {
            *number = self.number(&format!("{}.{field}", section(width)))?;
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

    /// The unit that a value must have.
    fn unit(key: &str) -> Option<&'static str> {
        if let Some((_, unit)) = FIELDS.iter().find(|(field, _)| *field == key) {
            return Some(unit);
        }
        let (of, field) = key.split_once('.')?;
        let known = REGISTER_FIELDS.iter().find(|(known, _)| *known == field);
        known
            .filter(|_| of == "avx512" || of == "avx2")
            .map(|(_, unit)| *unit)
    }

    fn check(&self, key: &str, value: &Value) -> Result<(), CpuError> {
        let Some(unit) = Self::unit(key) else {
            return Err(self.wrong(
                key,
                "a value that nothing reads",
                "the values of other presets",
            ));
        };
        if value.unit != unit {
            return Err(self.wrong(key, &value.unit, unit));
        }
        let may_be_none = ["l3.bytes", "core.overlaps"].contains(&key);
        let least = if may_be_none { 0.0 } else { 0.01 };
        if !value.is_in_range() || !(least..=1e12).contains(&value.value) {
            let given = value.value.to_string();
            return Err(self.wrong(key, &given, &format!("{least} to 1e12, in its own range")));
        }
        if value.lacks_range() {
            let [given, allowed] = WITHOUT_RANGE;
            return Err(self.wrong(key, given, allowed));
        }
        if value.source.trim().is_empty() {
            return Err(self.wrong(key, "no source", "where the value comes from"));
        }
        Ok(())
    }

    fn number(&self, key: &str) -> Result<f64, CpuError> {
        match self.values.get(key) {
            Some(value) => Ok(value.value),
            None => {
                let unit = Self::unit(key).unwrap_or_default();
                Err(self.wrong(key, "nothing", &format!("a value in {unit}")))
            }
        }
    }

    fn wrong(&self, field: &str, given: &str, allowed: &str) -> CpuError {
        CpuError::Field {
            name: self.name.clone(),
            field: field.to_owned(),
            given: given.to_owned(),
            allowed: allowed.to_owned(),
        }
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
