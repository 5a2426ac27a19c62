//! Langdon's interpreter on a device: programs of bytes, several of them in a block.
//!
//! Models: one launch on the whole population. Leaves out: transfers. Units: milliseconds between events; wrong cases.
//! Sources: `kernels/submachine.cu`.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, Ptx, compile_ptx_with_opts};

use super::{Asked, Gpu};
use crate::gpu::error::GpuError;
use crate::gpu::variant::unpack;

const SOURCE: &str = include_str!("../kernels/submachine.cu");
/// No result: more cases than there are.
const POISON: u32 = u32::MAX;

/// What is launched.
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

/// What a launch took and found.
#[derive(Debug, Clone)]
pub struct SubmachineRun {
    pub milliseconds: Vec<f32>,
    /// Of every program.
    pub wrong: Vec<u32>,
    pub registers: i32,
    pub resident_blocks: u32,
}

impl Gpu {
    /// Runs the interpreter `warm_ups` times and then `repeats` times more, which are timed.
    pub fn run_submachine(
        &self,
        launch: &SubmachineLaunch,
        warm_ups: usize,
        repeats: usize,
    ) -> Result<SubmachineRun, GpuError> {
        let module = self
            .context
            .load_module(self.submachine(launch.threads_per_program)?);
        let function = module
            .to("load the kernel")?
            .load_function("submachine")
            .to("find the kernel")?;
        let copy = |words: &[u32]| self.upload(words, "the tests");
        let programs = self.stream.clone_htod(launch.programs);
        let programs = programs.to("copy the population")?;
        let (tests, expected) = (copy(launch.tests)?, copy(launch.expected)?);
        let n_programs = launch.programs.len() / launch.program_bytes as usize;
        let poison = vec![POISON; n_programs];
        let mut results = self.stream.clone_htod(&poison).to("allocate the results")?;
        let (bytes, n_tests) = (launch.program_bytes as i32, launch.tests.len() as i32);
        let threads = n_programs as u32 * launch.threads_per_program;
        let config = LaunchConfig {
            grid_dim: (threads / launch.threads_per_block, 1, 1),
            block_dim: (launch.threads_per_block, 1, 1),
            shared_mem_bytes: launch.shared_bytes,
        };
        let mut milliseconds = Vec::with_capacity(repeats);
        for run in 0..warm_ups + repeats {
            let start = self.event()?;
            let mut builder = self.stream.launch_builder(&function);
            builder.arg(&programs).arg(&tests).arg(&expected);
            builder.arg(&mut results).arg(&bytes).arg(&n_tests);
            // SAFETY: the arguments are those of the kernel's signature; every thread has a program and a column of the stack.
            unsafe { builder.launch(config) }.to("launch the kernel")?;
            let end = self.event()?;
            let elapsed = start.elapsed_ms(&end).to("run the kernel")?;
            if run >= warm_ups {
                milliseconds.push(elapsed);
            }
        }
        let blocks = function.occupancy_max_active_blocks_per_multiprocessor(
            launch.threads_per_block,
            launch.shared_bytes as usize,
            None,
        );
        Ok(SubmachineRun {
            milliseconds,
            wrong: self.stream.clone_dtoh(&results).to("copy the results")?,
            registers: function.num_regs().to("read the kernel's registers")?,
            resident_blocks: blocks.to("compute the occupancy")?,
        })
    }

    /// The committed binary where it fits the device, otherwise compiled for it.
    fn submachine(&self, threads_per_program: u32) -> Result<Ptx, GpuError> {
        let (major, minor) = self.info.compute_capability;
        if major == 9 {
            let file = format!("submachine/sm_90-p{threads_per_program}.cubin.gz");
            return Ok(Ptx::from_binary(unpack(&file)?));
        }
        let what = "compile the kernel";
        // SAFETY: only opens the library and looks for it.
        if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
            let reason = "libnvrtc was not found".to_owned();
            return Err(GpuError::Driver { what, reason });
        }
        let options = CompileOptions {
            options: vec![
                format!("--gpu-architecture=compute_{major}{minor}"),
                format!("-DPARALLEL={threads_per_program}"),
            ],
            ..CompileOptions::default()
        };
        compile_ptx_with_opts(SOURCE, options).map_err(|error| GpuError::Driver {
            what,
            reason: format!("{error:?}"),
        })
    }
}
