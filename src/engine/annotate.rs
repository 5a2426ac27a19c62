//! A kernel's machine code, instruction by instruction: how often each issues for an operation, and what warps wait for before it does.
//!
//! What it does: simulates the launch as `predict` does, with an observer, and lays what was counted beside the listing. Leaves out:
//! instructions that no program of the sample executes; what data adds. Units: warp instructions and warp cycles per operation, one node
//! on 32 fitness cases. Sources: `sim::per_instruction`.

use super::Engine;
use crate::isa::Kernel;
use crate::launch::cause::Cause;
use crate::predict::{Configuration, PredictError};
use crate::sim::per_instruction::{InstructionCycles, PerInstruction};
use crate::sim::simulator::drawn;
use crate::sim::window::simulate_observed;
use crate::trace::mix::Role;
use serde::Serialize;

/// A kernel's listing with what its launch does there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Annotated {
    pub kernel: String,
    /// The architecture of the machine code.
    pub code: String,
    pub configuration: Configuration,
    /// Warp cycles per operation, all instructions together.
    pub cycles_per_operation: f64,
    pub lines: Vec<AnnotatedLine>,
}

/// One instruction that issues.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnnotatedLine {
    pub address: u32,
    /// As the disassembler prints it.
    pub text: String,
    pub role: Role,
    pub issues_per_operation: f64,
    /// In which a warp stood before it, issuing included.
    pub cycles_per_operation: f64,
    pub percent_of_cycles: f64,
    /// Of them, ready while another warp was chosen.
    pub not_selected_per_operation: f64,
    /// Of them, waiting, the cause that takes most first; causes of nothing left out.
    pub waits: Vec<Wait>,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wait {
    pub cause: Cause,
    pub cycles_per_operation: f64,
}

impl Engine {
    /// Simulates a configuration and says what happens at each instruction of its kernel.
    pub fn annotate(&self, configuration: &Configuration) -> Result<Annotated, PredictError> {
        let request = self.request(configuration)?;
        let launch = self.resolve(&request)?;
        let plan = &self.settings.simulator.plan;
        let threads = launch.geometry.threads_per_block;
        let sample = launch.kernel.sample(plan.programs, threads)?;
        let (window, lines) = simulate_observed(
            &launch.spec,
            &sample.code,
            sample.code_bytes,
            launch.geometry,
            drawn(&launch, &sample),
            plan.window,
            PerInstruction::new(&sample.code, sample.code_bytes),
        )
        .map_err(PredictError::other)?;
        let variant = &request.kernel;
        let file = variant.sass_file().map_err(PredictError::other)?;
        let text = variant.sass().map_err(PredictError::other)?;
        let kernel = Kernel::parse(&text, file).map_err(PredictError::other)?;
        // The observer is told of the warm-up, too, which the window does not count.
        let issued: u64 = lines.counted().map(|(_, line)| line.issues).sum();
        let per_token = window.counters.instructions as f64 / window.counters.tokens();
        let operations = issued as f64 / per_token * f64::from(configuration.stack_dim);
        Ok(annotated(
            configuration,
            &kernel,
            variant.to_string(),
            &lines,
            operations,
        ))
    }
}

fn annotated(
    configuration: &Configuration,
    kernel: &Kernel,
    name: String,
    counted: &PerInstruction,
    operations: f64,
) -> Annotated {
    let all: u64 = counted.counted().map(|(_, line)| line.cycles()).sum();
    let lines = counted.counted().filter_map(|(address, cycles)| {
        let mut instructions = kernel.instructions.iter();
        let found = instructions.find(|instruction| instruction.pc_bytes == address)?;
        let role = Role::of(&found.timing());
        Some(line(address, &found.text, role, cycles, operations, all))
    });
    Annotated {
        kernel: name,
        code: kernel.arch.clone(),
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
        text: text.to_owned(),
        role,
        issues_per_operation: per_operation(counted.issues),
        cycles_per_operation: per_operation(counted.cycles()),
        percent_of_cycles: 100.0 * counted.cycles() as f64 / all_cycles.max(1) as f64,
        not_selected_per_operation: per_operation(counted.not_selected),
        waits,
    }
}
