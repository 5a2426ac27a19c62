//! The copy of the repository with its mutants: what does not compile is dropped, the rest is built once.

use super::Failure;
use super::draw::{self, File};
use super::schemata::{self, Mutant};
use super::suites::Binary;
use super::table::{self, Row};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the mutants go by, in the copy.
const RUNTIME_PATH: &str = "src/mutant.rs";

type Places = HashMap<String, Vec<(u32, Range<usize>)>>;

pub fn run(folder: &Path, sample: usize, seed: u64) -> Result<(), Failure> {
    let root = crate::in_repository(".");
    copy(&root, folder)?;
    let files = draw::files(&root, sample, seed)?;
    let n_drawn: usize = files.iter().map(|file| file.drawn.len()).sum();
    let n_sites: usize = files.iter().map(|file| file.n_sites).sum();
    println!("{n_drawn} of {n_sites} sites in {} files", files.len());
    let mut dropped = BTreeSet::new();
    loop {
        let places = write(folder, &files, &dropped)?;
        let wrong = do_not_compile(folder, &places)?;
        if wrong.is_empty() {
            break;
        }
        println!("{} do not compile", wrong.len());
        dropped.extend(wrong);
    }
    let kept = |id: &u32| !dropped.contains(id);
    let drawn = files
        .iter()
        .flat_map(|file| file.drawn.iter().map(move |drawn| (file, drawn)));
    let rows: Vec<Row> = drawn
        .filter(|(_, (id, _))| kept(id))
        .map(|(file, (id, site))| Row::new(*id, &file.path, site, &file.text))
        .collect();
    println!("{} mutants", rows.len());
    let table_path = folder.join("mutants.csv");
    let before = table::read(&table_path).unwrap_or_default();
    table::write(&table_path, &table::with_outcomes(rows, &before))?;
    let binaries = build(folder)?;
    println!("{} test programs", binaries.len());
    standard_library(folder)?;
    std::fs::write(
        folder.join("binaries.json"),
        serde_json::to_string_pretty(&binaries)?,
    )?;
    Ok(())
}

fn done(command: &mut Command) -> Result<(), Failure> {
    let status = command.status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {status}").into()),
    }
}

/// What git knows, with the library as a shared one: 60 test programs then hold it once.
fn copy(root: &Path, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let mut known: BTreeSet<PathBuf> = listed.split_terminator('\0').map(PathBuf::from).collect();
    known.insert(RUNTIME_PATH.into());
    for path in listed.split_terminator('\0') {
        let to = folder.join(path);
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let bytes = std::fs::read(root.join(path))?;
        write_if_changed(&to, &bytes)?;
    }
    let manifest = std::fs::read_to_string(root.join("Cargo.toml"))?;
    let shared = manifest.replace("[[bin]]", "[lib]\ncrate-type = [\"dylib\"]\n\n[[bin]]");
    write_if_changed(&folder.join("Cargo.toml"), shared.as_bytes())?;
    write_if_changed(&folder.join(RUNTIME_PATH), schemata::RUNTIME.as_bytes())?;
    let library = std::fs::read_to_string(root.join("src/lib.rs"))?;
    let library =
        library.replace("#![deny(missing_docs)]", "") + "\n#[doc(hidden)]\npub mod mutant;\n";
    write_if_changed(&folder.join("src/lib.rs"), library.as_bytes())?;
    // A test that has moved would be there twice.
    let top = |path: &PathBuf| Some(PathBuf::from(path.components().next()?.as_os_str()));
    let folders: BTreeSet<PathBuf> = known.iter().filter_map(top).collect();
    for one in folders.iter().filter(|one| folder.join(one).is_dir()) {
        remove_others(folder, one, &known)?;
    }
    Ok(())
}

/// Files under `within` that are not `known`.
fn remove_others(folder: &Path, within: &Path, known: &BTreeSet<PathBuf>) -> Result<(), Failure> {
    for entry in std::fs::read_dir(folder.join(within))? {
        let entry = entry?;
        let path = within.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => remove_others(folder, &path, known)?,
            false if known.contains(&path) => {}
            false => std::fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

/// Beside the copy, which then runs where no Rust is.
fn standard_library(folder: &Path) -> Result<(), Failure> {
    let asked = Command::new("rustc")
        .args(["--print", "target-libdir"])
        .output()?;
    let libraries = String::from_utf8(asked.stdout)?;
    let into = folder.join("lib");
    std::fs::create_dir_all(&into)?;
    for entry in std::fs::read_dir(libraries.trim())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.extension().is_some_and(|end| end == "so")
            && name.to_string_lossy().starts_with("libstd")
        {
            std::fs::copy(&path, into.join(name))?;
        }
    }
    Ok(())
}

/// Cargo goes by times.
fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    match std::fs::read(path) {
        Ok(before) if before == bytes => Ok(()),
        _ => Ok(std::fs::write(path, bytes)?),
    }
}

fn write(folder: &Path, files: &[File], dropped: &BTreeSet<u32>) -> Result<Places, Failure> {
    let mut all = Places::new();
    for file in files {
        let kept: Vec<Mutant> = (file.drawn.iter())
            .filter(|(id, _)| !dropped.contains(id))
            .map(|(id, site)| Mutant { id: *id, site })
            .collect();
        let (text, places) = schemata::render(&file.text, &kept);
        write_if_changed(&folder.join(&file.path), text.as_bytes())?;
        all.insert(file.path.display().to_string(), places);
    }
    Ok(all)
}

fn cargo(folder: &Path, arguments: &[&str]) -> Result<(bool, Vec<Value>), Failure> {
    let output = Command::new("cargo")
        .args(arguments)
        .args(["--release", "--message-format=json"])
        .env("RUSTFLAGS", "-C prefer-dynamic -A warnings")
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()?;
    let lines = String::from_utf8_lossy(&output.stdout);
    let messages = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Ok((output.status.success(), messages.collect()))
}

/// The mutants that errors point into.
fn do_not_compile(folder: &Path, places: &Places) -> Result<BTreeSet<u32>, Failure> {
    let (compiles, messages) = cargo(folder, &["check", "--lib"])?;
    if compiles {
        return Ok(BTreeSet::new());
    }
    let mut wrong = BTreeSet::new();
    let mut first = String::new();
    for message in &messages {
        let message = &message["message"];
        if message["level"] != "error" {
            continue;
        }
        if first.is_empty() {
            first = message["rendered"].as_str().unwrap_or_default().to_owned();
        }
        for span in message["spans"].as_array().into_iter().flatten() {
            let number = |key: &str| span[key].as_u64().unwrap_or(0) as usize;
            let (start, end) = (number("byte_start"), number("byte_end"));
            let file = span["file_name"].as_str().unwrap_or_default();
            let touched = places.get(file).into_iter().flatten();
            let touched = touched.filter(|(_, place)| place.start < end && start < place.end);
            wrong.extend(touched.map(|(id, _)| *id));
        }
    }
    match wrong.is_empty() {
        true => Err(format!("the copy does not compile: {first}").into()),
        false => Ok(wrong),
    }
}

fn build(folder: &Path) -> Result<Vec<Binary>, Failure> {
    let (built, messages) = cargo(folder, &["test", "--no-run", "--lib", "--bins", "--tests"])?;
    if !built {
        let errors = messages.iter().filter(|m| m["message"]["level"] == "error");
        let shown = errors.filter_map(|m| m["message"]["rendered"].as_str());
        return Err(shown.collect::<Vec<_>>().join("\n").into());
    }
    let tests = messages.iter().filter(|m| m["profile"]["test"] == true);
    let binaries = tests.filter_map(|message| {
        let path = message["executable"].as_str()?;
        let is_library = message["target"]["kind"][0] == "dylib";
        let name = message["target"]["name"].as_str()?;
        Some(Binary {
            name: if is_library { "lib" } else { name }.to_owned(),
            path: path.into(),
        })
    });
    let binaries: Vec<Binary> = binaries.collect();
    for binary in &binaries {
        done(Command::new("strip").arg(&binary.path))?;
    }
    done(Command::new("strip").arg(folder.join("target/release/deps/libwarpstack.so")))?;
    Ok(binaries)
}
