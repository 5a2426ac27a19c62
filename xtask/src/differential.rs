//! Programs on cases, by every CPU interpreter and by the machine code of every committed kernel: the tests of that, with more programs.

use super::Failure;
use std::process::{Command, Stdio};

#[derive(clap::Args)]
pub struct Args {
    /// How many times as many programs as the test suite tries
    #[arg(long, default_value_t = 50)]
    times: u64,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let output = Command::new("cargo")
        .args(["test", "--release", "--test", "gp", "--test", "isa"])
        .args(["--", "differential::", "trace_conformance::", "--nocapture"])
        .env("WARPSTACK_DIFFERENTIAL", args.times.to_string())
        .current_dir(crate::in_repository("."))
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let shown = |line: &&str| line.starts_with("CPU") || line.starts_with("machine code");
    for line in text.lines().filter(shown) {
        println!("{line}");
    }
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("they differ:\n{text}").into()),
    }
}
