//! Do comments and pages name files that exist?

use crate::test_files::{files, files_of, sources};
use std::path::{Path, PathBuf};

/// The README and the pages of the book.
fn pages() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("README.md")];
    files_of(Path::new("docs"), "md", &mut found);
    found
}

/// Returns names of source files in backticks, without patterns such as `tests/FOLDER/main.rs`.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|name| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
        let endings = [".rs", ".cu", ".cuh", ".py", ".js", ".css"];
        name.chars().all(plain)
            && endings.iter().any(|ending| name.ends_with(ending))
            && !name.contains("FOLDER")
    })
}

#[test]
fn every_file_that_is_named_exists() {
    let mut known = Vec::new();
    for folder in [
        "src", "tests", "tools", "xtask", "fuzz", "examples", "benches", "python", "wasm",
    ] {
        files(Path::new(folder), &mut known);
    }
    known.push("build.rs".into());
    let mut texts = pages();
    sources(Path::new("src"), &mut texts);
    for file in texts {
        let is_source = file.extension().is_some_and(|ending| ending == "rs");
        let text = std::fs::read_to_string(&file).unwrap();
        for (at, line) in text.lines().enumerate() {
            if is_source && !line.trim_start().starts_with("//") {
                continue;
            }
            for name in named(line) {
                let exists = known
                    .iter()
                    .any(|path| path.ends_with(name.trim_start_matches("./")));
                assert!(exists, "{}, line {}: {name}", file.display(), at + 1);
            }
        }
    }
}
