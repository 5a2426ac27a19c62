//! Does the simulated multiprocessor have the right shape? Chains, peaks and capacities that can be
//! worked out by hand, on a multiprocessor of round numbers (`warpstack::sim::testing`).

use warpstack::isa::{OpClass, Space, TimingOp};
use warpstack::launch::geometry::Geometry;
use warpstack::sim::blocks::run_queue;
use warpstack::sim::dispatch::BlockQueue;
use warpstack::sim::observe::{Cause, Counters, Observer, WarpSlot};
use warpstack::sim::smx::Setup;
use warpstack::sim::spec::{IssueLimit, Pipe, Replacement, SmxSpec};
use warpstack::sim::testing::{
    alu, geometry, load, load_to, looped, paired, run, spec, spec_with, store, use_of_load,
};

fn cycles_per_instruction(counters: &Counters) -> f64 {
    counters.cycles as f64 / counters.instructions as f64
}

fn ipc(counters: &Counters) -> f64 {
    counters.instructions as f64 / counters.cycles as f64
}

fn assert_near(value: f64, expected: f64, relative: f64) {
    assert!(
        (value / expected - 1.0).abs() <= relative,
        "got {value}, expected {expected}"
    );
}

fn run_ops(spec: &SmxSpec, ops: &[TimingOp], n_warps: u32) -> Counters {
    run(spec, &looped(ops), n_warps, 4000)
}

/// Runs blocks of `ops` from their first instruction to their last.
fn run_blocks(spec: &SmxSpec, ops: &[TimingOp], geometry: Geometry, blocks: usize) -> Counters {
    let setup = Setup {
        spec,
        code: &looped(ops),
        code_bytes: 64,
        geometry,
        queue: BlockQueue::once(vec![0; blocks], &geometry, u32::MAX, 0),
        seed: 1,
    };
    let run = run_queue(setup, u64::MAX, ()).expect("the bench code ends");
    assert!(run.ended);
    run.counters
}

#[test]
fn a_dependent_chain_of_one_warp_costs_its_latency_per_instruction() {
    let counters = run_ops(&spec(), &vec![alu(OpClass::Fp32, 9); 10], 1);
    assert_near(cycles_per_instruction(&counters), 9.0, 0.001);
}

#[test]
fn enough_warps_hide_the_chain_up_to_one_issue_per_scheduler() {
    let counters = run_ops(&spec(), &vec![alu(OpClass::Fp32, 9); 10], 64);
    assert_near(ipc(&counters), 4.0, 0.01);
}

#[test]
fn dual_issue_reaches_the_six_alu_groups() {
    let ops = [paired(OpClass::Fp32), alu(OpClass::Fp32, 1)];
    let counters = run_ops(&spec(), &ops, 64);
    assert_near(ipc(&counters), 6.0, 0.02);
    assert!(counters.dual_issued > 0);
}

#[test]
fn a_single_dispatch_scheduler_never_pairs() {
    let spec = spec_with(|spec| spec.device.issue.n_dispatch = 1);
    let counters = run_ops(&spec, &[paired(OpClass::Fp32), alu(OpClass::Fp32, 1)], 64);
    assert_eq!(counters.dual_issued, 0);
    assert_near(ipc(&counters), 4.0, 0.01);
}

#[test]
fn slow_pipes_take_one_warp_instruction_per_cycle_in_all() {
    let counters = run_ops(&spec(), &vec![alu(OpClass::Sfu, 1); 8], 64);
    assert_near(ipc(&counters), 1.0, 0.01);
}

#[test]
fn a_local_load_that_hits_costs_the_l1_latency() {
    let counters = run_ops(&spec(), &[load(Space::Local, 4), use_of_load()], 1);
    // 35 cycles from load to use, one more to the next load.
    assert_near(counters.cycles as f64 / counters.tokens(), 36.0, 0.01);
    assert_eq!(counters.l1_load_hits, counters.l1_load_lines);
}

#[test]
fn the_load_store_unit_moves_one_line_per_cycle() {
    for (bytes, lines) in [(4, 1.0), (8, 2.0), (16, 4.0)] {
        // Four warps share every set of the four-way L1: all lines stay.
        let ops: Vec<TimingOp> = (0..13)
            .map(|i| load_to(4 * i, Space::Local, bytes))
            .collect();
        let counters = run_ops(&spec(), &ops, 4);
        assert_near(cycles_per_instruction(&counters), lines, 0.02);
    }
}

#[test]
fn a_working_set_beyond_the_l1_misses_and_one_within_hits() {
    let ops: Vec<TimingOp> = (0..16).map(|_| store(Space::Local, 4)).collect();
    // 16 words x 128 bytes = 2 KiB a warp: 8 warps fill the 16 KiB L1, 32 warps overflow it.
    let within = run_ops(&spec(), &ops, 8);
    assert_eq!(within.l1_store_hits, within.l1_store_lines);
    let beyond = run_ops(&spec(), &ops, 32);
    assert!(
        beyond.l1_store_hits * 10 < beyond.l1_store_lines * 9,
        "{beyond:?}"
    );
    assert!(beyond.l2_write_bytes > 0);
}

#[test]
fn misses_run_at_the_read_port_s_bandwidth() {
    let mut spec = spec();
    spec.l1.replacement = Replacement::Lru;
    let ops: Vec<TimingOp> = (0..8).map(|i| load_to(4 * i, Space::Local, 16)).collect();
    let counters = run_ops(&spec, &ops, 64);
    let bytes_per_cycle = counters.l2_read_bytes as f64 / counters.cycles as f64;
    assert!(
        (28.0..=32.5).contains(&bytes_per_cycle),
        "{bytes_per_cycle}"
    );
    // Four times the capacity: a warp finds what it loaded itself, if it runs on before the others come.
    assert!(
        counters.l1_load_hits < counters.l1_load_lines,
        "{counters:?}"
    );
}

#[test]
fn a_warp_with_one_global_load_at_a_time_sends_each_when_the_last_has_reached_the_l2() {
    let ops = [1, 2, 3].map(|register| load_to(register, Space::Global, 4));
    let many = run_ops(&spec(), &ops, 1);
    let one = run_ops(
        &spec_with(|spec| spec.device.load_store.global_loads_in_flight_per_warp = 1),
        &ops,
        1,
    );
    // Two of three loads wait for the latency of an L2 hit, less than for their data.
    let longer = one.cycles as f64 / many.cycles as f64;
    assert!(
        (1.5..3.0).contains(&longer),
        "{} against {}",
        one.cycles,
        many.cycles
    );
}

#[test]
fn the_cpi_stack_sums_to_every_cycle_of_every_scheduler() {
    let ops = [
        load(Space::Local, 8),
        use_of_load(),
        alu(OpClass::Sfu, 9),
        store(Space::Local, 8),
    ];
    for n_warps in [1, 3, 16, 64] {
        let counters = run_ops(&spec(), &ops, n_warps);
        for stack in [counters.cpi_stack, counters.nearest_stack] {
            assert_eq!(stack.iter().sum::<u64>(), 4 * counters.cycles);
        }
    }
}

#[test]
fn an_idle_scheduler_is_charged_to_no_warp() {
    let counters = run_ops(&spec(), &[alu(OpClass::Fp32, 9)], 1);
    assert_eq!(
        counters.cpi_stack[Cause::NoWarp as usize],
        3 * counters.cycles
    );
}

#[test]
fn the_same_run_twice_is_the_same() {
    let ops = [
        load(Space::Local, 16),
        use_of_load(),
        store(Space::Local, 16),
    ];
    let spec = spec_with(|spec| spec.l1.replacement = Replacement::Random);
    let (a, b) = (run_ops(&spec, &ops, 48), run_ops(&spec, &ops, 48));
    assert_eq!((a.cycles, a.l1_load_hits), (b.cycles, b.l1_load_hits));
}

#[test]
fn a_taken_branch_costs_its_cycles_whatever_tracks_dependences() {
    let branch = TimingOp {
        redirects: true,
        ..alu(OpClass::Control, 1)
    };
    let spec = spec_with(|spec| spec.device.latency.taken_branch_cycles = 12);
    let counters = run_ops(&spec, &[alu(OpClass::Fp32, 1), branch], 1);
    assert_near(counters.cycles as f64 / counters.tokens(), 13.0, 0.01);
}

#[test]
fn classes_of_one_pipe_wait_for_each_other_and_others_do_not() {
    let ops = [alu(OpClass::Sfu, 1), alu(OpClass::Shift, 1)];
    let cycles = |pipe: Pipe| {
        let mut spec = spec();
        spec.limits[OpClass::Shift as usize] = IssueLimit::Interval(pipe, 4);
        let counters = run_ops(&spec, &ops, 64);
        counters.cycles as f64 / counters.tokens()
    };
    assert_near(cycles(Pipe::Shift), 1.0, 0.02);
    assert_near(cycles(Pipe::Special), 2.0, 0.02);
}

/// The port passes a line of 128 bytes in 4 cycles, and the L2 accepts it in 16 or in one: the slower of the two sets the pace.
#[test]
fn what_is_stored_goes_at_the_pace_of_the_port_or_of_the_l2() {
    let pace = |accepts: f32| {
        let mut spec = spec();
        (
            spec.device.l1.write_back,
            spec.device.load_store.store_queue_lines,
        ) = (false, 1);
        spec.l2_accepts_bytes_per_cycle = accepts;
        cycles_per_instruction(&run_ops(&spec, &[store(Space::Local, 4)], 16))
    };
    assert_near(pace(8.0), 16.0, 0.02);
    assert_near(pace(128.0), 4.0, 0.02);
}

/// Two blocks of two warps share ten rows of 64 cases: each row is two lines, and no case is loaded twice.
#[test]
fn blocks_of_one_program_load_cases_of_their_own() {
    let grid = Geometry {
        threads_per_block: 64,
        fitness_cases: 64 * 10,
        case_blocks: 2,
        ..geometry()
    };
    let ops = [load(Space::Global, 4), use_of_load()];
    let counters = run_blocks(&spec(), &ops, grid, 2);
    assert_eq!(counters.l2_read_bytes, 20 * 128);
    assert_eq!(counters.dram_read_bytes, 20 * 128);
}

/// A block ends with stores of eight lines, which keep the unit busy; the next block's first instructions do not need the unit and
/// run meanwhile.
#[test]
fn a_warp_that_comes_after_a_store_is_not_held_by_the_unit() {
    let spec = spec_with(|spec| spec.device.load_store.queue_cycles = 1);
    let mut ops = vec![alu(OpClass::Fp32, 1); 3];
    ops.extend(vec![store(Space::Local, 16); 2]);
    let counters = run_blocks(&spec, &ops, geometry(), 200);
    assert_near(counters.cycles as f64 / 200.0, 8.0, 0.02);
}

/// Start of each block's first warp: block, scheduler.
#[derive(Default)]
struct FirstWarps(Vec<(u32, u16)>);

impl Observer for FirstWarps {
    fn started(&mut self, slot: WarpSlot, block: u32, warp: u32, _cycle: u64) {
        if warp == 0 {
            self.0.push((block, slot.scheduler));
        }
    }
}

/// Four blocks of one, two and four warps on four schedulers.
#[test]
fn first_warps_take_schedulers_in_turn() {
    let first_warps = |warps: u32, in_turn: bool| {
        let spec = spec_with(|spec| spec.device.issue.first_warps_in_turn = in_turn);
        let geometry = Geometry {
            threads_per_block: 32 * warps,
            fitness_cases: 32 * warps,
            resident_blocks: 4,
            ..geometry()
        };
        let setup = Setup {
            spec: &spec,
            code: &looped(&[alu(OpClass::Fp32, 1)]),
            code_bytes: 64,
            geometry,
            queue: BlockQueue::once(vec![0; 4], &geometry, u32::MAX, 0),
            seed: 1,
        };
        let mut found = run_queue(setup, u64::MAX, FirstWarps::default())
            .unwrap()
            .observer
            .0;
        found.sort_unstable();
        found
            .into_iter()
            .map(|(_, scheduler)| scheduler)
            .collect::<Vec<_>>()
    };
    assert_eq!(first_warps(1, true), [0, 1, 2, 3]);
    assert_eq!(first_warps(2, true), [0, 2, 1, 3]);
    assert_eq!(first_warps(4, true), [0, 1, 2, 3]);
    assert_eq!(first_warps(2, false), [0, 2, 0, 2]);
    assert_eq!(first_warps(4, false), [0, 0, 0, 0]);
}
