//! Commands of earlier versions that became part of others: which command line takes their place.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A retired command, and what is typed after `warpstack` instead.
const RETIRED: [(&str, &str); 12] = [
    ("annotate", "explain --per-instruction"),
    ("compare", "reproduce --engine both"),
    ("completions", "generate completions SHELL"),
    ("devices", "list devices"),
    (
        "figure",
        "occupancy --chart FILE, trace --chart FILE, whatif --chart FILE, or list devices NAME --chart FILE",
    ),
    ("kernels", "list kernels"),
    ("man", "generate man"),
    ("problems", "list problems"),
    ("slurm", "whatif --study FILE --slurm N"),
    ("source", "list kernels NAME --source"),
    ("stacks", "reproduce --table 5,6"),
    ("sweep", "whatif --metric hit-rate"),
];

/// The refusal of a retired command; `None` for other errors.
pub fn answer(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let ContextValue::String(given) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let (name, now) = RETIRED.iter().find(|(name, _)| name == given)?;
    Some(format!("command {name}: now warpstack {now}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Cli;
    use clap::CommandFactory;

    #[test]
    fn a_retired_command_is_answered_with_one_that_exists() {
        for (name, now) in RETIRED {
            let error = Cli::command()
                .try_get_matches_from(["warpstack", name])
                .unwrap_err();
            let answer = answer(&error).unwrap();
            assert!(answer.contains(now), "{answer}");
            let first = now.split(' ').next().unwrap();
            assert!(Cli::command().find_subcommand(first).is_some(), "{now}");
        }
        let unknown = Cli::command().try_get_matches_from(["warpstack", "nosuch"]);
        assert_eq!(answer(&unknown.unwrap_err()), None);
    }
}
