//! A kernel's machine code, instruction by instruction: how often each issues per warp-node, and what warps wait for before it does.
//!
//! Simulates the launch as `predict` does, with an observer, and puts the counts beside the listing. Leaves out:
//! instructions that no program of the sample executes; divergence. Units: warp instructions and warp cycles per warp-node, one node
//! on 32 fitness cases. Sources: `sim::per_instruction`.

use super::Predictor;
use crate::isa::{Kernel, SourceLine};
use crate::launch::cause::Cause;
use crate::launch::prediction::{Configuration, PredictError};
use crate::sim::per_instruction::{InstructionCycles, PerInstruction};
use crate::sim::simulator::drawn;
use crate::sim::window::simulate_observed;
use crate::systems::chitty::code::KernelCode;
use crate::systems::chitty::lines::base_name;
use crate::systems::options::LaunchOptions;
use crate::trace::mix::Role;
use serde::Serialize;

/// A kernel's listing with what its launch does there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Annotated {
    pub kernel: String,
    /// The architecture of the machine code.
    pub code: String,
    pub configuration: Configuration,
    /// Warp cycles per warp-node, all instructions together.
    pub cycles_per_operation: f64,
    pub lines: Vec<AnnotatedLine>,
}

/// One instruction that issues.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnnotatedLine {
    pub address: u32,
    /// Place in the source, if known.
    pub source: Option<SourcePlace>,
    /// Text of the instruction, as the disassembler prints it.
    pub text: String,
    pub role: Role,
    pub issues_per_operation: f64,
    /// Cycles that warps spend at the instruction, issuing included.
    pub cycles_per_operation: f64,
    pub percent_of_cycles: f64,
    /// Cycles of `cycles_per_operation` in which the warp was ready, but another was chosen.
    pub not_selected_per_operation: f64,
    /// Cycles of `cycles_per_operation` spent waiting, by cause, the longest first; causes of no cycles are left out.
    pub waits: Vec<Wait>,
}

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcePlace {
    /// The file's name.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Text of the line, if the file is at hand.
    pub text: Option<String>,
}

/// A kernel with what is known of its sources.
pub(super) struct Listing<'a> {
    code: &'a KernelCode,
    kernel: Kernel,
    lines: Vec<SourceLine>,
}

impl<'a> Listing<'a> {
    pub(super) fn of(code: &'a KernelCode) -> Result<Self, PredictError> {
        Ok(Listing {
            code,
            kernel: code.kernel().map_err(PredictError::other)?,
            lines: code.source_lines().map_err(PredictError::other)?,
        })
    }

    pub(super) fn source(&self, address: u32) -> Option<SourcePlace> {
        let found = Kernel::source_line(&self.lines, address)?;
        let text = self.code.source_text(&found.file, found.line);
        Some(SourcePlace {
            file: base_name(&found.file).to_owned(),
            line: found.line,
            text: text.map(str::to_owned),
        })
    }
}

/// Cycles that warps wait for one cause.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wait {
    pub cause: Cause,
    pub cycles_per_operation: f64,
}

impl Predictor {
    /// Simulates a configuration and reports issues and waits at each instruction of its kernel.
    pub fn annotate(&self, launch: impl Into<LaunchOptions>) -> Result<Annotated, PredictError> {
        let configuration = &self.configure(&launch.into())?;
        let request = self.request(configuration)?;
        let launch = self.resolve(&request)?;
        let launch = launch.uniform()?;
        let (placement, plan) = (launch.placement, &self.settings.simulator.plan);
        let sample = (launch.work.kernel).sample(plan.programs, &placement.geometry)?;
        let mut lines = PerInstruction::new(&sample.code, sample.code_bytes);
        let window = simulate_observed(
            &placement.spec,
            &sample.code,
            sample.code_bytes,
            placement.geometry,
            drawn(launch, &sample),
            plan.window,
            &mut lines,
        )
        .map_err(PredictError::other)?;
        let listing = Listing::of(&request.kernel)?;
        // The observer also sees the warm-up, which the window does not count.
        let issued: u64 = lines.counted().map(|(_, line)| line.issues).sum();
        let per_token = window.counters.instructions as f64 / window.counters.tokens();
        let operations = issued as f64 / per_token * f64::from(configuration.stack_dim);
        Ok(annotated(configuration, &listing, &lines, operations))
    }
}

fn annotated(
    configuration: &Configuration,
    listing: &Listing,
    counted: &PerInstruction,
    operations: f64,
) -> Annotated {
    let all: u64 = counted.counted().map(|(_, line)| line.cycles()).sum();
    let lines = counted.counted().filter_map(|(address, cycles)| {
        let mut instructions = listing.kernel.instructions.iter();
        let found = instructions.find(|instruction| instruction.pc_bytes == address)?;
        let role = Role::of(&found.timing());
        Some(AnnotatedLine {
            source: listing.source(address),
            ..line(address, &found.text, role, cycles, operations, all)
        })
    });
    Annotated {
        kernel: listing.code.to_string(),
        code: listing.kernel.arch.clone(),
        configuration: configuration.clone(),
        cycles_per_operation: all as f64 / operations,
        lines: lines.collect(),
    }
}

fn line(
    address: u32,
    text: &str,
    role: Role,
    counted: &InstructionCycles,
    operations: f64,
    all_cycles: u64,
) -> AnnotatedLine {
    let per_operation = |count: u64| count as f64 / operations;
    let wait = |cause: Cause| Wait {
        cause,
        cycles_per_operation: per_operation(counted.waited[cause as usize]),
    };
    let mut waits: Vec<Wait> = Cause::ALL.into_iter().map(wait).collect();
    waits.retain(|wait| wait.cycles_per_operation > 0.0);
    waits.sort_by(|a, b| b.cycles_per_operation.total_cmp(&a.cycles_per_operation));
    AnnotatedLine {
        address,
        source: None,
        text: text.to_owned(),
        role,
        issues_per_operation: per_operation(counted.issues),
        cycles_per_operation: per_operation(counted.cycles()),
        percent_of_cycles: 100.0 * counted.cycles() as f64 / all_cycles.max(1) as f64,
        not_selected_per_operation: per_operation(counted.not_selected),
        waits,
    }
}
