//! How fast is an interpreter on two GPUs, and what holds it back? `cargo run --release --example predict`
//!
//! Predicts sextic regression on a GTX 670 with the analytical model for every block size, simulates the best, and then runs two programs of
//! its own there and on an H200.

use warpstack::{EngineKind, Error, LaunchOptions, Predictor, Preset, Problem, Size};

fn main() -> Result<(), Error> {
    let simulator = Predictor::new(Preset::load("gtx670")?.device);
    let closed_form = simulator.with_engine(EngineKind::Analytical);

    let base = LaunchOptions::of("rpn").with(Size::L1Kib, 48);
    let mut best = (0.0, base.clone());
    for threads in [64, 128, 256, 512, 768, 1024] {
        let launch = base.with(Size::Threads, threads);
        let speed = closed_form.predict(&launch)?.gpops_billion;
        println!("{threads:5} threads: {speed:.1} GPop/s");
        if speed > best.0 {
            best = (speed, launch);
        }
    }

    let prediction = simulator.predict(&best.1)?;
    let limiters: Vec<&str> = prediction
        .occupancy
        .limiters
        .iter()
        .map(|limiter| limiter.name())
        .collect();
    println!(
        "The best, simulated: {:.1} GPop/s, {} warps resident ({} set the limit)",
        prediction.gpops_billion,
        prediction.occupancy.warps,
        limiters.join(" and ")
    );
    let mut causes = prediction.cpi_stack.clone();
    causes.sort_by_key(|entry| std::cmp::Reverse(entry.cycles));
    for entry in causes.iter().take(5) {
        let percent = 100.0 * entry.cycles as f64 / prediction.scheduler_cycles() as f64;
        println!("{percent:5.1} % {}", entry.nsight_name);
    }

    let programs = ["X1 X1 * X1 * X1 -", "X1 X1 * X1 X1 * X1 X1 * - *"];
    let grid = programs.iter().cycle().take(1000);
    let own = simulator.with_programs(Problem::Sextic, grid)?;
    let launch = LaunchOptions::of("rpn");
    for device in ["gtx670", "h200"] {
        let device = Preset::load(device)?.device;
        let title = device.title.clone();
        let speed = own.on(device).predict(&launch)?.gpops_billion;
        println!("Two programs on {title}: {speed:.1} GPop/s");
    }
    Ok(())
}
