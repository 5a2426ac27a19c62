//! A study as a TOML file.
//!
//! Reads `device`, `engine`, a table `base` with one value per launch setting, a table `vary` whose values are
//! written as on the command line, or lists. Leaves out: where results go (an option of the command line).
//! Units: those of the settings.

use super::StudyError;
use serde::Deserialize;
use std::path::Path;

/// The content of a study file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// Device name, or the path of a .toml file.
    pub device: Option<String>,
    /// `model` or `sim`.
    pub engine: Option<String>,
    /// Launch settings and preset fields that stay as they are.
    #[serde(default)]
    pub base: toml::Table,
    /// Keys and their values, in the order of the file.
    #[serde(default)]
    pub vary: toml::Table,
}

impl StudyFile {
    pub fn load(path: &Path) -> Result<StudyFile, StudyError> {
        let shown = path.display().to_string();
        let text = crate::util::input::text(path).map_err(|error| {
            StudyError::input(
                "study file",
                &shown,
                format!("a file that can be read ({error})"),
            )
        })?;
        StudyFile::parse(&text, &shown)
    }

    /// `file` is used in messages only.
    pub fn parse(text: &str, file: &str) -> Result<StudyFile, StudyError> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = crate::util::input::toml_line(text, &error);
            StudyError::input(
                format!("study file {file}, line {line}"),
                text.lines().nth(line - 1).unwrap_or_default().trim(),
                format!(
                    "device, engine, [base], [vary] ({})",
                    error.message().replace('\n', " ")
                ),
            )
        })
    }

    /// `KEY=VALUES` for every line of `base` and `vary`.
    pub fn axes(&self) -> Result<Vec<String>, StudyError> {
        let lines = self.base.iter().chain(&self.vary);
        lines
            .map(|(key, value)| Ok(format!("{key}={}", as_values(key, value)?)))
            .collect()
    }
}

fn as_values(key: &str, value: &toml::Value) -> Result<String, StudyError> {
    match value {
        toml::Value::Array(items) => {
            let items = items.iter().map(|item| as_values(key, item));
            Ok(items.collect::<Result<Vec<_>, _>>()?.join(","))
        }
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => {
            Ok(value.to_string())
        }
        other => Err(StudyError::input(
            format!("study file, {key}"),
            other.to_string(),
            "a number, a text or a list of them; keys with a dot in quotes",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_a_command_line_says() {
        let text = "device = \"gtx670\"\n[base]\nkernel = \"lgp\"\n[vary]\nl1 = \"4..16\"\nthreads = [64, 128]\n\"chip.clock_mhz\" = [900.0, 1000.0]\n";
        let file = StudyFile::parse(text, "x.toml").unwrap();
        assert_eq!(
            file.axes().unwrap(),
            [
                "kernel=lgp",
                "chip.clock_mhz=900.0,1000.0",
                "l1=4..16",
                "threads=64,128"
            ]
        );
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let message = StudyFile::parse("device = \"x\"\nvarry = 3\n", "x.toml")
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("x.toml, line 2") && message.contains("varry"),
            "{message}"
        );
        let nested = StudyFile::parse("[vary]\nchip.clock = 3\n", "x.toml").unwrap();
        assert!(
            nested
                .axes()
                .unwrap_err()
                .to_string()
                .contains("dot in quotes")
        );
    }
}
