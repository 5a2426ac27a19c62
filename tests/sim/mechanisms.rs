//! Does every named mechanism have its effect in isolation? On round numbers: a fault shows here, not in a table's last digit.

use std::sync::Arc;
use warpstack::device::ideal::{Ideal, Ideals};
use warpstack::device::{Device, Host, Preset};
use warpstack::gp::problem::ProblemId;
use warpstack::gp::programs::Population;
use warpstack::gp::workload::measured_programs;
use warpstack::isa::Arch;
use warpstack::isa::{Barriers, OpClass, Space, TimingOp};
use warpstack::launch::CarveOut;
use warpstack::launch::prediction::Prediction;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::sim::dispatch::{BlockQueue, Geometry};
use warpstack::sim::observe::{Cause, Counters};
use warpstack::sim::smx::{Setup, Smx};
use warpstack::sim::spec::{BarrierTiming, DependenceTracking, N_CLASSES};
use warpstack::sim::testing::{self, alu, load_to, looped, run, store, use_of_load};
use warpstack::systems::chitty::request::{Cases, Request};
use warpstack::systems::chitty::variant::{KernelId, Variant};

fn cycles_per_instruction(counters: &Counters) -> f64 {
    counters.cycles as f64 / counters.instructions as f64
}

fn between(value: f64, low: f64, high: f64) {
    assert!(
        (low..=high).contains(&value),
        "got {value}, expected {low} to {high}"
    );
}

/// All six scoreboards that the compiler can name are waited for.
#[test]
fn every_scoreboard_is_waited_for() {
    const CYCLES: u32 = 23;
    let mut spec = testing::spec();
    spec.dependences = DependenceTracking::Barriers(BarrierTiming {
        result_cycles: [CYCLES; N_CLASSES],
        operand_cycles: 1,
    });
    for board in 0..Barriers::N {
        let with = |write, wait_mask| Barriers {
            write,
            wait_mask,
            ..Barriers::default()
        };
        let raising = TimingOp {
            barriers: with(Some(board), 0),
            ..alu(OpClass::Sfu, 1)
        };
        let waiting = TimingOp {
            barriers: with(None, 1 << board),
            ..alu(OpClass::Fp32, 1)
        };
        let counters = run(&spec, &looped(&[raising, waiting]), 1, 2000);
        between(2.0 * cycles_per_instruction(&counters), 23.5, 24.5);
    }
}

/// Consecutive loads of eight lines, which always miss the L1 and hit the L2.
#[test]
fn a_miss_takes_as_long_as_the_l2_says() {
    let ops: Vec<TimingOp> = (0..8)
        .flat_map(|_| [load_to(10, Space::Local, 4), use_of_load()])
        .collect();
    for latency in [100, 200] {
        let mut spec = testing::spec();
        spec.device.l2.hit_latency_cycles = latency;
        spec.device.dram.latency_cycles = latency + 100;
        spec.l1.sets = 1;
        let counters = run(&spec, &looped(&ops), 1, 200);
        let latency = f64::from(latency);
        between(
            2.0 * cycles_per_instruction(&counters),
            latency,
            latency + 8.0,
        );
    }
}

/// With sixteen warps and four MSHRs, a load spends three of four L2 round trips waiting for an MSHR. Sampled time is scaled by the
/// level that serves the load.
#[test]
fn a_load_that_misses_while_all_mshrs_are_taken_waits_for_one() {
    let loads = || [load_to(10, Space::Local, 4), use_of_load()];
    let ops: Vec<TimingOp> = (0..8).flat_map(|_| loads()).collect();
    for (l1_misses_in_flight, waits) in [(4, 0.75), (64, 0.0)] {
        let mut spec = testing::spec();
        spec.device.load_store.l1_misses_in_flight = l1_misses_in_flight;
        spec.l1.sets = 1;
        let counters = run(&spec, &looped(&ops), 16, 200);
        let of = |cause: Cause| counters.cpi_stack[cause as usize] as f64;
        let (mshr, l2) = (of(Cause::Mshr), of(Cause::L2));
        between(mshr / (mshr + l2), waits - 0.03, waits + 0.03);
        assert_eq!(counters.nearest_stack[Cause::Mshr as usize], 0);
    }
}

/// Every stored line misses an L1 of a few lines.
#[test]
fn a_store_that_misses_fetches_its_line_where_the_machine_does() {
    let ops: Vec<TimingOp> = (0..12).map(|_| store(Space::Local, 4)).collect();
    let read_bytes = |fetches| {
        let mut spec = testing::spec();
        spec.device.l1.fetch_on_write_miss = fetches;
        spec.l1.sets = 1;
        let counters = run(&spec, &looped(&ops), 1, 200);
        assert_eq!(counters.l1_store_hits, 0);
        (counters.l2_read_bytes, 128 * counters.l1_store_lines)
    };
    let (read, stored) = read_bytes(true);
    assert_eq!(read, stored);
    assert_eq!(read_bytes(false).0, 0);
}

/// The launch's data is in the L2 before it begins: every look-up hits.
#[test]
fn an_l2_that_holds_the_data_misses_no_fitness_case() {
    let mut spec = testing::spec();
    spec.l2_holds_data = true;
    (spec.l2.sets, spec.l2.ways) = (1, 1);
    let ops = [load_to(10, Space::Global, 4), use_of_load()];
    let counters = run(&spec, &looped(&ops), 4, 200);
    assert!(counters.l2_lines > 100);
    assert_eq!(
        (counters.l2_hits, counters.dram_read_bytes),
        (counters.l2_lines, 0)
    );
}

/// Lines that are stored one after the other pass the unit at its rate.
#[test]
fn a_stored_line_takes_its_cycles_of_the_unit() {
    for cycles in [1, 4, 8] {
        let mut spec = testing::spec();
        spec.device.load_store.store_bytes_per_cycle = 128 / cycles;
        spec.device.l1.write_back = false;
        spec.device.l2.write_bytes_per_cycle = 1024.0;
        let counters = run(&spec, &looped(&[store(Space::Local, 4)]), 32, 2000);
        let cycles = f64::from(cycles);
        between(
            cycles_per_instruction(&counters),
            0.97 * cycles,
            1.1 * cycles,
        );
    }
}

/// Twelve loads of four lines each and 96 other instructions: the last load issues when all but the queue's cycles of the 44 before it
/// are done.
#[test]
fn the_unit_holds_what_its_queue_has_no_room_for() {
    let loads = (0..12).map(|n| load_to(10 + n, Space::Local, 16));
    let others = vec![alu(OpClass::Fp32, 1); 96];
    let ops: Vec<TimingOp> = loads.chain(others).collect();
    let cycles = |lsu_queue_cycles| {
        let mut spec = testing::spec();
        spec.device.load_store.queue_cycles = lsu_queue_cycles;
        108.0 * cycles_per_instruction(&run(&spec, &looped(&ops), 1, 400))
    };
    for queue in [0, 8, 16] {
        let expected = 44.0 - f64::from(queue) + 96.0;
        between(cycles(queue), expected - 4.0, expected + 4.0);
    }
    // All of them wait in the queue.
    between(cycles(64), 108.0, 109.0);
}

/// 256 instructions, each on a line of its own: twice what the first level holds.
#[test]
fn code_beyond_an_instruction_cache_is_waited_for() {
    const N: u32 = 256;
    let spec = testing::spec();
    let line = spec.device.instruction_cache.line_bytes;
    let ops: Vec<TimingOp> = (0..N)
        .map(|n| TimingOp {
            pc_bytes: n * line,
            ..alu(OpClass::Fp32, 1)
        })
        .collect();
    let code = looped(&ops);
    let cycles = |code_bytes| {
        let geometry = Geometry {
            fitness_cases: 32 * 1_000_000,
            programs: 1000,
            ..testing::geometry()
        };
        let setup = Setup {
            spec: &spec,
            code: &code,
            code_bytes,
            geometry,
            queue: BlockQueue::units(&code, &[0], &geometry, f64::INFINITY),
            seed: 1,
        };
        let mut smx = Smx::<(), false>::new(setup, ());
        smx.run_tokens(20).unwrap();
        let counters = smx.counters();
        (cycles_per_instruction(&counters), counters)
    };
    let (hits, _) = cycles(spec.device.instruction_cache.l1_bytes);
    between(hits, 1.0, 1.05);
    let (misses, counters) = cycles(N * line);
    let second_level = f64::from(spec.code.next_line_cycles[0]);
    between(misses, 1.0 + 0.9 * second_level, 1.0 + 1.3 * second_level);
    assert!(counters.cpi_stack[Cause::NoInstruction as usize] > counters.cycles / 2);
}

fn request(arch: Arch) -> Request {
    let mut programs = measured_programs(ProblemId::Sextic).unwrap();
    programs.truncate(8);
    Request {
        kernel: Variant::new(KernelId::Rpn, ProblemId::Sextic, 2, arch).into(),
        programs: Arc::new(Population::of_list(&programs, 200).unwrap()),
        cases: Cases::of(ProblemId::Sextic, 4096),
        threads_per_block: 128,
        case_blocks: 1,
        carve_out: CarveOut::Default,
    }
}

/// Runs both models.
fn predicted(device: &Device, request: &Request) -> [Prediction; 2] {
    let engine = Predictor::with_settings(device.clone(), Settings::default());
    [engine.with_engine(Kind::Analytical), engine]
        .map(|engine| engine.predict_request(request).unwrap())
}

#[test]
fn slow_paths_of_data_make_a_launch_slower() {
    let device = Preset::load("h200").unwrap().device;
    let request = request(Arch::Sm90);
    let with = predicted(&device, &request);
    let without = predicted(&device.without(Ideals::of(&[Ideal::Divergence])), &request);
    for (with, without) in with.iter().zip(&without) {
        assert!(
            with.divergence_overhead_percent > 0.0 && without.divergence_overhead_percent == 0.0
        );
        let slower = 100.0 * (without.gpops_billion / with.gpops_billion - 1.0);
        between(
            slower,
            0.1 * with.divergence_overhead_percent,
            with.divergence_overhead_percent,
        );
        assert!(with.run_milliseconds > without.run_milliseconds);
    }
}

#[test]
fn what_the_host_takes_is_part_of_a_generation() {
    let device = Preset::load("gtx670").unwrap().device;
    let idle = Device {
        host: Host {
            launch_microseconds: 0.0,
            copy_microseconds: 0.0,
            upload_ns_per_byte: 0.0,
            download_ns_per_byte: 0.0,
            sum_ns_per_value: 0.0,
            breeding_ns_per_node: 0.0,
        },
        ..device.clone()
    };
    let request = request(Arch::Sm35);
    let (with, without) = (predicted(&device, &request), predicted(&idle, &request));
    for (with, without) in with.iter().zip(&without) {
        assert!(with.host_milliseconds > 0.0 && without.host_milliseconds == 0.0);
        let kernel = with.run_milliseconds;
        assert_eq!(kernel, without.run_milliseconds);
        let expected = kernel / (kernel + with.host_milliseconds);
        between(
            with.gpops_billion / without.gpops_billion / expected,
            0.999,
            1.001,
        );
    }
}
