//! `warpstack simulate`: one configuration, with everything the model says about it.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{EngineArgs, note_weights};
use super::format::OutputArgs;
use crate::device::Preset;
use crate::engine;
use crate::papers::kernels::check_sizes;
use crate::predict::Prediction;
use crate::report::prediction;
use crate::report::provenance::Provenance;
use std::error::Error;

/// Predict one configuration and show where its cycles go.
#[derive(Debug, clap::Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub fn run(args: &SimulateArgs) -> CliResult {
    args.output.check()?;
    let (prediction, model) = predict(args)?;
    let provenance = Provenance::of(&model);
    let text = || prediction::text(&prediction);
    args.output.print_one(&prediction, &provenance, text)?;
    note_weights(&model);
    Ok(())
}

/// What the options ask for, and the model that predicted it.
pub fn predict(args: &SimulateArgs) -> Result<(Prediction, engine::Engine), Box<dyn Error>> {
    let device = Preset::load(&args.configuration.device)?.device;
    let configuration = args
        .configuration
        .any_configuration(&device, &args.engine.inputs)?;
    check_sizes(&configuration)?;
    let (kernels, problems) = (
        [configuration.kernel.clone()],
        [configuration.problem.clone()],
    );
    let model = args.engine.open_for(&device, &kernels, &problems)?;
    let prediction = model.predict(&configuration)?;
    Ok((prediction, model))
}
