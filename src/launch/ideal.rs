//! The multiprocessor with some of its parts idealized.
//!
//! Models: each part alone and any of them together, as changed values of [`SmxSpec`] that both performance models read.
//! Leaves out: occupancy, the grid, the host and divergence, which are idealized where the launch is resolved. Units: those of the spec.

use super::dependence::DependenceTracking;
use super::spec::{IssueLimit, N_CLASSES, SmxSpec};
use crate::device::ideal::{Ideal, Ideals};

type Change = fn(&mut SmxSpec);

/// Bytes per cycle beyond any demand.
const UNLIMITED_BYTES: f32 = 1e9;
/// Requests beyond what all warps can have in flight.
const UNLIMITED_REQUESTS: u32 = 1 << 14;

impl SmxSpec {
    /// Returns the spec with these parts idealized.
    pub fn without(mut self, ideals: Ideals) -> Self {
        let changes: [(Ideal, Change); 11] = [
            (Ideal::L1Misses, |spec| spec.l1_always_hits = true),
            (Ideal::MemoryBandwidth, memory_bandwidth),
            // Before that of the L1 itself may change.
            (Ideal::MemoryLatency, memory_latency),
            (Ideal::OnChipLatency, on_chip_latency),
            (Ideal::FixedLatency, fixed_latency),
            (Ideal::LoadStoreUnit, load_store_unit),
            (Ideal::Pipes, pipes),
            (Ideal::IssueSlots, issue_slots),
            (Ideal::Barriers, |spec| spec.barriers_are_free = true),
            (Ideal::InstructionFetch, instruction_fetch),
            (Ideal::GridEnds, |spec| {
                (spec.grid_cycles, spec.block_cycles) = (0, 0);
                spec.block_interval_cycles = 0.0;
            }),
        ];
        for (ideal, change) in changes {
            if ideals.has(ideal) {
                change(&mut self);
            }
        }
        self
    }
}

fn memory_bandwidth(spec: &mut SmxSpec) {
    spec.l2_read_bytes_per_cycle = UNLIMITED_BYTES;
    spec.l2_write_bytes_per_cycle = UNLIMITED_BYTES;
    spec.l2_accepts_bytes_per_cycle = f32::INFINITY;
    spec.l2_ports.bytes_per_cycle = f32::INFINITY;
    spec.l2_request_bytes = 0;
    spec.l1_misses_in_flight = UNLIMITED_REQUESTS;
    spec.global_loads_in_flight_per_warp = UNLIMITED_REQUESTS as usize;
    spec.dram.bytes_per_cycle = UNLIMITED_BYTES;
    spec.dram.activation_cycles = 0.0;
    spec.dram.queue_requests = 0;
}

fn memory_latency(spec: &mut SmxSpec) {
    spec.l2_latency_cycles = spec.l2_latency_cycles.min(spec.l1_latency_cycles);
    spec.dram_extra_cycles = 0;
}

fn on_chip_latency(spec: &mut SmxSpec) {
    spec.l1_latency_cycles = 1;
    spec.shared_latency_cycles = 1;
}

fn fixed_latency(spec: &mut SmxSpec) {
    spec.longest_stall_cycles = 1;
    spec.taken_branch_cycles = 0;
    spec.indirect_branch_cycles = 0;
    match &mut spec.dependences {
        DependenceTracking::Registers => {}
        DependenceTracking::AllRegisters(cycles) => *cycles = [1; N_CLASSES],
        DependenceTracking::Barriers(timing) => timing.result_cycles = [1; N_CLASSES],
    }
}

fn load_store_unit(spec: &mut SmxSpec) {
    spec.unit_is_unlimited = true;
    spec.replays_take_issue_slots = false;
    if let DependenceTracking::Barriers(timing) = &mut spec.dependences {
        timing.operand_cycles = 0;
    }
}

fn pipes(spec: &mut SmxSpec) {
    spec.limits = [IssueLimit::Free; N_CLASSES];
    spec.alu_warps_per_cycle = u8::MAX;
    spec.operand_wait = [0; 4];
}

/// Each has as many warps less; pipes of a scheduler are as fast together as they were.
fn issue_slots(spec: &mut SmxSpec) {
    spec.n_schedulers *= 2;
    spec.issued_per_cycle = spec.issued_per_cycle.saturating_mul(2);
    for limit in &mut spec.limits {
        if let IssueLimit::Interval(_, cycles) = limit {
            *cycles = cycles.saturating_mul(2);
        }
    }
}

fn instruction_fetch(spec: &mut SmxSpec) {
    spec.icache_l1_latency_cycles = 0;
    spec.icache_l0_line_slots = 0;
    spec.icache_l15_latency_cycles = 0;
    spec.icache_l15_cycles_per_line = 0;
    spec.icache_lines_in_flight = 0;
    spec.icache_l2_latency_cycles = 0;
    spec.icache_next_line_cycles = [0; 2];
}

#[cfg(test)]
mod tests {
    use super::super::spec::{BarrierTiming, DramSpec, Pipe};
    use super::*;
    use crate::launch::testing;

    fn without(ideal: Ideal) -> SmxSpec {
        testing::spec().without(Ideals::of(&[ideal]))
    }

    #[test]
    fn a_free_part_costs_nothing_and_the_others_what_they_did() {
        let known = testing::spec();
        let on_chip = without(Ideal::OnChipLatency);
        assert_eq!(
            (on_chip.l1_latency_cycles, on_chip.shared_latency_cycles),
            (1, 1)
        );
        assert_eq!(on_chip.l2_latency_cycles, known.l2_latency_cycles);
        let memory = without(Ideal::MemoryLatency);
        assert_eq!(
            (memory.l2_latency_cycles, memory.dram_extra_cycles),
            (35, 0)
        );
        assert_eq!(memory.l1_latency_cycles, known.l1_latency_cycles);
        let fixed = without(Ideal::FixedLatency);
        assert_eq!(
            (fixed.longest_stall_cycles, fixed.taken_branch_cycles),
            (1, 0)
        );
        let fetch = without(Ideal::InstructionFetch);
        let latencies = [
            fetch.icache_l1_latency_cycles,
            fetch.icache_l15_latency_cycles,
            fetch.icache_l2_latency_cycles,
        ];
        assert_eq!((latencies, fetch.icache_next_line_cycles), ([0; 3], [0; 2]));
        assert!(without(Ideal::L1Misses).l1_always_hits && !known.l1_always_hits);
        let slow = SmxSpec {
            grid_cycles: 900,
            block_cycles: 70,
            dram: DramSpec {
                queue_requests: 5,
                activation_cycles: 3.0,
                ..known.dram.clone()
            },
            ..known.clone()
        };
        let at_once = slow.clone().without(Ideals::of(&[Ideal::GridEnds]));
        assert_eq!((at_once.grid_cycles, at_once.block_cycles), (0, 0));
        let wide = slow.without(Ideals::of(&[Ideal::MemoryBandwidth]));
        assert_eq!(
            (wide.dram.queue_requests, wide.dram.activation_cycles),
            (0, 0.0)
        );
        assert_eq!((wide.l2_request_bytes, wide.grid_cycles), (0, 900));
        let pipes = without(Ideal::Pipes);
        assert!(pipes.limits.iter().all(|limit| *limit == IssueLimit::Free));
    }

    #[test]
    fn results_without_a_latency_are_there_in_a_cycle_however_they_are_awaited() {
        let fixed = |dependences: DependenceTracking| {
            let spec = SmxSpec {
                dependences,
                ..testing::spec()
            };
            let spec = spec.without(Ideals::of(&[Ideal::FixedLatency]));
            spec.dependences.result_cycles().copied()
        };
        assert_eq!(fixed(DependenceTracking::Registers), None);
        let all = fixed(DependenceTracking::AllRegisters([9; N_CLASSES]));
        assert_eq!(all, Some([1; N_CLASSES]));
        let barriers = DependenceTracking::Barriers(BarrierTiming {
            result_cycles: [9; N_CLASSES],
            operand_cycles: 7,
        });
        assert_eq!(fixed(barriers.clone()), Some([1; N_CLASSES]));
        let unit = SmxSpec {
            dependences: barriers,
            replays_take_issue_slots: true,
            ..testing::spec()
        };
        let unit = unit.without(Ideals::of(&[Ideal::LoadStoreUnit]));
        assert!(unit.unit_is_unlimited && !unit.replays_take_issue_slots);
        let operand_cycles = unit
            .dependences
            .barriers()
            .map(|timing| timing.operand_cycles);
        assert_eq!(operand_cycles, Some(0));
    }

    /// Twice the schedulers, each of whose pipes is half as fast.
    #[test]
    fn issue_slots_double_and_pipes_do_not() {
        let (known, slots) = (testing::spec(), without(Ideal::IssueSlots));
        assert_eq!(slots.n_schedulers, 2 * known.n_schedulers);
        let interval = |spec: &SmxSpec| {
            let cycles = spec.limits.iter().filter_map(|limit| match limit {
                IssueLimit::Interval(Pipe::Special, cycles) => Some(*cycles),
                _ => None,
            });
            cycles.collect::<Vec<u8>>()
        };
        assert_eq!((interval(&known), interval(&slots)), (vec![4], vec![8]));
    }
}
