//! Preset for the processor that the program runs on.
//!
//! Models: vendor, family and model from CPUID select the preset; cache sizes are those that the system lists; the clock is
//! timed on dependent instructions.
//! Leaves out: cores of different kinds in one processor; clocks that change under load.
//! Units: GHz, bytes.
//! Sources: Intel SDM and AMD APM, CPUID leaves 0 and 1; `gp/interpret/cache.rs`.

use super::preset::{Preset, THIS, builtin_names, unknown};
use crate::device::{DeviceError, Kind};
use crate::gp::interpret::cache::THIS_MACHINE;
use std::hint::black_box;
use std::time::Instant;

/// Identity of a processor from CPUID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub vendor: String,
    pub family: u32,
    pub model: u32,
}

impl Preset {
    /// Loads a built-in preset, or that of this machine.
    pub fn named(name: &str) -> Result<Preset, DeviceError> {
        match name {
            THIS => this_machine(),
            name => Preset::load(name),
        }
    }

    fn is_of(&self, identity: &Identity) -> bool {
        self.vendor == identity.vendor
            && self.families.contains(&identity.family)
            && (self.models.is_empty() || self.models.contains(&identity.model))
    }

    fn found(&mut self, key: &str, value: f64, source: &str) {
        if let Some(entry) = self.values.iter_mut().find(|entry| entry.key() == key) {
            entry.value = value.into();
            entry.range = None;
            entry.kind = Kind::Measured;
            entry.source = source.to_owned();
        }
    }
}

/// Loads the preset for a processor: the last one if none matches it.
pub fn preset_for(identity: &Identity) -> Result<Preset, DeviceError> {
    let mut last = None;
    for name in builtin_names() {
        let preset = Preset::load(name)?;
        if preset.is_of(identity) {
            return Ok(preset);
        }
        last = Some(preset);
    }
    last.ok_or_else(|| unknown(THIS))
}

/// Loads this machine's preset, with the detected caches and clock.
fn this_machine() -> Result<Preset, DeviceError> {
    let mut preset = preset_for(&identity())?;
    preset.found("core.clock_ghz", clock_ghz(), "timed on this machine");
    if cfg!(target_os = "linux") {
        let caches = *THIS_MACHINE;
        let listed = "listed by Linux on this machine";
        preset.found("l1.bytes", caches.l1_bytes as f64, listed);
        preset.found("l2.bytes", caches.l2_bytes as f64, listed);
        preset.found("l3.bytes", caches.l3_bytes.unwrap_or(0) as f64, listed);
    }
    Ok(preset)
}

#[cfg(target_arch = "x86_64")]
fn identity() -> Identity {
    use std::arch::x86_64::__cpuid;
    // SAFETY: every x86-64 processor has CPUID.
    #[allow(unused_unsafe, reason = "safe in newer versions of Rust")]
    let (names, version) = unsafe { (__cpuid(0), __cpuid(1).eax) };
    let letters = [names.ebx, names.edx, names.ecx]
        .map(u32::to_le_bytes)
        .concat();
    let base = version >> 8 & 0xf;
    let extended = version >> 20 & 0xff;
    let family = if base == 0xf { base + extended } else { base };
    let model = (version >> 4 & 0xf) | (version >> 12 & 0xf0);
    Identity {
        vendor: String::from_utf8_lossy(&letters).into_owned(),
        family,
        model,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn identity() -> Identity {
    Identity {
        vendor: String::new(),
        family: 0,
        model: 0,
    }
}

/// Number of dependent instructions timed: about half a millisecond, the time of an evaluation; the shortest of several runs
/// counts.
const CHAIN: u32 = 1_000_000;
const TIMES: usize = 20;

fn clock_ghz() -> f64 {
    let key = black_box(0x9e37_79b9_7f4a_7c15_u64);
    let mut shortest = f64::INFINITY;
    for _ in 0..TIMES {
        let mut value = black_box(1u64);
        let start = Instant::now();
        for _ in 0..CHAIN {
            // Two instructions of one cycle each on every processor of the architecture.
            value = (value ^ key).rotate_left(7);
        }
        black_box(value);
        shortest = shortest.min(start.elapsed().as_secs_f64());
    }
    2.0 * f64::from(CHAIN) / (shortest * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(vendor: &str, family: u32, model: u32) -> String {
        let vendor = vendor.to_owned();
        let identity = Identity {
            vendor,
            family,
            model,
        };
        preset_for(&identity).unwrap().name
    }

    #[test]
    fn processors_find_their_presets() {
        assert_eq!(name("AuthenticAMD", 26, 2), "zen5");
        assert_eq!(name("AuthenticAMD", 25, 17), "zen4");
        assert_eq!(name("GenuineIntel", 6, 143), "golden-cove");
        assert_eq!(name("GenuineIntel", 6, 1), "x86-64");
        assert_eq!(name("", 0, 0), "x86-64");
    }

    #[test]
    fn this_machine_has_a_clock() {
        let preset = Preset::named(THIS).unwrap();
        let clock = preset.value("core", "clock_ghz").unwrap();
        assert!((0.2..10.0).contains(&clock), "{clock}");
    }
}
