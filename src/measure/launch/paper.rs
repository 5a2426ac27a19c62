//! Machine code and timed runs, shared by the launches of the other papers' kernels.
//!
//! Leaves out: their arguments. Units: milliseconds between events.

use cudarc::driver::{CudaFunction, CudaModule, LaunchConfig};
use cudarc::nvrtc::{CompileOptions, Ptx, compile_ptx_with_opts};
use std::sync::Arc;

use super::{Asked, Gpu};
use crate::measure::error::GpuError;
use crate::systems::chitty::embedded::unpack;

/// A kernel of a paper: what it is compiled from.
pub struct PaperSource<'a> {
    pub source: &'a str,
    /// The kernel's name in it.
    pub name: &'a str,
    /// File of the committed binary for compute capability 9.0.
    pub binary: String,
    pub defines: Vec<String>,
}

/// Times of a launch's runs, and the kernel's registers and resident blocks.
#[derive(Debug, Clone)]
pub struct PaperTimes {
    pub milliseconds: Vec<f64>,
    pub registers: i32,
    pub resident_blocks: u32,
}

/// Launches before each that is timed.
const AHEAD: usize = 2;

impl Gpu {
    pub(super) fn paper_kernel(
        &self,
        kernel: &PaperSource,
    ) -> Result<(Arc<CudaModule>, CudaFunction), GpuError> {
        let code = self.paper_code(kernel)?;
        let module = self.context.load_module(code).to("load the kernel")?;
        let function = module.load_function(kernel.name).to("find the kernel")?;
        Ok((module, function))
    }

    /// The committed binary where it fits the device, otherwise compiled for it.
    fn paper_code(&self, kernel: &PaperSource) -> Result<Ptx, GpuError> {
        let (major, minor) = self.info.compute_capability;
        if (major, minor) == (9, 0) {
            return Ok(Ptx::from_binary(unpack(&kernel.binary)?));
        }
        let what = "compile the kernel";
        // SAFETY: only opens the library and looks for it.
        if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
            let reason = "libnvrtc was not found".to_owned();
            return Err(GpuError::Driver { what, reason });
        }
        let architecture = format!("--gpu-architecture=compute_{major}{minor}");
        let options = CompileOptions {
            options: [architecture]
                .into_iter()
                .chain(kernel.defines.iter().cloned())
                .collect(),
            ..CompileOptions::default()
        };
        compile_ptx_with_opts(kernel.source, options).map_err(|error| GpuError::Driver {
            what,
            reason: format!("{error:?}"),
        })
    }

    /// Runs a launch of a configuration `runs[0]` times and then `runs[1]` times more, which are timed.
    pub(super) fn paper_times(
        &self,
        function: &CudaFunction,
        config: LaunchConfig,
        runs: [usize; 2],
        mut launch: impl FnMut() -> Result<(), GpuError>,
    ) -> Result<PaperTimes, GpuError> {
        let mut milliseconds = Vec::with_capacity(runs[1]);
        for run in 0..runs[0] + runs[1] {
            // Behind other work: else the time of an event would include what the host takes to launch the next kernel.
            for _ in 0..AHEAD {
                launch()?;
            }
            let start = self.event()?;
            launch()?;
            let end = self.event()?;
            let elapsed = start.elapsed_ms(&end).to("run the kernel")?;
            if run >= runs[0] {
                milliseconds.push(f64::from(elapsed));
            }
        }
        let blocks = function.occupancy_max_active_blocks_per_multiprocessor(
            config.block_dim.0,
            config.shared_mem_bytes as usize,
            None,
        );
        Ok(PaperTimes {
            milliseconds,
            registers: function.num_regs().to("read the kernel's registers")?,
            resident_blocks: blocks.to("compute the occupancy")?,
        })
    }
}
