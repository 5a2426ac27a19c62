//! Runs of hand-written code on the multiprocessor with round numbers.

use super::code::ReplayCode;
use super::dispatch::{BlockQueue, Geometry};
use super::observe::Counters;
use super::smx::{Setup, Smx};
use super::spec::SmxSpec;
pub use crate::launch::testing::*;

/// Counters of `n_warps` one-warp blocks that run `code` until `tokens` tokens are done, after as many
/// tokens of warm-up.
pub fn run(spec: &SmxSpec, code: &ReplayCode, n_warps: u32, tokens: u64) -> Counters {
    let geometry = Geometry {
        fitness_cases: 32 * 1_000_000,
        programs: 1000,
        resident_blocks: n_warps,
        ..geometry()
    };
    let queue = BlockQueue::units(code, &[0], &geometry, f64::INFINITY);
    let setup = Setup {
        spec,
        code,
        code_bytes: 64,
        geometry,
        queue,
        seed: 1,
    };
    let mut smx = Smx::<(), false>::new(setup, ());
    smx.run_tokens(tokens).expect("the bench code ends");
    let start = smx.counters();
    smx.run_tokens(tokens).expect("the bench code ends");
    smx.counters().since(&start)
}
