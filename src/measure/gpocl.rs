//! The strategies on a live GPU.
//!
//! Models: warm-up launches, launches timed by events, and the errors of some programs against the reference interpreter.
//! Leaves out: transfers, compilation. Units: milliseconds; billions of GP operations (nodes times cases) per second.

use crate::gp::problem::uci::spread;
use crate::isa::Arch;
use crate::measure::launch::{GpoclLaunch, Gpu};
use crate::measure::rows::{Protocol, Times};
use crate::systems::gpocl::kernel::{
    PROGRAM_WORDS, error, error_by, has_constant_outputs, partial_bytes, shared_bytes, stem,
};
use crate::systems::gpocl::ndrange::{Limits, NdRange};
use crate::systems::gpocl::population;
use crate::systems::gpocl::population::Data;
use crate::systems::gpocl::program::Program;
use crate::systems::gpocl::{GpoclConfiguration, NODES, Strategy};
use crate::util::parallel;
use serde::Serialize;
use std::error::Error;

/// A program whose error differs from the reference's by at most this much, relative, agrees.
const AGREEMENT: f64 = 1e-2;
/// A program whose error changes by more, relative, when every result is off as far as a GPU's may be, cannot be checked.
const ILL_CONDITIONED: f64 = 1e-3;
/// Cases on which a program is checked, at most: it is checked on all or not at all.
const MOST_CHECKED_CASES: u64 = 2_000_000;

/// Measurement of a configuration.
#[derive(Debug, Clone, Serialize)]
pub struct GpoclMeasurement {
    pub paper: &'static str,
    pub device: String,
    pub strategy: &'static str,
    pub domain: &'static str,
    pub population: u32,
    pub dataset: u32,
    pub seed: u64,
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    pub blocks: u32,
    pub registers: i32,
    pub shared_bytes: u32,
    pub resident_blocks: u32,
    pub repeats: usize,
    pub median_ms: f64,
    pub min_ms: f64,
    pub max_ms: f64,
    pub gpops_billion: f64,
    pub checked_programs: usize,
    pub agreeing_programs: usize,
    /// Checked programs whose value is lost in rounding: they count as agreeing.
    pub ill_conditioned_programs: usize,
}

/// Result of checking a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Agrees,
    IllConditioned,
    Differs,
}

pub fn measure(
    gpu: &Gpu,
    configuration: GpoclConfiguration,
    seed: u64,
    protocol: Protocol,
) -> Result<GpoclMeasurement, Box<dyn Error>> {
    let GpoclConfiguration {
        strategy,
        domain,
        population,
        dataset,
    } = configuration;
    let limits = Limits {
        local: gpu.info.max_threads_per_block,
        units: gpu.info.multiprocessors as u32,
    };
    let range = NdRange::of(configuration, limits);
    let data = Data::random(dataset, seed);
    let program = |index| population::program(domain, index, seed);
    let programs: Vec<Program> =
        parallel::indices(population as usize, |index| program(index as u32));
    let words: Vec<u32> = parallel::map(&programs, |program| program.words(domain)).concat();
    let constant_outputs = has_constant_outputs(dataset);
    let errors_per_program = if strategy == Strategy::Fp {
        range.groups as usize
    } else {
        1
    };
    let launch = GpoclLaunch {
        stem: stem(Arch::Sm90, strategy, domain, constant_outputs),
        defines: defines(configuration, constant_outputs),
        constant_outputs,
        threads_per_block: range.local,
        blocks: range.groups,
        shared_bytes: partial_bytes(strategy, range.local),
        programs: &words,
        program_words: PROGRAM_WORDS,
        inputs: &data.inputs,
        outputs: &data.outputs,
        errors: programs.len() * errors_per_program,
    };
    let run = gpu.run_gpocl(&launch, [protocol.warm_ups, protocol.repeats])?;
    let times = Times::of(&run.times.milliseconds);
    let affordable = (MOST_CHECKED_CASES / u64::from(dataset)).max(1) as usize;
    let checked = spread(
        programs.len(),
        Some(protocol.checked_programs.min(affordable)),
    );
    let checks = parallel::map(&checked, |&at| {
        let own = &run.errors[at * errors_per_program..(at + 1) * errors_per_program];
        let found = own.iter().map(|&error| f64::from(error)).sum();
        check(&programs[at], &data, found)
    });
    let count = |wanted: Check| checks.iter().filter(|&&check| check == wanted).count();
    let operations = f64::from(population) * f64::from(NODES) * f64::from(dataset);
    Ok(GpoclMeasurement {
        paper: "gpocl",
        device: gpu.info.name.clone(),
        strategy: strategy.name(),
        domain: domain.name(),
        population,
        dataset,
        seed,
        threads_per_block: range.local,
        blocks: range.groups,
        registers: run.times.registers,
        shared_bytes: shared_bytes(strategy, range.local),
        resident_blocks: run.times.resident_blocks,
        repeats: protocol.repeats,
        median_ms: times.median_ms,
        min_ms: times.min_ms,
        max_ms: times.max_ms,
        gpops_billion: operations / times.median_ms / 1e6,
        checked_programs: checks.len(),
        agreeing_programs: checks.len() - count(Check::Differs),
        ill_conditioned_programs: count(Check::IllConditioned),
    })
}

fn defines(configuration: GpoclConfiguration, constant_outputs: bool) -> Vec<String> {
    let GpoclConfiguration {
        strategy, domain, ..
    } = configuration;
    let mut defines = vec![
        format!("-DSTRATEGY_{}", strategy.name().to_uppercase()),
        format!("-DDOMAIN_{}", domain.name().to_uppercase()),
    ];
    if constant_outputs {
        defines.push("-DOUTPUTS_IN_CONSTANT".to_owned());
    }
    defines
}

fn check(program: &Program, data: &Data, found: f64) -> Check {
    let all = data.rows() as u32;
    let expected = error(program, data, all);
    let near = |a: f64, b: f64, tolerance: f64| (a - b).abs() <= tolerance * (1.0 + b.abs());
    if near(found, expected, AGREEMENT) || !found.is_finite() && !expected.is_finite() {
        return Check::Agrees;
    }
    let disturbed = error_by(data, all, |row| program.disturbed_value(row));
    match near(disturbed, expected, ILL_CONDITIONED) {
        true => Check::Differs,
        false => Check::IllConditioned,
    }
}
