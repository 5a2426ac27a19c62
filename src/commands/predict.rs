//! `warpstack predict`: one launch, with everything that the model predicts for it.

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
use crate::validate::interval::{Group, SpeedInterval};
use crate::validate::known::MeasuredSpeed;
use serde::Serialize;
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
    let (predicted, model) = predict(args)?;
    let provenance = Provenance::of(&model);
    let text = || {
        let measured = predicted.measured.as_ref();
        let measured = measured.map(|one| prediction::beside(&predicted.prediction, one));
        let interval = prediction::interval(&predicted.interval);
        prediction::text(&predicted.prediction) + &interval + &measured.unwrap_or_default()
    };
    args.output.print_one(&predicted, &provenance, text)?;
    note_weights(&model);
    Ok(())
}

/// A prediction beside the paper's measured speed of the same launch, if it has one.
#[derive(Debug, Serialize)]
pub struct Predicted {
    #[serde(flatten)]
    prediction: Prediction,
    #[serde(flatten)]
    interval: SpeedInterval,
    measured: Option<MeasuredSpeed>,
}

/// Predicts the launch that the options ask for; also returns the model.
pub fn predict(args: &PredictArgs) -> Result<(Predicted, predictor::Predictor), Box<dyn Error>> {
    let device = Preset::load(&args.configuration.device)?.device;
    let (options, inputs) = own_kernel::asked(&args.configuration, &args.engine.inputs, &device)?;
    let engine = args.engine.for_kernels([options.kernel.as_str()]);
    let engine = engine.with_inputs(inputs);
    let (model, launches) = open_for(&device, engine.settings()?, &[options])?;
    own_kernel::check(&model, &launches, &args.configuration.own)?;
    let prediction = model.predict(&launches[0])?;
    // Read only after the prediction is made.
    let known = engine.inputs.known(&device)?;
    let measured = known.and_then(|known| known.of_prediction(&prediction));
    let group = Group::of(&prediction, &device.name, engine.engine.name());
    let own = &args.configuration.own;
    let interval = own.interval(&device, &group, Some(prediction.l1_bytes));
    let predicted = Predicted {
        interval: interval.of_speed(prediction.gpops_billion),
        prediction,
        measured,
    };
    Ok((predicted, model))
}
