//! `warpstack list kernels`: the compiled kernel variants and what they need of a multiprocessor.
//!
//! Every row is a kernel and a problem that `predict` takes. Units: bytes for the frame and for what is spilled.

use super::source::{self, SourceArgs};
use crate::commands::CliResult;
use crate::commands::format::{Format, OutputArgs};
use crate::commands::names;
use crate::isa::Arch;
use crate::report::columns::Columns;
use crate::report::provenance::Provenance;
use crate::systems::chitty::variant::{Dispatch, Math, Shape, Variant};
use crate::systems::options::LaunchOptions;
use crate::systems::registry::{CompiledCode, SYSTEMS};

/// List the kernels with machine code: registers, local memory, code shape; or print the code of one.
#[derive(Debug, clap::Args)]
pub struct KernelsArgs {
    /// Show only this kernel
    #[arg(value_name = "NAME", value_parser = names::kernel())]
    kernel: Option<String>,
    /// Show only this problem
    #[arg(long, value_name = "NAME", value_parser = names::problem())]
    problem: Option<String>,
    /// Show only this architecture
    #[arg(long, value_name = "ARCH", value_parser = names::arch())]
    arch: Option<Arch>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &KernelsArgs) -> CliResult {
    args.output.check()?;
    if args.source.is_asked() {
        let launch = LaunchOptions {
            problem: args.problem.clone(),
            ..LaunchOptions::of(args.kernel.as_deref().unwrap_or_default())
        };
        let text = source::text(&args.source, args.arch, launch)?;
        return args.output.write(text.as_bytes());
    }
    args.source.refuse_options()?;
    let is_meant = |code: &CompiledCode| {
        args.arch.is_none_or(|arch| code.arch == arch)
            && args
                .problem
                .as_ref()
                .is_none_or(|name| code.problem == name)
            && args.kernel.as_ref().is_none_or(|name| code.kernel == name)
    };
    let mut rows = Vec::new();
    for system in SYSTEMS {
        rows.extend(system.codes()?.into_iter().filter(is_meant));
    }
    if rows.is_empty() {
        let asked = [
            args.kernel.clone(),
            args.problem.clone(),
            args.arch.map(|arch| arch.to_string()),
        ];
        let asked: Vec<String> = asked.into_iter().flatten().collect();
        return Err(format!(
            "kernels: given {}, together none; allowed: fewer of NAME, --problem, --arch",
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

/// How a kernel was compiled, in words: what every kernel has unless another is asked for is left out.
fn compiled(code: &CompiledCode) -> String {
    let variant = code.compiled.as_ref();
    let shape = variant.filter(|one| one.shape != Shape::Unrolled);
    let math = variant.filter(|one| one.math != Math::Accurate);
    let words = variant.filter(|one| one.dispatch != Dispatch::Float);
    let levels = match variant.map_or(0, |one| one.stack_registers) {
        0 => None,
        1 => Some("1 level".to_owned()),
        levels => Some(format!("{levels} levels")),
    };
    let parts = [
        levels,
        shape.map(|one| one.shape.to_string()),
        math.map(|one| one.math.to_string()),
        words.map(|one| one.dispatch.to_string()),
        code.variant.clone(),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

const ABBREVIATIONS: &str = "\nCompiled unrolled, with accurate math and float words, where nothing else is said.\n\
                             levels: of the stack, in registers; dim: second dimension; regs: registers per thread;\n\
                             frame, spilled: bytes of local memory per thread.\n";

/// The columns of the list; a cell is empty where the system does not record how the kernel was compiled.
fn columns() -> Columns<CompiledCode> {
    let dim = |one: &Variant| one.stack_dim;
    let registers = |one: &Variant| one.stack_registers;
    Columns::<CompiledCode>::new(4)
        .column("kernel", "kernel", |code| code.kernel)
        .column("problem", "problem", |code| code.problem)
        .column("arch", "architecture", |code| code.arch.name())
        .shown("compiled", compiled)
        .filed("shape", |code| named(code, |one| one.shape.to_string()))
        .filed("math", |code| named(code, |one| one.math.to_string()))
        .filed("dispatch", |code| {
            named(code, |one| one.dispatch.to_string())
        })
        .filed("variant", |code| code.variant.clone())
        .column("dim", "stack_dim", move |code| {
            code.compiled.as_ref().map_or(1, dim)
        })
        .filed("stack_registers", move |code| {
            code.compiled.as_ref().map_or(0, registers)
        })
        .column("regs", "registers", |code| code.registers)
        .column("frame", "frame_bytes", |code| code.frame_bytes)
        .column("spilled", "spilled_bytes", |code| code.spilled_bytes)
        .or("-")
}

fn named(code: &CompiledCode, name: fn(&Variant) -> String) -> Option<String> {
    code.compiled.as_ref().map(name)
}
