//! The help: commands by use, with an example of each.
//!
//! Leaves out: the options, whose doc comments are their help. A test parses every example.

use clap::Command;

/// A command and what is typed after `warpstack` to try it.
type Example = (&'static str, &'static str);

/// Commands by use.
const GROUPS: [(&str, &[Example]); 4] = [
    (
        "Predict",
        &[
            (
                "predict",
                "predict --kernel lgp --stack-dim 2 --threads 256",
            ),
            ("explain", "explain --threads 640 --against threads=768"),
            ("advise", "advise --problem mux20 --device h200"),
            (
                "whatif",
                "whatif --engine analytical --vary l1=16..256 --vary threads=64,128,256 --out study.csv",
            ),
            (
                "occupancy",
                "occupancy --kernel lgp --stack-dim 6 --threads 256",
            ),
            ("trace", "trace --program \"X1 X1 *\" --lanes"),
        ],
    ),
    (
        "Compare with measurements",
        &[
            ("reproduce", "reproduce --table 3 --problem sextic"),
            ("validate", "validate --device h200 --limit 20"),
            ("score", "score --format csv"),
            (
                "measure",
                "measure cpu --problem sextic --programs 200 --out rows.csv",
            ),
            (
                "characterize",
                "characterize --out mycard.toml --beside h200",
            ),
            (
                "calibrate",
                "calibrate --device my.toml --measured rows.csv --out refitted.toml",
            ),
        ],
    ),
    (
        "Programs and lists",
        &[
            (
                "evolve",
                "evolve --problem sextic --runs 3 --out sextic.corpus",
            ),
            ("list", "list kernels lgp --problem sextic --arch sm_90"),
        ],
    ),
    (
        "Pages and other tools",
        &[
            ("lab", "lab start --out-dir lab"),
            ("explore", "explore --problem sextic --out explore.html"),
            (
                "export",
                "export perfetto --threads 128 --out timeline.json",
            ),
            (
                "import",
                "import accel-sim trace/kernelslist.g --device h200",
            ),
        ],
    ),
];

/// Commands that the list leaves out.
const HIDDEN: [Example; 1] = [("generate", "generate completions bash")];

/// Subcommands of commands.
const NESTED: [Example; 12] = [
    (
        "measure gpu",
        "measure gpu --problem sextic --programs programs.txt --kernel rpn,lgp --out rows.csv",
    ),
    (
        "measure cpu",
        "measure cpu --problem sextic --programs 200 --out rows.csv",
    ),
    ("measure paper", "measure paper gpocl --out rows.csv"),
    (
        "measure counters",
        "measure counters ncu.csv --rows rows.csv --out counted.csv",
    ),
    ("list devices", "list devices h200 --kind fitted"),
    (
        "list kernels",
        "list kernels lgp --problem sextic --arch sm_90",
    ),
    ("list problems", "list problems --format csv"),
    ("lab start", "lab start --out-dir lab"),
    ("lab check", "lab check answers.toml"),
    ("generate completions", "generate completions bash"),
    ("generate man", "generate man --out-dir man"),
    ("generate reference", "generate reference"),
];

/// Every command with its example.
fn examples() -> impl Iterator<Item = &'static Example> {
    let grouped = GROUPS.iter().flat_map(|(_, examples)| *examples);
    grouped.chain(&HIDDEN)
}

/// The command line with its examples, commands by use.
pub fn with_examples(command: Command) -> Command {
    let listed = list(&command);
    let command = examples().fold(command, |command, (name, example)| {
        let text = format!("Example:\n  warpstack {example}");
        command.mut_subcommand(name, |subcommand| {
            with_negatives(subcommand.after_help(text))
        })
    });
    let command = NESTED.iter().fold(command, |command, (names, example)| {
        let text = format!("Example:\n  warpstack {example}");
        match names.split_once(' ') {
            Some((outer, inner)) => command.mut_subcommand(outer, |outer| {
                outer.mut_subcommand(inner, |inner| inner.after_help(text))
            }),
            None => command,
        }
    });
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}\n\n\
         `warpstack COMMAND --help` lists a command's options and shows an example.\n"
    );
    command.help_template(template)
}

/// Lets numbers below 0 reach the options, whose refusals name what is allowed.
fn with_negatives(command: Command) -> Command {
    let takes_value = |arg: &clap::Arg| arg.get_action().takes_values() && !arg.is_positional();
    let command = command.mut_args(|arg| match takes_value(&arg) {
        true => arg.allow_negative_numbers(true),
        false => arg,
    });
    command.mut_subcommands(with_negatives)
}

/// Every command under its group's name, with what it does.
fn list(command: &Command) -> String {
    let about = |name: &str| {
        let found = command.find_subcommand(name);
        let about = found.and_then(Command::get_about);
        about.map_or(String::new(), ToString::to_string)
    };
    let group = |(title, examples): &(&str, &[Example])| {
        let lines = examples.iter().map(|(name, _)| {
            let about = about(name);
            let short = about.split([':', ';', ',', '(']).next().unwrap_or_default();
            format!("  {name:12} {}\n", short.trim_end().trim_end_matches('.'))
        });
        format!("{title}:\n{}\n", lines.collect::<String>())
    };
    GROUPS.iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Cli;
    use clap::CommandFactory;

    /// Words of a command line; quotes hold words together. What follows a semicolon is another command.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(';').next().unwrap_or(line);
        let mut words = vec!["warpstack".to_owned()];
        for (place, part) in line.split('"').enumerate() {
            match place % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        words
    }

    #[test]
    fn every_command_has_an_example_that_parses() {
        let mut listed: Vec<&str> = Vec::new();
        for (name, example) in examples().chain(&NESTED) {
            let words = words(example);
            assert!(example.starts_with(name), "{example}");
            let parsed = with_examples(Cli::command()).try_get_matches_from(&words);
            assert!(parsed.is_ok(), "{example}: {parsed:?}");
            listed.push(name);
        }
        let command = Cli::command();
        let mut all: Vec<String> = Vec::new();
        for outer in command.get_subcommands() {
            all.push(outer.get_name().to_owned());
            let inner = outer.get_subcommands().map(Command::get_name);
            all.extend(inner.map(|inner| format!("{} {inner}", outer.get_name())));
        }
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }

    #[test]
    fn the_list_fits_80_columns_and_says_what_each_does() {
        let list = list(&Cli::command());
        for line in list.lines() {
            assert!(line.chars().count() <= 80, "{line}");
            let says = !line.starts_with("  ") || line.trim().contains(' ');
            assert!(says, "{line}");
        }
    }
}
