//! Does a SIMD of the VLIW5 chip keep its timing rules?

use warpstack::vliw::memory::Region;
use warpstack::vliw::preset::{Machine, VliwPreset};
use warpstack::vliw::simd::{Group, SimdTime, Stretch, Work, run};
use warpstack::vliw::steps::{Access, Executed, Step};

fn machine() -> Machine {
    VliwPreset::load("hd5750").expect("a preset").machine
}

fn executed(steps: &[Step]) -> Executed {
    Executed {
        steps: steps.to_vec(),
        ..Executed::default()
    }
}

/// Returns the time of a work-group whose wavefronts execute the same code.
fn cycles(executed: &Executed, n_waves: usize) -> SimdTime {
    let work = Work {
        executed,
        stretches: vec![Stretch {
            steps: 0..executed.steps.len(),
            shared_lines: 0,
        }],
    };
    let group = Group {
        waves: vec![work; n_waves],
        own_lines: 0,
        shared_lines: 0,
    };
    run(machine(), &[group], 1, 1.0)
}

const CLAUSE: Step = Step::Alu {
    bundles: 100,
    local_reads: 0,
};

#[test]
fn one_wavefront_alone_gets_every_second_turn() {
    let m = machine();
    let alone = cycles(&executed(&[CLAUSE]), 1);
    assert_eq!(alone.cycles, m.clause_switch_cycles + 100.0 * 8.0);
    assert_eq!(cycles(&executed(&[CLAUSE]), 2).cycles, alone.cycles);
    assert_eq!(alone.busy_cycles, 400.0);
}

#[test]
fn a_third_wavefront_waits_for_a_whole_clause() {
    let m = machine();
    let three = cycles(&executed(&[CLAUSE]), 3);
    assert_eq!(three.cycles, m.clause_switch_cycles + 200.0 * 8.0);
    assert_eq!(three.turn_cycles, 800.0);
}

#[test]
fn clause_switches_are_hidden_by_other_wavefronts() {
    let m = machine();
    let short = Step::Alu {
        bundles: 5,
        local_reads: 0,
    };
    let steps = executed(&[short; 40]);
    let switch = m.clause_switch_cycles;
    assert_eq!(cycles(&steps, 2).cycles, 40.0 * (switch + 40.0));
    let four = cycles(&steps, 4);
    assert!(
        four.cycles < 1.1 * 40.0 * (switch + 40.0),
        "{}",
        four.cycles
    );
    let eight = cycles(&steps, 8);
    assert!(
        eight.busy_cycles / eight.cycles > 0.95,
        "the lanes are the limit"
    );
}

#[test]
fn a_fetch_costs_the_latency_of_where_the_line_is() {
    let m = machine();
    let mut steps = executed(&[Step::Fetch { first: 0, count: 1 }; 2]);
    steps.lines = vec![7];
    steps.accesses = vec![Access {
        lines: 0..1,
        region: Region::Shared,
    }];
    let both = cycles(&steps, 1).memory_cycles;
    let transfer = 64.0 / (m.dram_gb_per_second * 1e3 / m.clock_mhz / m.n_simds);
    let first = m.dram_cycles + transfer;
    // The second fetch hits: four cycles of the fetch unit and the L1's latency.
    assert!((both - first - m.l1_cycles - 4.0).abs() < 1.0, "{both}");
}

#[test]
fn wavefronts_wait_for_each_other_at_a_barrier() {
    let early = executed(&[Step::Control, Step::Barrier, Step::Control]);
    let late = executed(&[CLAUSE, Step::Barrier, Step::Control]);
    let work = |executed| Work {
        executed,
        stretches: vec![Stretch {
            steps: 0..3,
            shared_lines: 0,
        }],
    };
    let group = Group {
        waves: vec![work(&early), work(&late)],
        own_lines: 0,
        shared_lines: 0,
    };
    let m = machine();
    let time = run(m, &[group], 1, 1.0);
    let barrier = m.clause_switch_cycles + 800.0;
    assert_eq!(time.cycles, barrier + m.control_cycles);
    assert_eq!(time.barrier_cycles, barrier - m.control_cycles);
}

#[test]
fn the_next_work_group_begins_when_one_ends() {
    let steps = executed(&[CLAUSE]);
    let work = Work {
        executed: &steps,
        stretches: vec![Stretch {
            steps: 0..1,
            shared_lines: 0,
        }],
    };
    let group = Group {
        waves: vec![work],
        own_lines: 0,
        shared_lines: 0,
    };
    let groups = vec![group; 3];
    let one = machine().clause_switch_cycles + 800.0;
    assert_eq!(run(machine(), &groups, 1, 1.0).cycles, 3.0 * one);
    assert_eq!(run(machine(), &groups, 2, 1.0).cycles, 2.0 * one);
}

#[test]
fn a_read_of_scratch_memory_waits_for_the_store_and_holds_nobody_up() {
    let m = machine();
    let access = |region| Access {
        lines: 0..1,
        region,
    };
    let with = |steps: &[Step]| Executed {
        lines: vec![7],
        accesses: vec![access(Region::Scratch), access(Region::Shared)],
        ..executed(steps)
    };
    let stored = with(&[
        Step::Store { access: 0 },
        Step::Fetch { first: 0, count: 1 },
    ]);
    let alone = cycles(&stored, 1);
    assert!(alone.cycles > m.store_cycles + m.dram_cycles);
    // A wavefront that reads other data meanwhile is done long before.
    let reads = with(&[Step::Control, Step::Fetch { first: 1, count: 1 }]);
    let work = |executed| Work {
        executed,
        stretches: vec![Stretch {
            steps: 0..2,
            shared_lines: 0,
        }],
    };
    let group = |executed| Group {
        waves: vec![work(executed)],
        own_lines: 0,
        shared_lines: 0,
    };
    let both = run(m, &[group(&stored), group(&reads)], 2, 1.0);
    let waits = cycles(&reads, 1).memory_cycles + alone.memory_cycles;
    assert!(both.memory_cycles < waits + 20.0, "{both:?} {waits}");
}
