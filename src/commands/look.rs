//! The options of every command that draws: which file, how large, and on which background.
//!
//! Leaves out: the drawing itself (`report::chart`).
//! Units: pixels.

use crate::report::chart::theme::Theme;
use crate::report::chart::{self, Chart, ChartError, Look};
use clap::Arg;
use std::path::PathBuf;

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

/// `--chart` and its look, for commands that draw one chart if asked.
#[derive(Debug, Clone, clap::Args)]
#[command(mut_args(only_with_chart))]
pub struct ChartArgs {
    /// Chart to draw, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
    #[command(flatten)]
    look: LookArgs,
}

impl ChartArgs {
    /// Refuses, before long work, a file that could not be drawn.
    pub fn check(&self) -> Result<(), ChartError> {
        self.chart.as_deref().map_or(Ok(()), chart::check_path)
    }

    /// Draws the chart if it is asked for.
    pub fn save<C: Chart>(&self, drawing: impl FnOnce() -> C) -> Result<(), ChartError> {
        match &self.chart {
            Some(path) => chart::save(&drawing(), path, self.look.look()),
            None => Ok(()),
        }
    }
}

/// Refuses these options without `--chart`.
fn only_with_chart(arg: Arg) -> Arg {
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
