//! Builds the module that the page of `warpstack explore` answers with, assets/warpstack.wasm.gz: `cargo xtask wasm`.
//!
//! Needs the target `wasm32-unknown-unknown` (`rustup target add wasm32-unknown-unknown`). `cargo test --release --package warpstack-wasm`
//! compares the answers of the module with those of this machine.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::process::Command;

use super::{Failure, in_repository};

const TARGET: &str = "wasm32-unknown-unknown";

pub fn run() -> Result<(), Failure> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--package", "warpstack-wasm", "--profile", "wasm"])
        .args(["--target", TARGET, "--target-dir"])
        .arg(in_repository("target"))
        .current_dir(in_repository(""))
        .status()?;
    if !status.success() {
        return Err(format!("the library does not build for {TARGET}").into());
    }
    let built = in_repository("target").join(format!("{TARGET}/wasm/warpstack_wasm.wasm"));
    let module = fs::read(built)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&module)?;
    let packed = encoder.finish()?;
    let path = in_repository("assets/warpstack.wasm.gz");
    fs::write(&path, &packed)?;
    println!(
        "{}: {} bytes, {} of them unpacked",
        path.display(),
        packed.len(),
        module.len()
    );
    Ok(())
}
