//! GPU presets with a source for every value, and the occupancy calculation. Independent of GP.
//!
//! A preset is a TOML file under `fixtures/devices/`; the files committed there are built in. [`Device`] holds the plain
//! numbers for the models; [`Preset`] adds the source of each.
//!
//! Leaves out: properties that only a run can reveal (each value's source states its confidence).
//! Units: in field names.

#[doc(hidden)]
pub mod cache;
#[doc(hidden)]
pub mod characterize;
#[doc(hidden)]
pub mod ideal;
#[doc(hidden)]
pub mod ledger;
mod load;
#[doc(hidden)]
pub mod numbers;
pub mod occupancy;
#[doc(hidden)]
pub mod parts;
#[doc(hidden)]
mod policy;
#[doc(hidden)]
pub mod table;

pub use ledger::Reader;
pub use load::{DeviceError, builtin_names};
pub(crate) use load::{VLIW, text_of};
pub use parts::Device;
pub use parts::chip::{Host, local_bytes_of_a_warp};
pub use parts::l1::{CacheGeometry, OnChipSplit};
pub use policy::{
    Arbitration, Coalescing, DefaultSplit, Dependencies, IndexHash, Pipe, RegisterAllocation,
    Replacement, Validated, WarpPolicy,
};
pub use table::{Entry, Kind};

/// A device with the unit, kind and source of every value.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Plain numbers of the device.
    pub device: Device,
    /// All values of the file with their sources.
    pub entries: Vec<Entry>,
}

impl Preset {
    /// Returns the values that were fitted to measurements.
    pub fn fitted(&self) -> Vec<&Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.kind == Kind::Fitted)
            .collect()
    }
}

impl Device {
    /// Returns the machine with only the parts in `ideals` idealized.
    #[doc(hidden)]
    pub fn without(&self, ideals: ideal::Ideals) -> Device {
        Device {
            ideals,
            ..self.clone()
        }
    }
}
