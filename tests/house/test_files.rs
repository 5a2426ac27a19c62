//! Is every file below `tests/` part of a test program?

use std::path::{Path, PathBuf};

/// Every file below a folder.
pub fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// Files below a folder whose names end like this.
pub fn files_of(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut all = Vec::new();
    files(folder, &mut all);
    all.retain(|path| path.extension().is_some_and(|found| found == ending));
    found.append(&mut all);
}

/// Rust sources below a folder.
pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    files_of(folder, "rs", found);
}

/// The file that must declare this one as a module; `None` for the root of a test program.
fn parent(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().unwrap();
    let depth = folder.components().count();
    match depth {
        1 => None,
        2 if file.ends_with("main.rs") => None,
        2 => Some(folder.join("main.rs")),
        _ => Some(folder.with_extension("rs")),
    }
}

#[test]
fn no_test_file_is_left_out() {
    let mut files = Vec::new();
    sources(Path::new("tests"), &mut files);
    for file in files {
        let Some(parent) = parent(&file) else {
            continue;
        };
        let name = file.file_stem().unwrap().to_str().unwrap();
        let declared = std::fs::read_to_string(&parent)
            .is_ok_and(|text| text.lines().any(|line| line == format!("mod {name};")));
        assert!(
            declared,
            "{}: {} has no line `mod {name};`",
            file.display(),
            parent.display()
        );
    }
    let folders = std::fs::read_dir("tests").unwrap();
    for folder in folders
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
    {
        assert!(
            folder.join("main.rs").is_file(),
            "{} has no main.rs",
            folder.display()
        );
    }
}
