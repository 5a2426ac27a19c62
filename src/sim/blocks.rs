//! Complete run of some blocks on one multiprocessor with empty caches.
//!
//! Models: all resident blocks start together; each further block starts when one ends.
//! Leaves out: the other multiprocessors, and the steady state of a long run (see `window`): results hold for these
//! blocks, not for a grid.
//! Units: cycles.

use super::dispatch::BlockQueue;
use super::observe::{Counters, Observer};
use super::smx::{Deadlock, Setup, Smx};
use super::spec::SmxSpec;
use super::warp_mask::with_quarters;
use crate::launch::blocks::Blocks;

/// Result of running some blocks.
#[derive(Debug, Clone)]
pub struct BlocksRun<O> {
    pub counters: Counters,
    /// Whether the run ended before the cycle limit.
    pub ended: bool,
    pub observer: O,
}

/// Runs `blocks` until the last one ends or cycle `until_cycle` is reached. `seed` starts the caches' replacement generators.
pub fn run<O: Observer>(
    spec: &SmxSpec,
    blocks: &Blocks,
    seed: u32,
    until_cycle: u64,
    observer: O,
) -> Result<BlocksRun<O>, Deadlock> {
    let geometry = blocks.geometry;
    let queue = BlockQueue::once(
        blocks.order.clone(),
        &geometry,
        blocks.iterations,
        blocks.programs_per_warp,
    );
    let setup = Setup {
        spec,
        code: &blocks.code,
        code_bytes: blocks.code_bytes,
        geometry,
        queue,
        seed,
    };
    run_queue(setup, until_cycle, observer)
}

/// Runs all that is in a queue, or until cycle `until_cycle` is reached.
pub fn run_queue<O: Observer>(
    setup: Setup,
    until_cycle: u64,
    mut observer: O,
) -> Result<BlocksRun<O>, Deadlock> {
    let (counters, ended) = match observer.watches() {
        true => observed(setup, until_cycle, &mut observer)?,
        false => unobserved(setup, until_cycle)?,
    };
    Ok(BlocksRun {
        counters,
        ended,
        observer,
    })
}

fn unobserved(setup: Setup, until_cycle: u64) -> Result<(Counters, bool), Deadlock> {
    with_quarters!(setup.spec.n_schedulers(), EVEN_SLOTS => {
        finish(Smx::<(), EVEN_SLOTS>::new(setup, ()), until_cycle)
    })
}

fn observed(
    setup: Setup,
    until_cycle: u64,
    observer: &mut dyn Observer,
) -> Result<(Counters, bool), Deadlock> {
    finish(Smx::<_, false>::new(setup, observer), until_cycle)
}

fn finish<O: Observer, const EVEN_SLOTS: bool>(
    mut smx: Smx<O, EVEN_SLOTS>,
    until_cycle: u64,
) -> Result<(Counters, bool), Deadlock> {
    let ended = smx.run_blocks(until_cycle)?;
    Ok((smx.counters(), ended))
}
