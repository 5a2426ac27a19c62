//! Do laws hold for any multiprocessor, whatever it runs? Random code on the round-number one, and whole launches.

use proptest::prelude::*;
use std::sync::Arc;
use warpstack::device::{Device, Preset};
use warpstack::gp::problem::ProblemId;
use warpstack::gp::programs::Population;
use warpstack::gp::workload::measured_programs;
use warpstack::isa::Arch;
use warpstack::isa::{OpClass, Space, TimingOp};
use warpstack::launch::CarveOut;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::sim::blocks::run_queue;
use warpstack::sim::dispatch::{BlockQueue, Geometry};
use warpstack::sim::observe::Counters;
use warpstack::sim::smx::Setup;
use warpstack::sim::spec::SmxSpec;
use warpstack::sim::testing::{alu, geometry, load_to, looped, paired, spec, spec_with, store};
use warpstack::systems::chitty::request::{Cases, Request};
use warpstack::systems::chitty::variant::{KernelId, Variant};

/// A grid: warps of a block, blocks, blocks that are resident together, iterations.
#[derive(Debug, Clone, Copy)]
struct Grid {
    warps: u32,
    blocks: u32,
    resident: u32,
    iterations: u32,
}

fn grid() -> impl Strategy<Value = Grid> {
    (1u32..5, 1u32..12, 1u32..9, 1u32..6).prop_map(|(warps, blocks, resident, iterations)| Grid {
        warps,
        blocks,
        resident,
        iterations,
    })
}

fn arithmetic() -> impl Strategy<Value = TimingOp> {
    let classes = [
        OpClass::Fp32,
        OpClass::IntAdd,
        OpClass::Logic,
        OpClass::Compare,
        OpClass::IntMul,
        OpClass::Shift,
        OpClass::Sfu,
        OpClass::Convert,
    ];
    let class = proptest::sample::select(classes.to_vec());
    (class, 1u8..12, any::<bool>()).prop_map(|(class, stall, pairs)| match pairs {
        true => paired(class),
        false => TimingOp {
            reads: vec![10],
            ..alu(class, stall)
        },
    })
}

fn memory() -> impl Strategy<Value = TimingOp> {
    let spaces = proptest::sample::select(vec![Space::Local, Space::Shared, Space::Global]);
    let bytes = proptest::sample::select(vec![4u8, 8, 16]);
    (spaces, bytes, any::<bool>()).prop_map(|(space, bytes, stores)| match stores {
        true => store(space, bytes),
        false => load_to(10, space, bytes),
    })
}

fn any_code() -> impl Strategy<Value = Vec<TimingOp>> {
    proptest::collection::vec(prop_oneof![arithmetic(), memory()], 1..24)
}

/// From the first instruction of the first block to the last of the last.
fn whole_run(spec: &SmxSpec, ops: &[TimingOp], grid: Grid) -> Counters {
    let code = looped(ops);
    let geometry = Geometry {
        threads_per_block: 32 * grid.warps,
        fitness_cases: 32 * grid.warps * grid.iterations,
        programs: grid.blocks,
        resident_blocks: grid.resident,
        ..geometry()
    };
    let order = vec![0; grid.blocks as usize];
    let setup = Setup {
        spec,
        code: &code,
        code_bytes: 64,
        geometry,
        queue: BlockQueue::once(order, &geometry, grid.iterations, 0),
        seed: 1,
    };
    let run = run_queue(setup, u64::MAX, ()).unwrap();
    assert!(run.ended);
    run.counters
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_to_be_executed_issues_once_and_every_cycle_has_a_cause(ops in any_code(), grid in grid()) {
        let spec = spec();
        let counters = whole_run(&spec, &ops, grid);
        let warps = u64::from(grid.warps * grid.blocks * grid.iterations);
        prop_assert_eq!(counters.instructions, warps * ops.len() as u64);
        prop_assert_eq!(counters.blocks_finished, u64::from(grid.blocks));
        let cycles = counters.cycles * spec.n_schedulers() as u64;
        prop_assert_eq!(counters.cpi_stack.iter().sum::<u64>(), cycles);
    }

    #[test]
    fn without_memory_instructions_no_value_of_memory_matters(
        ops in proptest::collection::vec(arithmetic(), 1..24), grid in grid()
    ) {
        let known = spec();
        let other = spec_with(|spec| {
            let device = &mut spec.device;
            device.shared.latency_cycles = 77;
            device.l1.hit_latency_cycles = 3;
            device.l2.hit_latency_cycles = 999;
            device.dram.latency_cycles = 1000;
            device.load_store.queue_cycles = 1;
            device.load_store.store_bytes_per_cycle = 16;
            device.load_store.l1_misses_in_flight = 1;
            device.l1.write_back = false;
            device.l2.port_bytes_per_cycle = 0.5;
            (spec.l1.sets, spec.l1.ways) = (1, 1);
        });
        let (one, two) = (whole_run(&known, &ops, grid), whole_run(&other, &ops, grid));
        prop_assert_eq!(one.cycles, two.cycles);
        prop_assert_eq!(one.cpi_stack, two.cpi_stack);
    }

    #[test]
    fn an_l1_without_end_misses_what_it_has_not_seen(n_words in 1usize..24, grid in grid()) {
        let spec = spec_with(|spec| (spec.l1.sets, spec.l1.ways) = (1024, 32));
        let ops = vec![load_to(10, Space::Local, 4); n_words];
        let counters = whole_run(&spec, &ops, grid);
        // A line is one word of a warp's place, which later blocks have again.
        let places = u64::from(grid.warps * grid.resident.min(grid.blocks));
        let misses = counters.l1_load_lines - counters.l1_load_hits;
        prop_assert_eq!(misses, places * n_words as u64);
    }
}

fn request(n_blocks: usize) -> Request {
    let mut programs = measured_programs(ProblemId::Sextic).unwrap();
    programs.truncate(7);
    Request {
        kernel: Variant::new(KernelId::Rpn, ProblemId::Sextic, 2, Arch::Sm35).into(),
        programs: Arc::new(Population::of_list(&programs, n_blocks).unwrap()),
        cases: Cases::of(ProblemId::Sextic, 2048),
        threads_per_block: 128,
        case_blocks: 1,
        carve_out: CarveOut::Default,
    }
}

/// Shared resources of the multiprocessors are doubled, too.
#[test]
fn twice_the_multiprocessors_run_twice_the_programs_in_the_same_time() {
    let one = Preset::load("gtx670").unwrap().device;
    let mut two: Device = one.clone();
    two.chip.n_smx *= 2;
    two.l2.bytes *= 2;
    two.dram.bandwidth_gb_per_s *= 2.0;
    two.dram.n_partitions *= 2;
    let simulator = Predictor::with_settings(one.clone(), Settings::default());
    for engine in [simulator.with_engine(Kind::Analytical), simulator] {
        let milliseconds = |device: &Device, n_blocks| {
            let found = engine
                .on(device.clone())
                .predict_request(&request(n_blocks));
            found.unwrap().run_milliseconds
        };
        let ratio = milliseconds(&two, 2 * 7 * 40) / milliseconds(&one, 7 * 40);
        assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
    }
}
