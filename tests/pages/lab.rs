//! Can the lab be done by its own text: the sheet's commands in their order, the instructor's answers, the marks?

use super::book::command_of;
use crate::program::{refused, warpstack};
use std::fs;
use std::path::Path;
use std::process::Output;

const SHEET: &str = "docs/lab/sheet.md";
const NOTES: &str = "docs/lab/instructor.md";
const TEMPLATE: &str = "docs/lab/answers.toml";

/// Commands of the sheet in the order of its text, without `warpstack`.
fn commands() -> Vec<String> {
    let text = fs::read_to_string(SHEET).unwrap();
    let commands = text.lines().filter_map(command_of);
    commands.map(str::to_owned).collect()
}

/// Question and answer of every row of the notes' table.
fn answers() -> Vec<(String, String)> {
    let text = fs::read_to_string(NOTES).unwrap();
    let row = |line: &str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let question = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((question.to_owned(), cells.next()?.to_owned()))
    };
    text.lines().filter_map(row).collect()
}

/// Writes an answer between the quotes of its line.
fn fill(template: &str, question: &str, answer: &str) -> String {
    let (task, key) = question.split_once('.').unwrap();
    let (before, section) = template
        .split_once(&format!("[{task}]\n"))
        .unwrap_or_else(|| panic!("no section {task}"));
    let empty = format!("\n{key} = \"\"");
    assert!(section.contains(&empty), "no line for {question}");
    let filled = section.replacen(&empty, &format!("\n{key} = \"{answer}\""), 1);
    format!("{before}[{task}]\n{filled}")
}

fn all_filled(template: &str) -> String {
    let answers = answers();
    let filled = answers
        .iter()
        .fold(template.to_owned(), |text, (question, answer)| {
            fill(&text, question, answer)
        });
    let lines: Vec<&str> = filled
        .lines()
        .filter(|line| line.ends_with("= \"\""))
        .collect();
    assert!(lines.is_empty(), "{NOTES} lacks {lines:?}");
    filled
}

fn run(folder: &Path, command: &str) -> Output {
    warpstack(command).current_dir(folder).output().unwrap()
}

fn printed(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// Rows of a mark in the table of `lab check`.
fn n_marked(table: &str, mark: &str) -> usize {
    let is_it = |line: &&str| line.trim_end().ends_with(&format!(" {mark}"));
    table.lines().filter(is_it).count()
}

#[test]
fn the_sheet_is_done_word_for_word() {
    let folder = tempfile::tempdir().unwrap();
    let commands = commands();
    let is_check = |command: &&String| command.starts_with("lab check");
    assert!(commands.len() >= 14, "{commands:?}");
    assert_eq!(commands.iter().filter(is_check).count(), 2);
    let (last, others) = commands.split_last().unwrap();
    let path = folder.path().join("answers.toml");
    let mut n_questions = 0;
    for command in others {
        let output = run(folder.path(), command);
        let (table, summary) = printed(&output);
        if !is_check(&command) {
            assert!(output.status.success(), "{command}: {summary}");
            continue;
        }
        // Nothing is answered yet.
        assert_eq!(output.status.code(), Some(1), "{summary}");
        n_questions = answers().len();
        assert_eq!(n_marked(&table, "unanswered"), n_questions, "{table}");
        assert_eq!(summary.trim(), format!("0 of {n_questions} right"));
    }
    let template = fs::read_to_string(&path).unwrap();
    fs::write(&path, all_filled(&template)).unwrap();
    let output = run(folder.path(), last);
    let (table, summary) = printed(&output);
    assert_eq!(n_marked(&table, "right"), n_questions, "{table}");
    assert_eq!(output.status.code(), Some(0), "{table}");
    assert_eq!(
        summary.trim(),
        format!("{n_questions} of {n_questions} right")
    );
}

#[test]
fn a_wrong_answer_is_marked_with_its_hint_and_without_the_right_one() {
    let folder = tempfile::tempdir().unwrap();
    let template = fs::read_to_string(TEMPLATE).unwrap();
    let answers = fill(&template, "occupancy.resident_warps_32", "64");
    let answers = fill(&answers, "cache.limit_128", "occupancy");
    let answers = fill(&answers, "registers.change_896", "-29 %");
    fs::write(folder.path().join("a.toml"), answers).unwrap();
    let output = run(folder.path(), "lab check a.toml --format json");
    assert_eq!(output.status.code(), Some(1));
    let (text, summary) = printed(&output);
    assert_eq!(
        summary.trim(),
        format!("1 of {} right", self::answers().len())
    );
    let marks: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = marks["rows"].as_array().unwrap();
    let of = |question: &str| rows.iter().find(|row| row["question"] == question).unwrap();
    let wrong = of("occupancy.resident_warps_32");
    assert_eq!(
        (&wrong["mark"], &wrong["given"]),
        (&"wrong".into(), &64.0.into())
    );
    let hint = wrong["look_at"].as_str().unwrap();
    assert!(
        hint.contains("limited by") && !hint.contains("16"),
        "{hint}"
    );
    assert_eq!(of("cache.limit_128")["mark"], "wrong");
    assert_eq!(of("registers.change_896")["mark"], "right");
    assert_eq!(
        of("registers.change_896")["look_at"],
        serde_json::Value::Null
    );
    let (table, _) = printed(&run(folder.path(), "lab check a.toml"));
    assert!(
        table.contains("\ncache.limit_128: look at the table"),
        "{table}"
    );
}

#[test]
fn the_committed_empty_answers_are_what_start_writes() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("lab");
    let start = format!("lab start --out-dir {}", made.display());
    assert!(warpstack(&start).output().unwrap().status.success());
    let written = fs::read_to_string(made.join("answers.toml")).unwrap();
    if std::env::var_os("WARPSTACK_UPDATE_GOLDEN").is_some() {
        fs::write(TEMPLATE, &written).unwrap();
    }
    assert!(
        written == fs::read_to_string(TEMPLATE).unwrap(),
        "{TEMPLATE}"
    );
    refused(&start, &["--out-dir", "answers.toml", "allowed: a folder"]);
    refused("lab check absent.toml", &["absent.toml"]);
    let path = made.join("answers.toml");
    fs::write(&path, "[occupancy]\nlimit_23 = \"\"\n").unwrap();
    let check = format!("lab check {}", path.display());
    refused(&check, &["answers.toml, line 2", "limit_23", "limit_32"]);
}
