//! `warpstack predict`: one launch, with everything the model says about it.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{EngineArgs, note_weights, open_for};
use super::format::OutputArgs;
use super::own_kernel;
use crate::device::Preset;
use crate::launch::prediction::Prediction;
use crate::predictor;
use crate::report::prediction;
use crate::report::provenance::Provenance;
use std::error::Error;

/// Predict the speed of one launch, and where its cycles go.
#[derive(Debug, clap::Args)]
pub struct PredictArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub fn run(args: &PredictArgs) -> CliResult {
    args.output.check()?;
    let (prediction, model) = predict(args)?;
    let provenance = Provenance::of(&model);
    let text = || prediction::text(&prediction);
    args.output.print_one(&prediction, &provenance, text)?;
    note_weights(&model);
    Ok(())
}

/// What the options ask for, and the model that predicted it.
pub fn predict(args: &PredictArgs) -> Result<(Prediction, predictor::Predictor), Box<dyn Error>> {
    let device = Preset::load(&args.configuration.device)?.device;
    let (options, inputs) = own_kernel::asked(&args.configuration, &args.engine.inputs, &device)?;
    let engine = args.engine.with_inputs(inputs);
    let (model, launches) = open_for(&device, engine.settings(), &[options])?;
    own_kernel::check(&model, &launches, &args.configuration.own)?;
    let prediction = model.predict(&launches[0])?;
    Ok((prediction, model))
}
