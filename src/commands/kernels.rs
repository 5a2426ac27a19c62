//! `warpstack kernels`: the compiled kernel variants and what they need of a multiprocessor.
//!
//! Every row is a kernel and a problem that `simulate` takes. Units: bytes for the frame and for what is spilled.

use super::CliResult;
use super::format::{Format, OutputArgs};
use super::names;
use crate::isa::Arch;
use crate::launch::prediction::PredictError;
use crate::report::columns::Columns;
use crate::report::provenance::Provenance;
use crate::systems::chitty::variant::{Dispatch, Math, Shape};
use crate::systems::registry::{CompiledCode, SYSTEMS};
use serde_json::Value;
use std::fmt::Display;

/// List the kernels with machine code: registers, local memory, code shape.
#[derive(Debug, clap::Args)]
pub struct KernelsArgs {
    /// Show only this architecture
    #[arg(long, value_name = "ARCH", value_parser = names::arch())]
    arch: Option<Arch>,
    /// Show only this problem
    #[arg(long, value_name = "NAME", value_parser = names::problem())]
    problem: Option<String>,
    /// Show only this kernel
    #[arg(long, value_name = "NAME", value_parser = names::kernel())]
    kernel: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// A kernel as it was compiled for a problem. What is not kept of how it was compiled is empty.
struct Row {
    kernel: &'static str,
    problem: String,
    architecture: &'static str,
    shape: Option<Shape>,
    math: Option<Math>,
    dispatch: Option<Dispatch>,
    /// What else it was compiled for.
    variant: Option<String>,
    stack_dim: u32,
    stack_registers: u32,
    registers: u32,
    frame_bytes: u32,
    spilled_bytes: Option<u32>,
}

pub fn run(args: &KernelsArgs) -> CliResult {
    args.output.check()?;
    let is_meant = |row: &Row| {
        args.arch.is_none_or(|arch| row.architecture == arch.name())
            && args
                .problem
                .as_ref()
                .is_none_or(|name| row.problem == *name)
            && args.kernel.as_ref().is_none_or(|name| row.kernel == *name)
    };
    let mut rows = all()?;
    rows.retain(is_meant);
    if rows.is_empty() {
        let asked = [
            args.kernel.clone(),
            args.problem.clone(),
            args.arch.map(|arch| arch.to_string()),
        ];
        let asked: Vec<String> = asked.into_iter().flatten().collect();
        return Err(format!(
            "kernels: given {}, together none; allowed: fewer of --kernel, --problem, --arch",
            asked.join(", ")
        )
        .into());
    }
    let provenance = Provenance::of_program();
    let columns = columns();
    match args.output.format() {
        Format::Table => {
            let text = columns.text(&rows) + ABBREVIATIONS;
            args.output.write(text.as_bytes())
        }
        _ => args.output.print_columns(&columns, &rows, &provenance),
    }
}

fn all() -> Result<Vec<Row>, PredictError> {
    let mut rows = Vec::new();
    for system in SYSTEMS {
        rows.extend(system.codes()?.into_iter().map(row));
    }
    Ok(rows)
}

fn row(code: CompiledCode) -> Row {
    let compiled = code.compiled;
    Row {
        kernel: code.kernel,
        problem: code.problem.to_owned(),
        architecture: code.arch.name(),
        shape: compiled.map(|one| one.shape),
        math: compiled.map(|one| one.math),
        dispatch: compiled.map(|one| one.dispatch),
        variant: code.variant,
        stack_dim: compiled.map_or(1, |one| one.stack_dim),
        stack_registers: compiled.map_or(0, |one| one.stack_registers),
        registers: code.registers,
        frame_bytes: code.frame_bytes,
        spilled_bytes: code.spilled_bytes,
    }
}

impl Row {
    /// How it was compiled, in words: what every kernel has unless another is asked for is left out.
    fn compiled(&self) -> String {
        let shape = self.shape.filter(|shape| *shape != Shape::Unrolled);
        let math = self.math.filter(|math| *math != Math::Accurate);
        let words = self.dispatch.filter(|words| *words != Dispatch::Float);
        let levels = match self.stack_registers {
            0 => None,
            1 => Some("1 level".to_owned()),
            levels => Some(format!("{levels} levels")),
        };
        let parts = [
            levels,
            shape.map(|shape| shape.to_string()),
            math.map(|math| math.to_string()),
            words.map(|words| words.to_string()),
            self.variant.clone(),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join(", ")
    }
}

const ABBREVIATIONS: &str = "\nCompiled unrolled, with accurate math and float words, where nothing else is said.\n\
                             levels: of the stack, in registers; dim: second dimension; regs: registers per thread;\n\
                             frame, spilled: bytes of local memory per thread.\n";

fn columns() -> Columns<Row> {
    Columns::<Row>::new(4)
        .column("kernel", "kernel", |row| row.kernel)
        .column("problem", "problem", |row| row.problem.clone())
        .column("arch", "architecture", |row| row.architecture)
        .shown("compiled", Row::compiled)
        .filed("shape", |row| named(row.shape))
        .filed("math", |row| named(row.math))
        .filed("dispatch", |row| named(row.dispatch))
        .filed("variant", |row| row.variant.clone())
        .column("dim", "stack_dim", |row| row.stack_dim)
        .filed("stack_registers", |row| row.stack_registers)
        .column("regs", "registers", |row| row.registers)
        .column("frame", "frame_bytes", |row| row.frame_bytes)
        .column("spilled", "spilled_bytes", |row| row.spilled_bytes)
        .or("-")
}

fn named(value: Option<impl Display>) -> Value {
    value.map(|value| value.to_string()).into()
}
