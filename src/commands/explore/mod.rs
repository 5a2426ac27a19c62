//! `warpstack explore`: one page to try launches and machines on, with every prediction already in it.
//!
//! Predicts every combination of the axes with the analytical model (`axes.rs`, `points.rs`) and adds the measurements. Leaves out: the
//! layout of the page (`report/explore/`). Units: those of the options of `predict` and of the keys of `whatif` that the page names.

mod axes;
mod points;

use super::CliResult;
use super::engine::{EngineArgs, ExtentArgs, InputArgs, Kind};
use super::names::ALL;
use super::reproduce::parse_problems;
use crate::device::Device;
use crate::launch::prediction::Configuration;
use crate::predictor::{Predictor, architecture};
use crate::report::explore::{Content, Interval, MeasuredPoint, page};
use crate::report::output;
use crate::report::prediction::basis;
use crate::study::Base;
use crate::validate::compare::CellSplit;
use crate::validate::interval::{Errors, Group};
use crate::validate::{Cell, Measured, Table, cells};
use axes::Plan;
use std::error::Error;
use std::path::PathBuf;

/// Write one page of HTML to try launches and machines on: every prediction is already in it.
#[derive(Debug, clap::Args)]
pub struct ExploreArgs {
    /// File to write, .html
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = DEVICE, value_parser = crate::commands::names::device())]
    pub device: String,
    /// Problem names, separated by commas (`warpstack list problems` lists them), or all
    #[arg(long, default_value = ALL, value_name = "LIST", value_parser = super::names::problem().list())]
    pub problem: String,
    /// Kernel names, separated by commas (`warpstack list kernels` lists them)
    #[arg(long, default_value = KERNELS, value_name = "LIST")]
    pub kernel: String,
    #[command(flatten)]
    pub inputs: InputArgs,
}

/// The device whose speeds the paper measured.
const DEVICE: &str = "gtx670";
pub(super) const KERNELS: &str = "rpn,lgp";

pub fn run(args: &ExploreArgs) -> CliResult {
    output::check_writable(&args.out)?;
    let text = made(args)?;
    Ok(output::write(Some(&args.out), text.as_bytes())?)
}

/// The page's text.
pub(super) fn made(args: &ExploreArgs) -> Result<String, Box<dyn Error>> {
    let mut problems = parse_problems(&args.problem)?;
    once(&mut problems);
    let kernels = args.kernel.to_lowercase();
    let mut kernels: Vec<&str> = kernels.split(',').map(str::trim).collect();
    once(&mut kernels);
    let base = Base::load(&args.device)?;
    let engine_args = EngineArgs {
        engine: Kind::Analytical,
        extent: ExtentArgs::default(),
        inputs: args.inputs.clone(),
    };
    let arch = architecture(&base.device, &engine_args.code_choice())?;
    let plan = Plan::new(&base, &problems, &kernels, arch)?;
    let engine = engine_args.open(&base.device, &problems)?;
    let (records, reasons) = points::predict(&plan, &engine)?;
    // Measured values are read only now that everything is predicted.
    let measured = match args.device == DEVICE {
        true => measured(&plan, &engine, &problems)?,
        false => Vec::new(),
    };
    let mut options = engine_args.changed_options();
    if args.device != DEVICE {
        options += &format!(" --device {}", args.device);
    }
    let limits = &base.device.limits;
    page(&Content {
        device: base.device.title.clone(),
        n_warps: limits.warps_per_smx,
        n_blocks: limits.blocks_per_smx,
        command: command(args, &options.replace(" --engine analytical", "")),
        options,
        weighting: engine.weighting(),
        axes: plan.axes,
        records,
        reasons,
        measured,
        intervals: intervals(&base.device, &problems, &kernels),
    })
}

/// The intervals of the unchanged device, of the problems and kernels that have one.
fn intervals(device: &Device, problems: &[&str], kernels: &[&str]) -> Vec<Interval> {
    let errors = Errors::of(device);
    let launches = problems
        .iter()
        .flat_map(|problem| kernels.iter().map(move |kernel| (problem, kernel)));
    let interval = |(problem, kernel): (&&str, &&str)| {
        let found = errors.interval(&Group {
            device: device.name.clone(),
            engine: Kind::Analytical.to_string(),
            problem: (*problem).to_owned(),
            kernel: (*kernel).to_owned(),
        });
        Some(Interval {
            problem: (*problem).to_owned(),
            kernel: (*kernel).to_owned(),
            factor: found.factor?,
            basis: basis(found.support, found.launches),
        })
    };
    launches.filter_map(interval).collect()
}

/// In the order given, each once.
fn once(names: &mut Vec<&str>) {
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
}

fn command(args: &ExploreArgs, options: &str) -> String {
    let mut text = format!("warpstack explore --out {}", args.out.display());
    for (name, value, default) in [
        ("problem", &args.problem, ALL),
        ("kernel", &args.kernel, KERNELS),
    ] {
        if value != default {
            text += &format!(" --{name} {}", value.replace(' ', ""));
        }
    }
    text + options
}

/// The measured cells whose launches are on the page.
fn measured(
    plan: &Plan,
    engine: &Predictor,
    problems: &[&str],
) -> Result<Vec<MeasuredPoint>, Box<dyn Error>> {
    let launches = plan.launches.iter();
    let launches: Vec<_> = launches.map(|one| engine.configure(one).ok()).collect();
    let place = |cell: &Cell| {
        let configuration = engine.configure(&cell.options()).ok()?;
        let same = |one: &Option<Configuration>| one.as_ref() == Some(&configuration);
        launches.iter().position(same).map(|at| plan.places(at))
    };
    let mut points = Vec::new();
    for table in Table::ALL {
        let measured = Measured::of_paper(table)?;
        let of_problem = |problem: &&str| cells(table, problem);
        for cell in problems.iter().flat_map(of_problem) {
            let value = measured.get(&cell).zip(place(&cell));
            points.extend(value.map(|(value, places)| MeasuredPoint {
                places,
                gpops_billion: value.gpops_billion,
                ci_billion: value.ci_billion,
                table: table.number(),
                fitted: is_fitted(&cell),
            }));
        }
    }
    Ok(points)
}

fn is_fitted(cell: &Cell) -> bool {
    cell.split() == CellSplit::Fitted
}
