//! Does every fault of `tests/faults.toml` still have its place and its test? On demand: does the test detect it?

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
struct Faults {
    fault: Vec<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    name: String,
    file: PathBuf,
    find: String,
    with: String,
    /// `lib` or a folder of `tests/`.
    program: String,
    test: String,
}

fn faults() -> Vec<Fault> {
    let text = std::fs::read_to_string("tests/faults.toml").unwrap();
    toml::from_str::<Faults>(&text).unwrap().fault
}

/// The sources of a test program.
fn tests_of(program: &str) -> String {
    let folder = match program {
        "lib" => PathBuf::from("src"),
        _ => Path::new("tests").join(program),
    };
    let mut files = Vec::new();
    crate::test_files::sources(&folder, &mut files);
    let texts = files
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap());
    texts.collect()
}

#[test]
fn every_fault_has_its_place_and_its_test() {
    for Fault {
        name,
        file,
        find,
        program,
        test,
        ..
    } in faults()
    {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let places = text.matches(&find).count();
        assert_eq!(
            places,
            1,
            "{name}: places of \"{find}\" in {}",
            file.display()
        );
        let declared = tests_of(&program).contains(&format!("fn {test}("));
        assert!(declared, "{name}: {program} has no test {test}");
    }
}

/// Runs in a copy of the repository below `target`, so that a second run compiles little.
#[test]
#[ignore = "compiles the library 32 times, 20 minutes: cargo test --release --test house -- --ignored"]
fn every_fault_fails_its_test() {
    let copy = Path::new("target/faults");
    let listed = Command::new("git").arg("ls-files").output().unwrap();
    for file in String::from_utf8(listed.stdout).unwrap().lines() {
        let to = copy.join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(file, to).unwrap();
    }
    let mut unnoticed = Vec::new();
    for fault in faults() {
        let text = std::fs::read_to_string(&fault.file).unwrap();
        std::fs::write(
            copy.join(&fault.file),
            text.replace(&fault.find, &fault.with),
        )
        .unwrap();
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--profile", "daily"]).current_dir(copy);
        match fault.program.as_str() {
            "lib" => cargo.arg("--lib"),
            program => cargo.args(["--test", program]),
        };
        let output = cargo.arg(&fault.test).output().unwrap();
        std::fs::write(copy.join(&fault.file), text).unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        let noticed = printed.contains("test result: FAILED");
        println!(
            "{}: {}",
            fault.name,
            if noticed { "noticed" } else { "not noticed" }
        );
        if !noticed {
            unnoticed.push(fault.name + "\n" + &String::from_utf8_lossy(&output.stderr));
        }
    }
    assert!(unnoticed.is_empty(), "{}", unnoticed.join("\n"));
}
