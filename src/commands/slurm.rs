//! `warpstack slurm`: a job array that predicts a study in parts.
//!
//! What it does: writes a script for `sbatch`; a task that is stopped is queued again and goes on from its journal. Leaves out: submitting it.

use super::CliResult;
use crate::report::output;
use crate::study::file::StudyFile;
use std::path::PathBuf;

/// Write a Slurm job array that predicts a study in parts.
#[derive(Debug, clap::Args)]
pub struct SlurmArgs {
    /// Study file (TOML), as of `whatif --study`
    #[arg(long, value_name = "FILE")]
    pub study: PathBuf,
    /// Number of tasks of the array
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub tasks: u32,
    /// Processors of a task
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub processors: u16,
    /// Folder for the parts, which must exist when the job runs
    #[arg(long, default_value = "parts", value_name = "DIR")]
    pub parts: PathBuf,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

pub fn run(args: &SlurmArgs) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    // A study that cannot be read is refused here, not by every task.
    StudyFile::load(&args.study)?.axes()?;
    output::write(args.out.as_deref(), script(args).as_bytes())?;
    Ok(())
}

fn script(args: &SlurmArgs) -> String {
    let (study, parts) = (quoted(&args.study), quoted(&args.parts));
    let (tasks, processors) = (args.tasks, args.processors);
    format!(
        "#!/bin/bash
#SBATCH --job-name=warpstack
#SBATCH --array=1-{tasks}
#SBATCH --cpus-per-task={processors}
#SBATCH --requeue
#SBATCH --open-mode=append
# A task that is stopped goes on from its journal. When all have ended:
#   warpstack merge {parts}/part-*.csv --out all.csv
set -euo pipefail
warpstack --jobs {processors} whatif --study {study} --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" \\
    --out {parts}/part-\"$SLURM_ARRAY_TASK_ID\".csv
"
    )
}

/// As one word of a shell.
fn quoted(path: &std::path::Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}
