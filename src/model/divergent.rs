//! Analytical model of a grid of executed blocks.
//!
//! Models: the blocks that `sim::divergent` simulates, by `model::executed`.
//! Leaves out: everything that `model::executed` leaves out.
//! Units: cycles of a multiprocessor.

use crate::launch::cause::Cause;
use crate::launch::counters::Counters;
use crate::launch::divergent::BlocksTiming;
use crate::launch::ends::last_to_end;
use crate::launch::executed::ExecutedCode;
use crate::launch::grid::Sample;
use crate::launch::placement::Placement;
use crate::model::executed::{Modelled, Ran, Traffic};

impl Placement {
    /// Models the whole grid, assuming that all its blocks resemble those of the `sample`, which `executed` holds.
    pub(crate) fn modelled(&self, sample: &Sample, executed: &ExecutedCode) -> BlocksTiming {
        let (code, order) = (&executed.code, &executed.order[..]);
        let resident = self.geometry.resident_blocks;
        let places = match sample {
            Sample::Spread(_) => resident,
            Sample::Whole(of_smx) | Sample::Longest(of_smx, _) => {
                let most = of_smx.iter().map(Vec::len).max().unwrap_or(1);
                resident.min(most as u32)
            }
        };
        let modelled = Modelled::new(&self.spec, code, &self.geometry, order, places.max(1));
        let runs: Vec<Ran> = match sample {
            Sample::Spread(_) => vec![modelled.steady()],
            Sample::Whole(of_smx) | Sample::Longest(of_smx, _) => {
                let firsts = of_smx.iter().scan(0, |next, blocks| {
                    let first = *next;
                    *next += blocks.len();
                    Some((first, blocks.len()))
                });
                firsts.map(|(first, n)| modelled.run(first, n)).collect()
            }
        };
        let cycles: Vec<f64> = runs.iter().map(|run| run.cycles).collect();
        BlocksTiming {
            cycles: match sample {
                Sample::Spread(blocks) => {
                    let per_smx =
                        f64::from(self.geometry.programs) / f64::from(self.geometry.n_smx);
                    cycles[0] / blocks.len() as f64 * per_smx
                }
                Sample::Whole(_) | Sample::Longest(..) => last_to_end(self, sample, &cycles),
            },
            counters: counters(&modelled, &runs, executed),
            error_percent: 0.0,
            simulated_instructions: 0,
        }
    }
}

/// Returns the counters that the simulator would report.
fn counters(modelled: &Modelled, runs: &[Ran], executed: &ExecutedCode) -> Counters {
    let code = &executed.code;
    let sum = |of: fn(&Traffic) -> f64| modelled.traffic().map(of).sum::<f64>().round() as u64;
    let of_cause = |cause: Cause| {
        let cycles = runs.iter().map(|run| run.stack[cause as usize]);
        cycles.sum::<f64>().round() as u64
    };
    let dual = code.ops.iter().filter(|op| op.stall_cycles == 0).count();
    let nodes = code.programs.iter().map(|warp| f64::from(warp.nodes)).sum();
    Counters {
        cycles: runs.iter().map(|run| run.cycles).sum::<f64>().round() as u64,
        instructions: code.ops.len() as u64,
        dual_issued: dual as u64,
        l1_load_lines: sum(|traffic| traffic.load_lines),
        l1_load_hits: sum(|traffic| traffic.load_hits),
        l1_store_lines: sum(|traffic| traffic.store_lines),
        l1_store_hits: sum(|traffic| traffic.store_hits),
        l2_lines: sum(|traffic| traffic.l2_lines),
        l2_hits: sum(|traffic| traffic.l2_hits),
        l2_read_bytes: sum(|traffic| traffic.read_bytes),
        l2_write_bytes: sum(|traffic| traffic.written_bytes),
        dram_read_bytes: sum(|traffic| traffic.dram_read_bytes),
        dram_write_bytes: sum(|traffic| traffic.dram_written_bytes),
        cpi_stack: Cause::ALL.map(of_cause),
        ..Counters::default()
    }
    .of_tokens(nodes)
}
