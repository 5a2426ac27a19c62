//! The program, run with the words of a line.

use assert_cmd::Command;
use std::process::Output;

/// Words of a command line; double quotes hold words together.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('"').enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.into()),
        }
    }
    words
}

/// The program with the words of `line`, which begin with the subcommand.
pub fn warpstack(line: &str) -> Command {
    let mut command = Command::cargo_bin("warpstack").unwrap();
    command.args(words(line));
    command
}

/// Output of a command that succeeds.
pub fn succeeds(line: &str) -> Output {
    let output = warpstack(line).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    output
}

/// Standard output of a command that succeeds.
pub fn stdout(line: &str) -> String {
    String::from_utf8(succeeds(line).stdout).unwrap()
}

pub fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(&stdout(&format!("{line} --format json"))).unwrap()
}

/// Refused with exit code 2 and nothing printed, in one line that has all `parts`; returns the line.
pub fn refused(line: &str, parts: &[&str]) -> String {
    let output = warpstack(line).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{line}: {message}");
    assert!(output.stdout.is_empty(), "{line} printed a result");
    assert_eq!(message.trim_end().lines().count(), 1, "{line}: {message}");
    assert!(message.starts_with("error: "), "{line}: {message}");
    for part in parts {
        assert!(
            message.contains(part),
            "{line}: no \"{part}\" in: {message}"
        );
    }
    message
}

/// Each of the lines is refused; what must be named is separated by `|`.
pub fn refuses(cases: &[(&str, &str)]) {
    for (line, parts) in cases {
        refused(line, &parts.split('|').collect::<Vec<_>>());
    }
}
