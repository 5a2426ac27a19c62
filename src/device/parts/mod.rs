//! The parts of a machine, a file each: the part's preset fields with unit, allowed range, readers and conditions; relations between
//! its values that are refused; its values if idealized; the numbers that engines derive from it.
//!
//! A field takes one line here and one in each file under `fixtures/devices/`; files may leave it out if it declares the neutral
//! value of machines without the mechanism (`field: u32 = 0`). Values that nothing reads are kept in the files' sections
//! `reference.*`. `tests/model/ledger.rs` checks readers and conditions against predictions.
//!
//! Leaves out: components of the simulator and equations of the analytical model.
//! Units: in the field names where there is one; the unit text is checked against the file.

pub mod chip;
pub mod code;
pub mod dram;
pub mod issue;
pub mod l1;
pub mod l2;
pub mod load_store;
pub mod pipes;

use super::ideal::Ideals;
use super::policy::Validated;
use super::table::{Entry, Field};
use crate::util::refused::Refused;
use chip::{Chip, Host, Limits, Local};
use code::{ConstantCache, InstructionCache};
use dram::Dram;
use issue::{Issue, Latency};
use l1::L1;
use l2::L2;
use load_store::{LoadStore, Shared};
use pipes::{Pipes, Throughput};
use serde::Serialize;
use std::fmt::Display;
use std::sync::LazyLock;

/// Declares a section of a preset as a struct. A field may have a neutral value (`= 0`) and conditions (`if`), see
/// [`Condition`](super::ledger::Condition).
macro_rules! section {
    (
        $(#[$doc:meta])* $section:ident: $name:ident { $(
            $(#[$field_doc:meta])* $field:ident: $ty:ty $(= $neutral:expr)?, $unit:literal, $allowed:expr,
            [$($reader:ident),+] $(if $($condition:ident),+)?;
        )* }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        pub struct $name { $( $(#[$field_doc])* pub $field: $ty, )* }

        impl $name {
            pub(in crate::device) const FIELDS: &'static [$crate::device::table::Field] = &[$(
                $crate::device::table::Field {
                    section: stringify!($section),
                    name: stringify!($field),
                    unit: $unit,
                    allowed: $allowed,
                    readers: &[$($crate::device::ledger::Reader::$reader),+],
                    neutral: || [$(toml::Value::from($neutral),)?].into_iter().next(),
                    conditions: &[$($(&$condition),+)?],
                },
            )*];

            /// Reads the section.
            pub(in crate::device) fn read(
                entries: &[$crate::device::table::Entry],
            ) -> Result<Self, $crate::util::refused::Refused> {
                Ok($name { $(
                    $field: $crate::device::table::get(entries, stringify!($section), stringify!($field))?,
                )* })
            }
        }
    };
}
use section;

macro_rules! device {
    ($($section:ident: $name:ident,)*) => {
        /// Numbers that describe one GPU.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub struct Device {
            /// Name on the command line: `gtx670`.
            pub name: String,
            /// Product name.
            pub title: String,
            /// Compute capability in NVIDIA's notation: `3.0`.
            pub compute_capability: String,
            /// Committed machine code that runs on the device: `sm_35`.
            pub code: String,
            /// Whether its predictions were ever compared with measurements; no property of the machine.
            #[serde(skip)]
            pub validated: Validated,
            $(pub $section: $name,)*
            /// Idealized parts of the machine; none for a real one.
            #[serde(skip)]
            #[doc(hidden)]
            pub ideals: Ideals,
        }

        /// All fields of all sections.
        pub(super) static FIELDS: LazyLock<Vec<Field>> =
            LazyLock::new(|| [$($name::FIELDS),*].concat());

        impl Device {
            /// Reads a device without its name.
            pub(super) fn read(entries: &[Entry]) -> Result<Device, Refused> {
                Ok(Device {
                    name: String::new(),
                    title: String::new(),
                    compute_capability: String::new(),
                    code: String::new(),
                    validated: Validated::Never,
                    $($section: $name::read(entries)?,)*
                    ideals: Ideals::default(),
                })
            }
        }
    };
}

device! {
    chip: Chip,
    limits: Limits,
    issue: Issue,
    load_store: LoadStore,
    latency: Latency,
    pipes: Pipes,
    throughput: Throughput,
    shared: Shared,
    l1: L1,
    local: Local,
    l2: L2,
    dram: Dram,
    instruction_cache: InstructionCache,
    constant_cache: ConstantCache,
    host: Host,
}

impl Device {
    /// Checks relations between values that single ranges cannot express; refuses the first that is violated.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), Refused> {
        check_identity(self)?;
        l1::check(self)?;
        load_store::check(self)?;
        l2::check(self)?;
        code::check(self)?;
        pipes::check(self)
    }

    /// Returns the machine with the values that its idealized parts have.
    pub(crate) fn idealized(&self) -> Device {
        let mut device = self.clone();
        // The latencies of L2 and DRAM become that of the L1 before it may change itself.
        l2::idealize(&mut device);
        dram::idealize(&mut device);
        l1::idealize(&mut device);
        load_store::idealize(&mut device);
        issue::idealize(&mut device);
        pipes::idealize(&mut device);
        code::idealize(&mut device);
        chip::idealize(&mut device);
        device
    }
}

/// Range of sizes of on-chip memory.
const ON_CHIP: (f64, f64) = (1.0, 16_777_216.0);
/// Range of sizes of an L2.
const OFF_CHIP: (f64, f64) = (1.0, 1_073_741_824.0);
/// Range of sizes of instruction caches.
const CODE: (f64, f64) = (1.0, 1_048_576.0);
/// Range of latencies in cycles.
const CYCLES: (f64, f64) = (0.0, 100_000.0);
/// Range of rates per cycle.
const RATE: (f64, f64) = (0.01, 1e6);
/// Range of host times.
const HOST_TIME: (f64, f64) = (0.0, 1e6);
/// Range of fractions.
const FRACTION: (f64, f64) = (0.01, 1.0);

/// Maximum number of cache lines, and of lines in all ways of all sets, that a simulation allocates.
const MOST_LINES: u64 = 1 << 22;
/// Idealized rate: bytes per cycle beyond any demand.
const UNLIMITED_BYTES: f64 = 1e9;

/// Checks that the name is usable on the command line and the compute capability is well formed.
fn check_identity(device: &Device) -> Result<(), Refused> {
    let (name, capability) = (&device.name, &device.compute_capability);
    let is_word = !name.contains(|c: char| c.is_whitespace() || c.is_control());
    let allowed = "one word, as it is called on the command line";
    let given = format_args!("{name:?}");
    require(is_word && !name.is_empty(), "device.name", given, allowed)?;
    let digits =
        |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
    let numbers = capability.split_once('.');
    let holds = numbers.is_some_and(|(major, minor)| digits(major) && digits(minor));
    let (given, allowed) = (
        format_args!("{capability:?}"),
        "as NVIDIA counts, like \"3.0\"",
    );
    require(holds, "device.compute_capability", given, allowed)
}

/// Checks a size of lines or sectors: address bits select the byte in it.
fn check_power_of_two(field: &str, bytes: u32) -> Result<(), Refused> {
    require(bytes.is_power_of_two(), field, bytes, "a power of two")
}

/// Refuses the value given for a field unless the condition holds.
fn require(
    holds: bool,
    field: &str,
    given: impl Display,
    allowed: impl Display,
) -> Result<(), Refused> {
    match holds {
        true => Ok(()),
        false => Err(Refused::field(field, given, allowed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    pub fn refused_of(change: impl Fn(&mut Device)) -> Option<Refused> {
        let mut device = Preset::load("gtx670").unwrap().device;
        change(&mut device);
        device.check().err()
    }

    #[test]
    fn a_compute_capability_is_two_numbers_of_at_most_two_digits() {
        let refused =
            |text: &str| refused_of(|device| device.compute_capability = text.into()).is_some();
        assert!(!refused("3.0") && !refused("12.1"));
        for text in ["123.0", "3.123", "3.", ".0", "a.0", "3.x", "30", "3.0.1"] {
            assert!(refused(text), "{text}");
        }
    }

    #[test]
    fn lanes_that_are_served_together_are_half_warps_or_warps() {
        let shared = |lanes| refused_of(|device| device.shared.lanes_together = lanes);
        let constant = |lanes| refused_of(|device| device.constant_cache.lanes_together = lanes);
        assert!(shared(16).is_none() && shared(32).is_none());
        assert!(constant(0).is_none() && constant(16).is_none());
        assert_eq!(shared(0).expect("no lanes").allowed, "16 or 32");
        assert_eq!(constant(8).expect("a quarter").allowed, "0, 16 or 32");
    }
}
