//! Sampling of a grid: the blocks that are executed to represent all.
//!
//! Models: a sample spread over a grid of many waves of blocks; for a grid of a few waves, all blocks of some multiprocessors,
//! namely those with most work if the work of each block is known and differs.
//! Leaves out: time (`sim::divergent`).
//! Units: blocks. Sources: blocks in turn over the multiprocessors, CUDA C Programming Guide, section 2.2.

use super::makespan::hand_out;
use super::placement::Placement;
use crate::device::ideal::Ideal;

/// Grids of fewer waves are run to their end.
const FEW_WAVES: f64 = 8.0;

/// Blocks of a grid that are to be executed, by their numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Sample {
    /// Spread evenly over the grid.
    Spread(Vec<u32>),
    /// All blocks of some representative multiprocessors.
    Whole(Vec<Vec<u32>>),
    /// All blocks of the multiprocessors with most work, and of some others.
    Longest(Vec<Vec<u32>>, Ends),
}

/// End times of multiprocessors if all run at the same pace, in units of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Ends {
    pub sampled: Vec<f64>,
    pub last: f64,
}

impl Sample {
    /// Name of the sampling method.
    pub fn kind(&self) -> &'static str {
        match self {
            Sample::Spread(_) => "spread",
            Sample::Whole(_) => "whole",
            Sample::Longest(..) => "longest",
        }
    }

    /// Block numbers in layout order.
    pub fn blocks(&self) -> Vec<u32> {
        match self {
            Sample::Spread(blocks) => blocks.clone(),
            Sample::Whole(of_smx) | Sample::Longest(of_smx, _) => of_smx.concat(),
        }
    }
}

impl Placement {
    /// Whether the grid is as if it went on for ever. `to_its_end`: however many waves it has, their end is not left out.
    pub fn has_many_waves(&self, to_its_end: bool) -> bool {
        self.ideals.has(Ideal::GridEnds) || !to_its_end && self.waves() >= FEW_WAVES
    }

    /// The blocks to execute: `spread` of them where the grid has many waves, otherwise those of `multiprocessors`: where the
    /// `work` of the blocks is known (in any unit) and differs, those that have most to do, as the grid ends with them.
    pub fn sample(&self, spread: u32, multiprocessors: u32, work: Option<&[f64]>) -> Sample {
        let work = work.filter(|work| work.iter().any(|one| *one != work[0]));
        match work {
            _ if self.has_many_waves(false) => self.sample_spread(spread),
            Some(work) => self.sample_longest(multiprocessors, work),
            None => self.sample_whole(multiprocessors),
        }
    }

    /// Chooses `spread` blocks, spread evenly over the grid.
    pub fn sample_spread(&self, spread: u32) -> Sample {
        let blocks = self.geometry.programs;
        let place = |sampled| (u64::from(sampled) * u64::from(blocks) / u64::from(spread)) as u32;
        Sample::Spread((0..spread).map(place).collect())
    }

    /// Chooses all blocks of `multiprocessors` multiprocessors, fewer if fewer have most blocks.
    pub fn sample_whole(&self, multiprocessors: u32) -> Sample {
        let (blocks, n_smx) = (self.geometry.programs, self.geometry.n_smx);
        let longest = self.longest_multiprocessors();
        let sampled = longest.min(multiprocessors);
        let of_smx = |nth: u32| {
            let first = nth * longest / sampled;
            (first..blocks).step_by(n_smx as usize).collect()
        };
        Sample::Whole((0..sampled).map(of_smx).collect())
    }

    /// Chooses all blocks of the multiprocessors that have most to do, and of some others.
    fn sample_longest(&self, multiprocessors: u32, work: &[f64]) -> Sample {
        let n_smx = self.geometry.n_smx as usize;
        let busy = busy(work, n_smx, self.geometry.resident_blocks as usize);
        let chosen = most_to_do(&busy, multiprocessors as usize);
        let blocks = chosen.iter().map(|&at| busy[at].blocks.clone());
        let ends = Ends {
            sampled: chosen.iter().map(|&at| busy[at].end).collect(),
            last: busy.iter().map(|given| given.end).fold(0.0, f64::max),
        };
        Sample::Longest(blocks.collect(), ends)
    }
}

/// The blocks that a multiprocessor receives.
#[derive(Debug, Clone, Default)]
struct Given {
    blocks: Vec<u32>,
    work: f64,
    /// Time when its last block slot is free, if all multiprocessors run at the same pace.
    end: f64,
}

/// Returns the blocks of each multiprocessor that receives any.
fn busy(work: &[f64], n_smx: usize, resident_blocks: usize) -> Vec<Given> {
    let mut all = vec![Given::default(); n_smx];
    hand_out(work, n_smx * resident_blocks, |block, place, from| {
        let given = &mut all[place % n_smx];
        given.blocks.push(block as u32);
        given.work += work[block];
        given.end = given.end.max(from + work[block]);
    });
    all.retain(|given| !given.blocks.is_empty());
    all
}

/// `n` of them: those that end last, one that has most work, and one in the middle.
fn most_to_do(given: &[Given], n: usize) -> Vec<usize> {
    let mut by_end: Vec<usize> = (0..given.len()).collect();
    by_end.sort_by(|&a, &b| given[b].end.total_cmp(&given[a].end));
    let by_work = |a: &usize, b: &usize| given[*a].work.total_cmp(&given[*b].work);
    let most = (0..given.len()).max_by(by_work).unwrap_or(0);
    let first = by_end.first().copied();
    let middle = by_end.get(given.len() / 2).copied();
    let order = first.into_iter().chain([most]).chain(middle);
    let mut chosen: Vec<usize> = Vec::new();
    for at in order.chain(by_end.iter().copied()) {
        if chosen.len() < n && !chosen.contains(&at) {
            chosen.push(at);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_block_is_always_executed_and_places_are_filled_as_they_get_free() {
        // Two multiprocessors with one place each: the third block goes where the first, short one was.
        let given = busy(&[1.0, 9.0, 2.0, 3.0], 2, 1);
        assert_eq!(given[0].blocks, [0, 2, 3]);
        assert_eq!(given[1].blocks, [1]);
        assert_eq!((given[0].end, given[1].end), (6.0, 9.0));
        let chosen = most_to_do(&busy(&[5.0, 1.0, 7.0, 1.0, 1.0], 5, 1), 1);
        assert_eq!(chosen, [2]);
    }
}
