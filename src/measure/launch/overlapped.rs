//! A population evaluated in parts, so that transfers overlap with kernels.
//!
//! Models: every part has a stream, buffers and pinned host memory of its own: its programs go to the device, its kernel runs,
//! its results come back, while other parts are at another of the three steps. The host sums a part's results as soon as they are there.
//! Leaves out: which programs make a part (`scaling`). Units: programs.
//! Sources: CUDA C++ Best Practices Guide, section 10.1.2 (overlapping transfers with computation).

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, PinnedHostSlice};

use super::{Asked, DeviceCases, DevicePrograms, Gpu, GridLaunch, LoadedKernel, POISON, sums};
use crate::measure::error::GpuError;
use crate::systems::chitty::layout::{CaseTable, ProgramTable};

/// A population on one device, ready to be evaluated again and again.
pub struct Evaluator<'a> {
    gpu: &'a Gpu,
    kernel: LoadedKernel,
    cases: DeviceCases,
    launch: GridLaunch,
    parts: Vec<Part>,
}

struct Part {
    stream: Arc<CudaStream>,
    programs: DevicePrograms,
    words: PinnedHostSlice<u32>,
    device_results: CudaSlice<f32>,
    results: PinnedHostSlice<f32>,
}

impl Gpu {
    /// Returns an evaluator with all buffers that repeated evaluations of `tables`, the parts of a population, reuse.
    pub fn evaluator(
        &self,
        kernel: LoadedKernel,
        tables: &[ProgramTable],
        cases: &CaseTable,
        launch: GridLaunch,
    ) -> Result<Evaluator<'_>, GpuError> {
        kernel.prepare(launch)?;
        let per_program = kernel.results_per_program(launch);
        let parts = tables
            .iter()
            .map(|table| self.part(table, table.n_programs as usize * per_program))
            .collect::<Result<_, _>>()?;
        let cases = self.upload_cases(cases)?;
        // No event orders the streams of the parts behind the uploads.
        self.stream
            .synchronize()
            .to("copy the fitness cases to the device")?;
        Ok(Evaluator {
            gpu: self,
            kernel,
            cases,
            launch,
            parts,
        })
    }

    fn part(&self, table: &ProgramTable, n_results: usize) -> Result<Part, GpuError> {
        // SAFETY: plain words, written before they are read.
        let mut words: PinnedHostSlice<u32> =
            unsafe { self.context.alloc_pinned(table.words.len()) }.to("pin host memory")?;
        words
            .as_mut_slice()
            .to("pin host memory")?
            .copy_from_slice(&table.words);
        // SAFETY: the same; not write-combined, because the host reads the results.
        let mut results: PinnedHostSlice<f32> =
            unsafe { self.context.alloc_pinned_with_flags(n_results, 0) }.to("pin host memory")?;
        results.as_mut_slice().to("pin host memory")?.fill(POISON);
        let device_results = self.stream.alloc_zeros(n_results);
        Ok(Part {
            stream: self.context.new_stream().to("make a stream")?,
            programs: self.upload_programs(table)?,
            words,
            device_results: device_results.to("allocate the results")?,
            results,
        })
    }
}

impl Part {
    /// Queues the three steps; returns at once.
    fn start(
        &mut self,
        gpu: &Gpu,
        kernel: &LoadedKernel,
        cases: &DeviceCases,
        launch: GridLaunch,
    ) -> Result<(), GpuError> {
        let copied = self
            .stream
            .memcpy_htod(&self.words, &mut self.programs.words);
        copied.to("copy the population")?;
        gpu.launch_on(
            &self.stream,
            kernel,
            &self.programs,
            cases,
            launch,
            &mut self.device_results,
        )?;
        let copied = self
            .stream
            .memcpy_dtoh(&self.device_results, &mut self.results);
        copied.to("copy the results")
    }

    /// The summed error of every program, once its results are there.
    fn finish(&self, per_program: usize) -> Result<Vec<f64>, GpuError> {
        // Reading pinned memory does not wait for the copy: this context tracks no events.
        self.stream.synchronize().to("run the kernel")?;
        let results = self.results.as_slice().to("run the kernel")?;
        Ok(sums(results, per_program))
    }
}

impl Evaluator<'_> {
    /// One evaluation as a generation needs it, transfers included: the summed error of every program, part after part.
    pub fn evaluate(&mut self) -> Result<Vec<f64>, GpuError> {
        for part in &mut self.parts {
            part.start(self.gpu, &self.kernel, &self.cases, self.launch)?;
        }
        let per_program = self.kernel.results_per_program(self.launch);
        let mut errors = Vec::new();
        for part in &self.parts {
            errors.extend(part.finish(per_program)?);
        }
        Ok(errors)
    }
}
