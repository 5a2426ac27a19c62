//! The whole chip: all multiprocessors in step, with one L2, one DRAM and one block dispatcher.
//!
//! Models: blocks go to the multiprocessors in turn until all are full, then each to the first with a free block slot.
//! L2 and DRAM serve the multiprocessors' requests in the order of their cycles.
//! Leaves out: the crossbar (its latency is part of the L2's).
//! Units: cycles.
//!
//! The multiprocessor whose next cycle comes first advances; ties go to the lowest index, so results are deterministic.

use super::dispatch::{BlockQueue, Geometry};
use super::lower::LowerLevels;
use super::observe::Counters;
use super::smx::{Deadlock, Setup, Shared, Smx};
use super::warp_mask::with_quarters;
use crate::launch::ports::Ports;

/// Result of a chip's run.
#[derive(Debug, Clone)]
pub struct ChipRun {
    /// Cycles from the first block's start to the last one's end.
    pub cycles: u64,
    /// Sum of all multiprocessors' counters, including their cycles.
    pub counters: Counters,
}

/// Runs all blocks of `setup`'s queue on `n_smx` multiprocessors.
pub fn run(setup: Setup, n_smx: u32) -> Result<ChipRun, Deadlock> {
    with_quarters!(setup.spec.n_schedulers, EVEN_SLOTS => Chip::<EVEN_SLOTS>::new(setup, n_smx).run())
}

struct Chip<'a, const EVEN_SLOTS: bool> {
    smxs: Vec<Smx<'a, (), EVEN_SLOTS>>,
    shared: Shared,
    ports: Ports,
}

impl<'a, const EVEN_SLOTS: bool> Chip<'a, EVEN_SLOTS> {
    fn new(setup: Setup<'a>, n_smx: u32) -> Self {
        // One multiprocessor that has all cases, L2 and DRAM to itself, in turn with the others.
        let geometry = Geometry {
            n_smx: 1,
            ..setup.geometry
        };
        let smx = |number: u32| {
            let of_one = Setup {
                queue: BlockQueue::once(Vec::new(), &geometry, 0, 0),
                seed: setup.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9)),
                geometry,
                ..setup
            };
            Smx::empty(of_one, number, ())
        };
        let mut chip = Chip {
            smxs: (0..n_smx).map(smx).collect(),
            shared: Shared {
                lower: Box::new(LowerLevels::whole(setup.spec, setup.seed)),
                queue: setup.queue,
            },
            ports: setup.spec.l2_ports,
        };
        for block in 0..geometry.resident_blocks as usize {
            for smx in &mut chip.smxs {
                smx.exchange(&mut chip.shared);
                smx.start_first(block);
                smx.exchange(&mut chip.shared);
            }
        }
        chip
    }

    fn run(mut self) -> Result<ChipRun, Deadlock> {
        let next = |smxs: &[Smx<'a, (), EVEN_SLOTS>]| {
            let at_work = smxs.iter().enumerate().filter(|(_, smx)| smx.is_occupied());
            at_work.min_by_key(|(_, smx)| smx.now()).map(|(i, _)| i)
        };
        while let Some(first) = next(&self.smxs) {
            self.shared.lower.select(self.ports.of(first));
            let smx = &mut self.smxs[first];
            smx.exchange(&mut self.shared);
            let stepped = smx.step();
            smx.exchange(&mut self.shared);
            stepped?;
        }
        let mut run = ChipRun {
            cycles: 0,
            counters: Counters::default(),
        };
        for mut smx in self.smxs {
            run.cycles = run.cycles.max(smx.now());
            run.counters = run.counters.with(&smx.counters());
        }
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Space;
    use crate::sim::spec::SmxSpec;
    use crate::sim::testing::{load_to, looped, spec, use_of_load};

    /// Blocks of one warp that read `n` cases each, all the same ones.
    fn on(n_smx: u32, blocks: u32, n: u32) -> ChipRun {
        let code = looped(&[load_to(10, Space::Global, 4), use_of_load()]);
        let mut spec: SmxSpec = spec();
        spec.whole_dram.bytes_per_cycle = 4.0;
        let geometry = Geometry {
            threads_per_block: 32,
            stack_dim: 1,
            fitness_cases: n,
            programs: blocks,
            case_blocks: 1,
            resident_blocks: 1,
            n_smx: 4,
            local_stride_bytes: 4096,
        };
        let setup = Setup {
            spec: &spec,
            code: &code,
            code_bytes: 64,
            geometry,
            queue: BlockQueue::once(vec![0; blocks as usize], &geometry, n / 32, 0),
            seed: 1,
        };
        run(setup, n_smx).expect("the bench code ends")
    }

    /// 64 lines of cases fit the L2: they are fetched once, whoever reads them, and all of them, not one multiprocessor's share.
    #[test]
    fn what_one_multiprocessor_fetched_is_there_for_the_others() {
        let lines = 64 * 128;
        for (n_smx, blocks) in [(1, 1), (1, 3), (2, 4), (3, 3)] {
            let run = on(n_smx, blocks, 64 * 32);
            let counters = &run.counters;
            assert_eq!(counters.dram_read_bytes, lines, "{n_smx} multiprocessors");
            assert_eq!(counters.l2_read_bytes, u64::from(blocks) * lines);
            assert_eq!(counters.instructions, u64::from(blocks) * 64 * 2);
            assert_eq!(counters.blocks_finished, u64::from(blocks));
        }
    }

    /// Blocks are handed out as places come free: four take twice as long as two, once everything is in the L2.
    #[test]
    fn blocks_go_to_whichever_has_a_place() {
        let warm = |blocks| on(2, blocks, 64 * 32).cycles - on(2, 2, 64 * 32).cycles;
        let (two_more, four_more) = (warm(4), warm(6));
        assert!(
            two_more.abs_diff(four_more - two_more) < two_more / 20,
            "{two_more} {four_more}"
        );
    }
}
