//! The blocks of a launch on a device: where they run, and which of them are executed to stand for all.
//!
//! Models: of a grid of many waves of blocks, a sample spread over it; of a grid of a few waves, all blocks of some multiprocessors: of those
//! that have most to do, where the blocks differ and it is known by how much.
//! Leaves out: time (`replay`, `closed_form`).
//! Units: blocks. Sources: blocks in turn over the multiprocessors, CUDA C Programming Guide, section 2.2.

use crate::device::Device;
use crate::device::ideal::{Ideal, Ideals};
use crate::device::occupancy::{BlockResources, Occupancy};
use crate::isa::Kernel;
use crate::launch::CarveOut;
use crate::launch::geometry::Geometry;
use crate::launch::makespan::hand_out;
use crate::launch::prediction::PredictError;
use crate::launch::residency::reside;
use crate::launch::spec::SmxSpec;

/// Grids of fewer waves are run to their end.
const FEW_WAVES: f64 = 8.0;

/// What is launched.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// For messages.
    pub name: &'a str,
    pub kernel: &'a Kernel,
    pub threads_per_block: u32,
    pub shared_bytes: u32,
    pub blocks: u32,
    /// What the grid reads from global memory.
    pub data_bytes: u64,
    pub carve_out: CarveOut,
}

/// A launch on a device.
#[derive(Debug, Clone)]
pub struct Grid {
    pub(crate) spec: SmxSpec,
    pub(crate) geometry: Geometry,
    megahertz: f64,
    to_its_end: bool,
    /// What is made free.
    pub(crate) ideals: Ideals,
    pub(crate) block: BlockResources,
    pub(crate) occupancy: Occupancy,
    pub(crate) l1_bytes: u32,
}

/// Blocks of a grid that are to be executed, by their numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Sample {
    /// Spread evenly over the grid.
    Spread(Vec<u32>),
    /// All blocks of some multiprocessors that are as good as any.
    Whole(Vec<Vec<u32>>),
    /// All blocks of the multiprocessors that have most to do, and of some others.
    Longest(Vec<Vec<u32>>, Ends),
}

/// When multiprocessors end if work goes at the same pace everywhere, in units of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Ends {
    pub sampled: Vec<f64>,
    pub last: f64,
}

impl Sample {
    /// In the order in which they are to be laid out.
    pub fn blocks(&self) -> Vec<u32> {
        match self {
            Sample::Spread(blocks) => blocks.clone(),
            Sample::Whole(of_smx) | Sample::Longest(of_smx, _) => of_smx.concat(),
        }
    }
}

impl Grid {
    pub fn place(device: &Device, launch: Launch) -> Result<Self, PredictError> {
        let block = BlockResources {
            threads_per_block: launch.threads_per_block,
            registers_per_thread: launch.kernel.registers,
            shared_bytes_per_block: launch.shared_bytes,
        };
        let (occupancy, l1_bytes) = reside(device, launch.name, launch.carve_out, block)?;
        let l2_bytes = f64::from(device.l2.bytes) * device.l2.usable_fraction;
        let geometry = Geometry {
            threads_per_block: launch.threads_per_block,
            stack_dim: 1,
            // A warp's whole path counts as one iteration.
            fitness_cases: launch.threads_per_block,
            programs: launch.blocks,
            case_blocks: 1,
            resident_blocks: occupancy.blocks,
            n_smx: device.chip.n_smx,
            local_stride_bytes: device.local_stride_bytes(launch.kernel.frame_bytes),
        };
        let spec = SmxSpec {
            l2_holds_data: device.l2.is_present && launch.data_bytes as f64 <= l2_bytes,
            ..SmxSpec::new(device, l1_bytes)
                .map_err(PredictError::other)?
                .at_work(&geometry)
        };
        Ok(Grid {
            spec,
            geometry,
            megahertz: device.chip.clock_mhz,
            to_its_end: false,
            ideals: device.ideals,
            block,
            occupancy,
            l1_bytes,
        })
    }

    /// However many waves it has, their end is not left out.
    pub fn to_its_end(self) -> Self {
        Grid {
            to_its_end: true,
            ..self
        }
    }

    pub fn resident_blocks(&self) -> u32 {
        self.geometry.resident_blocks
    }

    /// Of a launch whose blocks take so many cycles.
    pub fn milliseconds(&self, cycles: f64) -> f64 {
        (cycles + f64::from(self.spec.grid_cycles)) / self.megahertz / 1e3
    }

    /// How often all places of all multiprocessors are filled.
    pub(crate) fn waves(&self) -> f64 {
        let Geometry {
            programs: blocks,
            resident_blocks,
            n_smx,
            ..
        } = self.geometry;
        f64::from(blocks) / f64::from(n_smx * resident_blocks)
    }

    /// Whether it is as if it went on for ever.
    pub fn has_many_waves(&self) -> bool {
        self.ideals.has(Ideal::GridEnds) || !self.to_its_end && self.waves() >= FEW_WAVES
    }

    /// The blocks to execute: `spread` of them where the grid has many waves, otherwise those of `multiprocessors`.
    pub fn sample(&self, spread: u32, multiprocessors: u32) -> Sample {
        let (blocks, n_smx) = (self.geometry.programs, self.geometry.n_smx);
        if self.has_many_waves() {
            let place =
                |sampled| (u64::from(sampled) * u64::from(blocks) / u64::from(spread)) as u32;
            return Sample::Spread((0..spread).map(place).collect());
        }
        let longest = self.longest_multiprocessors();
        let sampled = longest.min(multiprocessors);
        let of_smx = |nth: u32| {
            let first = nth * longest / sampled;
            (first..blocks).step_by(n_smx as usize).collect()
        };
        Sample::Whole((0..sampled).map(of_smx).collect())
    }

    /// The same where it is known how much work each block is, in any unit: a grid of a few waves ends with the multiprocessor that
    /// has most to do.
    pub fn sample_by_work(&self, spread: u32, multiprocessors: u32, work: &[f64]) -> Sample {
        let is_equal = work.iter().all(|one| *one == work[0]);
        if self.has_many_waves() || is_equal {
            return self.sample(spread, multiprocessors);
        }
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

    /// Multiprocessors that get most blocks: the grid ends with one of them.
    pub(crate) fn longest_multiprocessors(&self) -> u32 {
        match self.geometry.programs % self.geometry.n_smx {
            0 => self.geometry.n_smx,
            rest => rest,
        }
    }
}

/// What a multiprocessor is given.
#[derive(Debug, Clone, Default)]
struct Given {
    blocks: Vec<u32>,
    work: f64,
    /// When the last of its places gets free, if work goes at the same pace everywhere.
    end: f64,
}

/// What the multiprocessors that get any are given.
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
