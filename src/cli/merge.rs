//! `warpstack merge`: the parts of a study that was predicted in shards, put together.
//!
//! What it does: checks that all parts are there and belong together; the result is byte for byte that of the whole study. Leaves out: computing.

use super::CliResult;
use crate::report::output;
use crate::study::shard::{Description, in_order};
use std::path::PathBuf;

/// Put the parts of a study that was run with --shard together.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: warpstack merge part-1.csv part-2.csv --out all.csv")]
pub struct MergeArgs {
    /// Results of `whatif --shard K/N --out FILE`, all of them, in any order
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
    let mut whole: Vec<u8> = Vec::new();
    for place in in_order(&descriptions)? {
        let path = &args.parts[place];
        let text = std::fs::read(path).map_err(|error| {
            format!(
                "part {}: {error}; allowed: a file that can be read",
                path.display()
            )
        })?;
        let rows = match whole.is_empty() {
            true => &text[..],
            false => after_header(&text),
        };
        whole.extend_from_slice(rows);
    }
    output::write(args.out.as_deref(), &whole)?;
    Ok(())
}

/// Without the line of names that a CSV begins with; JSON lines have none.
fn after_header(text: &[u8]) -> &[u8] {
    match text.first() {
        Some(b'{') | None => text,
        Some(_) => {
            let end = text.iter().position(|&byte| byte == b'\n');
            end.map_or(&[], |end| &text[end + 1..])
        }
    }
}
