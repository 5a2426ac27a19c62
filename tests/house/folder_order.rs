//! Does every folder of `src` use only folders below it?

use std::fs;
use std::path::Path;

/// Ground to roof: a folder uses those before it in this list. `sim` and `model` never name each other.
const FOLDERS: [&str; 17] = [
    "util",
    "gp",
    "isa",
    "trace",
    "device",
    "vliw",
    "launch",
    "sim",
    "model",
    "systems",
    "predictor",
    "study",
    "validate",
    "measure",
    "interop",
    "report",
    "commands",
];

fn height(folder: &str) -> Option<usize> {
    FOLDERS.iter().position(|known| *known == folder)
}

/// The first name after each `crate::` outside comments. A macro of the crate's root has no folder; a group in braces
/// comes out empty, which no folder is called.
fn used(text: &str) -> Vec<&str> {
    let code = text.lines().map(|line| line.split("//").next().unwrap());
    let uses = code.flat_map(|line| line.split("crate::").skip(1));
    let names = uses.filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        (!after.starts_with('!')).then_some(name)
    });
    names.collect()
}

/// Collects names that the files below `path`, which belong to `folder`, use against the order.
fn wrong_uses(path: &Path, folder: &str, wrong: &mut Vec<String>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            wrong_uses(&path, folder, wrong);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let is_allowed = |name: &str| match (folder, name) {
                ("model", "sim") => false,
                _ => height(name).is_some_and(|other| Some(other) <= height(folder)),
            };
            let names = used(&text).into_iter().filter(|name| !is_allowed(name));
            wrong.extend(names.map(|name| format!("{}: crate::{name}", path.display())));
            if height(folder).is_none() {
                wrong.push(format!("{}: not in the list of folders", path.display()));
            }
        }
    }
}

#[test]
fn a_folder_uses_those_below_it() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir("src").unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            wrong_uses(
                &path,
                path.file_name().unwrap().to_str().unwrap(),
                &mut wrong,
            );
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Rows that begin with "| `src/NAME/` |".
#[test]
fn the_map_in_the_book_has_the_same_folders() {
    let text = fs::read_to_string("docs/architecture.md").unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `src/"));
    let folders = rows.filter_map(|row| row.split_once("/` |"));
    let folders: Vec<&str> = folders.map(|(name, _)| name).collect();
    assert_eq!(folders, FOLDERS);
}

#[test]
fn uses_are_found() {
    let text = "use crate::gp::A; // crate::no\nf(crate::sim::y(crate::B), crate::own!());\nuse crate::{isa, trace};";
    assert_eq!(used(text), ["gp", "sim", "B", ""]);
}
