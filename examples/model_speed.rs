//! How long a prediction of the analytical model takes once its kernel is loaded: the fastest of some, per kernel.
//!
//! `cargo run --release --example model_speed [repetitions]`

use std::time::Instant;
use warpstack::device::Preset;
use warpstack::engine::{Engine, Kind, Settings};
use warpstack::predict::Configuration;

/// Problem, kernel, second dimension, levels in registers.
const KERNELS: [(&str, &str, u32, u32); 6] = [
    ("sextic", "rpn", 1, 0),
    ("sextic", "rpn", 6, 0),
    ("sextic", "lgp", 4, 0),
    ("kddcup", "rpn", 4, 0),
    ("kddcup", "lgp", 4, 0),
    ("kddcup", "lgp-registers", 4, 3),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let repetitions: u32 = match std::env::args().nth(1) {
        Some(given) => given.parse()?,
        None => 300,
    };
    let device = Preset::load("gtx670")?.device;
    let settings = Settings {
        kind: Kind::Analytical,
        ..Settings::default()
    };
    for (problem, kernel, stack_dim, stack_registers) in KERNELS {
        let engine = Engine::new(device.clone(), &[problem], settings.clone())?;
        let configuration = Configuration {
            problem: problem.into(),
            kernel: kernel.into(),
            stack_dim,
            stack_registers,
            threads_per_block: 256,
            case_blocks: 1,
            l1_bytes: Some(48 * 1024),
        };
        let timed = || -> Result<f64, Box<dyn std::error::Error>> {
            let start = Instant::now();
            engine.predict(&configuration)?;
            Ok(start.elapsed().as_secs_f64())
        };
        let load = timed()?;
        let mut fastest = f64::INFINITY;
        for _ in 0..repetitions {
            fastest = fastest.min(timed()?);
        }
        println!(
            "{problem}, {kernel}, second dimension {stack_dim}, {stack_registers} levels in registers: load {:.1} ms, then {:.1} us",
            1e3 * load,
            1e6 * fastest
        );
    }
    Ok(())
}
