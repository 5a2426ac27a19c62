//! Ids of the paper's figures: `gtx295/best-speed`.

use crate::systems::figure::Id;
use crate::util::names::{UnknownName, named};
use std::str::FromStr;

named! {
    /// A card of the paper.
    pub enum PaperCard ("card of the paper") {
        Gtx295 = "gtx295",
        T10p = "t10p",
    }
}

named! {
    /// A quantity that the paper publishes for a card.
    pub enum Quantity ("figure of the paper") {
        /// Speed of 64 threads per program over that of 1, in blocks of 64.
        Ratio64 = "ratio-64",
        Ratio128 = "ratio-128",
        Ratio256 = "ratio-256",
        BestSpeed = "best-speed",
        /// Time of a generation with infinite parallelism.
        InfiniteTime = "infinite-time",
        InfiniteSpeed = "infinite-speed",
        Transfers = "transfers",
        /// Speed with the solution in constant memory.
        Mux20Constant = "mux20-constant",
        Mux37Constant = "mux37-constant",
        /// Speed of a run with transfers, without the host.
        Mux20InARun = "mux20-in-a-run",
        Mux37InARun = "mux37-in-a-run",
        /// Speed of a run with the host.
        Mux20Average = "mux20-average",
        Mux37Average = "mux37-average",
    }
}

/// Id of a published figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub machine: PaperCard,
    pub quantity: Quantity,
}

impl Quantity {
    /// Returns the id of the quantity on a device, if that is a card of the paper.
    pub fn of(self, device: &str) -> Option<Id> {
        let machine = device.parse().ok()?;
        Some(Id::Langdon(Published {
            machine,
            quantity: self,
        }))
    }
}

impl FromStr for Published {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let (machine, quantity) = text.split_once('/').unwrap_or((text, ""));
        Ok(Published {
            machine: machine.parse()?,
            quantity: quantity.parse()?,
        })
    }
}
