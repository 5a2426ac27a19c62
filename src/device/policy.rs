//! Choices that a device makes by a rule, not by a number.
//!
//! Leaves out: behaviour, which the models implement. Sources: named value by value in the device files.

use super::quantity::FieldValue;
use serde::{Deserialize, Serialize};

/// Which ready warp a scheduler issues from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarpPolicy {
    /// The one after the last that issued.
    LooseRoundRobin,
    /// The same as before as long as it is ready, else the one that has been resident longest.
    GreedyThenOldest,
}

/// What keeps an instruction from issuing before its operands are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependencies {
    /// The hardware tracks the registers that loads write (Kepler).
    Registers,
    /// The compiler assigns six scoreboards and wait masks (Volta and later).
    Scoreboards,
}

impl FieldValue for Dependencies {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
    fn show(&self) -> String {
        match self {
            Dependencies::Registers => "registers",
            Dependencies::Scoreboards => "scoreboards",
        }
        .to_owned()
    }
}

impl FieldValue for WarpPolicy {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
    fn show(&self) -> String {
        match self {
            WarpPolicy::LooseRoundRobin => "loose_round_robin",
            WarpPolicy::GreedyThenOldest => "greedy_then_oldest",
        }
        .to_owned()
    }
}
