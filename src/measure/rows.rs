//! Measurements of the interpreters on a real GPU.
//!
//! Models: one row per configuration: warm-up launches, repeats timed by events, their median, and the errors of the
//! first programs against the CPU.
//! Leaves out: evolution and transfers; a row times the evaluation of one population.
//! Units: milliseconds; billions of GP operations (nodes times fitness cases, padding not counted) per second.
//! Sources: Chitty 2016, section 3 (GPop/s).

use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::compile::OwnBinary;
use super::error::GpuError;
use super::launch::{DevicePrograms, Gpu, GridLaunch, LoadedKernel, sums};
use crate::device::Preset;
use crate::device::occupancy::OccupancyLimits;
use crate::gp::program::Rpn;
use crate::gp::workload::{Workload, programs_digest};
use crate::systems::chitty::layout::{CaseTable, ProgramTable};
use crate::systems::chitty::lower::LowerError;
use crate::systems::chitty::oracle::{ExpectedError, relative_difference};
use crate::systems::chitty::split::MeasurementSplit;
use crate::systems::chitty::variant::{Variant, VariantError};
use crate::util::memo::Memo;
use crate::util::parallel;
use crate::util::stats::median;

/// Programs whose error differs from the CPU's by at most this much, relative, agree.
pub const AGREEMENT: f64 = 1e-2;

/// Largest relative difference between roundings of a program's error that counts as decided. Chosen: a hundredth, as in `tests/gp/differential.rs`.
const DECIDED: f64 = AGREEMENT / 100.0;

/// Error of a measurement.
#[derive(Debug, Error)]
pub enum MeasureError {
    #[error(transparent)]
    Gpu(#[from] GpuError),
    #[error(transparent)]
    Lower(#[from] LowerError),
    #[error(transparent)]
    Variant(#[from] VariantError),
    #[error("{configuration}: {poisoned} results were never written")]
    Unwritten {
        configuration: String,
        poisoned: usize,
    },
}

/// Repetitions of a configuration, and the number of programs checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    pub warm_ups: usize,
    pub repeats: usize,
    pub checked_programs: usize,
}

/// A kernel variant and its grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantLaunch {
    pub variant: Variant,
    pub launch: GridLaunch,
    /// A custom kernel that runs like the variant.
    pub own: Option<Arc<OwnBinary>>,
}

/// Measurement of a kernel variant on a grid.
#[derive(Debug, Clone, Serialize)]
pub struct ChittyMeasurement {
    pub split: MeasurementSplit,
    pub device: String,
    pub driver_cuda_version: i32,
    pub problem: &'static str,
    pub cases_source: &'static str,
    /// First 12 hexadecimal digits of the SHA-256 of the programs' text.
    pub programs: String,
    pub population: u32,
    pub nodes: u64,
    pub cases: u64,
    pub padded_elements: usize,
    pub kernel: String,
    pub stack_dim: u32,
    pub stack_registers: u32,
    pub shape: &'static str,
    pub math: &'static str,
    pub dispatch: &'static str,
    pub registers: i32,
    pub local_bytes: i32,
    pub shared_bytes: u32,
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    pub carveout_percent: Option<u32>,
    /// Shared memory of a multiprocessor that the carve-out gives, and what is left for the L1; empty where not known.
    pub shared_config_kib: Option<u32>,
    #[serde(rename = "l1")]
    pub l1_kib: Option<u32>,
    pub resident_blocks: u32,
    pub repeats: usize,
    pub median_ms: f64,
    pub min_ms: f64,
    pub max_ms: f64,
    pub gpops_billion: f64,
    pub checked_programs: usize,
    pub agreeing_programs: usize,
    /// Programs that do not agree, but whose error is decided by rounding: see [`ExpectedError::is_decided`].
    pub undecided_programs: usize,
    pub median_relative_difference: f64,
    pub case_blocks: u32,
    /// The seed of the fitness cases; empty where they are not drawn.
    pub case_seed: Option<u64>,
    /// File of the programs.
    pub programs_file: String,
}

impl VariantLaunch {
    /// Returns the name of its kernel: for a custom one, that of its file.
    pub fn kernel_name(&self) -> &str {
        match &self.own {
            Some(own) => &own.name,
            None => self.variant.kernel.name(),
        }
    }

    /// Loads its kernel on a device.
    pub fn load(&self, gpu: &Gpu) -> Result<LoadedKernel, GpuError> {
        match &self.own {
            Some(own) => gpu.load_own(own, &self.variant),
            None => gpu.load(&self.variant),
        }
    }

    /// Half of all configurations, by the first byte of the SHA-256 of the name.
    pub fn split(&self) -> MeasurementSplit {
        let digest = Sha256::digest(self.to_string().as_bytes());
        if digest[0] % 2 == 0 {
            MeasurementSplit::Calibration
        } else {
            MeasurementSplit::Holdout
        }
    }
}

impl std::fmt::Display for VariantLaunch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let GridLaunch {
            threads_per_block,
            case_blocks,
            carveout_percent,
        } = self.launch;
        if let Some(own) = &self.own {
            write!(formatter, "{} like ", own.name)?;
        }
        write!(formatter, "{} threads={threads_per_block}", self.variant)?;
        if case_blocks > 1 {
            write!(formatter, " case-blocks={case_blocks}")?;
        }
        carveout_percent.map_or(Ok(()), |percent| write!(formatter, " carveout={percent}"))
    }
}

/// A population in the order of its blocks, and the file that it was read from.
#[derive(Debug, Clone)]
pub struct Programs {
    pub list: Vec<Rpn>,
    pub file: String,
}

/// A problem's population and cases, ready to be measured in any configuration.
pub struct Bench<'a> {
    gpu: &'a Gpu,
    workload: &'a Workload,
    programs: &'a Programs,
    programs_digest: String,
    expected: Vec<ExpectedError>,
    /// Whether the error of a checked program is decided, by the program's index.
    decided: Memo<usize, bool>,
    protocol: Protocol,
}

impl<'a> Bench<'a> {
    pub fn new(
        gpu: &'a Gpu,
        workload: &'a Workload,
        programs: &'a Programs,
        protocol: Protocol,
    ) -> Self {
        let list = &programs.list;
        let checked = &list[..protocol.checked_programs.min(list.len())];
        let expected = parallel::map(checked, |program| ExpectedError::of(program, workload));
        Self {
            gpu,
            workload,
            programs,
            programs_digest: programs_digest(list),
            expected,
            decided: Memo::default(),
            protocol,
        }
    }

    pub fn row(&self, configuration: &VariantLaunch) -> Result<ChittyMeasurement, MeasureError> {
        let VariantLaunch {
            variant, launch, ..
        } = configuration;
        let table = ProgramTable::new(&self.programs.list, variant)?;
        let elements_per_pass = (launch.threads_per_block * variant.stack_dim) as usize;
        let cases = CaseTable::new(&self.workload.problem.dataset, elements_per_pass);
        let kernel = configuration.load(self.gpu)?;
        let programs = self.gpu.upload_programs(&table)?;
        let (times_ms, results) = self.timed(configuration, &kernel, &programs, &cases)?;
        let differences = self.differences(&results, &cases);
        let (registers, local_bytes) = kernel.resources()?;
        let n_cases = self.workload.problem.n_cases() as u64;
        let Times {
            median_ms,
            min_ms,
            max_ms,
        } = Times::of(&times_ms);
        let fixed = variant.resources()?.static_shared_bytes;
        let split_kib = launch.carveout_percent.and_then(|percent| {
            split_kib(
                self.gpu.info.compute_capability,
                percent,
                fixed + table.shared_bytes(),
            )
        });
        Ok(ChittyMeasurement {
            split: configuration.split(),
            device: self.gpu.info.name.clone(),
            driver_cuda_version: self.gpu.info.driver_version,
            problem: self.workload.id.name(),
            cases_source: self.workload.source.name(),
            programs: self.programs_digest.clone(),
            population: table.n_programs,
            nodes: table.nodes,
            cases: n_cases,
            padded_elements: cases.pitch,
            kernel: configuration.kernel_name().to_owned(),
            stack_dim: variant.stack_dim,
            stack_registers: variant.stack_registers,
            shape: variant.shape.name(),
            math: variant.math.name(),
            dispatch: variant.dispatch.name(),
            registers,
            local_bytes,
            shared_bytes: table.shared_bytes(),
            threads_per_block: launch.threads_per_block,
            carveout_percent: launch.carveout_percent,
            shared_config_kib: split_kib.map(|(shared, _)| shared),
            l1_kib: split_kib.map(|(_, l1)| l1),
            resident_blocks: kernel
                .resident_blocks(launch.threads_per_block, table.shared_bytes())?,
            repeats: times_ms.len(),
            median_ms,
            min_ms,
            max_ms,
            gpops_billion: table.nodes as f64 * n_cases as f64 / (median_ms * 1e6),
            checked_programs: differences.len(),
            agreeing_programs: differences
                .iter()
                .filter(|&&difference| difference <= AGREEMENT)
                .count(),
            undecided_programs: self.n_undecided(&differences),
            median_relative_difference: median(&differences).unwrap_or(f64::NAN),
            case_blocks: launch.case_blocks,
            case_seed: self.workload.source.seed(),
            programs_file: self.programs.file.clone(),
        })
    }

    /// The times of the repeats and the summed error of every program.
    fn timed(
        &self,
        configuration: &VariantLaunch,
        kernel: &LoadedKernel,
        programs: &DevicePrograms,
        cases: &CaseTable,
    ) -> Result<(Vec<f64>, Vec<f64>), MeasureError> {
        let launch = configuration.launch;
        let device_cases = self.gpu.upload_cases(cases)?;
        let launches = self.protocol.warm_ups + self.protocol.repeats;
        let (times_ms, results) =
            self.gpu
                .run(kernel, programs, &device_cases, launch, launches)?;
        let poisoned = results
            .iter()
            .filter(|&&result| result == super::launch::POISON)
            .count();
        if poisoned > 0 {
            let configuration = configuration.to_string();
            return Err(MeasureError::Unwritten {
                configuration,
                poisoned,
            });
        }
        let times_ms = times_ms[self.protocol.warm_ups..]
            .iter()
            .map(|&time| f64::from(time))
            .collect();
        let per_program = kernel.results_per_program(launch);
        Ok((times_ms, sums(&results, per_program)))
    }

    /// Counts the programs that do not agree, but whose error is decided by rounding; they are nearly the same in every configuration.
    fn n_undecided(&self, differences: &[f64]) -> usize {
        let decided = |at: usize| {
            let program = &self.programs.list[at];
            self.expected[at].is_decided(program, self.workload, DECIDED)
        };
        let differ = parallel::indices(differences.len(), |at| {
            differences[at] > AGREEMENT && !*self.decided.get(at, || decided(at))
        });
        differ.into_iter().filter(|&differs| differs).count()
    }

    fn differences(&self, results: &[f64], cases: &CaseTable) -> Vec<f64> {
        let pairs = results.iter().zip(&self.expected);
        pairs
            .map(|(&measured, expected)| {
                relative_difference(measured, expected.with_padding(cases))
            })
            .collect()
    }
}

/// Shared memory and L1 that a carve-out gives on a GPU, in KiB; `None` where no preset knows how its memory is divided.
fn split_kib(
    compute_capability: (i32, i32),
    percent: u32,
    shared_bytes_per_block: u32,
) -> Option<(u32, u32)> {
    let preset = match compute_capability {
        (7, 5) => "t4",
        (8, 0) => "a100",
        (8, 6) => "rtx3090",
        (8, 9) => "rtx4090",
        (9, 0) => "h200",
        _ => return None,
    };
    let device = Preset::load(preset).ok()?.device;
    let limits = OccupancyLimits::of(&device);
    let shared_bytes = limits.carve_out(percent, shared_bytes_per_block);
    let mut splits = device.l1.splits.iter();
    let split = splits.find(|split| split.shared_bytes == shared_bytes)?;
    Some((split.shared_bytes / 1024, split.l1_bytes / 1024))
}

/// Median, minimum and maximum of some times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub median_ms: f64,
    pub min_ms: f64,
    pub max_ms: f64,
}

impl Times {
    pub fn of(milliseconds: &[f64]) -> Self {
        let all = milliseconds.iter().copied();
        Times {
            median_ms: median(milliseconds).unwrap_or(f64::NAN),
            min_ms: all.clone().fold(f64::INFINITY, f64::min),
            max_ms: all.fold(0.0, f64::max),
        }
    }
}
