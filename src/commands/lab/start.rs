//! `warpstack lab start`: the empty answers and the measured launches of the lab.
//!
//! Leaves out: which questions there are (`questions.rs`). Units: none.

use super::answers;
use super::measured::FILES;
use crate::commands::CliResult;
use crate::report::output;
use crate::report::progress;
use crate::util::refused::Refused;
use std::path::PathBuf;

/// Write the lab's files: empty answers, and measured launches of an H200 and an H100.
#[derive(Debug, clap::Args)]
pub struct StartArgs {
    /// Folder to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    out_dir: PathBuf,
}

/// Name of the file of answers.
const ANSWERS: &str = "answers.toml";

pub fn run(args: &StartArgs) -> CliResult {
    let path = args.out_dir.join(ANSWERS);
    if path.exists() {
        let allowed = format!("a folder without {ANSWERS}, so that no answers are lost");
        let given = format!("{}, which exists", path.display());
        return Err(Refused::new("--out-dir", given, allowed).into());
    }
    let measured = FILES.iter().map(|(name, text)| (*name, (*text).into()));
    let answers = (ANSWERS, answers::template().into_bytes());
    let files: Vec<(&str, Vec<u8>)> = measured.chain([answers]).collect();
    output::write_folder(&args.out_dir, &files)?;
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    progress::say(&format!(
        "{}: {}\n",
        args.out_dir.display(),
        names.join(", ")
    ));
    Ok(())
}
