//! `warpstack validate`: predictions beside everything that was measured on a device.

use super::CliResult;
use super::engine::{ExtentArgs, Kind, engine_for};
use super::format::OutputArgs;
use super::limit::evenly;
use super::look::ChartArgs;
use super::own_kernel::OwnKernelArgs;
use crate::device::{Device, Preset};
use crate::gp::problem::ProblemId;
use crate::gp::problem::uci::folder;
use crate::launch::prediction::{Configuration, PredictError, Prediction};
use crate::predictor;
use crate::predictor::{Predictor, Settings};
use crate::report::contrasts as report;
use crate::report::progress::{self, Progress};
use crate::report::provenance::Provenance;
use crate::report::validation::{self, Line};
use crate::systems::chitty::code::is_custom;
use crate::systems::chitty::conformance;
use crate::systems::chitty::kernel_id::StackRow;
use crate::systems::chitty::request::Request;
use crate::systems::chitty::split::MeasurementSplit;
use crate::systems::chitty::variant::{KernelId, Variant};
use crate::systems::gpocl;
use crate::util::memo::Memo;
use crate::util::refused::Refused;
use crate::util::{input, parallel};
use crate::validate::card;
use crate::validate::contrasts::{Observed, Options, contrasts};
use crate::validate::interval::{Errors, Group, Interval};
use crate::validate::launches::{
    Custom, MeasuredLaunch, devices, measured_launches, merged, parse, parse_with,
};
use crate::validate::paper_rows::{self, PaperRow};
use crate::validate::papers::Paper;
use crate::validate::requests::{Programs, Requests};
use crate::validate::{Cell, CellSplit, Measured, Table, cells};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Predict measured launches, with the same programs and fitness cases, and compare.
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart", |arg| arg.help("Chart of predicted and measured times to draw, .svg or .png")))]
pub struct ValidateArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "h200", value_parser = crate::commands::names::device())]
    pub device: String,
    /// Rows that `warpstack measure` wrote, times or counters [default: the committed rows of the device]
    #[arg(long, value_name = "FILE")]
    pub measured: Option<PathBuf>,
    /// File of the measured programs [default: the file that the rows name]
    #[arg(long, value_name = "FILE", requires = "measured")]
    pub programs: Option<PathBuf>,
    /// Accept rows of another card than the device, or of several
    #[arg(long, requires = "measured")]
    pub any_card: bool,
    /// Folder of the UCI files, for rows measured on them [default: the folder that WARPSTACK_DATA names]
    #[arg(long, value_name = "DIR", requires = "measured")]
    pub data: Option<PathBuf>,
    /// Predict at most N configurations, evenly spread over those measured; 0 for all
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub limit: usize,
    /// Performance model
    #[arg(long, value_enum, default_value = "simulator")]
    pub engine: Kind,
    #[command(flatten)]
    pub extent: ExtentArgs,
    #[command(flatten)]
    pub own: OwnKernelArgs,
    /// Compare all pairs of launches that differ in one thing, instead of the launches: how well differences are predicted
    #[arg(long, conflicts_with = "chart")]
    pub contrasts: bool,
    #[command(flatten)]
    pub chart: ChartArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The preset whose measurements are the tables of the paper.
const WITH_TABLES: &str = "gtx670";

pub fn run(args: &ValidateArgs) -> CliResult {
    args.output.check()?;
    args.chart.check()?;
    if args.own.path().is_some() && args.measured.is_none() {
        return Err(
            "--sass and --cuda: given without --measured; allowed: with the rows of the custom kernel"
                .into(),
        );
    }
    let chosen = Settings {
        kind: args.engine,
        simulator: args.extent.simulator(args.engine)?,
        ..Settings::default()
    };
    let mut settings = chosen.clone();
    let mut lines = match (&args.measured, args.device.as_str()) {
        (Some(_), _) => own(args, chosen)?,
        (None, WITH_TABLES) => paper(args.limit, chosen)?,
        (None, device) if devices().any(|known| known == device) => {
            launches(device, args.limit, chosen)?
        }
        (None, other) => {
            let known: Vec<&str> = devices().chain([WITH_TABLES]).collect();
            return Err(format!(
                "--device: given {other}; allowed without --measured FILE: {}, whose measurements are part of the program",
                known.join(", ")
            )
            .into());
        }
    };
    let device = Preset::load(&args.device)?.device;
    settings.kind = engine_for(args.engine, lines.iter().map(|line| line.kernel.as_str()));
    let errors = Errors::of(&device);
    for line in &mut lines {
        line.interval = errors.interval(&Group {
            device: device.name.clone(),
            engine: settings.kind.to_string(),
            problem: line.problem.clone(),
            kernel: line.kernel.clone(),
        });
    }
    let provenance = provenance(&settings, &device);
    if args.contrasts {
        let observed: Vec<Observed> = lines.iter().filter_map(observed).collect();
        args.output
            .print_columns(&report::columns(), &contrasts(&observed), &provenance)?;
        progress::say(&report::legend());
        return Ok(());
    }
    args.output
        .print_columns(&validation::columns(), &lines, &provenance)?;
    args.chart.save(|| validation::scatter(&lines))?;
    progress::say(&validation::summary(&lines));
    let worst = validation::worst(&lines).filter(|line| !line.data_type.is_empty());
    if let (Some(_), Some(worst)) = (&args.measured, worst) {
        progress::say(&explain_command(args, worst));
    }
    Ok(())
}

/// Returns a measured launch as contrasts read it.
fn observed(line: &Line) -> Option<Observed> {
    Some(Observed {
        problem: line.problem.clone(),
        population: format!("{} {}", line.population, line.programs),
        options: Options {
            kernel: line.kernel.clone(),
            stack_dim: line.stack_dim,
            stack_registers: line.stack_registers,
            threads: line.threads_per_block,
            case_blocks: line.case_blocks,
            l1_kib: line.l1_kib,
        },
        predicted: 1.0 / line.predicted_ms,
        measured: 1.0 / line.measured_ms?,
    })
}

/// The programs are those of the measured launches, and so is the kernel's mathematics.
fn provenance(settings: &Settings, device: &Device) -> Provenance {
    Provenance {
        program_seed: None,
        math: None,
        weighting: None,
        ..Provenance::of_settings(device, settings)
    }
}

/// Compares predictions with the user's own measurements.
fn own(args: &ValidateArgs, settings: Settings) -> Result<Vec<Line>, Box<dyn Error>> {
    let device = Preset::load(&args.device)?.device;
    let path = args.measured.as_deref().unwrap_or(Path::new(""));
    let file = path.display().to_string();
    let text = input::named(path)?;
    if !args.any_card {
        card::check(&text, &file, &device)?;
    }
    if let Some(rows) = paper_rows::parse(&text, &file)? {
        let rows = evenly(rows, Some(args.limit));
        let lines = of_papers(&device, &rows)?;
        let lost = lines.iter().filter(|line| line.is_none()).count();
        if lost > 0 {
            progress::say(&format!(
                "{file}: {lost} of {} rows left out: their populations evolve otherwise today\n",
                rows.len()
            ));
        }
        return Ok(lines.into_iter().flatten().collect());
    }
    let rows = merged(with_custom(args, &text, &file, &device)?);
    let requests = Requests::new(
        Programs::File(args.programs.clone()),
        folder(args.data.as_deref()),
    );
    let rows = evenly(rows, Some(args.limit));
    predicted(device, rows, requests, (settings, Some(&args.own)))
}

/// Reads the rows, those of a custom kernel with the machine code that the options name.
fn with_custom(
    args: &ValidateArgs,
    text: &str,
    file: &str,
    device: &Device,
) -> Result<Vec<MeasuredLaunch>, Box<dyn Error>> {
    let Some(lowering) = args.own.compiled.encoding else {
        return Ok(parse(text, file, device)?);
    };
    let known = Memo::default();
    let code = |variant: &Variant| {
        let code = known.try_get(*variant, || args.own.code(lowering, || Ok(*variant)));
        code.map(|code| (*code).clone())
    };
    let custom = Custom {
        lowering,
        code: &code,
    };
    let rows = parse_with(text, file, device, Some(&custom))?;
    let is_built_in = |row: &MeasuredLaunch| row.launched.kernel.compiled().is_some();
    match rows.iter().all(is_built_in) {
        true => Err(Refused::new(
            file,
            "no row of a custom kernel",
            "rows that `warpstack measure gpu --cuda FILE` wrote",
        )
        .into()),
        false => Ok(rows),
    }
}

/// Launches of other papers' systems; `None` where the measured programs are not those of today.
pub(super) fn of_papers(
    device: &Device,
    rows: &[PaperRow],
) -> Result<Vec<Option<Line>>, Box<dyn Error>> {
    let predictor = Predictor::new(device.clone());
    let configuration = |row: &PaperRow| predictor.with_seed(row.seed).configure(&row.launch);
    let configurations: Vec<Configuration> =
        rows.iter().map(configuration).collect::<Result<_, _>>()?;
    // GPOCL's launches share what they execute.
    let gpocl = |row: &PaperRow| row.paper == Paper::Gpocl;
    let mut predicted: HashMap<usize, Option<(f64, f64)>> = HashMap::new();
    let seeds: BTreeSet<u64> = rows
        .iter()
        .filter(|row| gpocl(row))
        .map(|row| row.seed)
        .collect();
    for seed in seeds {
        let own = (0..rows.len()).filter(|&at| gpocl(&rows[at]) && rows[at].seed == seed);
        let own: Vec<usize> = own.collect();
        let asked = own.iter().map(|&at| (&configurations[at]).try_into());
        let asked: Vec<gpocl::GpoclConfiguration> = asked.collect::<Result<_, _>>()?;
        let speeds = gpocl::predict::predict(predictor.machine()?, &asked, seed)?;
        let speeds = speeds
            .iter()
            .map(|one| Some((one.milliseconds, one.instructions)));
        predicted.extend(own.into_iter().zip(speeds));
    }
    let others = (0..rows.len()).filter(|&at| !gpocl(&rows[at]));
    let others = parallel::try_map(&others.collect::<Vec<_>>(), |&at| {
        let found = predictor
            .with_seed(rows[at].seed)
            .predict(&configurations[at])?;
        let same = rows[at].has_programs_of(found.gpops_billion * found.run_milliseconds / 1e3);
        let figures = (found.run_milliseconds, found.warp_instructions);
        Ok::<_, PredictError>((at, same.then_some(figures)))
    });
    predicted.extend(others?);
    let line = |(at, row): (usize, &PaperRow)| {
        let (problem, kernel) = row.names();
        let (milliseconds, warp_instructions) = predicted[&at]?;
        Some(Line {
            device: device.name.clone(),
            split: "holdout",
            problem,
            kernel,
            stack_dim: 1,
            data_type: String::new(),
            stack_registers: 0,
            threads_per_block: configurations[at].threads_per_block,
            population: row.population(),
            programs: row.seed.to_string(),
            case_blocks: 1,
            l1_kib: 0,
            measured_ms: row.milliseconds,
            predicted_ms: milliseconds,
            measured_warp_instructions: row.warp_instructions,
            predicted_warp_instructions: warp_instructions as u64,
            measured_l1_hit_percent: None,
            predicted_l1_hit_percent: None,
            interval: Interval::NONE,
        })
    };
    Ok(rows.iter().enumerate().map(line).collect())
}

/// `n_rows` of a device's committed launches, evenly spread over those measured (all for 0), with what is predicted for them.
fn launches(device: &str, n_rows: usize, settings: Settings) -> Result<Vec<Line>, Box<dyn Error>> {
    let device = Preset::load(device)?.device;
    let rows = evenly(measured_launches(&device)?, Some(n_rows));
    let requests = Requests::new(Programs::Committed, None);
    predicted(device, rows, requests, (settings, None))
}

/// Runs the custom kernels of some launches lane by lane, and refuses one whose results differ from the reference interpreter's.
fn check_custom(jobs: &[(MeasuredLaunch, Request)], own: &OwnKernelArgs) -> CliResult {
    const HOW: &str =
        "check --encoding and the rows' stack_dim, stack_registers, math and dispatch";
    let mut checked = HashSet::new();
    for (_, request) in jobs {
        let kernel = &request.kernel;
        if kernel.compiled().is_some() || !checked.insert(kernel.clone()) {
            continue;
        }
        let name = kernel.kernel_name();
        let compared = conformance::compare(kernel, &request.programs.programs);
        let compared = compared.map_err(|error| format!("{name}: {error}; {HOW}"))?;
        own.judge(name, &compared, HOW)?;
    }
    Ok(())
}

/// Predicts every row, kernel by kernel, so that the rows of one kernel share its traces; the lines keep the rows' order.
fn predicted(
    device: Device,
    rows: Vec<MeasuredLaunch>,
    mut requests: Requests,
    (settings, own): (Settings, Option<&OwnKernelArgs>),
) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut jobs: Vec<(MeasuredLaunch, Request)> = Vec::with_capacity(rows.len());
    for row in rows {
        let request = requests.of(&row)?;
        jobs.push((row, request));
    }
    if let Some(own) = own {
        check_custom(&jobs, own)?;
    }
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&at| {
        let launched = &jobs[at].0.launched;
        let kernel = *launched.kernel;
        (kernel.problem, kernel, launched.population)
    });
    let progress = Progress::new(jobs.len() as u64, "configurations");
    let engine = Predictor::with_settings(device, settings);
    let lines = parallel::try_map(&order, |&at| {
        let (row, request) = &jobs[at];
        let prediction = engine.predict_request(request)?;
        progress.step();
        Ok::<_, PredictError>((at, launch_line(engine.device(), row, &prediction)))
    });
    let mut lines = lines?;
    lines.sort_by_key(|(at, _)| *at);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

fn launch_line(device: &Device, row: &MeasuredLaunch, predicted: &Prediction) -> Line {
    let launched = &row.launched;
    let variant = &launched.kernel;
    let memory = &predicted.memory;
    Line {
        device: device.name.clone(),
        split: match row.split {
            MeasurementSplit::Calibration => "calibration",
            MeasurementSplit::Holdout => "holdout",
        },
        problem: variant.problem.to_string(),
        kernel: variant.kernel_name().to_owned(),
        stack_dim: variant.stack_dim,
        data_type: data_type(variant.problem, variant.kernel, variant.stack_dim),
        stack_registers: variant.stack_registers,
        threads_per_block: launched.threads_per_block,
        population: launched.population,
        programs: launched.programs.clone(),
        case_blocks: launched.case_blocks,
        l1_kib: predicted.l1_bytes / 1024,
        measured_ms: row.milliseconds,
        predicted_ms: predicted.run_milliseconds,
        measured_warp_instructions: row.warp_instructions,
        predicted_warp_instructions: predicted.warp_instructions as u64,
        measured_l1_hit_percent: row.l1_hit_percent,
        predicted_l1_hit_percent: (memory.l1_load_lines > 0).then_some(memory.l1_load_hit_percent),
        interval: Interval::NONE,
    }
}

fn data_type(problem: ProblemId, kernel: KernelId, stack_dim: u32) -> String {
    let element = match problem.is_boolean() {
        true => "uint",
        false => "float",
    };
    match kernel.row() {
        StackRow::Scalars => element.to_owned(),
        StackRow::Vector => format!("{element}{stack_dim}"),
    }
}

/// Returns the command that explains the row with the largest error.
fn explain_command(args: &ValidateArgs, line: &Line) -> String {
    let programs = args
        .programs
        .as_ref()
        .map_or("FILE".into(), |path| path.display().to_string());
    let kernel = match (args.own.path(), args.own.compiled.encoding) {
        (Some(path), Some(encoding)) if is_custom(&line.kernel) => {
            let option = if args.own.sass.is_some() {
                "sass"
            } else {
                "cuda"
            };
            format!("--{option} {} --encoding {encoding}", path.display())
        }
        _ => format!("--kernel {}", line.kernel),
    };
    format!(
        "the row that is most off ({:+.1} %): warpstack explain --device {} --problem {} {kernel} --stack-dim {} \
         --stack-registers {} --threads {} --case-blocks {} --l1 {} --programs {programs} --population {}\n",
        line.error_percent().unwrap_or(0.0),
        args.device,
        line.problem,
        line.stack_dim,
        line.stack_registers,
        line.threads_per_block,
        line.case_blocks,
        line.l1_kib,
        line.population,
    )
}

fn paper(n_rows: usize, settings: Settings) -> Result<Vec<Line>, Box<dyn Error>> {
    let problems = predictor::problems();
    let engine = Predictor::with_settings(Preset::load(WITH_TABLES)?.device, settings);
    let tables = Table::ALL;
    let measured = tables
        .iter()
        .map(|table| Measured::of_paper(*table))
        .collect::<Result<Vec<_>, _>>()?;
    let value = |cell: &Cell| measured.iter().find_map(|table| table.get(cell));
    let all = tables
        .iter()
        .flat_map(|table: &Table| problems.iter().flat_map(|problem| cells(*table, problem)));
    let cells = evenly(
        all.filter(|cell| value(cell).is_some()).collect(),
        Some(n_rows),
    );
    let progress = Progress::new(cells.len() as u64, "cells");
    let lines = parallel::try_map(&cells, |cell| {
        let prediction = engine.predict(cell.options())?;
        progress.step();
        let measured = value(cell).map(|value| value.gpops_billion);
        paper_line(cell, &prediction, measured)
    });
    lines.map_err(|error: Box<dyn Error + Send + Sync>| error as Box<dyn Error>)
}

/// Compares a cell of the paper. The paper gives speeds of whole runs: the kernel's share of that time is taken to be as predicted.
fn paper_line(
    cell: &Cell,
    predicted: &Prediction,
    measured_gpops_billion: Option<f64>,
) -> Result<Line, Box<dyn Error + Send + Sync>> {
    let configuration = &predicted.configuration;
    let problem: ProblemId = configuration.problem.parse()?;
    let kernel: KernelId = configuration.kernel.parse()?;
    let memory = &predicted.memory;
    Ok(Line {
        device: WITH_TABLES.to_owned(),
        split: match cell.split() {
            CellSplit::Fitted => "calibration",
            CellSplit::HeldOut => "holdout",
        },
        problem: configuration.problem.clone(),
        kernel: configuration.kernel.clone(),
        stack_dim: configuration.stack_dim,
        data_type: data_type(problem, kernel, configuration.stack_dim),
        stack_registers: configuration.stack_registers,
        threads_per_block: configuration.threads_per_block,
        population: 1000,
        programs: String::new(),
        case_blocks: 1,
        l1_kib: predicted.l1_bytes / 1024,
        measured_ms: measured_gpops_billion
            .map(|measured| predicted.run_milliseconds * predicted.gpops_billion / measured),
        predicted_ms: predicted.run_milliseconds,
        measured_warp_instructions: None,
        predicted_warp_instructions: predicted.warp_instructions as u64,
        measured_l1_hit_percent: None,
        predicted_l1_hit_percent: (memory.l1_load_lines > 0).then_some(memory.l1_load_hit_percent),
        interval: Interval::NONE,
    })
}
