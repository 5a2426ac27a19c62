//! The analytical model: the simulator's closed-form twin, from the same inputs.
//!
//! What it models: issue slots and pipe throughput, the expected critical path of every handler, occupancy and latency
//! hiding, the L1 and L2 with random replacement, the limit on requests in flight, bandwidths, the end of the grid.
//! What it leaves out: the order of single events; everything is an average over the population.
//! Units: core clock cycles, bytes, tokens (one program node in one warp).
//! Sources: equations (9) to (22) of `docs/model.md`, each with its source.

pub mod fetch;
pub mod l1;
pub mod l2;
pub mod locality;
pub mod path;
pub mod queue;
pub mod shapes;
pub mod solve;
pub mod stack_distance;

use crate::launch::chip::RateCurve;
use crate::launch::{Launch, other_levels, run_grids};
use locality::Locality;
use shapes::Shapes;
use solve::{Steady, solve};

/// What does not depend on the device's L1 or on the occupancy: made once per kernel and block size.
#[derive(Debug, Clone)]
pub struct Analysis {
    pub shapes: Shapes,
    pub locality: Locality,
}

impl Analysis {
    /// Analyses the traces of a launch.
    pub fn new(launch: &Launch) -> Self {
        Analysis {
            shapes: Shapes::new(launch),
            locality: Locality::new(launch),
        }
    }
}

/// What the model says of one launch.
#[derive(Debug, Clone)]
pub struct Modelled {
    /// The multiprocessor with all its block slots filled.
    pub full: Steady,
    pub gpops: f64,
    /// Cycles of one launch, on average over the grids.
    pub grid_cycles: f64,
}

/// Predicts one launch.
pub fn predict_launch(launch: &Launch, analysis: &Analysis) -> Modelled {
    let full_blocks = launch.geometry.resident_blocks;
    let full = solve(launch, analysis, full_blocks);
    let mut points = vec![(full_blocks, full.tokens_per_cycle)];
    for blocks in other_levels(full_blocks, launch.grid_blocks) {
        points.push((blocks, solve(launch, analysis, blocks).tokens_per_cycle));
    }
    let rates = RateCurve::new(points).expect("the full multiprocessor is a point");
    let (grid_cycles, nodes) = run_grids(launch, &rates);
    let seconds = grid_cycles / launch.clock_hz;
    Modelled {
        gpops: nodes * f64::from(launch.geometry.fitness_cases) / seconds,
        grid_cycles: grid_cycles / launch.grids.len() as f64,
        full,
    }
}
