//! Twenty questions: does every command say what the table says?

use super::compare::line_matches;
use assert_cmd::Command;
use std::path::Path;

/// Command and a line of its output, of every row.
fn rows(page: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(page).unwrap();
    let cells = |line: &str| -> Option<(String, String)> {
        let mut cells = line.split('|').map(str::trim).skip(2);
        let command = cells
            .next()?
            .strip_prefix("`warpstack ")?
            .strip_suffix('`')?;
        Some((command.to_owned(), cells.next()?.to_owned()))
    };
    text.lines().filter_map(cells).collect()
}

#[test]
fn every_question_has_its_answer() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/questions.md");
    let rows = rows(&page);
    assert_eq!(rows.len(), 20);
    for (command, answer) in rows {
        let words = command.split_whitespace();
        let output = Command::cargo_bin("warpstack")
            .unwrap()
            .args(words)
            .output();
        let printed = String::from_utf8(output.unwrap().stdout).unwrap();
        let is_said = printed
            .lines()
            .any(|line| line_matches(&answer, line, true));
        assert!(is_said, "`{command}` does not say `{answer}`:\n{printed}");
    }
}
