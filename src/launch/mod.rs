//! What the simulator and the analytical model share: one launch, resolved for one device.
//!
//! What it holds: a kernel's traces laid out for timing ([`code`]), the multiprocessor as plain numbers ([`spec`]),
//! the launch geometry ([`geometry`]), the grid over all multiprocessors ([`chip`]), the causes of lost
//! cycles ([`cause`]), what the host does between launches ([`host`]).
//! What it leaves out: how fast anything runs. Units: in the names. Sources: those of the parts.

pub mod blocks;
pub mod cause;
pub mod chip;
pub mod code;
pub mod demand;
pub mod geometry;
pub mod host;
pub mod scoreboard;
pub mod spec;

use chip::{RateCurve, makespan_cycles};
use code::ReplayCode;
use geometry::Geometry;
use spec::SmxSpec;

/// What a model needs to know of a launch besides the code.
#[derive(Debug, Clone)]
pub struct Launch<'a> {
    pub spec: &'a SmxSpec,
    pub code: &'a ReplayCode,
    pub code_bytes: u32,
    pub geometry: Geometry,
    pub n_smx: usize,
    pub clock_hz: f64,
    /// Programs of the sampled blocks, in random order.
    pub sample: &'a [u32],
    /// Nodes of every block of some launches, in grid order.
    pub grids: &'a [Vec<u32>],
    /// Resident blocks of each of these launches: those with a long program need more shared memory.
    pub grid_blocks: &'a [u32],
    /// Time on the host between these launches, all together.
    pub host_seconds: f64,
}

/// Cycles and nodes of all grids together.
pub fn run_grids(launch: &Launch, rates: &RateCurve) -> (f64, f64) {
    let grids = launch.grids.iter().zip(launch.grid_blocks.iter().copied());
    follow_grids(&launch.geometry, launch.n_smx, grids, rates)
}

/// The same of grids of so many nodes in each block, each with its number of resident blocks.
pub fn follow_grids<'a>(
    geometry: &Geometry,
    n_smx: usize,
    grids: impl Iterator<Item = (&'a Vec<u32>, u32)>,
    rates: &RateCurve,
) -> (f64, f64) {
    let warp_iterations: u64 = (0..geometry.warps_per_block())
        .map(|w| u64::from(geometry.iterations(w)))
        .sum();
    let mut total = (0.0, 0.0);
    for (grid, blocks) in grids {
        // Padding of the last iteration is work too, but not useful work.
        let work: Vec<f64> = grid
            .iter()
            .map(|&nodes| f64::from(nodes) * warp_iterations as f64)
            .collect();
        total.0 += makespan_cycles(&work, n_smx, blocks as usize, rates);
        total.1 += grid.iter().map(|&nodes| f64::from(nodes)).sum::<f64>();
    }
    total
}

/// Fillings besides the usual one at which throughput is needed: for the end of the grid, and for launches whose blocks
/// need less shared memory.
pub fn other_levels(usual: u32, grid_blocks: &[u32]) -> Vec<u32> {
    let most = grid_blocks.iter().copied().max().unwrap_or(usual);
    let mut levels = vec![most, usual / 2, usual / 4, 1];
    levels.retain(|&blocks| blocks >= 1 && blocks != usual);
    levels.dedup();
    levels
}
