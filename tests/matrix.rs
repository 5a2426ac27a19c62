//! Does every prediction stay the same to the last bit?
//!
//! `fixtures/golden/matrix.txt` and `matrix-long.txt` hold commands and the numbers they gave, one line per row of the result. A command
//! begins with `$`; `--format json` is added to it, and `{dir}` is an empty folder in which the commands that begin with `!` run first.
//! Numbers have all their digits. Texts, provenance and wall time are left out; fields that a line does not have are not compared.
//! A refusal is a line too: its exit code and its message.
//! `WARPSTACK_UPDATE_GOLDEN=1` writes the numbers of all commands anew: say in the commit which ones moved and why. A new point is a new `$` line.

#![cfg(feature = "cli")]

use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Points that a failure prints.
const SHOWN: usize = 10;

/// Fields outside the prediction.
const LEFT_OUT: [&str; 3] = ["provenance", "wall_seconds", "seed"];

/// One command and its lines.
struct Question {
    command: String,
    lines: Vec<String>,
}

#[test]
fn matrix() {
    check("fixtures/golden/matrix.txt");
}

#[test]
#[ignore = "takes minutes: cargo test --test matrix -- --ignored"]
fn long_matrix() {
    check("fixtures/golden/matrix-long.txt");
}

fn check(path: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    let (comments, questions) = parse(&text);
    let folder = tempfile::tempdir().unwrap();
    for command in comments.iter().filter_map(|line| line.strip_prefix("! ")) {
        let output = run(command, folder.path());
        assert!(output.status.success(), "{command}: {output:?}");
    }
    let answers = answers(&questions, folder.path());
    if std::env::var_os("WARPSTACK_UPDATE_GOLDEN").is_some() {
        let blocks = questions.iter().zip(&answers);
        let blocks = blocks.map(|(question, lines)| {
            let head = format!("$ {}\n", question.command);
            head + &lines.concat_lines()
        });
        std::fs::write(path, comments.concat_lines() + &blocks.collect::<String>()).unwrap();
        return;
    }
    let moved: Vec<String> = questions
        .iter()
        .zip(&answers)
        .flat_map(|(question, got)| moved(question, got))
        .collect();
    assert!(
        moved.is_empty(),
        "{} points moved, the first of them:\n{}",
        moved.len(),
        moved[..moved.len().min(SHOWN)].concat_lines()
    );
}

trait ConcatLines {
    fn concat_lines(&self) -> String;
}

impl ConcatLines for [String] {
    fn concat_lines(&self) -> String {
        self.iter().flat_map(|line| [line, "\n"]).collect()
    }
}

/// The lines before the first command, and the commands.
fn parse(text: &str) -> (Vec<String>, Vec<Question>) {
    let (mut comments, mut questions) = (Vec::new(), Vec::<Question>::new());
    for line in text.lines() {
        match (line.strip_prefix("$ "), questions.last_mut()) {
            (Some(command), _) => questions.push(Question {
                command: command.to_owned(),
                lines: Vec::new(),
            }),
            (None, Some(question)) => question.lines.push(line.to_owned()),
            (None, None) => comments.push(line.to_owned()),
        }
    }
    (comments, questions)
}

/// The lines of every command, in order; as many commands at a time as there are processors.
fn answers(questions: &[Question], folder: &Path) -> Vec<Vec<String>> {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(vec![Vec::new(); questions.len()]);
    let work = || {
        while let Some((i, question)) = {
            let i = next.fetch_add(1, Ordering::Relaxed);
            questions.get(i).map(|question| (i, question))
        } {
            let lines = lines(&question.command, folder);
            answers.lock().unwrap()[i] = lines;
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(work);
        }
    });
    answers.into_inner().unwrap()
}

fn run(command: &str, folder: &Path) -> Output {
    let folder = folder.to_str().unwrap();
    let words = command.split(' ').map(|word| word.replace("{dir}", folder));
    let mut program = Command::new(env!("CARGO_BIN_EXE_warpstack"));
    program.args(words).output().unwrap()
}

fn lines(command: &str, folder: &Path) -> Vec<String> {
    let output = run(&format!("{command} --format json"), folder);
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code().unwrap_or(-1);
        return vec![format!("exit {code}: {}", message.trim_end())];
    }
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = match value.get("rows") {
        Some(Value::Array(rows)) => &rows[..],
        _ => std::slice::from_ref(&value),
    };
    rows.iter()
        .map(|row| {
            let mut fields = Vec::new();
            flatten(row, String::new(), &mut fields);
            fields.join(" ")
        })
        .collect()
}

/// Every number, yes or no, and gap below `value`, as `path=number`.
fn flatten(value: &Value, path: String, fields: &mut Vec<String>) {
    let below = |name: &str| match path.is_empty() {
        true => name.to_owned(),
        false => format!("{path}.{name}"),
    };
    match value {
        Value::Object(map) => {
            let kept = map
                .iter()
                .filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
            let by_name: BTreeMap<_, _> = kept.collect();
            let below = |(name, value): (&String, _)| flatten(value, below(name), fields);
            by_name.into_iter().for_each(below);
        }
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                flatten(value, below(&i.to_string()), fields);
            }
        }
        Value::String(_) => {}
        Value::Number(number) => {
            let shown = match number.as_f64() {
                Some(float) if number.is_f64() => float.to_string(),
                _ => number.to_string(),
            };
            fields.push(format!("{path}={shown}"));
        }
        Value::Bool(_) | Value::Null => fields.push(format!("{path}={value}")),
    }
}

/// Returns the changed numbers, one line per point.
fn moved(question: &Question, got: &[String]) -> Vec<String> {
    let mut moved = Vec::new();
    if question.lines.len() != got.len() {
        moved.push(format!(
            "$ {}: {} rows recorded, {} now",
            question.command,
            question.lines.len(),
            got.len()
        ));
    }
    for (row, (recorded, got)) in question.lines.iter().zip(got).enumerate() {
        let differences = differences(recorded, got);
        if !differences.is_empty() {
            let all = differences.join(", ");
            moved.push(format!("$ {} [{row}]: {all}", question.command));
        }
    }
    moved
}

/// Returns the fields of a recorded line that have changed.
fn differences(recorded: &str, got: &str) -> Vec<String> {
    if recorded.starts_with("exit ") || got.starts_with("exit ") {
        let same = recorded == got;
        return (!same)
            .then(|| format!("\"{recorded}\" recorded, \"{got}\" now"))
            .into_iter()
            .collect();
    }
    let now: HashMap<&str, &str> = got.split(' ').filter_map(|f| f.split_once('=')).collect();
    let fields = recorded.split(' ').filter_map(|f| f.split_once('='));
    fields
        .filter(|(name, value)| now.get(name) != Some(value))
        .map(|(name, value)| {
            let now = now.get(name).unwrap_or(&"nothing");
            format!("{name} {value} recorded, {now} now")
        })
        .collect()
}
