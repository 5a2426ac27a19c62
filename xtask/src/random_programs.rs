//! Writes the populations that measurements run: `cargo xtask random-programs DIR [SEED]`.

use std::fmt::Write as _;
use std::{fs, path::PathBuf};

use super::Failure;

use warpstack::gp::problem::{PAPER, ProblemId};
use warpstack::systems::chitty::random_programs::{LEAST_DEPTH, LONGER_DEPTH, random_programs};

#[derive(clap::Args)]
pub struct Args {
    /// Folder to write to
    directory: PathBuf,
    /// Seed of the programs; 11 makes the committed ones
    #[arg(default_value_t = 11)]
    seed: u64,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let Args { directory, seed } = args;
    fs::create_dir_all(&directory)?;
    for problem in PAPER {
        let write = |name: String, min_depth| -> Result<(), Failure> {
            let text = population(problem, min_depth, seed)?;
            Ok(fs::write(directory.join(name), text)?)
        };
        write(format!("{problem}.txt"), LEAST_DEPTH)?;
        if problem == ProblemId::Sextic {
            write(format!("{problem}-46.txt"), LONGER_DEPTH)?;
        }
    }
    Ok(())
}

/// Returns the programs of a seed, one per line.
fn population(problem: ProblemId, min_depth: usize, seed: u64) -> Result<String, Failure> {
    let programs = random_programs(problem, min_depth, seed);
    let nodes: usize = programs.iter().map(|program| program.0.len()).sum();
    let mut text = String::new();
    for program in &programs {
        writeln!(text, "{program}")?;
    }
    let mean = nodes as f64 / programs.len() as f64;
    eprintln!("{problem}: {mean:.1} nodes on average");
    Ok(text)
}
