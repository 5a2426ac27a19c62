//! Ids of the paper's figures, all for its one card.

use crate::systems::figure::Id;
use crate::util::names::named;

/// The paper's card.
pub const DEVICE: &str = "g80";

named! {
    /// Id of a published figure.
    pub enum Published ("figure of the paper") {
        SmallestRegression = "smallest-size/regression",
        LargestRegression = "largest-size/regression",
        SmallestMultiplexer = "smallest-size/multiplexer",
        LargestMultiplexer = "largest-size/multiplexer",
        SmallestSpirals = "smallest-size/spirals",
        LargestSpirals = "largest-size/spirals",
        LowestOfFive = "lowest-speedup/five-benchmarks",
        HighestOfFive = "highest-speedup/five-benchmarks",
        HighestOfMux6 = "highest-speedup/mux6",
    }
}

impl Published {
    /// Returns the id on a device, if that is the paper's.
    pub fn on(self, device: &str) -> Option<Id> {
        (device == DEVICE).then_some(Id::Robilliard(self))
    }
}
