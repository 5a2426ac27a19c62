//! `warpstack simulate`: one configuration, with everything the model says about it.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{EngineArgs, note_weights};
use super::format::OutputArgs;
use super::own_kernel::{self, with_own_kernel};
use crate::device::Preset;
use crate::launch::prediction::Prediction;
use crate::predictor;
use crate::report::prediction;
use crate::report::provenance::Provenance;
use crate::systems::kernels::check_sizes;
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
pub fn predict(args: &SimulateArgs) -> Result<(Prediction, predictor::Engine), Box<dyn Error>> {
    let device = Preset::load(&args.configuration.device)?.device;
    let (named, inputs) = with_own_kernel(&args.configuration, &args.engine.inputs, &device)?;
    let configuration = named.any_configuration(&device, &inputs)?;
    check_sizes(&configuration)?;
    let (kernels, problems) = (
        [configuration.kernel.clone()],
        [configuration.problem.clone()],
    );
    let engine = args.engine.with_inputs(inputs);
    let model = engine.open_for(&device, &kernels, &problems)?;
    own_kernel::check(&model, [&configuration], &named.own)?;
    let prediction = model.predict(&configuration)?;
    Ok((prediction, model))
}
