//! Sampling: a window of one multiprocessor's run represents the whole run.
//!
//! Models: the multiprocessor is filled with sampling units of representative programs and warmed up. Then cycles per token
//! are measured in equal batches and scaled from the sampled programs to all programs (`sample`). The spread of the batches
//! gives the sampling error.
//! Leaves out: other multiprocessors and the end of the grid (see `makespan`).
//! Units: tokens (one program node in one warp for `stack_dim` cases per lane), cycles.
//! Sources: batch means, Law & Kelton, Simulation Modeling and Analysis, chapter 9; `docs/sampling.md`.

use super::code::ReplayCode;
use super::dispatch::{BlockQueue, Geometry};
use super::observe::{Counters, Observer};
use super::sample::{Drawn, Mix};
use super::smx::{Deadlock, Setup, Smx};
use super::spec::SmxSpec;
use super::warp_mask::with_quarters;

/// Plan of a simulated window: length, sampling units, warm-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowPlan {
    /// Warp instructions to measure: minimum and maximum.
    pub instructions: (u64, u64),
    /// Smallest number of blocks of which one iteration is measured, within the maximum of `instructions`.
    pub least_units: u32,
    /// Sampling units in the measurement; fewer where one iteration of a block is longer than a sampling unit.
    pub units: u32,
    /// Warm-up before the measurement, in percent of its length.
    pub warm_up_percent: u32,
    /// Batches that the measurement is cut into.
    pub batches: u32,
    /// Standard error above which the measurement goes on, up to `MOST_LENGTHS` of its length, in percent.
    pub longer_above: f64,
    pub seed: u32,
}

impl WindowPlan {
    /// Warp instructions that a window of this mix measures.
    fn instructions(&self, mix: &Mix, geometry: &Geometry) -> f64 {
        let unit = f64::from(geometry.warps_per_block()) * mix.instructions_per_iteration();
        let (least, most) = self.instructions;
        (f64::from(self.least_units) * unit).clamp(least as f64, most as f64)
    }
}

/// Lengths of its plan that a window is measured for at most.
const MOST_LENGTHS: u32 = 32;

/// Measurement of a window.
#[derive(Debug, Clone)]
pub struct Window {
    /// Counters of the sampled programs, not scaled.
    pub counters: Counters,
    /// Throughput, scaled to the programs of the whole grid.
    pub tokens_per_cycle: f64,
    /// Standard error of `tokens_per_cycle`, relative, in percent.
    pub standard_error_percent: f64,
    /// Instructions simulated in all, warm-up included.
    pub simulated_instructions: u64,
}

/// Simulates one window of the programs drawn.
pub fn simulate(
    spec: &SmxSpec,
    code: &ReplayCode,
    code_bytes: u32,
    geometry: Geometry,
    drawn: Drawn,
    plan: WindowPlan,
) -> Result<Window, Deadlock> {
    let (setup, mix, tokens) = set_up(spec, code, code_bytes, geometry, drawn, plan);
    with_quarters!(spec.n_schedulers(), EVEN_SLOTS => {
        measure(Smx::<(), EVEN_SLOTS>::new(setup, ()), &mix, tokens, plan)
    })
}

/// Simulates as [`simulate`] does, with an observer, which also sees the warm-up.
pub fn simulate_observed(
    spec: &SmxSpec,
    code: &ReplayCode,
    code_bytes: u32,
    geometry: Geometry,
    drawn: Drawn,
    plan: WindowPlan,
    observer: &mut dyn Observer,
) -> Result<Window, Deadlock> {
    let (setup, mix, tokens) = set_up(spec, code, code_bytes, geometry, drawn, plan);
    measure(Smx::<_, false>::new(setup, observer), &mix, tokens, plan)
}

/// The multiprocessor, its programs, and the tokens to measure.
fn set_up<'a>(
    spec: &'a SmxSpec,
    code: &'a ReplayCode,
    code_bytes: u32,
    geometry: Geometry,
    drawn: Drawn,
    plan: WindowPlan,
) -> (Setup<'a>, Mix<'a>, f64) {
    let mix = Mix::new(code, drawn);
    let tokens = plan.instructions(&mix, &geometry) / mix.instructions_per_token();
    let per_unit = tokens / f64::from(plan.units);
    let setup = Setup {
        spec,
        code,
        code_bytes,
        geometry,
        queue: BlockQueue::units(code, drawn.order, &geometry, per_unit)
            .of_programs_per_warp(drawn.programs_per_warp),
        seed: plan.seed,
    };
    (setup, mix, tokens)
}

/// Warms up, then measures `tokens`.
fn measure<O: Observer, const EVEN_SLOTS: bool>(
    mut smx: Smx<O, EVEN_SLOTS>,
    mix: &Mix,
    tokens: f64,
    plan: WindowPlan,
) -> Result<Window, Deadlock> {
    smx.run_tokens((tokens * f64::from(plan.warm_up_percent) / 100.0) as u64)?;
    let start = Progress::of(&mut smx);
    let mut costs = Vec::new();
    let mut previous = start.clone();
    for _ in 0..MOST_LENGTHS {
        for _ in 0..plan.batches {
            smx.run_tokens((tokens / f64::from(plan.batches)).ceil() as u64)?;
            let progress = Progress::of(&mut smx);
            costs.push(progress.cycles_per_token_since(&previous, mix));
            previous = progress;
        }
        if relative_standard_error_percent(&costs) <= plan.longer_above {
            break;
        }
    }
    Ok(Window {
        tokens_per_cycle: 1.0 / previous.cycles_per_token_since(&start, mix),
        standard_error_percent: relative_standard_error_percent(&costs),
        simulated_instructions: previous.counters.instructions,
        counters: previous.counters.since(&start.counters),
    })
}

/// Counters of a simulation at one time.
#[derive(Debug, Clone)]
struct Progress {
    counters: Counters,
    /// Credits by program.
    credits: Vec<u64>,
}

impl Progress {
    fn of<O: Observer, const EVEN_SLOTS: bool>(smx: &mut Smx<'_, O, EVEN_SLOTS>) -> Self {
        Progress {
            counters: smx.counters(),
            credits: smx.program_credits().to_vec(),
        }
    }

    fn cycles_per_token_since(&self, start: &Progress, mix: &Mix) -> f64 {
        let credits: Vec<u64> = self
            .credits
            .iter()
            .zip(&start.credits)
            .map(|(now, then)| now - then)
            .collect();
        mix.cycles_per_token(&self.counters.since(&start.counters), &credits)
    }
}

fn relative_standard_error_percent(costs: &[f64]) -> f64 {
    let n = costs.len() as f64;
    if n < 2.0 {
        return f64::NAN;
    }
    let mean = costs.iter().sum::<f64>() / n;
    let variance = costs.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (n - 1.0);
    100.0 * (variance / n).sqrt() / mean
}

#[cfg(test)]
mod tests {
    use super::relative_standard_error_percent;

    /// Mean 10, squares of the differences 1, 1, 0 and 0: of four batches the mean is off by the root of 2 / 3 / 4.
    #[test]
    fn batches_say_how_far_their_mean_may_be_off() {
        let error = relative_standard_error_percent(&[9.0, 11.0, 10.0, 10.0]);
        assert!(
            (error - 10.0 * (2.0f64 / 12.0).sqrt()).abs() < 1e-9,
            "{error}"
        );
        assert_eq!(relative_standard_error_percent(&[7.0, 7.0]), 0.0);
        assert!(relative_standard_error_percent(&[7.0]).is_nan());
    }
}
