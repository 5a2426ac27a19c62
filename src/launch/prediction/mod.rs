//! The result of a prediction.
//!
//! Models: nothing itself; it separates the engines from the code that reports their results.
//! Leaves out: how a model gets there. Measured values never pass here.
//! Units: in field names. GPop/s = nodes x fitness cases / time, printed in billions.
//! Sources: Nsight Compute for the names of stall reasons.

mod divergence;

use crate::device::occupancy::{BlockResources, Occupancy, OccupancyError};
pub use crate::launch::cause::Cause;
use crate::launch::work::Launch;
use crate::trace::mix::MixEntry;
use crate::util::refused::Refused;
use serde::{Serialize, Serializer};
use std::fmt::Display;

/// Bytes, which outputs have in KiB: whole where they are.
pub(crate) fn kib<S: Serializer>(bytes: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    match bytes.is_multiple_of(1024) {
        true => serializer.serialize_u32(bytes / 1024),
        false => serializer.serialize_f64(f64::from(*bytes) / 1024.0),
    }
}

fn some_kib<S: Serializer>(bytes: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    match bytes {
        Some(bytes) => kib(bytes, serializer),
        None => serializer.serialize_none(),
    }
}

/// One kernel launch configuration to predict, on the device that a model was made for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Configuration {
    /// Problem name: `sextic`.
    pub problem: String,
    /// Kernel name: `rpn`.
    pub kernel: String,
    /// Size of the stack's second dimension: fitness cases that a thread evaluates per pass.
    pub stack_dim: u32,
    /// Lowest stack levels that are held in registers; 0 for kernels without that.
    pub stack_registers: u32,
    /// Threads in a block; `threads` in outputs.
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    /// Blocks that share the fitness cases of a program; 1 for every kernel but the accumulator.
    pub case_blocks: u32,
    /// Requested L1 size; a block that needs more shared memory gets less. `None`: the device's default.
    /// `l1` in outputs, in KiB.
    #[serde(rename = "l1", serialize_with = "some_kib")]
    pub l1_bytes: Option<u32>,
    /// Programs of a generation, of kernels that leave it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<u32>,
    /// Rows of the data set, of kernels that leave it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cases: Option<u32>,
    /// Threads that share the tests of a program, of kernels that leave it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads_per_program: Option<u32>,
}

impl Configuration {
    /// Describes the sizes besides the block's, in words.
    pub fn sizes_in_words(&self) -> String {
        let open = [
            ("population", self.population),
            ("cases", self.cases),
            ("threads per program", self.threads_per_program),
        ];
        let open = open
            .iter()
            .filter_map(|(name, size)| size.map(|size| format!("{name} {size}")));
        let open: Vec<String> = open.collect();
        match open.is_empty() {
            true => format!("second dimension {}", self.stack_dim),
            false => open.join(", "),
        }
    }
}

/// A predicted configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The launch that was predicted.
    pub configuration: Configuration,
    /// Speed: nodes x fitness cases / time, in billions per second.
    pub gpops_billion: f64,
    /// Time of the kernel that evaluates the whole population once.
    pub run_milliseconds: f64,
    /// Time on the host between two such kernels; GPop/s are those of both together.
    pub host_milliseconds: f64,
    /// 90 % bound of the extrapolation's error from the simulated part to the whole run, in percent.
    pub sampling_error_percent: f64,
    /// Registers and shared memory of a block.
    pub block: BlockResources,
    /// Residency on a multiprocessor.
    pub occupancy: Occupancy,
    /// Blocks of the launch.
    pub blocks: u32,
    /// Blocks that all multiprocessors together hold at a time.
    pub places: u32,
    /// The L1 size in effect; `l1` in outputs, in KiB.
    #[serde(rename = "l1", serialize_with = "kib")]
    pub l1_bytes: u32,
    /// Traffic through the caches.
    pub memory: MemoryTraffic,
    /// Warp instructions per cycle and SMX.
    pub ipc: f64,
    /// Share of the warp instructions that issued in the second slot of a dual issue.
    pub dual_issue_percent: f64,
    /// Warp instructions per GP node and pass of a warp.
    pub warp_instructions_per_node: f64,
    /// Warp instructions per launch, including divergence.
    pub warp_instructions: f64,
    /// Instructions of a steady iteration by role.
    pub instruction_mix: Vec<MixEntry>,
    /// Stack levels that a program needs, mean over the blocks of the grid.
    pub mean_stack_levels: f64,
    /// Data-dependent branches per node and iteration of a warp, which follow ordinary numbers: the share of the path that is
    /// an assumption.
    pub assumed_branches_per_node: f64,
    /// Warp instructions that real fitness cases add to the trace's: slow paths and diverging lanes. Part of the time, not of
    /// the counts. For kernels executed lane by lane, the instructions due to divergence, which are part of the counts, too.
    pub divergence_overhead_percent: f64,
    /// Scheduler cycles by cause; sums to schedulers x cycles.
    pub cpi_stack: Vec<CpiEntry>,
    /// Warp instructions that were simulated; 0 for the analytical model.
    pub simulated_warp_instructions: u64,
    /// Wall-clock time of the prediction.
    pub wall_seconds: f64,
}

/// Memory traffic of the simulated window.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct MemoryTraffic {
    /// GP nodes evaluated by a warp in the window; the divisor that normalizes the other figures.
    pub warp_nodes: u64,
    /// Local-memory lines looked up in the L1.
    pub l1_load_lines: u64,
    /// Lines that stores look up in the L1.
    pub l1_store_lines: u64,
    /// Bytes of global loads looked up in the L1, in whole sectors.
    pub l1_global_bytes: u64,
    /// L1 hits of the loads.
    pub l1_load_hit_percent: f64,
    /// L1 hits of the stores.
    pub l1_store_hit_percent: f64,
    /// Bytes read from the L2.
    pub l2_read_bytes: u64,
    /// Bytes written to the L2.
    pub l2_write_bytes: u64,
    /// L2 hits.
    pub l2_hit_percent: f64,
    /// Bytes read from device memory.
    pub dram_read_bytes: u64,
    /// Bytes written to device memory.
    pub dram_write_bytes: u64,
}

/// One layer of the CPI stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CpiEntry {
    /// Cause of the cycles: `long_scoreboard_l1`.
    pub cause: Cause,
    /// Nsight Compute's warp state: `long_scoreboard`.
    pub nsight_name: &'static str,
    /// Scheduler cycles.
    pub cycles: u64,
}

impl CpiEntry {
    /// Cycles charged to a cause.
    pub fn new(cause: Cause, cycles: u64) -> CpiEntry {
        CpiEntry {
            cause,
            nsight_name: cause.nsight_name(),
            cycles,
        }
    }

    /// The stack of these cycles by cause, in display order, empty causes left out.
    pub(crate) fn stack(cycles: impl Fn(Cause) -> u64) -> Vec<CpiEntry> {
        let entries = Cause::ALL.map(|cause| CpiEntry::new(cause, cycles(cause)));
        let taken = entries.into_iter().filter(|entry| entry.cycles > 0);
        taken.collect()
    }
}

impl Prediction {
    /// Percentage of a generation's time in which the host works and the card waits.
    pub fn host_percent(&self) -> f64 {
        let whole = self.run_milliseconds + self.host_milliseconds;
        if whole > 0.0 {
            100.0 * self.host_milliseconds / whole
        } else {
            0.0
        }
    }

    /// Warp instructions of the window whose traffic `memory` counts.
    pub fn window_instructions(&self) -> f64 {
        self.memory.warp_nodes as f64 * self.warp_instructions_per_node
    }

    /// Simulator speed.
    pub fn warp_instructions_per_second(&self) -> f64 {
        self.simulated_warp_instructions as f64 / self.wall_seconds
    }

    /// All scheduler cycles of the CPI stack.
    pub fn scheduler_cycles(&self) -> u64 {
        self.cpi_stack.iter().map(|entry| entry.cycles).sum()
    }
}

/// Error of predicting a configuration.
#[derive(Debug, thiserror::Error)]
pub enum PredictError {
    /// A request for something that the device or the kernel does not have.
    #[error(transparent)]
    Refused(Refused),
    /// The block cannot be resident.
    #[error("a block of kernel {kernel} cannot be resident: {source}")]
    Occupancy {
        /// Name of the kernel.
        kernel: String,
        /// The limit that is exceeded.
        source: OccupancyError,
    },
    /// A corpus, a kernel's machine code or a simulation failed; the message names which.
    #[error("{0}")]
    Other(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl PredictError {
    /// Returns the refusal of something that the device or the kernel does not have.
    pub fn refused(what: &str, given: impl Display, allowed: impl Display) -> Self {
        PredictError::Refused(Refused::new(what, given, allowed))
    }

    /// Returns the refusal of a kernel that is executed lane by lane, where one control path for each block is required.
    pub fn not_uniform(kernel: &str) -> Self {
        PredictError::refused(
            "kernel",
            kernel,
            "one of the kernels with a second stack dimension (the other papers' run in predict, explain, whatif)",
        )
    }

    /// Any other error, boxed.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        PredictError::Other(Box::new(error))
    }
}

/// Time of a launch, and its cycles by cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// Speed: nodes x fitness cases / time, in billions per second.
    pub gpops_billion: f64,
    /// Time of one launch.
    pub milliseconds: f64,
    /// 90 % bound of the extrapolation's error from the simulated part to the whole run, in percent.
    pub error_percent: f64,
    /// Traffic through the caches.
    pub memory: MemoryTraffic,
    /// Warp instructions per cycle and SMX.
    pub ipc: f64,
    /// Share of the warp instructions that issued in the second slot of a dual issue.
    pub dual_issue_percent: f64,
    /// Warp instructions per GP node and pass of a warp.
    pub warp_instructions_per_node: f64,
    /// Scheduler cycles by cause.
    pub cpi_stack: Vec<CpiEntry>,
    /// Warp instructions that were simulated; 0 for the analytical model.
    pub simulated_warp_instructions: u64,
    /// Time that the model took.
    pub wall_seconds: f64,
}

impl Prediction {
    /// A launch and its timing.
    pub fn new(launch: &Launch, timing: Timing) -> Prediction {
        let Launch {
            configuration,
            placement,
            facts,
            ..
        } = launch;
        Prediction {
            configuration: configuration.clone(),
            gpops_billion: timing.gpops_billion,
            run_milliseconds: timing.milliseconds,
            host_milliseconds: facts.host_milliseconds,
            sampling_error_percent: timing.error_percent,
            block: placement.block,
            occupancy: placement.occupancy.clone(),
            blocks: placement.geometry.blocks(),
            places: placement.geometry.n_smx * placement.occupancy.blocks,
            l1_bytes: placement.l1_bytes,
            memory: timing.memory,
            ipc: timing.ipc,
            dual_issue_percent: timing.dual_issue_percent,
            warp_instructions_per_node: timing.warp_instructions_per_node,
            warp_instructions: facts.warp_instructions,
            instruction_mix: facts.instruction_mix.clone(),
            mean_stack_levels: facts.mean_stack_levels,
            assumed_branches_per_node: facts.assumed_branches_per_node,
            divergence_overhead_percent: facts.divergence_overhead_percent,
            cpi_stack: timing.cpi_stack,
            simulated_warp_instructions: timing.simulated_warp_instructions,
            wall_seconds: timing.wall_seconds,
        }
    }
}
