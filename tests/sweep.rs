//! Does one pass over the trace find the hit rates that the simulator finds when it simulates every L1?

use warpstack::engine::{Engine, Settings};
use warpstack::predict::Configuration;
use warpstack::study::Base;
use warpstack::study::setting::{l1_geometry, with_l1};

/// Points of load hit rate by which the pass may differ from the simulator.
const ALLOWED_POINTS: f64 = 2.0;
/// How much longer than by default both follow a launch: which programs meet is chance, and moves hits by a point.
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
        l1_bytes: Some(l1_bytes),
    }
}

fn check(kernel: &str, problem: &str) {
    let base = Base::gtx670().unwrap();
    let usual = Settings::default();
    let (least, most) = usual.window_instructions;
    let settings = Settings {
        window_instructions: (u64::from(TIMES) * least, u64::from(TIMES) * most),
        least_visits: TIMES * usual.least_visits,
        visits: TIMES * usual.visits,
        ..usual.clone()
    };
    let long = Engine::new(base.device.clone(), &[problem], settings).unwrap();
    let engine = Engine::new(base.device.clone(), &[problem], usual).unwrap();
    let sweep = engine
        .sweep(&configuration(kernel, problem, 49152), TIMES)
        .unwrap();
    let mut differences = Vec::new();
    for l1_bytes in SIZES {
        let device = with_l1(&base.device, l1_bytes).unwrap();
        let simulated = long
            .on(device.clone())
            .predict(&configuration(kernel, problem, l1_bytes))
            .unwrap();
        let geometry = device
            .l1_geometry(l1_bytes)
            .or_else(|| l1_geometry(l1_bytes, 128))
            .unwrap();
        let cache = sweep.cache(128, geometry.n_sets, geometry.n_ways);
        let found = 100.0 * sweep.hit_rates(&[cache])[0].loads;
        let expected = simulated.memory.l1_load_hit_percent;
        assert_eq!(simulated.l1_bytes, l1_bytes);
        println!(
            "{kernel} on {problem}, {l1_bytes} bytes: {found:.2} % in one pass, {expected:.2} % simulated"
        );
        differences.push((found - expected).abs());
    }
    assert!(
        differences.iter().all(|&points| points <= ALLOWED_POINTS),
        "{kernel} on {problem}: {differences:.2?} points at {SIZES:?} bytes"
    );
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
