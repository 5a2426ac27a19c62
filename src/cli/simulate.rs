//! `warpstack simulate`: one configuration, with everything the model says about it.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use crate::device::Device;
use crate::predict::PerformanceModel;
use crate::report::{output, prediction};
use std::path::PathBuf;

/// Predicts one configuration and shows where its cycles go.
#[derive(Debug, clap::Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Json,
}

pub fn run(args: &SimulateArgs, device: &Device, model: &dyn PerformanceModel) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    let prediction = model.predict(&args.configuration.configuration(device)?)?;
    let text = match args.format {
        Format::Table => prediction::text(&prediction),
        Format::Json => prediction::json(&prediction)?,
    };
    output::write(args.out.as_deref(), text.as_bytes())?;
    Ok(())
}
