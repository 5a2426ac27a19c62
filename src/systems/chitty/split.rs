//! Which half of the measurements a row belongs to.
//!
//! Leaves out: how it is decided (`measure`, behind the feature `gpu`).

use crate::util::names::named;
use serde::{Serialize, Serializer};

named! {
    /// The part of the measurements that a row belongs to: decided by its name before anything is measured.
    pub enum Split ("split") {
        /// Rows that fitted values are fitted on.
        Calibration = "calibration",
        /// Rows that predictions are judged by.
        Holdout = "holdout",
    }
}

impl Serialize for Split {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}
