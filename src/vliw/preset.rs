//! GPUs of VLIW SIMDs: a preset of another kind, for machines that are not made of warps and schedulers.
//!
//! Models: a chip of SIMDs that run clauses of wavefronts in turn, what limits the wavefronts on one, and its memory. Every value
//! stands in a TOML file with unit, kind and source, assumed ones with the range that they may have; all are read by
//! `vliw::simd` or by who lays out a launch.
//! Leaves out: graphics. Units: in the files, checked here. Sources: in the files.

use crate::device::VLIW;
use crate::device::values::{Sections, Value, WITHOUT_RANGE, by_key, message, text_of};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Why a preset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum VliwError {
    /// No preset of this name.
    #[error("unknown VLIW device \"{given}\"; allowed: {allowed}")]
    Unknown {
        /// What was given.
        given: String,
        /// What is allowed instead.
        allowed: String,
    },
    /// A file that is not a preset.
    #[error("VLIW device {name}: {message}")]
    Parse {
        /// The preset.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A value that is not there, or not as it must be.
    #[error("VLIW device {name}, {field}: given {given}; allowed: {allowed}")]
    Field {
        /// The preset.
        name: String,
        /// `section.field`.
        field: String,
        /// What was given.
        given: String,
        /// What is allowed instead.
        allowed: String,
    },
}

macro_rules! machine {
    ($($section:ident { $($field:ident $unit:literal, $doc:literal;)+ })+) => {
        /// The numbers of one machine, in the units that the macro call below names.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Machine { $($(#[doc = $doc] pub $field: f64,)+)+ }

        /// Every value: `section.field` and unit.
        pub const FIELDS: &[(&str, &str)] = &[
            $($((concat!(stringify!($section), ".", stringify!($field)), $unit),)+)+
        ];

        impl VliwPreset {
            /// The plain numbers.
            pub fn machine(&self) -> Result<Machine, VliwError> {
                Ok(Machine { $($(
                    $field: self.number(
                        concat!(stringify!($section), ".", stringify!($field)), $unit,
                    )?,
                )+)+ })
            }
        }
    };
}

machine! {
    chip {
        n_simds "SIMDs", "SIMDs of the chip.";
        clock_mhz "MHz", "Engine clock.";
    }
    issue {
        bundle_cycles "cycles", "Cycles that the lanes need for a bundle of one wavefront.";
        alternating_wavefronts "wavefronts", "Wavefronts whose ALU clauses execute in turn.";
        clause_switch_cycles "cycles", "From one clause of a wavefront to its next.";
        control_cycles "cycles", "A control-flow instruction without a clause.";
        local_read_cycles "cycles", "Wait for a read of local memory inside a clause.";
    }
    limits {
        registers "registers/lane/SIMD", "General registers that the wavefronts of a SIMD share.";
        reserved_registers "registers/lane/SIMD", "Those of them that no kernel gets.";
        wavefronts "wavefronts/SIMD", "Most wavefronts at once.";
        work_groups "work-groups/SIMD", "Most work-groups at once.";
        work_group_lanes "lanes", "Largest work-group.";
        local_bytes "bytes/SIMD", "Local memory.";
    }
    memory {
        fetch_bytes_per_cycle "bytes/cycle/SIMD", "What a SIMD fetches in a cycle.";
        fetch_lines_per_cycle "lines/cycle/SIMD", "Different lines that it fetches from in a cycle.";
        l1_bytes "bytes/SIMD", "Read cache of a SIMD.";
        l1_cycles "cycles", "A fetch that hits there.";
        l2_bytes "bytes", "Read cache of the chip.";
        l2_bytes_per_cycle "bytes/cycle", "What it gives to all SIMDs.";
        l2_cycles "cycles", "A fetch that hits there.";
        dram_gb_per_second "GB/s", "Bandwidth of the memory.";
        dram_cycles "cycles", "A fetch from there.";
        store_cycles "cycles", "Until a store to scratch memory is acknowledged.";
    }
    host {
        launch_us "us", "A kernel launch.";
    }
}

/// A machine and where its values come from.
#[derive(Debug, Clone, PartialEq)]
pub struct VliwPreset {
    /// On the command line.
    pub name: String,
    /// On the box.
    pub title: String,
    /// By `section.field`.
    pub values: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct File {
    name: String,
    title: String,
    #[serde(flatten)]
    sections: Sections,
}

/// Names of the presets in the binary.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    VLIW.iter().map(|(name, _)| *name)
}

impl VliwPreset {
    /// A preset of the binary.
    pub fn load(name: &str) -> Result<Self, VliwError> {
        match text_of(VLIW, name) {
            Some(text) => Self::parse(name, text),
            None => Err(VliwError::Unknown {
                given: name.to_string(),
                allowed: builtin_names().collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// A preset's text. Every value that the machine has must be there, and no other.
    pub fn parse(name: &str, text: &str) -> Result<Self, VliwError> {
        let file: File = toml::from_str(text).map_err(|error| VliwError::Parse {
            name: name.to_string(),
            message: message(text, &error),
        })?;
        let preset = VliwPreset {
            name: file.name,
            title: file.title,
            values: by_key(file.sections),
        };
        for (key, value) in &preset.values {
            preset.check(key, value)?;
        }
        preset.machine()?;
        Ok(preset)
    }

    /// The same machine with one value changed.
    pub fn with(&self, key: &str, value: f64) -> Result<Self, VliwError> {
        let mut changed = self.clone();
        match changed.values.get_mut(key) {
            Some(entry) => entry.value = value,
            None => return Err(self.wrong(key, "an unknown name", "one of the preset's values")),
        }
        changed.check(key, &changed.values[key])?;
        Ok(changed)
    }

    /// The least and the most that a value may be; the value itself where it is known.
    pub fn range(&self, key: &str) -> Option<(f64, f64)> {
        Some(self.values.get(key)?.range())
    }

    fn check(&self, key: &str, value: &Value) -> Result<(), VliwError> {
        if !FIELDS.iter().any(|(field, _)| *field == key) {
            return Err(self.wrong(
                key,
                "a value that nothing reads",
                "the values of other presets",
            ));
        }
        if !value.is_in_range() || value.value < 0.0 {
            return Err(self.wrong(
                key,
                &value.value.to_string(),
                "a number of at least 0 in its range",
            ));
        }
        if value.lacks_range() {
            let [given, allowed] = WITHOUT_RANGE;
            return Err(self.wrong(key, given, allowed));
        }
        Ok(())
    }

    fn number(&self, key: &str, unit: &str) -> Result<f64, VliwError> {
        let Some(value) = self.values.get(key) else {
            return Err(self.wrong(key, "nothing", &format!("a value in {unit}")));
        };
        if value.unit != unit {
            return Err(self.wrong(key, &value.unit, unit));
        }
        Ok(value.value)
    }

    fn wrong(&self, field: &str, given: &str, allowed: &str) -> VliwError {
        VliwError::Field {
            name: self.name.clone(),
            field: field.to_string(),
            given: given.to_string(),
            allowed: allowed.to_string(),
        }
    }
}

impl Machine {
    /// Work-groups of `wavefronts` that are on a SIMD at once, for a kernel of so many registers and bytes of local memory.
    pub fn resident_groups(&self, wavefronts: u32, registers: u32, local_bytes: u32) -> u32 {
        let by_registers =
            ((self.registers - self.reserved_registers) / f64::from(registers)).floor();
        let by_wavefronts = (by_registers.min(self.wavefronts) / f64::from(wavefronts)).floor();
        let by_local = (self.local_bytes / f64::from(local_bytes.max(1))).floor();
        by_wavefronts.min(by_local).min(self.work_groups) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Kind;

    #[test]
    fn the_preset_has_every_value_and_ranges_for_what_is_assumed() {
        let preset = VliwPreset::load("hd5750").expect("a preset");
        assert_eq!(preset.values.len(), FIELDS.len());
        assert_eq!(
            preset.range("issue.clause_switch_cycles"),
            Some((20.0, 60.0))
        );
        assert!(preset.values.values().all(|v| v.kind != Kind::Fitted));
    }

    #[test]
    fn a_wrong_preset_is_refused_with_the_field() {
        let text = VLIW[0].1;
        let refused = |text: &str| VliwPreset::parse("x", text).expect_err("wrong").to_string();
        assert!(refused(&text.replace("n_simds", "n_simdz")).contains("chip.n_simdz"));
        assert!(
            refused(&text.replace("unit = \"SIMDs\"", "unit = \"cores\"")).contains("given cores")
        );
        assert!(refused(&text.replace("low = 20, high = 60, ", "")).contains("without a range"));
    }

    #[test]
    fn registers_limit_work_groups_whole() {
        let machine = VliwPreset::load("hd5750")
            .expect("a preset")
            .machine()
            .expect("numbers");
        assert_eq!(
            machine.resident_groups(4, 33, 1224),
            1,
            "7 wavefronts, of which a second group needs 8"
        );
        assert_eq!(machine.resident_groups(4, 12, 1224), 5);
        assert_eq!(
            machine.resident_groups(1, 12, 1224),
            8,
            "no more than 8 work-groups"
        );
        assert_eq!(machine.resident_groups(4, 73, 1224), 0);
        assert_eq!(machine.resident_groups(1, 12, 0), 8, "of no local memory");
        let by_local = |bytes: u32| machine.resident_groups(1, 12, bytes);
        assert_eq!((by_local(16_384), by_local(16_385)), (2, 1), "of 32 KiB");
    }

    #[test]
    fn a_value_may_be_zero_and_not_below() {
        let preset = VliwPreset::load("hd5750").expect("a preset");
        let with = |value: f64| {
            preset
                .with("chip.n_simds", value)
                .map(|changed| changed.values["chip.n_simds"].value)
        };
        assert_eq!(with(0.0).expect("zero"), 0.0);
        assert!(
            with(-0.5)
                .expect_err("below zero")
                .to_string()
                .contains("chip.n_simds")
        );
    }
}
