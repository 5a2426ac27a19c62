//! The interpreter on a live GPU: the initial generation in one layout.
//!
//! Models: warm-up launches, launches timed by events, and the wrong cases of some programs against the reference interpreter.
//! Leaves out: transfers. Units: milliseconds; billions of GP operations (nodes times cases) per second.

use crate::gp::problem::uci::spread;
use crate::gp::program::Rpn;
use crate::measure::launch::{Gpu, SubmachineLaunch};
use crate::measure::rows::{Protocol, Times};
use crate::systems::langdon::experiment::Experiment;
use crate::systems::langdon::kernel::{Tests, shared_bytes, table, wrong};
use crate::systems::langdon::predict::LangdonLayout;
use crate::systems::langdon::{POPULATION, population};
use crate::util::parallel;
use serde::Serialize;
use std::error::Error;

/// The experiment that is measured.
const EXPERIMENT: Experiment = Experiment::MUX20;

/// Measurement of a layout.
#[derive(Debug, Clone, Serialize)]
pub struct LangdonMeasurement {
    pub paper: &'static str,
    pub device: String,
    pub threads_per_program: u32,
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    pub population: u32,
    pub seed: u64,
    pub nodes: u64,
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
}

/// A generation ready to be measured in any layout.
pub struct GenerationBench {
    programs: Vec<Rpn>,
    bytes: Vec<u8>,
    tests: Tests,
    nodes: u64,
    seed: u64,
}

impl GenerationBench {
    /// The initial one.
    pub fn initial(seed: u64) -> Result<Self, Box<dyn Error>> {
        let one = |index| population::initial(index, seed);
        let programs: Vec<Rpn> = parallel::indices(POPULATION as usize, |index| one(index as u32));
        Ok(GenerationBench {
            bytes: table(&programs, EXPERIMENT.program_bytes)?,
            nodes: programs.iter().map(|program| program.0.len() as u64).sum(),
            tests: population::tests(EXPERIMENT, EXPERIMENT.test_words, seed),
            programs,
            seed,
        })
    }

    pub fn measure(
        &self,
        gpu: &Gpu,
        layout: LangdonLayout,
        protocol: Protocol,
    ) -> Result<LangdonMeasurement, Box<dyn Error>> {
        let launch = SubmachineLaunch {
            threads_per_program: layout.threads_per_program,
            threads_per_block: layout.threads_per_block,
            shared_bytes: shared_bytes(layout.threads_per_block),
            programs: &self.bytes,
            program_bytes: EXPERIMENT.program_bytes,
            tests: &self.tests.numbers,
            expected: &self.tests.expected,
        };
        let run = gpu.run_submachine(&launch, [protocol.warm_ups, protocol.repeats])?;
        let times = Times::of(&run.times.milliseconds);
        let checked = spread(self.programs.len(), Some(protocol.checked_programs));
        let agree = parallel::map(&checked, |&at| {
            run.wrong[at] == wrong(&self.programs[at], &self.tests)
        });
        let agreeing = agree.into_iter().filter(|&agrees| agrees);
        let operations = self.nodes as f64 * f64::from(32 * EXPERIMENT.test_words);
        Ok(LangdonMeasurement {
            paper: "langdon",
            device: gpu.info.name.clone(),
            threads_per_program: layout.threads_per_program,
            threads_per_block: layout.threads_per_block,
            population: POPULATION,
            seed: self.seed,
            nodes: self.nodes,
            registers: run.times.registers,
            shared_bytes: launch.shared_bytes,
            resident_blocks: run.times.resident_blocks,
            repeats: protocol.repeats,
            median_ms: times.median_ms,
            min_ms: times.min_ms,
            max_ms: times.max_ms,
            gpops_billion: operations / times.median_ms / 1e6,
            checked_programs: checked.len(),
            agreeing_programs: agreeing.count(),
        })
    }
}
