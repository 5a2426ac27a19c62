//! `warpstack kernels`: the compiled kernel variants and what they need of a multiprocessor.

use super::CliResult;
use crate::gpu::variant::{Arch, Variant};
use crate::papers::kernels::{self, Code, PaperKernel};
use crate::predict::PredictError;
use crate::report::{output, table::table};

/// List the kernels with machine code: registers, local memory, code shape.
#[derive(Debug, clap::Args)]
pub struct KernelsArgs {
    /// Show only this architecture: sm_35, sm_75, sm_80, sm_86, sm_89, sm_90
    #[arg(long)]
    arch: Option<String>,
}

pub fn run(args: &KernelsArgs) -> CliResult {
    let arch = args.arch.as_deref().map(str::parse).transpose()?;
    let mut rows = Vec::new();
    for variant in Variant::all()? {
        if arch.is_some_and(|arch| variant.arch != arch) {
            continue;
        }
        let resources = variant.resources()?;
        rows.push(vec![
            variant.kernel.to_string(),
            variant.problem.to_string(),
            variant.arch.to_string(),
            variant.shape.to_string(),
            variant.math.to_string(),
            variant.dispatch.to_string(),
            variant.stack_dim.to_string(),
            resources.registers.to_string(),
            resources.frame_bytes.to_string(),
            resources.spill_store_bytes.to_string(),
        ]);
    }
    for one in kernels::ARCHES
        .into_iter()
        .filter(|one| arch.is_none_or(|arch| arch == *one))
    {
        for kernel in PaperKernel::ALL {
            rows.extend(of_paper(kernel, one)?);
        }
    }
    let headers = [
        "kernel",
        "problem",
        "architecture",
        "code shape",
        "math",
        "dispatch",
        "second dimension",
        "registers",
        "frame (bytes)",
        "spilled (bytes)",
    ];
    output::write(None, table(&headers, rows, 6).as_bytes())?;
    Ok(())
}

/// The code of another paper's kernel. How it was compiled is not kept.
fn of_paper(kernel: PaperKernel, arch: Arch) -> Result<Vec<Vec<String>>, PredictError> {
    let row = |code: Code| {
        let unknown = || "-".to_owned();
        vec![
            kernel.name().into(),
            code.problems,
            arch.to_string(),
            code.variant,
            unknown(),
            unknown(),
            unknown(),
            code.kernel.registers.to_string(),
            code.kernel.frame_bytes.to_string(),
            unknown(),
        ]
    };
    Ok(kernel.codes(arch)?.into_iter().map(row).collect())
}
