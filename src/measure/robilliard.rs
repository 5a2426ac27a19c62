//! The interpreters on a live GPU: the generations that are predicted, in one layout.
//!
//! Models: for each sampled generation warm-up launches, launches timed by events, and every error against the reference
//! interpreter. A row is the mean over the generations, as a prediction is. Leaves out: transfers.
//! Units: milliseconds; billions of GP operations (nodes times cases) per second.

use crate::gp::program::Rpn;
use crate::isa::Arch;
use crate::measure::launch::{Gpu, RobilliardLaunch};
use crate::measure::rows::Protocol;
use crate::systems::robilliard::kernel::{agrees, expected_error, is_decided, stem};
use crate::systems::robilliard::predict::RobilliardLayout;
use crate::systems::robilliard::program::{chunk, translate};
use crate::systems::robilliard::runs::Run;
use crate::util::parallel;
use crate::util::stats::median;
use serde::Serialize;
use std::error::Error;

/// Measurement of a layout.
#[derive(Debug, Clone, Serialize)]
pub struct RobilliardMeasurement {
    pub paper: &'static str,
    pub device: String,
    /// Configuration as reproductions write it after the device.
    pub configuration: String,
    pub scheme: &'static str,
    pub problem: String,
    pub population: u32,
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    pub seed: u64,
    pub generations: usize,
    pub mean_nodes: f64,
    pub registers: i32,
    pub shared_bytes: u32,
    pub resident_blocks: u32,
    pub repeats: usize,
    /// Mean over generations of the medians.
    pub median_ms: f64,
    pub gpops_billion: f64,
    pub checked_programs: usize,
    pub agreeing_programs: usize,
    /// Programs that do not agree, but whose error is decided by rounding.
    pub undecided_programs: usize,
}

/// Measurements of one generation's launches.
struct Measured {
    median_ms: f64,
    nodes: usize,
    checked: usize,
    agreeing: usize,
    undecided: usize,
    registers: i32,
    shared_bytes: u32,
    resident_blocks: u32,
}

pub fn measure(
    gpu: &Gpu,
    layout: RobilliardLayout,
    run: &Run,
    seed: u64,
    protocol: Protocol,
) -> Result<RobilliardMeasurement, Box<dyn Error>> {
    let all = run.generations.iter();
    let all = all.map(|programs| of_generation(gpu, layout, programs, protocol));
    let all = all.collect::<Result<Vec<Measured>, _>>()?;
    let n = all.len() as f64;
    let median_ms = all.iter().map(|one| one.median_ms).sum::<f64>() / n;
    let nodes: usize = all.iter().map(|one| one.nodes).sum();
    let mean_nodes = nodes as f64 / n / f64::from(layout.population);
    let cases = layout.benchmark.case_words().len() as f64;
    Ok(RobilliardMeasurement {
        paper: "robilliard",
        device: gpu.info.name.clone(),
        configuration: layout.to_string(),
        scheme: layout.scheme.name(),
        problem: layout.benchmark.to_string(),
        population: layout.population,
        threads_per_block: layout.threads_per_block,
        seed,
        generations: all.len(),
        mean_nodes,
        registers: all.iter().map(|one| one.registers).max().unwrap_or(0),
        shared_bytes: all.iter().map(|one| one.shared_bytes).max().unwrap_or(0),
        resident_blocks: (all.iter().map(|one| one.resident_blocks))
            .min()
            .unwrap_or(0),
        repeats: protocol.repeats,
        median_ms,
        gpops_billion: f64::from(layout.population) * mean_nodes * cases / median_ms / 1e6,
        checked_programs: all.iter().map(|one| one.checked).sum(),
        agreeing_programs: all.iter().map(|one| one.agreeing).sum(),
        undecided_programs: all.iter().map(|one| one.undecided).sum(),
    })
}

fn of_generation(
    gpu: &Gpu,
    layout: RobilliardLayout,
    programs: &[Rpn],
    protocol: Protocol,
) -> Result<Measured, Box<dyn Error>> {
    let (scheme, set) = (layout.scheme, layout.benchmark.function_set());
    let codes = programs.iter().map(|program| translate(program, set));
    let codes = codes.collect::<Result<Vec<_>, _>>()?;
    let longest = codes.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let population = layout.population as usize;
    let whole: Vec<Vec<u32>> = codes.iter().cycle().take(population).cloned().collect();
    let (words, cases) = (chunk(&whole), layout.benchmark.case_words());
    let launch = RobilliardLaunch {
        stem: &stem(scheme, set, Arch::Sm90),
        defines: &scheme.defines(set),
        threads_per_block: layout.threads_per_block,
        blocks: layout.blocks(),
        shared_bytes: scheme.shared_bytes(layout.threads_per_block, longest),
        chunk: &words,
        n_programs: layout.population,
        inputs: &cases.inputs,
        expected: &cases.expected,
    };
    let run = gpu.run_robilliard(&launch, [protocol.warm_ups, protocol.repeats])?;
    let checked = match protocol.checked_programs {
        0 => &[],
        _ => &programs[..programs.len().min(population)],
    };
    // Of those that do not agree, whether rounding decides them.
    let differing = parallel::indices(checked.len(), |at| {
        let program = &checked[at];
        let expected = expected_error(program, set, &cases);
        // Repeated programs have the same error everywhere.
        let mut places = (at..population).step_by(programs.len());
        let agree = places.all(|place| agrees(set, run.errors[place], expected));
        (!agree).then(|| !is_decided(program, set, &cases, expected))
    });
    let differing: Vec<bool> = differing.into_iter().flatten().collect();
    Ok(Measured {
        median_ms: median(&run.times.milliseconds).unwrap_or(f64::NAN),
        nodes: whole_nodes(programs, population),
        checked: checked.len(),
        agreeing: checked.len() - differing.len(),
        undecided: differing.iter().filter(|&&undecided| undecided).count(),
        registers: run.times.registers,
        shared_bytes: launch.shared_bytes,
        resident_blocks: run.times.resident_blocks,
    })
}

fn whole_nodes(programs: &[Rpn], population: usize) -> usize {
    let all = programs.iter().cycle().take(population);
    all.map(Rpn::n_nodes).sum()
}
