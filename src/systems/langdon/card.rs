//! A single chip, and the card that carries it.
//!
//! Models: chips of a card share a generation evenly. Leaves out: transfers, which are not shared; waiting for the last chip. The
//! GeForce GTX 295 carries two chips; the paper writes "single GPU" but draws both. Units: billions of GP operations per second.

use super::parallelism::transfer_milliseconds;
use super::published::PaperCard;
use super::{POPULATION, experiment::Experiment};
use crate::device::Device;

/// Name of a card with two chips.
const TWO_CHIPS: &str = PaperCard::Gtx295.name();

/// One or more chips that share a generation.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Name in the configurations.
    pub name: String,
    pub chips: u32,
}

impl Card {
    /// Returns one chip of `device`, the primary reading, and the whole card where it has more than one chip. `name` is the device's
    /// name in the configurations.
    pub fn of(name: &str, device: &Device) -> Vec<Card> {
        let one = Card {
            name: name.to_owned(),
            chips: 1,
        };
        let whole = Card {
            name: format!("{name} (both chips)"),
            chips: 2,
        };
        match device.name == TWO_CHIPS {
            true => vec![one, whole],
            false => vec![one],
        }
    }

    /// Returns the card's speed from one chip's.
    pub fn speed(&self, of_chip: f64) -> f64 {
        f64::from(self.chips) * of_chip
    }

    /// Returns the card's speed including transfers, from one chip's speed on programs with `mean_nodes`.
    pub fn with_transfers(&self, experiment: &Experiment, mean_nodes: u32, of_chip: f64) -> f64 {
        let operations = experiment.operations(POPULATION, mean_nodes.into());
        let in_kernel = operations / self.speed(of_chip) / 1e6;
        operations / (in_kernel + transfer_milliseconds(experiment)) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_share_the_work_and_not_the_transfers() {
        let [one, two] = [1, 2].map(|chips| Card {
            name: String::new(),
            chips,
        });
        let mux20 = Experiment::MUX20;
        assert_eq!(two.speed(100.0), 200.0);
        let milliseconds = |card: &Card| {
            let speed = card.with_transfers(&mux20, 300, 100.0);
            mux20.operations(POPULATION, 300.0) / speed / 1e6
        };
        let transfers = transfer_milliseconds(&mux20);
        let ratio = (milliseconds(&one) - transfers) / (milliseconds(&two) - transfers);
        assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
    }
}
