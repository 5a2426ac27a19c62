//! Builds the book with the page that simulates in it, target/book/: `cargo xtask book`. Needs `mdbook` on the path.

use std::process::Command;

use super::{Failure, in_repository, printed};

pub fn run() -> Result<(), Failure> {
    let built = Command::new("mdbook")
        .arg("build")
        .current_dir(in_repository(""))
        .status();
    let status = built.map_err(|error| format!("mdbook: {error}"))?;
    if !status.success() {
        return Err("mdbook did not build the book".into());
    }
    printed(&["explore", "--out", "target/book/live.html"])?;
    println!("{}", in_repository("target/book/index.html").display());
    Ok(())
}
