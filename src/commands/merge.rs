//! `warpstack merge`: the parts of a study that was predicted in shards, put together.
//!
//! Checks that all parts are there and belong together; the result is byte for byte that of the whole study. Leaves out: computing.

use super::CliResult;
use crate::report::{output, rows};
use crate::study::shard::{Description, in_order};
use crate::util::input;
use std::path::{Path, PathBuf};

/// Put together what was run in parts with --shard: a study or a reproduction.
#[derive(Debug, clap::Args)]
pub struct MergeArgs {
    /// Results of `whatif` or `reproduce` with `--shard K/N --out FILE`, all of them, in any order
    #[arg(required = true, value_name = "FILE")]
    pub parts: Vec<PathBuf>,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
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
