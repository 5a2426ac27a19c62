//! A command's refusal: its kind, its message and a hint, from clap's errors and from the commands' own.
//!
//! Leaves out: printing (`commands::fail`).

use clap::error::{ContextKind, ContextValue};
use std::error::Error;
use std::fmt;

/// Exit code of every refused input.
pub(super) const BAD_INPUT: u8 = 2;

/// Exit code of a check that ran and has a negative result.
pub(super) const NEGATIVE: u8 = 1;

/// Negative result of a check, whose details are printed; the text is its last line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Negative(pub String);

/// Kind of a [`CommandError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// The command line, before anything ran.
    Usage,
    /// The input of a command.
    Input,
}

/// A refused command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandError {
    kind: FailureKind,
    message: String,
    /// The name that was probably meant.
    hint: Option<String>,
}

impl CommandError {
    /// Returns the refusal of a command's input.
    pub(super) fn refused(error: &dyn Error) -> CommandError {
        CommandError {
            kind: FailureKind::Input,
            message: error.to_string(),
            hint: None,
        }
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self.kind {
            FailureKind::Usage | FailureKind::Input => BAD_INPUT,
        }
    }
}

/// The refused argument, the allowed values and the closest name.
impl From<&clap::Error> for CommandError {
    fn from(error: &clap::Error) -> CommandError {
        CommandError {
            kind: FailureKind::Usage,
            message: refusal(error),
            hint: nearest(error),
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(name) => write!(formatter, "; did you mean {name}?"),
            None => Ok(()),
        }
    }
}

fn refusal(error: &clap::Error) -> String {
    let text = error.to_string();
    let first_paragraph = text.split("\n\n").next().unwrap_or(&text);
    let refused = first_paragraph.trim_start_matches("error: ");
    match refused.split_once("[possible values: ") {
        Some((before, after)) => {
            let allowed = after.trim_end_matches(']');
            format!("{}; allowed: {allowed}", before.trim_end())
        }
        None => refused.to_owned(),
    }
}

fn nearest(error: &clap::Error) -> Option<String> {
    let kinds = [
        ContextKind::SuggestedValue,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
    ];
    kinds.iter().find_map(|kind| match error.get(*kind)? {
        ContextValue::String(name) => Some(name.clone()),
        // The most likely one is the last.
        ContextValue::Strings(names) => names.last().cloned(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Cli;
    use crate::device::Preset;
    use clap::CommandFactory;

    #[test]
    fn kind_message_and_hint_make_the_line() {
        let parsed =
            Cli::command().try_get_matches_from(["warpstack", "predict", "--kernel", "lpg"]);
        let error = CommandError::from(&parsed.unwrap_err());
        assert_eq!(
            (error.kind, error.hint.as_deref()),
            (FailureKind::Usage, Some("lgp"))
        );
        assert!(error.message.contains("allowed: rpn, lgp"), "{error}");
        assert_eq!(
            error.to_string(),
            format!("{}; did you mean lgp?", error.message)
        );
        let unknown = Preset::load("gtx9999").unwrap_err();
        let error = CommandError::refused(&unknown);
        assert_eq!(
            (error.kind, error.exit_code()),
            (FailureKind::Input, BAD_INPUT)
        );
        assert_eq!(error.to_string(), unknown.to_string());
    }
}
