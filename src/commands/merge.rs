//! `warpstack merge`: the parts of a study that was predicted in shards, put together.
//!
//! A study's parts are its rows; those of a campaign (GP runs made by `evolve`) are states, whose corpus and record are written here.
//! Checks that all parts are there and belong together; the result is byte for byte that of the whole study. Leaves out: computing.

use super::CliResult;
use super::evolve::with_files;
use crate::gp::campaign::Campaign;
use crate::report::{output, rows};
use crate::study::shard::{Description, in_order};
use crate::util::input;
use std::path::{Path, PathBuf};

/// Put together what was run in parts with --shard: a study, a reproduction or a campaign of GP runs.
#[derive(Debug, clap::Args)]
pub struct MergeArgs {
    /// Results of `whatif`, `reproduce` or `evolve` with `--shard K/N --out FILE`, all of them, in any order
    #[arg(required = true, value_name = "FILE")]
    pub parts: Vec<PathBuf>,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Run record to write, for a campaign
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

pub fn run(args: &MergeArgs) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    let descriptions = args.parts.iter().map(|path| Description::of(path));
    let descriptions = descriptions.collect::<Result<Vec<_>, _>>()?;
    let order = in_order(&descriptions)?;
    let texts = order.iter().map(|&place| read(&args.parts[place]));
    let texts = texts.collect::<Result<Vec<String>, _>>()?;
    if texts.iter().any(|text| Campaign::is_state(text)) {
        let name = |&place: &usize| args.parts[place].display().to_string();
        return campaign(args, &texts, &order.iter().map(name).collect::<Vec<_>>());
    }
    if let Some(path) = &args.record {
        return Err(format!(
            "--record: given {}; allowed: for parts of `evolve`",
            path.display()
        )
        .into());
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let whole = match texts.iter().any(|text| text.starts_with('{')) {
        true => rows::joined_json(&texts)
            .ok_or("parts: given CSV and JSON; allowed: parts of one format")?,
        false => joined_csv(&texts),
    };
    output::write(args.out.as_deref(), whole.as_bytes())?;
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    let why = |error| {
        format!(
            "part {}: {error}; allowed: a file that can be read",
            path.display()
        )
    };
    input::data(path).map_err(why)
}

/// Corpus and record of a campaign.
fn campaign(args: &MergeArgs, texts: &[String], names: &[String]) -> CliResult {
    let (whole, command) = Campaign::joined(texts, names)?;
    let command = with_files(command, args.record.as_deref(), args.out.as_deref());
    if let Some(path) = &args.record {
        let text = whole.record(command.clone()).to_text()?;
        output::write(Some(path), text.as_bytes())?;
    }
    output::write(
        args.out.as_deref(),
        whole.corpus(command).to_text().as_bytes(),
    )?;
    Ok(())
}

/// The first part, and the others without the line of names that each begins with.
fn joined_csv(parts: &[&str]) -> String {
    let rows = |(place, part): (usize, &&'_ str)| match place {
        0 => (*part).to_owned(),
        _ => part
            .split_once('\n')
            .map_or(String::new(), |(_, rows)| rows.to_owned()),
    };
    parts.iter().enumerate().map(rows).collect()
}
