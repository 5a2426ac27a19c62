//! `warpstack whatif --slurm`: a Slurm job array that predicts a study in parts.
//!
//! Writes a script for `sbatch`; a task that is stopped is queued again and resumes from its journal. Leaves out: submitting it.

use super::WhatifArgs;
use crate::commands::CliResult;
use crate::report::output;
use crate::study::file::StudyFile;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "On a cluster")]
pub struct SlurmArgs {
    /// Write a Slurm job array of N tasks that predicts the study, instead of predicting
    #[arg(long, value_name = "N", requires = "study", conflicts_with_all = ["vary", "shard", "chart", "heatmap"], value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub slurm: Option<u32>,
    /// Number of processors per task
    #[arg(long, requires = "slurm", default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub processors: u16,
    /// Folder for the parts, which must exist when the job runs
    #[arg(long, requires = "slurm", default_value = "parts", value_name = "DIR")]
    pub parts: PathBuf,
}

/// Writes the script of a job array of `tasks` tasks.
pub(super) fn write(args: &WhatifArgs, tasks: u32) -> CliResult {
    args.output.check()?;
    let study = args.study.as_deref().unwrap_or(Path::new(""));
    // A study that cannot be read is refused here, not by every task.
    StudyFile::load(study)?.axes()?;
    let script = script(&args.slurm, study, tasks);
    output::write(args.output.path(), script.as_bytes())?;
    Ok(())
}

fn script(args: &SlurmArgs, study: &Path, tasks: u32) -> String {
    let (study, parts) = (quoted(study), quoted(&args.parts));
    let processors = args.processors;
    format!(
        "#!/bin/bash
#SBATCH --job-name=warpstack
#SBATCH --array=1-{tasks}
#SBATCH --cpus-per-task={processors}
#SBATCH --requeue
#SBATCH --open-mode=append
# A stopped task resumes from its journal. When all have ended:
#   warpstack merge {parts}/part-*.csv --out all.csv
set -euo pipefail
warpstack --jobs {processors} whatif --study {study} --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" \\
    --out {parts}/part-\"$SLURM_ARRAY_TASK_ID\".csv
"
    )
}

/// As one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}
