//! GPOCL on the Radeon HD 5750: predicted as a band.
//!
//! Models: the NDRanges of Equations 2 to 7; sampled work-groups of random programs, executed on clang's machine code for the
//! chip and timed on one SIMD, the one with most work-groups; repetitions are extrapolated linearly (`timing`). AMD's compiler is
//! not available, so the stack is placed either in registers or in scratch memory, and a clause switch takes 20 to 60 cycles. The
//! band extends from the slowest to the fastest of these; the central value is the geometric mean of both placements at 40
//! cycles.
//! Leaves out: transfers of programs and errors; GPOCL's early abort of programs whose error is NaN.
//! Units: billions of nodes (GPop) per second. Sources: Augusto and Barbosa 2013; `device::vliw`; `fixtures/r600`.
//!
//! [`programs`]: the programs that run; [`kernel`]: the code and its buffers; [`range`]: distribution of the work; [`timing`]:
//! execution time; [`layout`]: the timed work-groups.

pub mod kernel;
pub mod layout;
pub mod programs;
pub mod range;
pub mod timing;

use super::GpoclConfiguration;
use super::ndrange::NdRange;
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
/// Preset value whose range, together with the stack's placement, makes the band.
const RANGED: [&str; 2] = ["issue", "clause_switch_cycles"];

/// Error in making a prediction.
#[derive(Debug, thiserror::Error)]
pub enum JuniperError {
    /// A size below 1.
    #[error("{what}: given {given}; allowed: at least 1")]
    Size {
        /// Name of the size: population or data set.
        what: &'static str,
        /// Size that was given.
        given: u32,
    },
    /// The kernel's work-groups need more registers than a SIMD has.
    #[error(
        "a work-group of {lanes} lanes and {registers} registers: given {registers} registers; \
         allowed: what leaves room for one on a SIMD"
    )]
    Room {
        /// Lanes of a work-group.
        lanes: u32,
        /// Registers of a lane.
        registers: u32,
    },
    /// Error in the machine's preset.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Error in the code.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Error in its execution.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
}

/// Predicts cells and caches their common parts.
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

    /// Returns the work-groups of a cell.
    pub fn range(&self, cell: GpoclConfiguration) -> Result<NdRange, JuniperError> {
        Ok(NdRange::of(cell, range::limits(&self.preset.machine)))
    }

    /// Returns the band of a cell, in billions of GP operations per second.
    pub fn band(&self, cell: GpoclConfiguration) -> Result<Band, JuniperError> {
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

    /// Returns the speed of a cell with one placement of the stack, on a machine, in billions of GP operations per second.
    pub fn speed(
        &self,
        cell: GpoclConfiguration,
        placement: Placement,
        machine: Machine,
    ) -> Result<f64, JuniperError> {
        let cycles = self.run(cell, placement, machine)?.cycles();
        let seconds = cycles / (machine.clock_mhz * 1e6) + machine.launch_us * 1e-6;
        let nodes = f64::from(cell.population) * f64::from(cell.dataset) * TREE_NODES as f64;
        Ok(nodes / seconds / 1e9)
    }

    /// Times a cell.
    pub fn run(
        &self,
        cell: GpoclConfiguration,
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
