//! Analytical model of blocks that were executed lane by lane: the counterpart of their replay by the simulator.
//!
//! Models: `reuse`: cache hits; `pages`: accesses to the same DRAM pages; `walk`: each warp alone, and its demand; `sharing`:
//! warps together, either from the first block to the last or on a multiprocessor kept full.
//! Leaves out: the order of single events; instruction fetch; DRAM pages that stay open with no request pending; barriers; the
//! limit on outstanding L1 misses.
//! Units: core clock cycles of a multiprocessor.
//! Sources: equations (E1) to (E6) of `docs/model.md`.

mod pages;
mod reuse;
mod sharing;
#[cfg(test)]
mod tests;
mod walk;

use crate::launch::code::{ReplayCode, ReplayOp};
use crate::launch::geometry::Geometry;
use crate::launch::spec::SmxSpec;
use crate::model::path::PathRules;
use crate::util::parallel;
pub use sharing::Ran;
use walk::{Alone, Walker};
pub use walk::{N_CAUSES, Traffic};

/// Executed blocks on a multiprocessor.
#[derive(Debug)]
pub struct Modelled<'a> {
    spec: &'a SmxSpec,
    warps_per_block: usize,
    places: usize,
    /// Warps of all blocks, in the order given.
    warps: Vec<Alone>,
}

impl<'a> Modelled<'a> {
    /// Models the blocks of `code` that start with the warps in `order`, `places` of them at a time.
    pub fn new(
        spec: &'a SmxSpec,
        code: &ReplayCode,
        geometry: &Geometry,
        order: &[u32],
        places: u32,
    ) -> Self {
        let warps_per_block = geometry.warps_per_block();
        let hits = reuse::hits(code, spec, order, warps_per_block, f64::from(places));
        let walker = Walker {
            code,
            spec,
            rules: PathRules::new(spec),
            hits: &hits,
            pages_asked_for: pages::asked_for(code, spec, geometry, order, places),
        };
        let warps = order
            .iter()
            .flat_map(|&first| first..first + warps_per_block);
        let warps: Vec<u32> = warps.collect();
        Modelled {
            spec,
            warps_per_block: warps_per_block as usize,
            places: places as usize,
            warps: parallel::map(&warps, |&warp| walker.alone(warp_ops(code, warp))),
        }
    }

    /// Models a multiprocessor that is kept full until it has run all blocks.
    pub fn steady(&self) -> Ran {
        sharing::steady(self.spec, &self.blocks(0, usize::MAX), self.places)
    }

    /// Models a multiprocessor that runs only `n` blocks, from `first` on.
    pub fn run(&self, first: usize, n: usize) -> Ran {
        sharing::run(self.spec, &self.blocks(first, n), self.places)
    }

    /// Traffic of each warp.
    pub fn traffic(&self) -> impl Iterator<Item = &Traffic> {
        self.warps.iter().map(|warp| &warp.traffic)
    }

    fn blocks(&self, first: usize, n: usize) -> Vec<&[Alone]> {
        let blocks = self.warps.chunks(self.warps_per_block);
        blocks.skip(first).take(n).collect()
    }
}

/// Instructions of a warp, which form a single segment.
fn warp_ops(code: &ReplayCode, warp: u32) -> &[ReplayOp] {
    let list = &code.programs[warp as usize].only;
    let (start, end) = code.segments[code.lists[list.start as usize] as usize];
    &code.ops[start as usize..end as usize]
}
