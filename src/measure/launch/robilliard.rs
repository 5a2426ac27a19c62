//! Robilliard's interpreters on a device: a program per block or per thread.
//!
//! Models: one launch on a whole population. Leaves out: transfers. Units: milliseconds between events; summed errors.
//! Sources: `systems/cuda/robilliard.cu`.

use cudarc::driver::{LaunchConfig, PushKernelArg};

use super::paper::{PaperSource, PaperTimes};
use super::{Asked, Gpu, POISON};
use crate::measure::error::GpuError;

const SOURCE: &str = include_str!("../../systems/cuda/robilliard.cu");

/// A launch of Robilliard's kernel.
#[derive(Debug, Clone, Copy)]
pub struct RobilliardLaunch<'a> {
    /// Name of the committed binary under `fixtures/sass/`, without its ending.
    pub stem: &'a str,
    /// Macro definitions with which it was compiled, for other devices.
    pub defines: &'a [String],
    pub threads_per_block: u32,
    pub blocks: u32,
    pub shared_bytes: u32,
    /// Starts of the programs, then the programs.
    pub chunk: &'a [u32],
    pub n_programs: u32,
    pub inputs: &'a [u32],
    pub expected: &'a [u32],
}

/// Times and results of a launch.
#[derive(Debug, Clone)]
pub struct RobilliardRun {
    pub times: PaperTimes,
    /// Error of every program.
    pub errors: Vec<f32>,
}

impl Gpu {
    /// Runs an interpreter `runs[0]` times and then `runs[1]` times more, which are timed.
    pub fn run_robilliard(
        &self,
        launch: &RobilliardLaunch,
        runs: [usize; 2],
    ) -> Result<RobilliardRun, GpuError> {
        let defines = launch.defines.iter().map(|define| format!("-D{define}"));
        let (_module, function) = self.paper_kernel(&PaperSource {
            source: SOURCE,
            name: "robilliard",
            binary: format!("{}.cubin.gz", launch.stem),
            defines: defines.collect(),
        })?;
        let programs = self.upload(launch.chunk, "the population")?;
        let inputs = self.upload(launch.inputs, "the cases")?;
        let expected = self.upload(launch.expected, "the expected values")?;
        let poison = vec![POISON; launch.n_programs as usize];
        let mut results = self.stream.clone_htod(&poison).to("allocate the results")?;
        let (n_programs, n_cases) = (launch.n_programs as i32, launch.expected.len() as i32);
        let config = LaunchConfig {
            grid_dim: (launch.blocks, 1, 1),
            block_dim: (launch.threads_per_block, 1, 1),
            shared_mem_bytes: launch.shared_bytes,
        };
        let times = self.paper_times(&function, config, runs, || {
            let mut builder = self.stream.launch_builder(&function);
            builder.arg(&programs).arg(&inputs).arg(&expected);
            builder.arg(&mut results).arg(&n_programs).arg(&n_cases);
            // SAFETY: the arguments are those of the kernel's signature; every program has a result, and code stays in its stack.
            unsafe { builder.launch(config) }.to("launch the kernel")?;
            Ok(())
        })?;
        Ok(RobilliardRun {
            times,
            errors: self.stream.clone_dtoh(&results).to("copy the results")?,
        })
    }
}
