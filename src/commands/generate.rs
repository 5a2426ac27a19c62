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
}

pub fn run(args: &GenerateArgs, command: Command) -> CliResult {
    match &args.what {
        What::Completions(args) => completions(args, command),
        What::Man(args) => man(args, command),
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
    #[arg(long, alias = "out", value_name = "DIR")]
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

fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}
