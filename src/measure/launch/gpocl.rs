//! GPOCL's kernels on a device.
//!
//! Models: one launch on a whole population. Leaves out: transfers. Units: milliseconds between events; one error per program and,
//! for FP, per group. Sources: `systems/cuda/gpocl.cu`.

use cudarc::driver::{LaunchConfig, PushKernelArg};

use super::paper::{PaperSource, PaperTimes};
use super::{Asked, Gpu, POISON};
use crate::measure::error::GpuError;

const SOURCE: &str = include_str!("../../systems/cuda/gpocl.cu");
const CONSTANT_OUTPUTS: &str = "constant_outputs";

/// A launch of GPOCL's kernel.
#[derive(Debug, Clone)]
pub struct GpoclLaunch<'a> {
    /// Name of the kernel's files, and what it is compiled with.
    pub stem: String,
    pub defines: Vec<String>,
    pub constant_outputs: bool,
    pub threads_per_block: u32,
    pub blocks: u32,
    pub shared_bytes: u32,
    /// Programs, `program_words` each.
    pub programs: &'a [u32],
    pub program_words: u32,
    /// Input values, one row per variable.
    pub inputs: &'a [f32],
    pub outputs: &'a [f32],
    /// Errors that the launch writes.
    pub errors: usize,
}

/// Times and results of a launch.
#[derive(Debug, Clone)]
pub struct GpoclRun {
    pub times: PaperTimes,
    pub errors: Vec<f32>,
}

impl Gpu {
    /// Runs a strategy `runs[0]` times and then `runs[1]` times more, which are timed.
    pub fn run_gpocl(&self, launch: &GpoclLaunch, runs: [usize; 2]) -> Result<GpoclRun, GpuError> {
        let (module, function) = self.paper_kernel(&PaperSource {
            source: SOURCE,
            name: "gpocl",
            binary: format!("{}.cubin.gz", launch.stem),
            defines: launch.defines.clone(),
        })?;
        if launch.constant_outputs {
            let symbol = module.get_global(CONSTANT_OUTPUTS, &self.stream);
            let mut symbol = symbol.to("find the constant outputs")?;
            let bytes: Vec<u8> = launch
                .outputs
                .iter()
                .flat_map(|y| y.to_le_bytes())
                .collect();
            let mut place = symbol.slice_mut(0..bytes.len());
            let copied = self.stream.memcpy_htod(&bytes, &mut place);
            copied.to("copy the constant outputs")?;
        }
        let programs = self
            .stream
            .clone_htod(launch.programs)
            .to("copy the population")?;
        let copy = |values: &[f32]| self.stream.clone_htod(values).to("copy the data");
        let (inputs, outputs) = (copy(launch.inputs)?, copy(launch.outputs)?);
        let mut errors = copy(&vec![POISON; launch.errors])?;
        let rows = launch.outputs.len() as i32;
        let words = launch.program_words as i32;
        let population = launch.programs.len() as i32 / words;
        let power = launch.threads_per_block.next_power_of_two() as i32;
        let config = LaunchConfig {
            grid_dim: (launch.blocks, 1, 1),
            block_dim: (launch.threads_per_block, 1, 1),
            shared_mem_bytes: launch.shared_bytes,
        };
        let times = self.paper_times(&function, config, runs, || {
            let mut builder = self.stream.launch_builder(&function);
            builder.arg(&programs).arg(&inputs).arg(&outputs);
            builder.arg(&mut errors).arg(&words).arg(&rows);
            builder.arg(&rows).arg(&population).arg(&power);
            // SAFETY: the arguments are those of the kernel's signature; every error that it writes has its place.
            unsafe { builder.launch(config) }.to("launch the kernel")?;
            Ok(())
        })?;
        Ok(GpoclRun {
            times,
            errors: self.stream.clone_dtoh(&errors).to("copy the errors")?,
        })
    }
}
