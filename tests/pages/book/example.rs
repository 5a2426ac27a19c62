//! Commands of a page: finding and running them.

use crate::program::warpstack;
use std::path::Path;

/// A command of a page and what the page shows of its output.
#[derive(Debug)]
pub struct Example {
    /// Line of the command in its page, from 0.
    pub line: usize,
    /// One after the last line of the shown output.
    pub end: usize,
    pub command: String,
    pub shown: Vec<String>,
    pub about: bool,
}

/// Returns the words after `warpstack` of a line that is a command, in a `console` block or indented.
pub fn command_of(line: &str) -> Option<&str> {
    let command = line.strip_prefix("$ ").or(line.strip_prefix("    "))?;
    command.strip_prefix("warpstack ")
}

pub fn examples(page: &Path) -> Vec<Example> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut examples: Vec<Example> = Vec::new();
    let mut block: Option<bool> = None;
    for (line, content) in text.lines().enumerate() {
        match (block, content.strip_prefix("```")) {
            (None, Some("console")) => block = Some(false),
            (None, Some("console,about")) => block = Some(true),
            (None, Some(other)) => {
                assert!(!other.starts_with("console"), "{}: {other}", page.display());
            }
            (Some(_), Some(_)) => block = None,
            (Some(about), None) => {
                if let Some(command) = content.strip_prefix("$ ") {
                    examples.push(Example {
                        line,
                        end: line + 1,
                        command: command.into(),
                        shown: Vec::new(),
                        about,
                    });
                } else {
                    let example = examples.last_mut().expect("a block begins with a command");
                    example.shown.push(content.into());
                    example.end = line + 1;
                }
            }
            (None, None) => {}
        }
    }
    examples
}

/// Runs a command in `folder` and returns its standard output.
pub fn run(example: &Example, folder: &Path) -> Result<String, String> {
    let Some(line) = example.command.strip_prefix("warpstack ") else {
        return Err(format!("`{}`: only warpstack is run here", example.command));
    };
    let output = warpstack(line).current_dir(folder).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
