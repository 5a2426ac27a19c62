//! Division of the measured rows: for calibration, or held out.
//!
//! Leaves out: the assignment of rows (`measure`, behind the feature `gpu`).

use crate::util::names::named;
use serde::{Serialize, Serializer};

named! {
    /// Part of the measurements that a row belongs to, determined by its name before anything is measured.
    pub enum MeasurementSplit ("split") {
        /// Rows on which values are fitted.
        Calibration = "calibration",
        /// Held-out rows, on which predictions are judged.
        Holdout = "holdout",
    }
}

impl Serialize for MeasurementSplit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}
