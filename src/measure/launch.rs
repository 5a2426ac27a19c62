//! The kernels on a real GPU: loading, transfer, launch, timing. The only module that names cudarc's driver.
//!
//! Models: one device, one stream; the driver library is opened at run time, so nothing here needs CUDA to build.
//! Leaves out: what is launched and why (`measure`).
//! Units: milliseconds between events, bytes.
//! Sources: CUDA driver API (`cuFuncSetAttribute`: PREFERRED_SHARED_MEMORY_CARVEOUT is a percentage of the
//! largest shared memory of a multiprocessor).

use std::sync::Arc;

use cudarc::driver::sys::{
    self, CUdevice_attribute_enum as DeviceAttribute, CUfunction_attribute_enum as Attribute,
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig,
    PushKernelArg,
};
use cudarc::nvrtc::{CompileOptions, Ptx, compile_ptx_with_opts};

use super::compile::OwnBinary;
use super::error::GpuError;
use crate::systems::chitty::layout::{CaseTable, ProgramTable};
use crate::systems::chitty::source;
use crate::systems::chitty::variant::Variant;

mod gpocl;
mod paper;
pub mod probes;
mod robilliard;
mod submachine;
pub use gpocl::GpoclLaunch;
pub use robilliard::RobilliardLaunch;
pub use submachine::SubmachineLaunch;

/// Value of results before a run; an error is never negative.
pub const POISON: f32 = -1.0;

/// Names what the driver was asked for.
trait Asked<T> {
    fn to(self, what: &'static str) -> Result<T, GpuError>;
}

impl<T> Asked<T> for Result<T, DriverError> {
    fn to(self, what: &'static str) -> Result<T, GpuError> {
        self.map_err(|error| failed(what, error))
    }
}

fn failed(what: &'static str, error: DriverError) -> GpuError {
    let reason = format!("{error:?}");
    GpuError::Driver { what, reason }
}

/// An open device.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    pub info: GpuInfo,
}

/// Properties that a device reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuInfo {
    pub name: String,
    /// CUDA version of the driver, such as 13000 for 13.0.
    pub driver_version: i32,
    pub compute_capability: (i32, i32),
    pub multiprocessors: i32,
    pub max_threads_per_block: u32,
    /// The highest clock that the device may run at.
    pub max_clock_khz: i32,
    pub shared_bytes_per_multiprocessor: i32,
}

/// A kernel that is loaded on a device.
pub struct LoadedKernel {
    function: CudaFunction,
    variant: Variant,
}

/// A population on a device.
pub struct DevicePrograms {
    words: CudaSlice<u32>,
    row_words: i32,
    n_programs: u32,
    shared_bytes: u32,
}

/// Fitness cases on a device.
pub struct DeviceCases {
    inputs: CudaSlice<u32>,
    expected: CudaSlice<u32>,
    pitch: i32,
}

/// One launch: a block per program, or several of the accumulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridLaunch {
    pub threads_per_block: u32,
    /// Blocks among which a program's fitness cases are divided; 1 for every kernel but the accumulator.
    pub case_blocks: u32,
    /// Preferred shared memory in percent of the largest; `None` leaves it to the driver.
    pub carveout_percent: Option<u32>,
}

impl Gpu {
    fn count() -> Result<usize, GpuError> {
        // SAFETY: only opens the library and looks for it.
        if !unsafe { sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        Ok(CudaContext::device_count().map_or(0, |count| usize::try_from(count).unwrap_or(0)))
    }

    pub fn open(ordinal: usize) -> Result<Self, GpuError> {
        let found = Self::count()?;
        if ordinal >= found {
            return Err(GpuError::NoDevice {
                given: ordinal,
                found,
            });
        }
        let context = CudaContext::new(ordinal).to("open the device")?;
        // SAFETY: no buffer is written by two streams, so there is nothing for events between streams to order.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().to("make a stream")?;
        let info = GpuInfo::of(&context)?;
        Ok(Self {
            context,
            stream,
            info,
        })
    }

    /// Loads the committed binary where it fits the device, otherwise compiles the source for the device.
    pub fn load(&self, variant: &Variant) -> Result<LoadedKernel, GpuError> {
        let native = variant.arch.runs_on(self.info.compute_capability);
        let code = match variant.cubin()? {
            Some(cubin) if native => Ptx::from_binary(cubin),
            _ => self.compile(variant)?,
        };
        self.loaded(code, variant.kernel.entry_point(), variant)
    }

    /// Loads a custom kernel that runs like `variant`.
    pub fn load_own(&self, own: &OwnBinary, variant: &Variant) -> Result<LoadedKernel, GpuError> {
        self.loaded(Ptx::from_binary(own.cubin.clone()), &own.entry, variant)
    }

    fn loaded(&self, code: Ptx, entry: &str, variant: &Variant) -> Result<LoadedKernel, GpuError> {
        let module = self.context.load_module(code).to("load the kernel")?;
        let function = module.load_function(entry).to("find the kernel")?;
        Ok(LoadedKernel {
            function,
            variant: *variant,
        })
    }

    fn compile(&self, variant: &Variant) -> Result<Ptx, GpuError> {
        let (major, minor) = self.info.compute_capability;
        let failed = |reason: String| GpuError::Compile {
            kernel: *variant,
            major,
            minor,
            reason,
        };
        // SAFETY: only opens the library and looks for it.
        if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
            let reason =
                "no machine code for it here, and libnvrtc, which would compile it, was not found";
            return Err(failed(reason.to_owned()));
        }
        let mut options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
        options.extend(variant.resources()?.nvrtc_options.iter().skip(1).cloned());
        let compile = CompileOptions {
            options,
            ..CompileOptions::default()
        };
        compile_ptx_with_opts(source::flat(variant.kernel), compile)
            .map_err(|error| failed(format!("{error:?}")))
    }

    pub fn upload_programs(&self, table: &ProgramTable) -> Result<DevicePrograms, GpuError> {
        Ok(DevicePrograms {
            words: self.upload(&table.words, "the population")?,
            row_words: table.row_words as i32,
            n_programs: table.n_programs,
            shared_bytes: table.shared_bytes(),
        })
    }

    pub fn upload_cases(&self, table: &CaseTable) -> Result<DeviceCases, GpuError> {
        Ok(DeviceCases {
            inputs: self.upload(&table.inputs, "the fitness cases")?,
            expected: self.upload(&table.expected, "the expected outputs")?,
            pitch: table.pitch as i32,
        })
    }

    fn upload(&self, words: &[u32], what: &'static str) -> Result<CudaSlice<u32>, GpuError> {
        self.stream
            .clone_htod(words)
            .map_err(|error| match self.context.mem_get_info() {
                Ok((free_bytes, _)) if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    GpuError::OutOfMemory {
                        what,
                        needed_bytes: 4 * words.len(),
                        free_bytes,
                    }
                }
                _ => failed("copy to the device", error),
            })
    }

    /// Runs the kernel `repeats` times; the milliseconds of each run and the results of the last one, a value
    /// per program and thread. The results are poisoned before the last run.
    pub fn run(
        &self,
        kernel: &LoadedKernel,
        programs: &DevicePrograms,
        cases: &DeviceCases,
        launch: GridLaunch,
        repeats: usize,
    ) -> Result<(Vec<f32>, Vec<f32>), GpuError> {
        kernel.prepare(launch)?;
        let n_results = programs.n_programs as usize * kernel.results_per_program(launch);
        let poison = vec![POISON; n_results];
        let mut results = self.stream.clone_htod(&poison).to("allocate the results")?;
        let mut times_ms = Vec::with_capacity(repeats);
        for repeat in 0..repeats {
            if repeat + 1 == repeats {
                self.stream
                    .memcpy_htod(&poison, &mut results)
                    .to("poison the results")?;
            }
            let start = self.event()?;
            self.launch(kernel, programs, cases, launch, &mut results)?;
            let end = self.event()?;
            times_ms.push(start.elapsed_ms(&end).to("run the kernel")?);
        }
        let results = self.stream.clone_dtoh(&results).to("copy the results")?;
        Ok((times_ms, results))
    }

    fn launch(
        &self,
        kernel: &LoadedKernel,
        programs: &DevicePrograms,
        cases: &DeviceCases,
        launch: GridLaunch,
        results: &mut CudaSlice<f32>,
    ) -> Result<(), GpuError> {
        let config = LaunchConfig {
            grid_dim: (programs.n_programs, launch.case_blocks, 1),
            block_dim: (launch.threads_per_block, 1, 1),
            shared_mem_bytes: programs.shared_bytes,
        };
        let mut builder = self.stream.launch_builder(&kernel.function);
        builder
            .arg(&programs.words)
            .arg(&cases.inputs)
            .arg(&cases.expected)
            .arg(results);
        builder.arg(&programs.row_words).arg(&cases.pitch);
        // SAFETY: the arguments are those of the kernels' common signature; rows are padded to whole passes.
        unsafe { builder.launch(config) }.to("launch the kernel")?;
        Ok(())
    }

    fn event(&self) -> Result<CudaEvent, GpuError> {
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        self.stream.record_event(flags).to("record an event")
    }
}

/// The error of every program from its results.
pub fn sums(results: &[f32], results_per_program: usize) -> Vec<f64> {
    results.chunks(results_per_program).map(sum).collect()
}

/// Eight sums side by side, so that an addition need not wait for the one before.
fn sum(errors: &[f32]) -> f64 {
    let mut sums = [0.0f64; 8];
    for errors in errors.chunks(sums.len()) {
        for (sum, &error) in sums.iter_mut().zip(errors) {
            *sum += f64::from(error);
        }
    }
    sums.iter().sum()
}

impl LoadedKernel {
    /// A result per thread of the papers' kernels, one per block of the accumulator.
    pub fn results_per_program(&self, launch: GridLaunch) -> usize {
        let sharing = self.variant.kernel.sharing();
        sharing.results_per_program(launch.threads_per_block, launch.case_blocks) as usize
    }

    fn prepare(&self, launch: GridLaunch) -> Result<(), GpuError> {
        let allowed = self
            .function
            .max_threads_per_block()
            .to("read the kernel's limits")?;
        let allowed = u32::try_from(allowed).unwrap_or(0);
        let step = self.variant.kernel.sharing().thread_step();
        let threads = launch.threads_per_block;
        if !(1..=allowed).contains(&threads) || !threads.is_multiple_of(step) {
            return Err(GpuError::Threads {
                kernel: self.variant,
                threads,
                step,
                allowed,
            });
        }
        let percent = launch.carveout_percent.map_or(-1, |percent| percent as i32);
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        self.function
            .set_attribute(attribute, percent)
            .to("set the carve-out")
    }

    /// Registers and local-memory bytes per thread, as the driver sees them.
    pub fn resources(&self) -> Result<(i32, i32), GpuError> {
        let registers = self.function.num_regs().to("read the kernel's registers")?;
        let local_bytes = self
            .function
            .local_size_bytes()
            .to("read the kernel's frame")?;
        Ok((registers, local_bytes))
    }

    /// Blocks that a multiprocessor can hold at once.
    pub fn resident_blocks(
        &self,
        threads_per_block: u32,
        shared_bytes: u32,
    ) -> Result<u32, GpuError> {
        self.function
            .occupancy_max_active_blocks_per_multiprocessor(
                threads_per_block,
                shared_bytes as usize,
                None,
            )
            .to("compute the occupancy")
    }
}

impl GpuInfo {
    fn of(context: &CudaContext) -> Result<Self, GpuError> {
        let attribute = |which| context.attribute(which).to("read a device attribute");
        let mut driver_version = 0;
        // SAFETY: writes one integer.
        unsafe { sys::cuDriverGetVersion(&mut driver_version) }
            .result()
            .to("read the driver's version")?;
        Ok(Self {
            name: context.name().to("read the device's name")?,
            driver_version,
            compute_capability: context
                .compute_capability()
                .to("read the compute capability")?,
            multiprocessors: attribute(DeviceAttribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            max_threads_per_block: attribute(
                DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            )? as u32,
            max_clock_khz: attribute(DeviceAttribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            shared_bytes_per_multiprocessor: attribute(
                DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?,
        })
    }
}
