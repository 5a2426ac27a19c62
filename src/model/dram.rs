//! Time that a token occupies the multiprocessor's share of the DRAM: transfers and page activations.
//!
//! Models: a transfer to a closed page occupies the DRAM for an activation. Lines of a stack level are neighbours in a
//! partition's turn, and so are the fitness cases of neighbouring warps. The open pages form a cache of pages with first-in
//! first-out replacement, which misses as often as random replacement.
//! Leaves out: warps of a block that drift apart, or that access the same page one after the other.
//! Units: cycles, 128-byte lines, per token.
//! Sources: equation (15b) of `docs/model.md`; Gelenbe, A unified approach to the evaluation of a class of replacement
//! algorithms, IEEE Transactions on Computers 22 (1973).

use super::LINE_BYTES;
use super::demand::Demand;
use super::l2::Traffic;
use crate::launch::geometry::Geometry;
use crate::launch::spec::{DramSpec, SmxSpec};

/// Busy cycles of the DRAM share.
#[derive(Debug, Clone, Copy)]
pub(super) struct DramUse {
    /// Cycles per token.
    pub cycles: f64,
    /// Cycles per token for fitness cases alone.
    pub case_cycles: f64,
    pub cycles_per_line: f64,
}

impl DramUse {
    /// **(15b)** Computes the DRAM time for `fills` lines requested by the L1.
    pub fn new(
        spec: &SmxSpec,
        geometry: &Geometry,
        demand: &Demand,
        traffic: &Traffic,
        fills: f64,
    ) -> DramUse {
        let dram = &spec.dram;
        let stream = LINE_BYTES / f64::from(dram.bytes_per_cycle);
        let scattered = stream.max(f64::from(dram.activation_cycles));
        let fills = fills * (1.0 - traffic.fill_l2_hit);
        let cases = demand.global_load_bytes / LINE_BYTES * (1.0 - traffic.case_l2_hit);
        let write_backs = traffic.write_backs * (1.0 - traffic.write_back_l2_hit);
        let per_turn = lines_per_turn(dram);
        let neighbours = f64::from(geometry.stack_dim).min(per_turn);
        // Fitness cases that a thread reads together are adjacent if a block is one warp; otherwise the neighbours belong to
        // another warp of the block.
        let one_warp = geometry.warps_per_block() == 1;
        let case_accesses = cases / if one_warp { neighbours } else { per_turn };
        let alone = 1.0 - together(traffic) * (1.0 - 1.0 / neighbours);
        let accesses = fills * alone + write_backs;
        let opened = part_opened(dram, traffic, accesses, case_accesses);
        // A controller with a queue opens a page once for neighbouring lines, and transfers others meanwhile.
        let queued = stream.max(f64::from(dram.activation_cycles) / per_turn);
        let cycles = |lines: f64, opened: f64| match dram.queue_requests {
            0 => lines * stream + opened * (scattered - stream),
            _ => lines * queued,
        };
        let case_cycles = cycles(cases, case_accesses);
        let total = case_cycles + cycles(fills + write_backs, accesses * opened);
        let lines = fills + cases + write_backs;
        DramUse {
            cycles: total,
            case_cycles,
            cycles_per_line: if lines > 0.0 { total / lines } else { 0.0 },
        }
    }
}

/// Neighbouring lines in one partition.
fn lines_per_turn(dram: &DramSpec) -> f64 {
    (f64::from(dram.interleave_bytes) / LINE_BYTES).max(1.0)
}

/// Probability that a stack line requested from the DRAM is requested together with its neighbour.
fn together(traffic: &Traffic) -> f64 {
    let misses = traffic.load_misses.max(f64::MIN_POSITIVE);
    (traffic.paired_loads / misses).min(1.0) * traffic.paired_l2_miss
}

/// Pages that hold the stacks: a warp's lines are distributed over the partitions in turn.
fn stack_pages(dram: &DramSpec, traffic: &Traffic) -> f64 {
    let turns = traffic.lines_per_warp / lines_per_turn(dram);
    let full = traffic.lines_per_warp * LINE_BYTES / f64::from(dram.page_bytes);
    let per_warp = turns.min(f64::from(dram.n_partitions)).max(full);
    traffic.warps * per_warp.max(1.0)
}

/// Fraction of the `accesses` to stack pages per token that find the page closed. A page stays open for a time `t` until as
/// many others have been opened: `accesses t / (1 + t accesses / pages) + case accesses t = open pages`, where pages of fitness
/// cases are never revisited.
pub fn part_opened(dram: &DramSpec, traffic: &Traffic, accesses: f64, case_accesses: f64) -> f64 {
    let open = f64::from(dram.open_pages.max(1));
    let of_one = accesses / stack_pages(dram, traffic);
    let linear = accesses + case_accesses - open * of_one;
    // The positive root of `case accesses x of one x t^2 + linear t = open`, in the form that does not cancel.
    let root = (linear * linear + 4.0 * case_accesses * of_one * open).sqrt();
    let time = 2.0 * open / (linear + root);
    if time.is_finite() && time >= 0.0 {
        1.0 / (1.0 + of_one * time)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::testing;

    fn spec(open_pages: u32) -> DramSpec {
        DramSpec {
            bytes_per_cycle: 1e6,
            activation_cycles: 1.0,
            interleave_bytes: 256,
            n_partitions: 4,
            page_bytes: 2048,
            open_pages,
            queue_requests: 0,
        }
    }

    /// Takes 8 cycles per line; half of all requests hit in the L2.
    fn used(dram: DramSpec, traffic: &Traffic) -> DramUse {
        let mut spec = testing::spec();
        spec.dram = DramSpec {
            bytes_per_cycle: 16.0,
            activation_cycles: 20.0,
            ..dram
        };
        let geometry = Geometry {
            stack_dim: 2,
            ..testing::geometry()
        };
        let demand = Demand {
            global_load_bytes: 512.0,
            ..Demand::default()
        };
        DramUse::new(&spec, &geometry, &demand, traffic, 6.0)
    }

    fn traffic() -> Traffic {
        Traffic {
            fill_l2_hit: 0.5,
            case_l2_hit: 0.5,
            write_back_l2_hit: 0.5,
            write_backs: 2.0,
            load_misses: 4.0,
            paired_loads: 1.0,
            paired_l2_miss: 0.5,
            warps: 8.0,
            lines_per_warp: 16.0,
            ..Traffic::default()
        }
    }

    /// Two lines of a partition share an activation of 20 cycles: 10 cycles for each of 3 fills, 2 fitness cases and a
    /// write-back.
    #[test]
    fn a_controller_with_a_queue_opens_a_page_for_a_turn_of_lines() {
        let queued = DramSpec {
            queue_requests: 8,
            ..spec(4)
        };
        let found = used(queued, &traffic());
        assert_eq!((found.cycles, found.case_cycles), (60.0, 20.0));
        assert_eq!(found.cycles_per_line, 10.0);
    }

    /// Opening a page extends a transfer from 8 cycles to 20.
    #[test]
    fn without_a_queue_every_page_that_is_not_open_takes_an_activation() {
        let traffic = traffic();
        let found = used(spec(4), &traffic);
        // Two fitness cases of a warp are in one turn.
        assert_eq!(found.case_cycles, 2.0 * 8.0 + 1.0 * 12.0);
        // A neighbour comes with one of eight lines, and saves half.
        assert_eq!(together(&traffic), 0.125);
        let accesses = 3.0 * (1.0 - 0.125 * 0.5) + 1.0;
        let opened = accesses * part_opened(&spec(4), &traffic, accesses, 1.0);
        let expected = found.case_cycles + 4.0 * 8.0 + 12.0 * opened;
        assert!((found.cycles - expected).abs() < 1e-9, "{found:?}");
        assert!((found.cycles_per_line - expected / 6.0).abs() < 1e-9);
        assert!(opened > 3.0, "far more pages than are open: {opened}");
    }

    #[test]
    fn the_stacks_of_a_warp_lie_in_as_many_pages_as_partitions_or_as_they_fill() {
        let lines = |lines_per_warp: f64| Traffic {
            lines_per_warp,
            warps: 3.0,
            ..Traffic::default()
        };
        // Turns of two lines over four partitions, pages of sixteen.
        assert_eq!(stack_pages(&spec(4), &lines(1.0)), 3.0);
        assert_eq!(stack_pages(&spec(4), &lines(6.0)), 9.0);
        assert_eq!(stack_pages(&spec(4), &lines(16.0)), 12.0);
        assert_eq!(stack_pages(&spec(4), &lines(96.0)), 18.0);
    }
}
