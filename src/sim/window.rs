//! Sampling: one multiprocessor, simulated for a while, stands for its whole run.
//!
//! What it does: fills the multiprocessor with blocks of a representative program order, lets it warm
//! up, then measures token throughput in equal batches; the spread of the batches gives the sampling
//! error. What it leaves out: other multiprocessors and the end of the grid (see `chip`).
//! Units: tokens (one program node in one warp for `stack_dim` cases per lane), cycles.
//! Sources: batch means, Law & Kelton, Simulation Modeling and Analysis, chapter 9.

use super::code::ReplayCode;
use super::dispatch::{BlockQueue, Geometry};
use super::observe::Counters;
use super::smx::{Deadlock, Smx};
use super::spec::SmxSpec;

/// How long to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowPlan {
    /// Iterations of the case loop that a block runs at most.
    pub iteration_cap: u32,
    /// Share of the measured tokens that is simulated before measuring, in percent.
    pub warm_up_percent: u32,
    /// Blocks' worth of work to measure.
    pub blocks: u32,
    /// Batches that the measurement is cut into.
    pub batches: u32,
    pub seed: u32,
}

/// What a window showed.
#[derive(Debug, Clone)]
pub struct Window {
    pub counters: Counters,
    pub tokens_per_cycle: f64,
    /// Standard error of `tokens_per_cycle`, relative, in percent.
    pub error_percent: f64,
    /// Instructions simulated in all, warm-up included.
    pub simulated_instructions: u64,
}

/// Simulates one window. `order` lists the programs of successive blocks.
pub fn simulate(
    spec: &SmxSpec,
    code: &ReplayCode,
    code_bytes: u32,
    geometry: Geometry,
    order: &[u32],
    plan: WindowPlan,
) -> Result<Window, Deadlock> {
    let queue = BlockQueue::new(order.to_vec(), &geometry, plan.iteration_cap);
    let tokens = tokens_to_measure(code, &geometry, &queue, order, plan.blocks);
    let mut smx = Smx::new(spec, code, code_bytes, geometry, queue, plan.seed);
    smx.run_tokens(tokens * u64::from(plan.warm_up_percent) / 100)?;
    let start = smx.counters();
    let mut rates = Vec::new();
    let mut previous = start.clone();
    for _ in 0..plan.batches {
        smx.run_tokens(tokens / u64::from(plan.batches))?;
        let counters = smx.counters();
        let batch = counters.since(&previous);
        rates.push(batch.tokens() / batch.cycles as f64);
        previous = counters;
    }
    let counters = previous.since(&start);
    Ok(Window {
        tokens_per_cycle: counters.tokens() / counters.cycles as f64,
        error_percent: relative_standard_error_percent(&rates),
        simulated_instructions: previous.instructions,
        counters,
    })
}

/// Work of `blocks` average blocks of `order`.
fn tokens_to_measure(
    code: &ReplayCode,
    geometry: &Geometry,
    queue: &BlockQueue,
    order: &[u32],
    blocks: u32,
) -> u64 {
    let nodes: u64 = order
        .iter()
        .map(|&p| u64::from(code.programs[p as usize].nodes))
        .sum();
    let warp_iterations: u64 = (0..geometry.warps_per_block())
        .map(|w| u64::from(queue.iterations(geometry.iterations(w))))
        .sum();
    (nodes as f64 / order.len() as f64 * warp_iterations as f64 * f64::from(blocks)) as u64
}

fn relative_standard_error_percent(rates: &[f64]) -> f64 {
    let n = rates.len() as f64;
    if n < 2.0 {
        return f64::NAN;
    }
    let mean = rates.iter().sum::<f64>() / n;
    let variance = rates.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    100.0 * (variance / n).sqrt() / mean
}
