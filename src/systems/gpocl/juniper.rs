//! GPOCL on the Radeon HD 5750: predicted as a band.
//!
//! Models: the NDRanges of Equations 2 to 7; sampled work-groups of random programs, executed on clang's machine code for the chip
//! and timed on one SIMD, the one with most work-groups; what repeats is carried on linearly (`timing`). The stack lies in registers
//! or in scratch memory, as AMD's compiler is not to be had, and a clause switch takes 20 to 60 cycles: the band goes from the
//! slowest to the fastest of these, the central value is the geometric mean of both placements at 40 cycles.
//! Leaves out: transfers of programs and errors; GPOCL's giving up on a program whose error is no number any more.
//! Units: billions of nodes (GPop) per second. Sources: Augusto and Barbosa 2013; `device::vliw`; `fixtures/r600`.
//!
//! [`programs`]: what runs; [`kernel`]: the code and its buffers; [`range`]: how work is spread; [`timing`]: how long it takes;
//! [`layout`]: with what work-groups.

pub mod kernel;
pub mod layout;
pub mod programs;
pub mod range;
pub mod timing;

use super::ndrange::NdRange;
use super::{Configuration, Domain, Strategy};
use crate::device::DeviceError;
use crate::device::numbers::Numbers;
use crate::device::table::{Entry, find};
use crate::util::band::Band;
use crate::vliw::ExecuteError;
use crate::vliw::preset::{Machine, VliwPreset};
use kernel::{KernelError, Placement};
use programs::TREE_NODES;
use timing::{Run, Timed};

/// The chip's preset.
pub const DEVICE: &str = "hd5750";
/// The value whose range makes the band, with the placement of the stack.
const RANGED: [&str; 2] = ["issue", "clause_switch_cycles"];

/// Why there is no prediction.
#[derive(Debug, thiserror::Error)]
pub enum JuniperError {
    /// A size that no run has.
    #[error("{what}: given {given}; allowed: at least 1")]
    Size {
        /// Population or data set.
        what: &'static str,
        /// What was given.
        given: u32,
    },
    /// The kernel's work-groups need more than a SIMD has.
    #[error(
        "a work-group of {lanes} lanes and {registers} registers: given {registers} registers; \
         allowed: what leaves room for one on a SIMD"
    )]
    Room {
        /// Its size.
        lanes: u32,
        /// Registers of a lane.
        registers: u32,
    },
    /// The machine.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The code.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Its execution.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
}

/// The speed of a cell on the Radeon HD 5750.
pub fn predict(
    strategy: Strategy,
    domain: Domain,
    population: u32,
    dataset: u32,
    seed: u64,
) -> Result<Band, JuniperError> {
    let cell = Configuration {
        strategy,
        domain,
        population,
        dataset,
    };
    Predictor::new(VliwPreset::load(DEVICE)?, seed).band(cell)
}

/// Predicts cells and keeps what they have in common.
#[derive(Debug)]
pub struct Predictor {
    preset: VliwPreset,
    timed: Timed,
}

impl Predictor {
    pub fn new(preset: VliwPreset, seed: u64) -> Self {
        Predictor {
            preset,
            timed: Timed::new(seed),
        }
    }

    /// Work-groups of a cell.
    pub fn range(&self, cell: Configuration) -> Result<NdRange, JuniperError> {
        Ok(NdRange::of(cell, range::limits(&self.preset.machine)))
    }

    /// The band of a cell, billions of GP operations per second.
    pub fn band(&self, cell: Configuration) -> Result<Band, JuniperError> {
        let central = self.preset.machine;
        let [section, field] = RANGED;
        let ranged = find(&self.preset.entries, section, field);
        let (least, most) = ranged.map(Entry::ends).unwrap_or_default();
        let mut band = Band {
            low: f64::INFINITY,
            value: 1.0,
            high: 0.0,
        };
        for placement in Placement::ALL {
            let speed = |machine| self.speed(cell, placement, machine);
            let usual = speed(central)?;
            let ends = [
                speed(central.with(field, least))?,
                speed(central.with(field, most))?,
            ];
            for speed in ends.into_iter().chain([usual]) {
                band.low = band.low.min(speed);
                band.high = band.high.max(speed);
            }
            band.value *= usual.powf(1.0 / Placement::ALL.len() as f64);
        }
        Ok(band)
    }

    /// The speed of a cell with the stack in one place, on a machine: billions of GP operations per second.
    pub fn speed(
        &self,
        cell: Configuration,
        placement: Placement,
        machine: Machine,
    ) -> Result<f64, JuniperError> {
        let cycles = self.run(cell, placement, machine)?.cycles();
        let seconds = cycles / (machine.clock_mhz * 1e6) + machine.launch_us * 1e-6;
        let nodes = f64::from(cell.population) * f64::from(cell.dataset) * TREE_NODES as f64;
        Ok(nodes / seconds / 1e9)
    }

    /// How a cell's time comes about.
    pub fn run(
        &self,
        cell: Configuration,
        placement: Placement,
        machine: Machine,
    ) -> Result<Run, JuniperError> {
        for (what, given) in [("population", cell.population), ("data set", cell.dataset)] {
            if given == 0 {
                return Err(JuniperError::Size { what, given });
            }
        }
        self.timed.run(cell, placement, machine)
    }
}
