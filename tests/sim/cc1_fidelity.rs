//! Does a multiprocessor of compute capability 1.x have the right shape? Chains, peaks and capacities that can be worked out by
//! hand, on the parts of the preset of the GTX 285.

use warpstack::device::occupancy::{BlockResources, Limiter, OccupancyError, OccupancyLimits};
use warpstack::device::{Device, Preset};
use warpstack::isa::Arch;
use warpstack::isa::{OpClass, Space, TimingOp};
use warpstack::launch::prediction::Configuration;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::sim::observe::Counters;
use warpstack::sim::spec::SmxSpec;
use warpstack::sim::testing::{alu, load, looped, run, store};

fn device(name: &str) -> Device {
    Preset::load(name).unwrap().device
}

fn spec() -> SmxSpec {
    SmxSpec::new(&device("gtx285"), 128).unwrap()
}

fn cycles_per_instruction(ops: &[TimingOp], n_warps: u32) -> f64 {
    let counters = run(&spec(), &looped(ops), n_warps, 2000);
    counters.cycles as f64 / counters.instructions as f64
}

fn assert_near(value: f64, expected: f64, relative: f64) {
    assert!(
        (value / expected - 1.0).abs() <= relative,
        "got {value}, expected {expected}"
    );
}

/// Each instruction reads what the one before wrote.
fn chain(class: OpClass) -> Vec<TimingOp> {
    let link = TimingOp {
        reads: vec![5],
        writes: vec![5],
        ..alu(class, 1)
    };
    vec![link; 10]
}

#[test]
fn a_scheduler_issues_every_fourth_cycle_however_many_warps_there_are() {
    for n_warps in [8, 32] {
        assert_near(
            cycles_per_instruction(&chain(OpClass::Fp32), n_warps),
            4.0,
            0.01,
        );
    }
}

#[test]
fn a_warp_alone_waits_for_the_result_whatever_the_stall_count_says() {
    assert_near(cycles_per_instruction(&chain(OpClass::Fp32), 1), 22.0, 0.01);
    let writes = |register| TimingOp {
        writes: vec![register],
        ..alu(OpClass::Fp32, 9)
    };
    let independent: Vec<TimingOp> = (0..10).map(writes).collect();
    assert_near(cycles_per_instruction(&independent, 1), 4.0, 0.01);
}

#[test]
fn six_warps_hide_the_latency_of_arithmetic() {
    // 22 cycles and an issue every 4.
    assert_near(
        cycles_per_instruction(&chain(OpClass::Fp32), 5),
        22.0 / 5.0,
        0.02,
    );
    assert_near(cycles_per_instruction(&chain(OpClass::Fp32), 6), 4.0, 0.02);
}

#[test]
fn special_functions_take_sixteen_cycles() {
    assert_near(cycles_per_instruction(&chain(OpClass::Sfu), 32), 16.0, 0.01);
}

#[test]
fn shared_memory_serves_a_warp_in_four_cycles() {
    let mut slow = spec();
    slow.device.issue.interval_cycles = 1;
    let counters = run(&slow, &looped(&vec![load(Space::Shared, 4); 8]), 32, 2000);
    assert_near(
        counters.cycles as f64 / counters.instructions as f64,
        4.0,
        0.02,
    );
}

/// Counts the traffic of 10 accesses to local memory.
fn traffic(op: TimingOp) -> Counters {
    run(&spec(), &looped(&vec![op; 10]), 8, 2000)
}

#[test]
fn local_memory_comes_from_the_dram_every_time() {
    let loads = traffic(load(Space::Local, 4));
    assert_eq!((loads.l1_load_hits, loads.l2_hits), (0, 0));
    assert_eq!(loads.dram_read_bytes, 128 * loads.l1_load_lines);
    let stores = traffic(store(Space::Local, 4));
    assert_eq!(stores.l1_store_hits, 0);
    assert_near(
        stores.dram_write_bytes as f64,
        128.0 * stores.l1_store_lines as f64,
        0.01,
    );
}

/// NVIDIA's calculator: warps rounded up to two, registers of a block rounded up to the unit, shared memory to 512 bytes.
fn expected_blocks(
    (registers, warps, register_unit): (u32, u32, u32),
    block: BlockResources,
) -> u32 {
    let block_warps = block.threads_per_block.div_ceil(32);
    let of_block = block_warps.div_ceil(2) * 2 * block.registers_per_thread * 32;
    let of_block = of_block.div_ceil(register_unit) * register_unit;
    let shared = block.shared_bytes_per_block.div_ceil(512) * 512;
    let by_shared = 16384u32.checked_div(shared).unwrap_or(8);
    (registers / of_block)
        .min(warps / block_warps)
        .min(by_shared)
        .min(8)
}

proptest::proptest! {
    #[test]
    fn occupancy_follows_the_calculators_rules(
        threads in 1u32..=512,
        registers in 1u32..=60,
        shared in 0u32..=16384,
    ) {
        let block = BlockResources {
            threads_per_block: threads,
            registers_per_thread: registers,
            shared_bytes_per_block: shared,
        };
        for (name, chip) in [("g80", (8192, 24, 256)), ("gtx285", (16384, 32, 512))] {
            let expected = expected_blocks(chip, block);
            match OccupancyLimits::of(&device(name)).occupancy(block, 16384) {
                Ok(occupancy) => proptest::prop_assert_eq!(occupancy.blocks, expected),
                Err(OccupancyError::RegistersPerBlock { .. }) => {
                    proptest::prop_assert_eq!(expected, 0);
                }
                Err(other) => proptest::prop_assert!(false, "{}", other),
            }
        }
    }
}

/// Worked out by hand: 10 registers x 256 threads = 2560, three blocks of 8192; 768 threads.
#[test]
fn a_block_of_256_threads_with_ten_registers_fills_the_g80() {
    let block = BlockResources {
        threads_per_block: 256,
        registers_per_thread: 10,
        shared_bytes_per_block: 0,
    };
    let occupancy = OccupancyLimits::of(&device("g80"))
        .occupancy(block, 16384)
        .unwrap();
    assert_eq!((occupancy.blocks, occupancy.warps), (3, 24));
    assert_eq!(occupancy.allocated_registers_per_block, 2560);
    assert_eq!(occupancy.limiters, [Limiter::Warps, Limiter::Registers]);
}

/// The analytical model agrees with the simulator for machines without caches, too.
#[test]
fn the_model_stays_near_the_simulator() {
    for name in ["g80", "gtx285"] {
        let speed = |kind| {
            let mut settings = Settings {
                kind,
                ..Settings::default()
            };
            settings.code.arch = Some(Arch::Sm35);
            let engine = Predictor::with_settings(device(name), settings);
            [64, 128].map(|threads_per_block| {
                let configuration = Configuration {
                    problem: "sextic".into(),
                    kernel: "rpn".into(),
                    stack_dim: 1,
                    stack_registers: 0,
                    threads_per_block,
                    case_blocks: 1,
                    l1_bytes: None,
                    population: None,
                    cases: None,
                    threads_per_program: None,
                };
                engine.predict(&configuration).unwrap().gpops_billion
            })
        };
        let (simulated, modelled) = (speed(Kind::Simulator), speed(Kind::Analytical));
        for (simulated, modelled) in simulated.into_iter().zip(modelled) {
            println!("{name}: {simulated:.2} simulated, {modelled:.2} modelled");
            assert_near(modelled, simulated, 0.1);
        }
    }
}
