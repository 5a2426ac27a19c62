//! `warpstack simulate`: one configuration, with everything the model says about it.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{EngineArgs, note_weights};
use crate::device::Preset;
use crate::papers::kernels::check_sizes;
use crate::report::{output, prediction};
use std::path::PathBuf;

/// Predict one configuration and show where its cycles go.
#[derive(Debug, clap::Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Output format
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

pub fn run(args: &SimulateArgs) -> CliResult {
    let device = Preset::load(&args.configuration.device)?.device;
    let configuration = args
        .configuration
        .any_configuration(&device, &args.engine.inputs)?;
    check_sizes(&configuration)?;
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    let (kernels, problems) = (
        [configuration.kernel.clone()],
        [configuration.problem.clone()],
    );
    let model = args.engine.open_for(&device, &kernels, &problems)?;
    let prediction = model.predict(&configuration)?;
    let text = match args.format {
        Format::Table => prediction::text(&prediction),
        Format::Json => prediction::json(&prediction)?,
    };
    output::write(args.out.as_deref(), text.as_bytes())?;
    note_weights(&model);
    Ok(())
}
