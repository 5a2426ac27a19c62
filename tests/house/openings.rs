//! Does every doc comment begin with what its item is or does?

use std::path::Path;

/// Folders whose Rust files are checked.
const FOLDERS: [&str; 8] = [
    "src", "tests", "xtask", "fuzz", "benches", "examples", "python", "tools",
];

/// Openings that do not describe the item, or depend on the comment before.
const FORBIDDEN: [&str; 10] = [
    "What ",
    "Of ",
    "The same",
    "See the module text",
    "Whoever",
    "Nobody",
    "Somebody",
    "Whose ",
    "That ",
    "Those ",
];

/// Returns the places of doc comments with a forbidden opening: at the start of a comment, or after an empty line.
fn wrong(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let comment = |line: &str| -> Option<String> {
        let line = line.trim_start();
        let rest = line.strip_prefix("///").or(line.strip_prefix("//!"))?;
        Some(rest.trim_start().to_owned())
    };
    let mut before: Option<String> = None;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let own = comment(line);
        // A paragraph opens after a line without text.
        let opens = before.as_ref().is_none_or(String::is_empty);
        let is_wrong = |text: &String| FORBIDDEN.iter().any(|opening| text.starts_with(opening));
        if opens && own.as_ref().is_some_and(is_wrong) {
            found.push(format!(
                "{}:{}: {}",
                path.display(),
                number + 1,
                line.trim()
            ));
        }
        before = own;
    }
    found
}

#[test]
fn every_doc_comment_begins_with_what_its_item_is() {
    let mut folders = FOLDERS.map(|name| Path::new(name).to_owned()).to_vec();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // Build folders hold generated sources.
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.extend(wrong(&path));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
