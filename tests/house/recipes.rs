//! Can the recipes of the book be followed word by word? Their changes fit the sources as they are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every `diff` block of the pages on how to add something, with its page.
fn diffs() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("docs/how-to").unwrap() {
        let page = entry.unwrap().path();
        let text = std::fs::read_to_string(&page).unwrap();
        let blocks = text.split("```diff\n").skip(1);
        for block in blocks {
            found.push((page.clone(), block.split("```").next().unwrap().to_owned()));
        }
    }
    found
}

fn applies(diff: &str) -> Result<(), String> {
    let mut git = Command::new("git");
    git.args(["apply", "--check", "-"]);
    let mut child = git
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), diff.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn the_changes_of_the_recipes_fit_the_sources() {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("git was not found: nothing was tried");
        return;
    }
    let diffs = diffs();
    for page in ["kernel.md", "primitive.md", "problem.md"] {
        let page = Path::new("docs/how-to").join(page);
        assert!(
            diffs.iter().any(|(of, _)| *of == page),
            "{page:?} has no change"
        );
    }
    for (page, diff) in diffs {
        applies(&diff).unwrap_or_else(|why| panic!("{}: {why}", page.display()));
    }
    assert!(
        applies("--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-no such line\n+a line\n").is_err()
    );
}

#[test]
fn the_definition_that_the_recipe_shows_is_the_one_that_the_tests_have() {
    let page = std::fs::read_to_string("docs/how-to/problem.md").unwrap();
    let shown = page.split("```rust\n").nth(1).unwrap();
    let shown = shown.split("```").next().unwrap();
    let example = std::fs::read_to_string("src/gp/problem/parity.rs").unwrap();
    assert!(example.contains(shown), "{shown}");
}
