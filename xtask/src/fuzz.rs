//! Builds the fuzz targets (`fuzz/`), with overflow checks, and runs them.
//!
//! `cargo xtask fuzz --coverage --seconds 60 sass preset`: what follows goes to the targets' program; `cargo xtask fuzz -- --help` shows it.

use super::Failure;
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Let the compiler count which code each input comes by, and keep inputs that come by new code
    #[arg(long)]
    coverage: bool,
    /// For the targets' program
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let root = crate::in_repository(".").canonicalize()?;
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "run",
            "--quiet",
            "--profile",
            "fuzz",
            "--package",
            "warpstack-fuzz",
            "--",
        ])
        .args(args.rest)
        .current_dir(&root);
    if args.coverage {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", root.join("fuzz/with-coverage"));
    }
    let status = cargo.status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("the fuzz targets: {status}").into()),
    }
}
