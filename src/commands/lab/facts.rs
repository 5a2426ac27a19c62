//! The right answers of the lab, predicted when they are asked for.
//!
//! Models: launches of the GTX 670 by the analytical model, as the sheet's commands predict them, and the lab's measured launches.
//! Leaves out: questions and tolerances (`questions.rs`). Units: in the names; GPop/s are compared as ratios.

use super::measured::{Compared, Measured, compared};
use crate::device::ideal::Ideal;
use crate::device::occupancy::{BlockResources, OccupancyLimits};
use crate::device::{Device, Preset};
use crate::launch::CarveOut;
use crate::launch::prediction::Prediction;
use crate::launch::residency::reside;
use crate::predictor::{Gain, Kind, Predictor, Settings};
use crate::report::verdict::stack_bytes;
use crate::study::l1::with_l1;
use crate::systems::options::{LaunchOptions, Size};
use std::cell::OnceCell;
use std::error::Error;

/// Message for a file of launches that lacks one.
const NO_LAUNCH: &str = "the lab's measured launches lack one that a question is about";

/// A fact, or why it cannot be computed.
pub type Fact<T> = Result<T, Box<dyn Error>>;

/// Predictions that questions share.
#[derive(Debug)]
pub struct Facts {
    analytical: Predictor,
    /// Launches of the H200 by the analytical model.
    h200: OnceCell<Vec<Compared>>,
    /// Simulator's error for the launch with the largest one of the analytical model.
    simulated: OnceCell<f64>,
}

/// A launch of the postfix interpreter on the sextic problem.
pub fn postfix(cases_per_thread: u32, threads: u32) -> LaunchOptions {
    let launch = LaunchOptions::of("rpn").with(Size::StackDim, cases_per_thread);
    launch.with(Size::Threads, threads)
}

/// A launch of the linear interpreter with stack levels in registers, four cases per thread.
pub fn in_registers(levels: u32, threads: u32) -> LaunchOptions {
    let launch = LaunchOptions::of("lgp-registers").with(Size::StackDim, 4);
    let launch = launch.with(Size::StackRegisters, levels);
    launch.with(Size::Threads, threads)
}

impl Facts {
    pub fn open() -> Fact<Facts> {
        let settings = Settings {
            kind: Kind::Analytical,
            ..Settings::default()
        };
        let device = Preset::load("gtx670")?.device;
        Ok(Facts {
            analytical: Predictor::with_settings(device, settings),
            h200: OnceCell::new(),
            simulated: OnceCell::new(),
        })
    }

    fn device(&self) -> &Device {
        self.analytical.device()
    }

    fn predict(&self, launch: &LaunchOptions) -> Fact<Prediction> {
        Ok(self.analytical.predict(launch)?)
    }

    pub fn resident_warps(&self, launch: &LaunchOptions) -> Fact<f64> {
        Ok(self.predict(launch)?.occupancy.warps.into())
    }

    /// Returns the change of speed from the first launch to the second, in percent.
    pub fn change_percent(&self, first: &LaunchOptions, second: &LaunchOptions) -> Fact<f64> {
        let [first, second] = [self.predict(first)?, self.predict(second)?];
        Ok(100.0 * (second.gpops_billion / first.gpops_billion - 1.0))
    }

    /// Returns the cycles that a warp takes for a node, by Little's law.
    pub fn cycles_per_node(&self, launch: &LaunchOptions) -> Fact<f64> {
        let found = self.predict(launch)?;
        let nodes_per_cycle = found.ipc / found.warp_instructions_per_node;
        Ok(f64::from(found.occupancy.warps) / nodes_per_cycle)
    }

    pub fn stacks_kib(&self, launch: &LaunchOptions) -> Fact<f64> {
        Ok(stack_bytes(&self.predict(launch)?) / 1024.0)
    }

    /// Returns the part of the machine whose removal gains most.
    pub fn limit(&self, launch: &LaunchOptions) -> Fact<Ideal> {
        Ok(first(&self.analytical, launch)?.free[0])
    }

    /// Returns how many times as fast a launch is without the part whose removal gains most.
    pub fn without_limit(&self, launch: &LaunchOptions) -> Fact<f64> {
        Ok(first(&self.analytical, launch)?.speedup)
    }

    /// Returns the smallest of some L1 sizes in KiB, in ascending order, with which the removal of another part than L1 misses gains most.
    pub fn smallest_l1(&self, launch: &LaunchOptions, sizes_kib: &[u32]) -> Fact<f64> {
        for &kib in sizes_kib {
            let engine = self.analytical.on(with_l1(self.device(), kib * 1024)?);
            let gain = first(&engine, &launch.with(Size::L1Kib, kib))?;
            if gain.free != [Ideal::L1Misses] {
                return Ok(kib.into());
            }
        }
        Err("no size of the lab's L1 avoids its misses".into())
    }

    /// Returns the most registers per thread with which `n` blocks are resident.
    pub fn most_registers(&self, threads_per_block: u32, n: u32) -> Fact<f64> {
        let most = OccupancyLimits::of(self.device()).registers_per_thread;
        for registers_per_thread in (1..=most).rev() {
            let block = BlockResources {
                threads_per_block,
                registers_per_thread,
                shared_bytes_per_block: 0,
            };
            let (occupancy, _) = reside(self.device(), "", CarveOut::Default, block)?;
            if occupancy.blocks >= n {
                return Ok(registers_per_thread.into());
            }
        }
        Err(format!("{n} blocks of {threads_per_block} threads are never resident").into())
    }

    /// Returns the launch of `h200.csv` with the largest error of the analytical model, and its place in the file.
    pub fn worst(&self) -> Fact<(usize, Compared)> {
        let places = self.h200()?.iter().copied().enumerate();
        let error = |one: &(usize, Compared)| one.1.error_percent.abs();
        let worst = places.max_by(|a, b| error(a).total_cmp(&error(b)));
        worst.ok_or_else(|| NO_LAUNCH.into())
    }

    /// Returns the simulator's error for the launch of [`Facts::worst`], in percent.
    pub fn worst_of_simulator(&self) -> Fact<f64> {
        if let Some(known) = self.simulated.get() {
            return Ok(*known);
        }
        let rows = compared(Measured::H200, Kind::Simulator)?;
        let error = rows[self.worst()?.0].error_percent;
        Ok(*self.simulated.get_or_init(|| error))
    }

    /// Returns how much more time the first measurement of the repeated launch took than the second, in percent.
    pub fn apart_percent(&self) -> Fact<f64> {
        let again = compared(Measured::H200Again, Kind::Analytical)?;
        let again = again.first().ok_or(NO_LAUNCH)?;
        let same = |one: &&Compared| one.problem == again.problem && one.kernel == again.kernel;
        let first = self.h200()?.iter().find(same).ok_or(NO_LAUNCH)?;
        Ok(100.0 * (first.measured_ms / again.measured_ms - 1.0))
    }

    /// Returns the mean absolute error of the analytical model on the H100, in percent.
    pub fn h100_mean_error(&self) -> Fact<f64> {
        let rows = compared(Measured::H100, Kind::Analytical)?;
        let errors = rows.iter().map(|row| row.error_percent.abs());
        Ok(errors.sum::<f64>() / rows.len() as f64)
    }

    fn h200(&self) -> Fact<&[Compared]> {
        if let Some(known) = self.h200.get() {
            return Ok(known);
        }
        let rows = compared(Measured::H200, Kind::Analytical)?;
        Ok(self.h200.get_or_init(|| rows))
    }
}

/// Returns the largest gain from the removal of one part.
fn first(engine: &Predictor, launch: &LaunchOptions) -> Fact<Gain> {
    let explained = engine.explain_alone(launch)?;
    let first = explained.first().cloned();
    first.ok_or_else(|| "no part of the machine was removed".into())
}
