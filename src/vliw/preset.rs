//! Presets of VLIW GPUs, a separate kind for machines without warps and schedulers.
//!
//! Models: a chip of SIMDs that run clauses of wavefronts in turn, the limits on the wavefronts of one, and its memory. Every
//! value is given in a TOML file with unit, kind and source, assumed ones with their range; all are read by `vliw::simd` or by
//! the code that lays out a launch.
//! Leaves out: graphics.
//! Units: in the files, checked here.
//! Sources: in the files.

use crate::device::Reader::{Host, Vliw};
use crate::device::numbers::{Sourced, numbers};
use crate::device::{DeviceError, VLIW, text_of};

numbers! {
    /// Numbers of one machine.
    Machine, &[Vliw, Host];
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

/// A machine and the sources of its values.
pub type VliwPreset = Sourced<Machine>;

/// Names of the built-in presets.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    VLIW.iter().map(|(name, _)| *name)
}

impl VliwPreset {
    /// Loads a built-in preset.
    pub fn load(name: &str) -> Result<Self, DeviceError> {
        match text_of(VLIW, name) {
            Some(text) => Self::parse(text, &format!("{name}.toml")),
            None => Err(DeviceError::Unknown {
                given: name.to_string(),
                allowed: builtin_names().collect::<Vec<_>>().join(", "),
            }),
        }
    }
}

impl Machine {
    /// Number of work-groups of `wavefronts` resident on a SIMD, for a kernel that needs `registers` and `local_bytes` of local
    /// memory.
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
    use crate::device::numbers::Numbers;
    use crate::device::table::find;

    #[test]
    fn the_preset_has_every_value_and_ranges_for_what_is_assumed() {
        let preset = VliwPreset::load("hd5750").expect("a preset");
        assert_eq!(preset.entries.len(), Machine::FIELDS.len());
        let ranged = find(&preset.entries, "issue", "clause_switch_cycles");
        assert_eq!(ranged.expect("the field").range, Some((20.0, 60.0)));
        assert!(preset.entries.iter().all(|one| one.kind != Kind::Fitted));
    }

    #[test]
    fn a_wrong_preset_is_refused_with_the_field() {
        let text = VLIW[0].1;
        let refused = |text: &str| VliwPreset::parse(text, "x").expect_err("wrong").to_string();
        assert!(refused(&text.replace("n_simds", "n_simdz")).contains("chip.n_simdz"));
        assert!(
            refused(&text.replace("unit = \"SIMDs\"", "unit = \"cores\""))
                .contains("given \"cores\"")
        );
        assert!(refused(&text.replace("low = 20, high = 60, ", "")).contains("without a range"));
    }

    #[test]
    fn registers_limit_work_groups_whole() {
        let machine = VliwPreset::load("hd5750").expect("a preset").machine;
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
        let text = VLIW[0].1;
        let with = |value: &str| {
            let text = text.replace(
                "l1_bytes = { value = 8192",
                &format!("l1_bytes = {{ value = {value}"),
            );
            VliwPreset::parse(&text, "x").map(|changed| changed.machine.l1_bytes)
        };
        assert_eq!(with("0").expect("zero"), 0.0);
        let refused = with("-0.5").expect_err("below zero").to_string();
        assert!(refused.contains("memory.l1_bytes"), "{refused}");
    }
}
