//! The part of the measurements that a row belongs to.
//!
//! Leaves out: the assignment of rows (`measure`, behind the feature `gpu`).

use crate::util::names::named;
use serde::{Serialize, Serializer};

named! {
    /// Part of the measurements that a row belongs to, determined by its name before anything is measured.
    pub enum Split ("split") {
        /// Rows on which values are fitted.
        Calibration = "calibration",
        /// Held-out rows, on which predictions are judged.
        Holdout = "holdout",
    }
}

impl Serialize for Split {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}
