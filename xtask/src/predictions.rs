//! Writes the predictions that `warpstack score` judges, `fixtures/measured/predictions.csv`: `cargo xtask predictions`, 65 minutes on two
//! cores, ten on sixteen.

use std::fs;

use super::{Failure, in_repository, printed};

const FILE: &str = "fixtures/measured/predictions.csv";

pub fn run() -> Result<(), Failure> {
    let printed = printed(&["score", "--predict"])?;
    Ok(fs::write(in_repository(FILE), printed)?)
}
