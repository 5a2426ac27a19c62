//! Does one sweep find the hit rates of simulations at every L1 size?

use warpstack::device::Device;
use warpstack::device::ideal::{Ideal, Ideals};
use warpstack::launch::prediction::Configuration;
use warpstack::predictor::{Predictor, Settings};
use warpstack::study::Base;
use warpstack::study::l1::with_l1;

/// Points of load hit rate by which the sweep may differ from the simulator.
const ALLOWED_POINTS: f64 = 1.5;
/// Multiple of the default window for the sweep and the simulator: which programs run together is chance, and moves hits by a point.
const TIMES: u32 = 4;
/// 64 KiB is no split of the device: its L1 is changed.
const SIZES: [u32; 4] = [16384, 32768, 49152, 65536];

fn configuration(kernel: &str, problem: &str, l1_bytes: u32) -> Configuration {
    Configuration {
        problem: problem.into(),
        kernel: kernel.into(),
        stack_dim: 1,
        stack_registers: 0,
        threads_per_block: 256,
        case_blocks: 1,
        l1_bytes: Some(l1_bytes),
        population: None,
        cases: None,
        threads_per_program: None,
    }
}

/// Settings of windows [`TIMES`] as long.
fn long() -> Settings {
    let mut settings = Settings::default();
    let window = &mut settings.simulator.plan.window;
    *window = window.times(TIMES);
    settings
}

/// Simulates `asked` with an L1 of each of `sizes`; returns the sweep's error at each, in points.
///
/// A sweep assumes full multiprocessors, so that the simulations leave out the ends of grids.
fn differences(device: &Device, asked: &Configuration, sizes: &[u32]) -> Vec<f64> {
    let device = &device.without(Ideals::of(&[Ideal::GridEnds]));
    let problem = asked.problem.as_str();
    let long = Predictor::with_settings(device.clone(), long());
    let engine = Predictor::with_settings(device.clone(), Settings::default());
    let sweep = engine.sweep(asked, TIMES).unwrap();
    let difference = |&l1_bytes: &u32| {
        let changed = with_l1(device, l1_bytes).unwrap();
        let configuration = Configuration {
            l1_bytes: Some(l1_bytes),
            ..asked.clone()
        };
        let simulated = long.on(changed.clone()).predict(&configuration).unwrap();
        assert_eq!(simulated.l1_bytes, l1_bytes);
        let geometry = changed.l1_geometry(l1_bytes).unwrap();
        let cache = sweep.cache(changed.l1.line_bytes, geometry.n_sets, geometry.n_ways);
        let found = sweep.hit_rates(&[cache])[0].local_loads;
        let found = 100.0 * found.expect("stacks lie in local memory");
        let expected = simulated.memory.l1_load_hit_percent;
        println!(
            "{} on {problem}, {l1_bytes} bytes: {found:.2} % in one run, {expected:.2} % simulated",
            asked.kernel
        );
        found - expected
    };
    sizes.iter().map(difference).collect()
}

fn check(kernel: &str, problem: &str) {
    let base = Base::gtx670().unwrap();
    let points = differences(&base.device, &configuration(kernel, problem, 49152), &SIZES);
    assert!(
        points.iter().all(|points| points.abs() <= ALLOWED_POINTS),
        "{kernel} on {problem}: {points:.2?} points at {SIZES:?} bytes"
    );
    // The smallest L1 is the one that was simulated.
    assert!(points[0].abs() < 1e-3, "{kernel} on {problem}: {points:?}");
}

#[test]
fn sextic() {
    check("rpn", "sextic");
    check("lgp", "sextic");
}

#[test]
fn shuttle() {
    check("rpn", "shuttle");
    check("lgp", "shuttle");
}

#[test]
fn kddcup() {
    check("rpn", "kddcup");
    check("lgp", "kddcup");
}

#[test]
fn mux20() {
    check("rpn", "mux20");
    check("lgp", "mux20");
}

/// An L1 that is written through and caches global loads, and whose fills hold their lines.
#[test]
fn hopper() {
    let device = Base::load("h200").unwrap().device;
    let sizes: Vec<u32> = [28, 60, 156, 248].map(|kib| 1024 * kib).to_vec();
    for (kernel, problem) in [("rpn", "sextic"), ("lgp", "shuttle")] {
        let asked = configuration(kernel, problem, 1024 * 156);
        let points = differences(&device, &asked, &sizes);
        assert!(
            points.iter().all(|points| points.abs() <= ALLOWED_POINTS),
            "{kernel} on {problem}: {points:.2?} points at {sizes:?} bytes"
        );
    }
}

/// A cache with another number of sets cannot use the chip's address bits; its hit rate grows with its size.
#[test]
fn hopper_with_other_numbers_of_sets() {
    let device = Base::load("h200").unwrap().device;
    let asked = configuration("rpn", "sextic", 1024 * 28);
    let engine = Predictor::with_settings(device, Settings::default());
    let sweep = engine.sweep(&asked, 1).unwrap();
    let caches = [1, 2, 4, 8, 16, 32, 64].map(|sets| sweep.cache(128, sets, 8));
    let rates = sweep.hit_rates(&caches);
    let loads: Vec<f64> = rates.iter().map(|one| one.local_loads.unwrap()).collect();
    assert!(loads.is_sorted() && loads[6] > 0.9, "{loads:?}");
}
