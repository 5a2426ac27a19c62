//! The options of every command that draws: how large, and on which background.
//!
//! Leaves out: the file (`--chart`, `--out` and the like of the commands). Units: pixels.

use crate::report::chart::Look;
use crate::report::chart::theme::Theme;
use clap::Arg;

#[derive(Debug, Clone, Copy, clap::Args)]
pub struct LookArgs {
    /// Width of the drawing; text and lines grow with it, 1920 fills a slide [default: the drawing's own]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(120..=7680))]
    pub width: Option<u32>,
    /// Background of the drawing
    #[arg(long, value_enum, default_value = "light")]
    pub theme: Theme,
}

impl LookArgs {
    pub fn look(self) -> Look {
        Look {
            theme: self.theme,
            width: self.width,
        }
    }
}

/// Refuses these options without `--chart`: for commands that draw only if asked.
pub fn only_with_chart(arg: Arg) -> Arg {
    only_with(arg, "chart")
}

/// Refuses these options without `drawings`, the group of a command's drawing options.
pub fn only_with_drawings(arg: Arg) -> Arg {
    only_with(arg, "drawings")
}

fn only_with(arg: Arg, other: &'static str) -> Arg {
    match arg.get_id().as_str() {
        "width" | "theme" => arg.requires(other),
        _ => arg,
    }
}
