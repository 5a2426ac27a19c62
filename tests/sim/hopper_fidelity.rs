//! Does a multiprocessor with compiler-named barriers keep Hopper's timing rules? On round numbers, worked out by hand.

use warpstack::isa::{Barriers, OpClass, Space, TimingOp};
use warpstack::sim::observe::Counters;
use warpstack::sim::spec::{Arbitration, BarrierTiming, DependenceTracking, N_CLASSES, SmxSpec};
use warpstack::sim::testing::{self, alu, load, looped, run, store};

const SFU_CYCLES: u32 = 23;

fn spec() -> SmxSpec {
    let mut result_cycles = [4; N_CLASSES];
    result_cycles[OpClass::Sfu as usize] = SFU_CYCLES;
    let mut spec = testing::spec();
    spec.alu_warps_per_cycle = 4;
    spec.dependences = DependenceTracking::Barriers(BarrierTiming {
        result_cycles,
        operand_cycles: 1,
    });
    let device = &mut spec.device;
    device.issue.n_dispatch = 1;
    device.issue.instructions_per_cycle = 4;
    device.latency.taken_branch_cycles = 12;
    device.latency.indirect_branch_cycles = 36;
    device.load_store.arbitration = Arbitration::Rotating;
    device.instruction_cache.n_l1 = 4;
    device.l1.caches_global_loads = true;
    device.l1.write_back = false;
    device.l1.fetch_on_write_miss = false;
    spec
}

fn cycles_per_token(ops: &[TimingOp], n_warps: u32) -> f64 {
    let counters = counters(ops, n_warps);
    counters.cycles as f64 / (counters.instructions as f64 / ops.len() as f64)
}

fn counters(ops: &[TimingOp], n_warps: u32) -> Counters {
    run(&spec(), &looped(ops), n_warps, 4000)
}

fn raising(op: TimingOp, write: u8) -> TimingOp {
    let barriers = Barriers {
        write: Some(write),
        ..Barriers::default()
    };
    TimingOp { barriers, ..op }
}

fn waiting(op: TimingOp, wait_mask: u8) -> TimingOp {
    let barriers = Barriers {
        wait_mask,
        ..op.barriers
    };
    TimingOp { barriers, ..op }
}

fn near(value: f64, expected: f64) {
    assert!(
        (value / expected - 1.0).abs() < 0.03,
        "got {value}, expected {expected}"
    );
}

#[test]
fn a_stall_count_is_the_distance_to_the_next_issue() {
    for stall in [1, 2, 5, 13] {
        let chain = vec![waiting(alu(OpClass::Fp32, stall), 1); 8];
        near(cycles_per_token(&chain, 1), 8.0 * f64::from(stall));
    }
}

#[test]
fn a_scheduler_issues_one_instruction_a_cycle() {
    let ops = vec![waiting(alu(OpClass::Fp32, 1), 1); 8];
    let counters = counters(&ops, 64);
    near(counters.instructions as f64 / counters.cycles as f64, 4.0);
    assert_eq!(counters.dual_issued, 0);
}

#[test]
fn a_wait_mask_holds_the_instruction_until_the_result_is_there() {
    let function = raising(alu(OpClass::Sfu, 1), 0);
    let waits = [function.clone(), waiting(alu(OpClass::Fp32, 1), 1)];
    near(cycles_per_token(&waits, 1), f64::from(SFU_CYCLES) + 1.0);
    // Another scoreboard says nothing of this one.
    let other = [function, waiting(alu(OpClass::Fp32, 1), 2)];
    assert!(cycles_per_token(&other, 1) < f64::from(SFU_CYCLES));
}

#[test]
fn two_results_on_one_scoreboard_are_waited_for_together() {
    let ops = [
        raising(alu(OpClass::Sfu, 8), 0),
        raising(alu(OpClass::Sfu, 1), 0),
        waiting(alu(OpClass::Fp32, 1), 1),
    ];
    near(cycles_per_token(&ops, 1), 8.0 + f64::from(SFU_CYCLES) + 1.0);
}

#[test]
fn a_load_is_waited_for_by_its_scoreboard_alone() {
    let load = raising(load(Space::Local, 4), 3);
    let waits = [load.clone(), waiting(alu(OpClass::Fp32, 1), 8)];
    near(cycles_per_token(&waits, 1), 36.0);
    let goes_on = [load, waiting(alu(OpClass::Fp32, 1), 1)];
    assert!(cycles_per_token(&goes_on, 1) < 20.0);
}

#[test]
fn a_taken_branch_costs_its_latency() {
    let branch = TimingOp {
        redirects: true,
        ..alu(OpClass::Control, 1)
    };
    let with = |branch| [waiting(alu(OpClass::Fp32, 1), 1), branch];
    near(cycles_per_token(&with(branch.clone()), 1), 13.0);
    let indirect = TimingOp {
        indirect: true,
        ..branch
    };
    near(cycles_per_token(&with(indirect), 1), 37.0);
}

#[test]
fn every_stored_line_goes_to_the_l2_and_stays_in_the_l1() {
    let ops = [waiting(store(Space::Local, 4), 1), load(Space::Local, 4)];
    let counters = counters(&ops, 1);
    assert_eq!(counters.l2_write_bytes, 128 * counters.l1_store_lines);
    assert_eq!(counters.l1_store_hits, counters.l1_store_lines);
    assert_eq!(counters.l2_read_bytes, 0);
}
