//! Timing by the simulator: from a resolved launch to GPop/s.
//!
//! Models: a sampling window of the multiprocessor as full as the launch keeps it, shorter ones of partly filled
//! multiprocessors, then every block of the grid over all multiprocessors. On request one multiprocessor runs all its
//! blocks from the first instruction to the last; the ratio to the windows' estimate for the same blocks corrects them.
//! Sources: `docs/sampling.md`.

use crate::util::stopwatch::Stopwatch;

use super::blocks::run_queue;
use super::dispatch::{BlockQueue, Geometry};
use super::figures::Levels;
use super::observe::Counters;
use super::sample::Drawn;
use super::smx::Setup;
use super::tolerance::{Tolerance, window_bound};
use super::window::{Window, WindowPlan, simulate};
use crate::launch::counters::cpi_entries;
use crate::launch::demand::{TimeParts, per_token_of};
use crate::launch::kernel::Replay;
use crate::launch::makespan::{RateCurve, makespan_cycles};
use crate::launch::prediction::{PredictError, Timing};
use crate::launch::rates::Rates;
use crate::launch::spec::SmxSpec;
use crate::launch::uniform::Uniform;
use crate::trace::LINE_BYTES;
use crate::util::names::named;

named! {
    /// Extent of the simulated part of a launch.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Scope ("scope") {
        /// Windows of one multiprocessor, about a million warp instructions.
        #[default]
        Window = "window",
        /// All blocks of one multiprocessor, or of as many as have 128 blocks, from the first instruction to the last: seconds to
        /// minutes.
        Multiprocessor = "multiprocessor",
    }
}

/// Lengths and programs of the sampling windows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingPlan {
    /// Window of the multiprocessor as full as the launch keeps it.
    pub window: WindowPlan,
    /// Warp instructions that each window of a partly filled one measures, where it is filled but once; the end of a grid
    /// of many waves needs less, in proportion.
    pub partial_instructions: u64,
    /// Minimum of these warp instructions for a window.
    pub least_partial_instructions: u64,
    /// Smallest number of blocks of which one iteration is measured there, if the multiprocessor is filled only once.
    pub partial_units: u32,
    /// Number of blocks at the head of the sample whose programs windows sample.
    pub programs: usize,
}

impl Default for SamplingPlan {
    fn default() -> Self {
        SamplingPlan {
            window: WindowPlan {
                instructions: (900_000, 3_000_000),
                least_units: 36,
                units: 144,
                warm_up_percent: 20,
                batches: 10,
                longer_above: f64::INFINITY,
                seed: 7,
            },
            partial_instructions: 300_000,
            least_partial_instructions: 40_000,
            partial_units: 48,
            programs: 128,
        }
    }
}

/// Cycle-level simulator.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Simulator {
    pub scope: Scope,
    /// Greatest error of windows; where they exceed it, whole runs follow.
    pub tolerance: Option<Tolerance>,
    pub plan: SamplingPlan,
}

/// Measurements of the simulated multiprocessor.
struct Observed {
    rates: Rates,
    /// Counters of the multiprocessor as full as the launch keeps it.
    counters: Counters,
    /// Time parts of the multiprocessor as full as the launch keeps it.
    parts: TimeParts,
    /// Counters of all residency levels, or of the run.
    levels: Levels,
    /// 90 % bound of the sample's error.
    error_percent: f64,
    instructions: u64,
}

/// All blocks of some multiprocessors, run to their end.
struct WholeRun {
    /// Cycles that they take at the rates of the windows.
    told_cycles: f64,
    cycles: u64,
    counters: Counters,
}

impl Simulator {
    /// Times a launch whose blocks run one program each.
    pub fn time_uniform(&self, launch: Uniform) -> Result<Timing, PredictError> {
        let start = Stopwatch::start();
        let mut observed = self.sample(launch)?;
        self.correct(launch, &mut observed)?;
        observed.rates = launch.filled(observed.rates);
        let empty = self.empty_block_cycles(launch)?;
        let launches = launch.run_grids(&observed.rates, &observed.parts, empty);
        let counters = &observed.counters;
        let instructions = counters.instructions as f64;
        let timing = Timing {
            gpops_billion: launch.gpops(launches) / 1e9,
            milliseconds: launch.milliseconds(launches),
            error_percent: observed.error_percent,
            memory: (observed.levels).traffic(counters.tokens(), &launch.parts_by_residents()),
            ipc: instructions / counters.cycles as f64,
            dual_issue_percent: 100.0 * counters.dual_issued as f64 / instructions,
            warp_instructions_per_node: instructions / counters.tokens(),
            cpi_stack: cpi_entries(counters),
            simulated_warp_instructions: observed.instructions,
            wall_seconds: start.seconds(),
        };
        Ok(timing.with_divergence(launch, &counters.nearest_stack))
    }

    fn sample(&self, launch: Uniform) -> Result<Observed, PredictError> {
        let geometry = &launch.placement.geometry;
        let sample = launch.work.kernel.sample(self.plan.programs, geometry)?;
        let drawn = drawn(launch, &sample);
        let full = launch.placement.geometry.resident_blocks;
        let of = |spec: &SmxSpec, blocks, plan| window(launch, spec, &sample, drawn, blocks, plan);
        let partial_plan = self.partial_plan(launch);
        let partial = launch.partial_residencies();
        let longer_above = self.tolerance.and_then(Tolerance::standard_error);
        let full_plan = WindowPlan {
            longer_above: longer_above.unwrap_or(f64::INFINITY),
            ..self.plan.window
        };
        let plans = [(full, full_plan)].into_iter();
        let plans = plans.chain(partial.into_iter().map(|blocks| (blocks, partial_plan)));
        let (mut contended, mut uncontended) = (Vec::new(), Vec::new());
        let (mut levels, mut instructions) = (Levels::default(), 0);
        let mut whole = None;
        for (blocks, plan) in plans {
            let window = of(&launch.placement.spec, blocks, plan)?;
            let mut alone = window.tokens_per_cycle;
            if let Some(spec) = uncontended_spec(launch, &window) {
                let window = of(&spec, blocks, partial_plan)?;
                instructions += window.simulated_instructions;
                alone = alone.max(window.tokens_per_cycle);
            }
            contended.push((blocks, window.tokens_per_cycle));
            uncontended.push((blocks, alone));
            levels.add(blocks, &window.counters);
            instructions += window.simulated_instructions;
            whole.get_or_insert(window);
        }
        let window = whole.expect("the first window is of the full multiprocessor");
        let contended = rate_curve(contended)?;
        Ok(Observed {
            rates: match launch.placement.spec.uncontended() {
                None => contended.into(),
                Some(_) => Rates::sharing(
                    contended,
                    rate_curve(uncontended)?,
                    sent_bytes(launch, &window.counters) / window.counters.tokens(),
                    launch.placement.spec.l2_ports,
                ),
            },
            parts: TimeParts::of(|cause| window.counters.nearest_stack[cause as usize] as f64),
            counters: window.counters,
            levels,
            error_percent: window_bound(window.standard_error_percent),
            instructions,
        })
    }

    /// Cycles of a multiprocessor per block without cases, as such blocks come and go; 0 if the launch has none.
    fn empty_block_cycles(&self, launch: Uniform) -> Result<f64, PredictError> {
        let Some((summary, program)) = launch.empty_block() else {
            return Ok(0.0);
        };
        let geometry = launch.placement.geometry;
        // One pass over the cases, which the block does not have.
        let geometry = Geometry {
            fitness_cases: geometry.cases_per_iteration(),
            case_blocks: 1,
            ..geometry
        };
        let blocks = EMPTY_WAVES * geometry.resident_blocks;
        let order = vec![program; blocks as usize];
        let setup = Setup {
            spec: &launch.placement.spec,
            code: &summary.code,
            code_bytes: summary.code_bytes,
            geometry,
            queue: BlockQueue::once(order, &geometry, u32::MAX, 0),
            seed: self.plan.window.seed,
        };
        Ok(one(setup)?.cycles as f64 / f64::from(blocks))
    }

    fn partial_plan(&self, launch: Uniform) -> WindowPlan {
        let most = self.plan.partial_instructions;
        let least = self.plan.least_partial_instructions.min(most);
        let needed = (most as f64 / launch.waves().max(1.0)) as u64;
        let units = f64::from(self.plan.partial_units) / launch.waves().max(1.0);
        WindowPlan {
            instructions: (needed.clamp(least, most), self.plan.window.instructions.1),
            least_units: units as u32,
            ..self.plan.window
        }
    }

    /// Runs all blocks of some multiprocessors one by one, and corrects the rates by the result.
    fn correct(&self, launch: Uniform, observed: &mut Observed) -> Result<(), PredictError> {
        let run = match self.scope_after(observed) {
            Scope::Window => return Ok(()),
            Scope::Multiprocessor => self.run_some(launch, observed)?,
        };
        observed.rates = observed.rates.times(run.told_cycles / run.cycles as f64);
        observed.instructions += run.counters.instructions;
        observed.counters = run.counters;
        observed.levels = Levels::default();
        observed.levels.add(
            launch.placement.geometry.resident_blocks,
            &observed.counters,
        );
        observed.error_percent = 0.0;
        Ok(())
    }

    /// Runs the multiprocessors that represent the launch; each runs as the others do.
    fn run_some(&self, launch: Uniform, observed: &Observed) -> Result<WholeRun, PredictError> {
        let n_smx = launch.placement.n_smx();
        let times = launch.times_of_programs(&observed.parts);
        let rates = observed.rates.contended().clone().into();
        let (mut told_cycles, mut counters) = (0.0, Counters::default());
        for first in represented(launch) {
            let blocks = every_block(launch, first, n_smx)?;
            counters = counters.with(&one(self.set_up(launch, &blocks, n_smx))?);
            told_cycles += told(launch, &blocks, &times, &rates);
        }
        Ok(WholeRun {
            told_cycles,
            cycles: counters.cycles,
            counters,
        })
    }

    /// The scope, or the whole run where the windows' error exceeds the tolerance.
    fn scope_after(&self, windows: &Observed) -> Scope {
        let exceeds = |tolerance: Tolerance| windows.error_percent > tolerance.percent();
        match (self.scope, self.tolerance) {
            (Scope::Window, Some(tolerance)) if exceeds(tolerance) => Scope::Multiprocessor,
            (scope, _) => scope,
        }
    }

    fn set_up<'a>(&self, launch: Uniform<'a>, blocks: &'a Replay, step: usize) -> Setup<'a> {
        let geometry = launch.placement.geometry;
        let order = blocks.order.repeat(geometry.working_case_blocks() as usize);
        Setup {
            spec: &launch.placement.spec,
            code: &blocks.code,
            code_bytes: blocks.code_bytes,
            geometry,
            queue: BlockQueue::once(order, &geometry, u32::MAX, 0).every(step as u32),
            seed: self.plan.window.seed,
        }
    }
}

/// Times that a multiprocessor is filled with blocks without cases to time them.
const EMPTY_WAVES: u32 = 16;

/// Smallest number of blocks in whole runs that represent a launch, if it has as many.
const REPRESENTATIVE_BLOCKS: usize = 128;

/// The multiprocessors whose whole runs represent a launch, evenly spread: one has too few blocks to show how a small grid ends.
fn represented(launch: Uniform) -> impl Iterator<Item = usize> {
    let n_smx = launch.placement.n_smx();
    let programs = launch.work.kernel.n_blocks();
    let blocks = programs * launch.placement.geometry.working_case_blocks() as usize;
    let of_one = blocks.div_ceil(n_smx).max(1);
    let n = REPRESENTATIVE_BLOCKS
        .div_ceil(of_one)
        .clamp(1, n_smx.min(programs.max(1)));
    (0..n).map(move |nth| nth * n_smx.min(programs) / n)
}

fn every_block(launch: Uniform, first: usize, step: usize) -> Result<Replay, PredictError> {
    let geometry = &launch.placement.geometry;
    launch.work.kernel.every_block(first, step, geometry)
}

/// Cycles that these blocks take on one multiprocessor at the rates of the windows.
fn told(launch: Uniform, blocks: &Replay, times: &[f64], rates: &Rates) -> f64 {
    let geometry = launch.placement.geometry;
    let timed = blocks.timed(times);
    let of_row = |row: u32| {
        let iterations = geometry.warp_iterations(row) as f64;
        timed.iter().map(move |work| work * iterations)
    };
    let work: Vec<f64> = (0..geometry.working_case_blocks())
        .flat_map(of_row)
        .collect();
    makespan_cycles(&work, 1, geometry.resident_blocks as usize, rates)
}

/// Runs all blocks on one multiprocessor with its share of the levels behind the ports.
fn one(setup: Setup) -> Result<Counters, PredictError> {
    let run = run_queue(setup, u64::MAX, ()).map_err(PredictError::other)?;
    Ok(run.counters)
}

/// The sampled programs, which represent the whole population.
pub fn drawn<'a>(launch: Uniform, sample: &'a Replay) -> Drawn<'a> {
    let summary = launch.work.kernel.summary();
    Drawn {
        order: &sample.order,
        whole: Some(per_token_of(&summary.code, &summary.sample)),
        programs_per_warp: 0,
    }
}

/// Fraction of a multiprocessor's share of the L2's input rate above which the others' traffic matters.
const CROWDED: f64 = 0.5;

/// The multiprocessor while the others send nothing; `None` where this makes no difference to the window.
fn uncontended_spec(launch: Uniform, window: &Window) -> Option<SmxSpec> {
    let sent = sent_bytes(launch, &window.counters) / window.counters.cycles as f64;
    let share = f64::from(launch.placement.spec.l2_accepts_bytes_per_cycle);
    (launch.placement.spec.uncontended()).filter(|_| sent > CROWDED * share)
}

/// Bytes sent to the L2: stores, and a request for every line read.
fn sent_bytes(launch: Uniform, counters: &Counters) -> f64 {
    let requests = counters.l2_read_bytes as f64 / f64::from(LINE_BYTES);
    counters.l2_write_bytes as f64
        + requests * f64::from(launch.placement.spec.device.l2.request_bytes)
}

fn window(
    launch: Uniform,
    spec: &SmxSpec,
    sample: &Replay,
    drawn: Drawn,
    resident_blocks: u32,
    plan: WindowPlan,
) -> Result<Window, PredictError> {
    let geometry = Geometry {
        resident_blocks,
        ..launch.placement.geometry
    };
    let (code, bytes) = (&sample.code, sample.code_bytes);
    simulate(spec, code, bytes, geometry, drawn, plan).map_err(PredictError::other)
}

/// Throughput at every residency level up to the greatest. Between simulated levels, a block's time per token is interpolated
/// linearly: it is constant while latency limits, and grows with the blocks once a resource is saturated.
fn rate_curve(mut points: Vec<(u32, f64)>) -> Result<RateCurve, PredictError> {
    points.sort_unstable_by_key(|point| point.0);
    let mut all = points.clone();
    for pair in points.windows(2) {
        let [(n0, t0), (n1, t1)] = [pair[0], pair[1]].map(|(n, rate)| (n, f64::from(n) / rate));
        for n in n0 + 1..n1 {
            let part = f64::from(n - n0) / f64::from(n1 - n0);
            all.push((n, f64::from(n) / (t0 + part * (t1 - t0))));
        }
    }
    RateCurve::new(all).ok_or_else(|| PredictError::refused("resident blocks", "0", "1 or more"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token takes two blocks 10 cycles each and five 40: three are in between, at 20, and four at 30.
    #[test]
    fn between_two_levels_the_time_for_a_token_is_linear() {
        let points = [(5u32, 40.0), (2, 10.0)].map(|(n, time)| (n, f64::from(n) / time));
        let curve = rate_curve(points.to_vec()).unwrap();
        for (n, time) in [(2, 10.0), (3, 20.0), (4, 30.0), (5, 40.0)] {
            let found = n as f64 / curve.tokens_per_cycle(n);
            assert!((found - time).abs() < 1e-9, "{n}: {found}");
        }
    }
}
