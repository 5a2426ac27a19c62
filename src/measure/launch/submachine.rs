//! Langdon's interpreter on a device: programs of bytes, several of them in a block.
//!
//! Models: one launch on the whole population. Leaves out: transfers. Units: milliseconds between events; wrong cases.
//! Sources: `systems/cuda/submachine.cu`.

use cudarc::driver::{LaunchConfig, PushKernelArg};

use super::paper::{PaperSource, PaperTimes};
use super::{Asked, Gpu};
use crate::measure::error::GpuError;

const SOURCE: &str = include_str!("../../systems/cuda/submachine.cu");
/// Mark of an unwritten result, larger than any number of cases.
const POISON: u32 = u32::MAX;

/// A launch of Langdon's interpreter.
#[derive(Debug, Clone, Copy)]
pub struct SubmachineLaunch<'a> {
    pub threads_per_program: u32,
    pub threads_per_block: u32,
    pub shared_bytes: u32,
    /// Programs, `program_bytes` each.
    pub programs: &'a [u8],
    pub program_bytes: u32,
    /// Numbers of the tests, and what is expected of each.
    pub tests: &'a [u32],
    pub expected: &'a [u32],
}

/// Times and results of a launch.
#[derive(Debug, Clone)]
pub struct SubmachineRun {
    pub times: PaperTimes,
    /// Number of wrong cases of every program.
    pub wrong: Vec<u32>,
}

impl Gpu {
    /// Runs the interpreter `runs[0]` times and then `runs[1]` times more, which are timed.
    pub fn run_submachine(
        &self,
        launch: &SubmachineLaunch,
        runs: [usize; 2],
    ) -> Result<SubmachineRun, GpuError> {
        let threads = launch.threads_per_program;
        let (_module, function) = self.paper_kernel(&PaperSource {
            source: SOURCE,
            name: "submachine",
            binary: format!("submachine/sm_90-p{threads}.cubin.gz"),
            defines: vec![format!("-DPARALLEL={threads}")],
        })?;
        let copy = |words: &[u32]| self.upload(words, "the tests");
        let programs = self.stream.clone_htod(launch.programs);
        let programs = programs.to("copy the population")?;
        let (tests, expected) = (copy(launch.tests)?, copy(launch.expected)?);
        let n_programs = launch.programs.len() / launch.program_bytes as usize;
        let poison = vec![POISON; n_programs];
        let mut results = self.stream.clone_htod(&poison).to("allocate the results")?;
        let (bytes, n_tests) = (launch.program_bytes as i32, launch.tests.len() as i32);
        let config = LaunchConfig {
            grid_dim: (n_programs as u32 * threads / launch.threads_per_block, 1, 1),
            block_dim: (launch.threads_per_block, 1, 1),
            shared_mem_bytes: launch.shared_bytes,
        };
        let times = self.paper_times(&function, config, runs, || {
            let mut builder = self.stream.launch_builder(&function);
            builder.arg(&programs).arg(&tests).arg(&expected);
            builder.arg(&mut results).arg(&bytes).arg(&n_tests);
            // SAFETY: the arguments are those of the kernel's signature; every thread has a program and a column of the stack.
            unsafe { builder.launch(config) }.to("launch the kernel")?;
            Ok(())
        })?;
        Ok(SubmachineRun {
            times,
            wrong: self.stream.clone_dtoh(&results).to("copy the results")?,
        })
    }
}
