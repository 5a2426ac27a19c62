//! Writes the predictions that `warpstack score` judges, `fixtures/measured/predictions.csv`: `cargo xtask predictions`, 40 minutes on two
//! cores.

use std::fs;
use std::process::Command;

use super::{Failure, in_repository};

const FILE: &str = "fixtures/measured/predictions.csv";

pub fn run() -> Result<(), Failure> {
    let printed = printed(&["score", "--predict"])?;
    Ok(fs::write(in_repository(FILE), printed)?)
}

/// Returns what the program prints with these words.
pub fn printed(words: &[&str]) -> Result<Vec<u8>, Failure> {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--release", "--quiet", "--"])
        .args(words)
        .current_dir(in_repository(""))
        .output()?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}
