//! Readers of preset values, and the conditions under which a value is read.
//!
//! The parts (`parts/`) list readers and conditions of each field.

use super::Device;
use super::parts::FIELDS;
use crate::util::names::named;
use serde::Serialize;

named! {
    /// Part of the program whose results depend on a value.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Reader ("reader") {
        /// The simulator.
        Sim = "simulator",
        /// The analytical model.
        Model = "analytical model",
        /// Computation of resident blocks, used by both engines.
        Occupancy = "occupancy",
        /// Time between launches, used by both engines.
        Host = "host",
        /// The simulator of VLIW machines.
        Vliw = "VLIW simulator",
    }
}

impl Reader {
    /// Tells whether a value read by this reader affects the predictions of `engine`.
    pub fn serves(self, engine: Reader) -> bool {
        self == engine || matches!(self, Reader::Occupancy | Reader::Host)
    }
}

/// Condition under which a field takes effect; a field lists its conditions after its readers.
#[derive(Debug)]
pub struct Condition {
    /// Fields that decide whether it takes effect.
    pub(super) decided_by: &'static [&'static str],
    /// Reason why the field is idle otherwise, for messages.
    pub because: &'static str,
    pub(super) holds: fn(&Device) -> bool,
}

impl Condition {
    /// Tells whether `field` decides this condition.
    pub fn is_decided_by(&self, field: &str) -> bool {
        self.decided_by.contains(&field)
    }
}

/// First condition that makes `section.field` idle on this device, if any.
pub fn idle(device: &Device, field: &str) -> Option<&'static Condition> {
    let field = FIELDS.iter().find(|known| known.key() == field)?;
    let mut conditions = field.conditions.iter().copied();
    conditions.find(|condition| !(condition.holds)(device))
}
