//! `warpstack explain`: why a launch is as fast as it is, alone or beside another one; its machine code, instruction by instruction.

mod assumed;
mod instructions;

use super::CliResult;
use super::configuration::{ConfigurationArgs, changed};
use super::engine::{EngineArgs, note_weights, open_for};
use super::format::OutputArgs;
use super::look::ChartArgs;
use super::own_kernel;
use crate::device::Device;
use crate::launch::prediction::Prediction;
use crate::predictor::{Explained, Predictor};
use crate::report::explain;
use crate::report::provenance::Provenance;
use crate::report::roofline;
use crate::study::Base;
use crate::validate::interval::Group;
use crate::validate::known;
use std::error::Error;

/// Show which hardware limit costs a launch most; --against compares launches.
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart", |arg| arg.help("Chart of the cycles to draw, .svg or .png")))]
pub struct ExplainArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Show the machine code instead: how often each instruction issues, and what warps wait for before it (simulator only)
    #[arg(long, conflicts_with_all = ["against", "chart"])]
    pub per_instruction: bool,
    /// Changes that make another launch to compare with, separated by commas, as threads=128,l1=16; may be given several times. Names: kernel,
    /// problem, threads, stack-dim, stack-registers, case-blocks, l1; with other papers' kernels population, cases, threads-per-program
    #[arg(long, value_name = "CHANGES")]
    pub against: Vec<String>,
    /// Draw the launches under the ceilings of the device, by what each memory moves for an instruction, instead of their cycles
    #[arg(long, requires = "chart")]
    pub roofline: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub chart: ChartArgs,
}

pub fn run(args: &ExplainArgs) -> CliResult {
    args.output.check()?;
    args.chart.check()?;
    if args.per_instruction {
        return instructions::run(args);
    }
    let base = Base::load(&args.configuration.device)?;
    let device = &base.device;
    let (explained, known, model) = explained(args, device)?;
    let measured = |one: &Prediction| known.as_ref()?.of_prediction(one);
    let interval = |one: &Prediction| {
        let group = Group::of(one, &device.name, model.settings().kind.name());
        let own = &args.configuration.own;
        let interval = own.interval(device, &group, Some(one.l1_bytes));
        interval.of_speed(one.gpops_billion)
    };
    let assumed = |one: &Prediction| assumed::values(&base, &model, &one.configuration);
    let explanations = explain::explanations(&explained, measured, interval, assumed);
    let provenance = Provenance::of(&model);
    let text = || explain::text(&explanations);
    args.output.print(&explanations, &provenance, text)?;
    if args.roofline {
        let labels = explanations.iter().map(|one| one.label.as_str());
        let launches = labels.zip(explained.iter().map(|one| &one.prediction));
        args.chart.save(|| roofline::chart(device, launches))?;
    } else {
        args.chart.save(|| explain::chart(&explanations))?;
    }
    Ok(())
}

type Known = Option<known::Known>;

fn explained(
    args: &ExplainArgs,
    device: &Device,
) -> Result<(Vec<Explained>, Known, Predictor), Box<dyn Error>> {
    let (options, inputs) = own_kernel::asked(&args.configuration, &args.engine.inputs, device)?;
    let mut launches = vec![options];
    for changes in &args.against {
        launches.push(changed(&launches[0], changes)?);
    }
    let kernels = launches.iter().map(|launch| launch.kernel.as_str());
    let engine = args.engine.for_kernels(kernels).with_inputs(inputs);
    let (model, configurations) = open_for(device, engine.settings()?, &launches)?;
    own_kernel::check(&model, &configurations, &args.configuration.own)?;
    note_weights(&model);
    let explained = configurations.iter().map(|one| model.explain(one));
    let explained = explained.collect::<Result<_, _>>()?;
    // Read only now that everything is predicted.
    let known = engine.inputs.known(device)?;
    Ok((explained, known, model))
}
