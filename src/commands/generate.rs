//! `warpstack generate`: what follows from the command line's own description: completions, manual pages.

use super::CliResult;
use crate::report::output;
use clap::Command;
use clap_complete::Shell;
use std::path::PathBuf;

/// Write shell completions or manual pages.
#[derive(Debug, clap::Args)]
pub struct GenerateArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Completions(CompletionsArgs),
    Man(ManArgs),
    /// Write the command reference of the book
    Reference,
}

pub fn run(args: &GenerateArgs, command: Command) -> CliResult {
    match &args.what {
        What::Completions(args) => completions(args, command),
        What::Man(args) => man(args, command),
        What::Reference => Ok(output::write(None, reference(command).as_bytes())?),
    }
}

/// Write the completion script of a shell to standard output.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// Shell that the script is for
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual page, or with --out-dir one page per command.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Folder for `warpstack.1` and one page per command, instead of one page on standard output
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
}

fn completions(args: &CompletionsArgs, mut command: Command) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "warpstack", &mut script);
    output::write(None, &script)?;
    Ok(())
}

fn man(args: &ManArgs, command: Command) -> CliResult {
    let Some(folder) = &args.out_dir else {
        output::write(None, &page(command)?)?;
        return Ok(());
    };
    let temporary = tempfile::tempdir()?;
    clap_mangen::generate_to(command, temporary.path())?;
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(temporary.path())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.push((name, std::fs::read(entry.path())?));
    }
    pages.sort();
    let files: Vec<(&str, Vec<u8>)> = pages
        .iter()
        .map(|(name, page)| (name.as_str(), page.clone()))
        .collect();
    output::write_folder(folder, &files)?;
    Ok(())
}

/// The page of the book that holds the help of every command.
fn reference(mut command: Command) -> String {
    let mut text = "# Commands\n\n\
        *Reading time: to look things up. Prerequisites: none. The text of every `--help`; `warpstack generate reference` writes this page.*\n"
        .to_owned();
    command.build();
    help_of(&command.term_width(80), "warpstack", &mut text);
    text
}

/// Adds the help of a command and of its visible subcommands.
fn help_of(command: &Command, path: &str, text: &mut String) {
    let help = command.clone().term_width(80).render_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    let lines = lines.join("\n");
    *text += &format!("\n## {path}\n\n```text\n{}\n```\n", lines.trim_end());
    let shown = command
        .get_subcommands()
        .filter(|one| !one.is_hide_set() && one.get_name() != "help");
    for subcommand in shown {
        help_of(
            subcommand,
            &format!("{path} {}", subcommand.get_name()),
            text,
        );
    }
}

fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}
