//! Writes the data set of all measurements as one file: `cargo xtask dataset OUT.tar.gz`. Without OUT it only updates the checksums,
//! `fixtures/measured/SHA256SUMS`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::random_programs::population;
use super::tar::archive;
use super::{Failure, in_repository, printed};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use warpstack::gp::problem::PAPER;
use warpstack::systems::chitty::random_programs::LEAST_DEPTH;
use warpstack::validate::at_hand::SEEDS;

const SUMS: &str = "fixtures/measured/SHA256SUMS";
/// Folders below `fixtures/` with measurements, and with what was measured.
const MEASURED: [&str; 2] = ["measured", "papers"];
const MACHINE_CODE: [&str; 2] = ["sass/sm_35", "sass/sm_90"];
/// Predictions, and the file of the checksums itself.
const NO_DATA: [&str; 3] = [
    "measured/SHA256SUMS",
    "measured/errors.csv",
    "measured/predictions.csv",
];

#[derive(clap::Args)]
pub struct Args {
    /// File to write, .tar.gz
    out: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let mut files = Vec::new();
    for folder in MEASURED {
        files.extend(below(folder)?);
    }
    files.retain(|(name, _)| !NO_DATA.contains(&name.as_str()));
    let sums = checksums(&files);
    fs::write(in_repository(SUMS), &sums)?;
    let Some(out) = args.out else {
        return Ok(());
    };
    files.push(("measured/SHA256SUMS".to_owned(), sums.into_bytes()));
    for (name, path) in [
        ("README.md", "docs/data.md"),
        ("CITATION.cff", "CITATION.cff"),
        ("LICENSE", "fixtures/measured/LICENSE"),
    ] {
        files.push((name.to_owned(), fs::read(in_repository(path))?));
    }
    for folder in MACHINE_CODE {
        files.extend(below(folder)?);
    }
    for seed in SEEDS {
        for problem in PAPER {
            let text = population(problem, LEAST_DEPTH, seed)?;
            files.push((format!("programs/{seed}/{problem}.txt"), text.into_bytes()));
        }
    }
    let template = printed(&["score", "--template", "--format", "csv"])?;
    files.push(("template.csv".to_owned(), template));
    let n_files = files.len();
    for (name, _) in &mut files {
        *name = format!("warpstack-data/{name}");
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&archive(&files)?)?;
    let packed = packed.finish()?;
    let part = out.with_extension("part");
    fs::write(&part, &packed)?;
    fs::rename(&part, &out)?;
    eprintln!(
        "{}: {n_files} files, {:.1} MB",
        out.display(),
        packed.len() as f64 / 1e6
    );
    Ok(())
}

/// Returns all files below a folder of `fixtures/`, by name, in order.
fn below(folder: &str) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(in_repository("fixtures").join(&folder))? {
            let entry = entry?;
            let name = folder.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                true => folders.push(name),
                false => found.push((slashes(&name), fs::read(entry.path())?)),
            }
        }
    }
    found.sort();
    Ok(found)
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Returns the lines that `sha256sum --check` reads in `fixtures/`.
fn checksums(files: &[(String, Vec<u8>)]) -> String {
    let mut text = String::new();
    for (name, content) in files {
        let digits = Sha256::digest(content);
        let digits = digits.iter().map(|byte| format!("{byte:02x}"));
        let digits: String = digits.collect();
        let _ = writeln!(text, "{digits}  {name}");
    }
    text
}
