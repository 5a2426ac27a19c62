//! The accumulator's measured launches beside what the simulator and the closed form predict for them.
//!
//! `cargo run --release --example accumulator_rows -- [every n-th row] [problem]`

use std::cmp::Reverse;
use std::error::Error;

use warpstack::device::Preset;
use warpstack::engine::Kind;
use warpstack::engine::given::GivenPrograms;
use warpstack::gp::program::Rpn;
use warpstack::gpu::variant::FunctionSet;
use warpstack::gpu::workload::measured_programs;
use warpstack::validate::launches::{MeasuredLaunch, accumulator_launches};

/// The population of 46 nodes, on which most rows of sextic were measured.
const SEXTIC_46: &str = include_str!("../fixtures/measured/programs/sextic-46.txt");

fn programs(problem: FunctionSet) -> Result<Vec<Rpn>, Box<dyn Error>> {
    if problem != FunctionSet::Sextic {
        return Ok(measured_programs(problem)?);
    }
    let lines = SEXTIC_46.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.map(str::parse).collect::<Result<_, _>>()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let step: usize = arguments.next().map_or(Ok(1), |step| step.parse())?;
    let wanted: Option<FunctionSet> = arguments.next().map(|name| name.parse()).transpose()?;
    let device = Preset::load("h200")?.device;
    println!(
        "order problem math levels threads case_blocks | measured sim model (ms) | sim model (%) | instructions blocks"
    );
    for (order, rows) in ["given", "longest first"]
        .into_iter()
        .zip(accumulator_launches()?)
    {
        for &problem in FunctionSet::ALL {
            if wanted.is_some_and(|wanted| wanted != problem) {
                continue;
            }
            let mut programs = programs(problem)?;
            let nodes: usize = programs.iter().map(|program| program.0.len()).sum();
            if order != "given" {
                programs.sort_by_key(|program| Reverse(program.0.len()));
            }
            let rows: Vec<&MeasuredLaunch> = rows
                .iter()
                .filter(|row| row.launch.variant.problem == problem && row.nodes as usize == nodes)
                .step_by(step)
                .collect();
            let launches: Vec<_> = rows.iter().map(|row| row.launch).collect();
            let given = GivenPrograms::new(problem, &programs);
            let simulated = given.predict(&device, &launches, Kind::Simulator, &|| {});
            let solved = given.predict(&device, &launches, Kind::Analytical, &|| {});
            for ((row, simulated), solved) in rows.iter().zip(simulated).zip(solved) {
                let (simulated, solved) = (simulated?, solved?);
                let measured = row.milliseconds.unwrap_or(f64::NAN);
                let error = |ms: f64| 100.0 * (ms / measured - 1.0);
                let launch = &row.launch;
                println!(
                    "{order} {problem} {} {} {} {} | {measured:.4} {:.4} {:.4} | {:+.1} {:+.1} | {} {}",
                    launch.variant.math,
                    launch.variant.stack_registers,
                    launch.threads_per_block,
                    launch.case_blocks,
                    simulated.milliseconds,
                    solved.milliseconds,
                    error(simulated.milliseconds),
                    error(solved.milliseconds),
                    simulated.warp_instructions,
                    simulated.resident_blocks,
                );
            }
        }
    }
    Ok(())
}
