//! The help: subcommands by what they are used for, and an example of each.
//!
//! Leaves out: the options, which say themselves what they are. The examples are read by a test, and so is that none is missing.

use clap::Command;

/// A subcommand and what is typed after `warpstack` to try it.
type Example = (&'static str, &'static str);

/// Subcommands by use.
const GROUPS: [(&str, &[Example]); 6] = [
    (
        "Predict and explain",
        &[
            (
                "simulate",
                "simulate --kernel lgp --stack-dim 2 --threads 256",
            ),
            ("explain", "explain --threads 640 --against threads=768"),
            ("annotate", "annotate --kernel lgp --stack-dim 4"),
            ("source", "source --kernel rpn --out my-rpn.cu"),
            ("advise", "advise --problem mux20 --device h200"),
            (
                "occupancy",
                "occupancy --kernel lgp --stack-dim 6 --threads 256",
            ),
            ("trace", "trace --program \"X1 X1 *\" --lanes"),
        ],
    ),
    (
        "Study what could be",
        &[
            (
                "whatif",
                "whatif --engine model --vary l1=16..256 --vary threads=64,128,256 --out study.csv",
            ),
            ("sweep", "sweep --threads 256 --stack-dim 2"),
            ("merge", "merge part-1.csv part-2.csv --out all.csv"),
            (
                "slurm",
                "slurm --study study.toml --tasks 16 --out job.sh; sbatch job.sh",
            ),
            ("explore", "explore --problem sextic --out explore.html"),
        ],
    ),
    (
        "Compare with what was measured",
        &[
            ("reproduce", "reproduce --table 3 --problem sextic"),
            ("validate", "validate --device h200 --rows 20"),
            ("compare", "compare --table 3 --problem sextic --every 4"),
            (
                "measure",
                "measure --problem sextic --programs programs.txt --out rows.csv",
            ),
            (
                "calibrate",
                "calibrate --device my.toml --measured rows.csv --out refitted.toml",
            ),
        ],
    ),
    (
        "Programs",
        &[
            (
                "evolve",
                "evolve --problem sextic --runs 3 --out sextic.corpus",
            ),
            ("stacks", "stacks --problem sextic"),
            (
                "langdon",
                "langdon --problem mux6 --population 4096 --generations 5",
            ),
        ],
    ),
    (
        "Lists",
        &[
            ("devices", "devices --arch sm_90"),
            (
                "kernels",
                "kernels --problem sextic --arch sm_90 --kernel lgp",
            ),
            ("problems", "problems --format json"),
        ],
    ),
    (
        "Pages, drawings, other tools",
        &[
            ("report", "report --out report"),
            ("figure", "figure occupancy --out occupancy.svg"),
            (
                "export",
                "export --to perfetto --threads 128 --out timeline.json",
            ),
            ("import", "import trace/kernelslist.g --device h200"),
            ("completions", "completions bash"),
            ("man", "man --out man1"),
        ],
    ),
];

/// The command line with its examples, subcommands by use.
pub fn with_examples(command: Command) -> Command {
    let listed = list(&command);
    let examples = GROUPS.iter().flat_map(|(_, examples)| *examples);
    let command = examples.fold(command, |command, (name, example)| {
        let text = format!("Example:\n  warpstack {example}");
        command.mut_subcommand(name, |subcommand| subcommand.after_help(text))
    });
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}\n\n\
         `warpstack COMMAND --help` says what a command has, and shows an example.\n"
    );
    command.help_template(template)
}

/// Every subcommand under its group's name, with what it does.
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
    fn every_subcommand_is_in_one_group_and_its_example_is_a_command() {
        let mut listed: Vec<&str> = Vec::new();
        for (name, example) in GROUPS.iter().flat_map(|(_, examples)| *examples) {
            let words = words(example);
            assert_eq!(words[1], *name);
            let parsed = with_examples(Cli::command()).try_get_matches_from(&words);
            assert!(parsed.is_ok(), "{example}: {parsed:?}");
            listed.push(name);
        }
        let command = Cli::command();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }

    #[test]
    fn the_list_fits_100_columns_and_says_what_each_does() {
        let list = list(&Cli::command());
        for line in list.lines() {
            assert!(line.chars().count() <= 100, "{line}");
            let says = !line.starts_with("  ") || line.trim().contains(' ');
            assert!(says, "{line}");
        }
    }
}
