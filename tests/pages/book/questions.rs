//! Twenty questions: does every command print the numbers of its answer?

use super::compare::word_matches;
use assert_cmd::Command;
use std::path::Path;

/// Command and answer of every row.
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

/// The numbers of a text; names of caches and targets of links have none.
fn numbers(text: &str) -> Vec<String> {
    let mut plain = String::new();
    for (place, part) in text.split("](").enumerate() {
        let part = match place {
            0 => part,
            _ => part.split_once(')').map_or("", |(_, rest)| rest),
        };
        plain += part;
    }
    let plain = plain.replace("L1", "").replace("L2", "");
    let is_other = |c: char| !(c.is_ascii_digit() || c == '.');
    let words = plain.split(is_other).map(|word| word.trim_matches('.'));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_number_of_an_answer_is_printed_by_its_command() {
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
        let printed_numbers = numbers(&printed);
        for number in numbers(&answer) {
            let mut all = printed_numbers.iter();
            let is_printed = all.any(|other| word_matches(&number, other, true));
            assert!(
                is_printed,
                "`{command}` does not print {number}:\n{printed}"
            );
        }
    }
}
