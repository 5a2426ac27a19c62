//! Writes the errors that intervals rest on, `fixtures/measured/errors.csv`: `cargo xtask errors`, four minutes on two cores.
//!
//! The launches are those of the calibration split on the H200 and the H100, and all cells of the paper's tables on the GTX 670.

use std::fmt::Write as _;
use std::fs;

use super::{Failure, in_repository, printed};
use warpstack::util::rows::Rows;

const FILE: &str = "fixtures/measured/errors.csv";

pub fn run() -> Result<(), Failure> {
    let mut text = String::from("engine,device,problem,kernel,measured_over_predicted\n");
    for engine in ["simulator", "analytical"] {
        for device in ["gtx670", "h100", "h200"] {
            let options = ["--device", device, "--engine", engine, "--format", "csv"];
            let words = [&["validate", "--limit", "0"], &options[..]].concat();
            let printed = String::from_utf8(printed(&words)?)?;
            for row in Rows::read(&printed, "validate")?.iter() {
                let is_unseen = row.text("split") == "holdout" && device != "gtx670";
                let error: Option<f64> = row.optional("error_percent", "a number", |_| true)?;
                if let (false, Some(percent)) = (is_unseen, error) {
                    let ratio = 1.0 / (1.0 + percent / 100.0);
                    let (problem, kernel) = (row.text("problem"), row.text("kernel"));
                    writeln!(text, "{engine},{device},{problem},{kernel},{ratio:.4}")?;
                }
            }
        }
    }
    fs::write(in_repository(FILE), text)?;
    Ok(())
}
