//! `warpstack annotate`: the machine code of a kernel with what happens at each instruction.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{InputArgs, note_weights, open_for};
use super::format::{Format, OutputArgs};
use super::own_kernel;
use crate::device::Preset;
use crate::report::annotation;
use crate::report::provenance::Provenance;

/// Show a kernel's machine code, instruction by instruction: how often each issues, and what it waits for.
#[derive(Debug, clap::Args)]
pub struct AnnotateArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub fn run(args: &AnnotateArgs) -> CliResult {
    args.output.check()?;
    let device = Preset::load(&args.configuration.device)?.device;
    let (options, inputs) = own_kernel::asked(&args.configuration, &args.inputs, &device)?;
    let (engine, launches) = open_for(&device, inputs.settings(), &[options])?;
    own_kernel::check(&engine, &launches, &args.configuration.own)?;
    let annotated = engine.annotate(&launches[0])?;
    note_weights(&engine);
    let provenance = Provenance::of(&engine);
    match args.output.format() {
        Format::Csv => {
            let rows = annotation::marked(&annotated);
            args.output
                .print_columns(&annotation::columns(), &rows, &provenance)
        }
        _ => args
            .output
            .print_one(&annotated, &provenance, || annotation::text(&annotated)),
    }
}
