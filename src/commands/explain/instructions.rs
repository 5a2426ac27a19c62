//! `warpstack explain --per-instruction`: the machine code of a kernel with what happens at each instruction.

use super::ExplainArgs;
use crate::commands::CliResult;
use crate::commands::engine::{ExtentArgs, Kind, note_weights, open_for};
use crate::commands::format::Format;
use crate::commands::own_kernel;
use crate::device::Preset;
use crate::predictor::annotate::Annotated;
use crate::report::annotation;
use crate::report::provenance::Provenance;
use crate::report::verdict;
use serde::Serialize;

/// A listing and what `explain` says first about its launch.
#[derive(Debug, Serialize)]
struct Headed<'a> {
    bottleneck: &'a str,
    #[serde(flatten)]
    annotated: &'a Annotated,
}

pub fn run(args: &ExplainArgs) -> CliResult {
    if args.engine.engine != Kind::Simulator || args.engine.extent != ExtentArgs::default() {
        return Err(format!(
            "--per-instruction: given with{}{}; allowed: with --engine simulator, --scope window, no --tolerance",
            args.engine.changed_engine(),
            args.engine.extent.changed_options()
        )
        .into());
    }
    let device = Preset::load(&args.configuration.device)?.device;
    let (options, inputs) = own_kernel::asked(&args.configuration, &args.engine.inputs, &device)?;
    let (engine, launches) = open_for(&device, inputs.settings(), &[options])?;
    own_kernel::check(&engine, &launches, &args.configuration.own)?;
    let annotated = engine.annotate(&launches[0])?;
    let explained = engine.explain(&launches[0])?;
    let headline = verdict::of_one(&explained);
    note_weights(&engine);
    let provenance = Provenance::of(&engine);
    match args.output.format() {
        Format::Csv => {
            let rows = annotation::marked(&annotated);
            args.output
                .print_columns(&annotation::columns(), &rows, &provenance)
        }
        _ => {
            let record = Headed {
                bottleneck: &headline,
                annotated: &annotated,
            };
            let text = || annotation::text(&headline, &annotated);
            args.output.print_one(&record, &provenance, text)
        }
    }
}
