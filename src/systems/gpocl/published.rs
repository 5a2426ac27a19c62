//! Ids of the paper's figures: `regression/peak/gtx285 fp`, `regression/differ/gtx285 fp/gtx285 ppcu`, `regression/chi-square`.

use super::Domain;
use crate::systems::figure::Id;
use crate::util::names::{UnknownName, named};
use std::str::FromStr;

named! {
    /// A strategy on a device of the paper, or a processor with one thread or with all.
    pub enum InstanceName ("instance of the paper") {
        W3680Sequential = "w3680 sequential",
        W3680Parallel = "w3680 parallel",
        PhenomSequential = "phenom-1090t sequential",
        PhenomParallel = "phenom-1090t parallel",
        Gtx285Fp = "gtx285 fp",
        Gtx285Pppe = "gtx285 pppe",
        Gtx285Ppcu = "gtx285 ppcu",
        Hd5750Fp = "hd5750 fp",
        Hd5750Pppe = "hd5750 pppe",
        Hd5750Ppcu = "hd5750 ppcu",
    }
}

named! {
    /// A quantity that the paper publishes for one, two or all instances.
    pub enum Quantity ("figure of the paper") {
        Peak = "peak",
        Median = "median",
        MedianPerWatt = "per-watt",
        /// Lowest speed of a surface.
        Lowest = "lowest",
        Highest = "highest",
        Efficiency = "efficiency",
        Rank = "rank",
        ChiSquare = "chi-square",
        Differ = "differ",
        PairsThatDiffer = "pairs-that-differ",
    }
}

/// Id of a published figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub domain: Domain,
    pub quantity: Quantity,
    pub instances: Vec<InstanceName>,
}

impl Quantity {
    /// Returns the id of the quantity in a domain, if the instances are the paper's.
    pub fn of(self, domain: Domain, instances: &[&str]) -> Option<Id> {
        let instances = instances.iter().map(|name| name.parse());
        Some(Id::Gpocl(Published {
            domain,
            quantity: self,
            instances: instances.collect::<Result<_, _>>().ok()?,
        }))
    }
}

impl FromStr for Published {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let mut parts = text.split('/');
        let mut next = || parts.next().unwrap_or_default();
        Ok(Published {
            domain: next().parse()?,
            quantity: next().parse()?,
            instances: parts.map(str::parse).collect::<Result<_, _>>()?,
        })
    }
}
