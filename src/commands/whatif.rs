//! `warpstack whatif`: speed over any value of a preset or a launch, in every combination.
//!
//! L1 sizes need not be those of the hardware: any size with whole sets may be asked for. Leaves out: predicting (`predictor`).
//! Units: those of the keys.

use super::CliResult;
use super::configuration::LaunchArgs;
use super::engine::{EngineArgs, note_weights, open_for};
use super::format::OutputArgs;
use super::look::{self, LookArgs};
use super::names;
use super::own_kernel::{self, OwnKernelArgs};
use super::stop::Stop;
use crate::device::Device;
use crate::launch::prediction::PredictError;
use crate::predictor::{Explained, Predictor};
use crate::report::chart::study::Grid;
use crate::report::chart::{self, Look};
use crate::report::progress::{self, Progress};
use crate::report::provenance::Provenance;
use crate::report::{output, whatif};
use crate::study::file::StudyFile;
use crate::study::journal::Journal;
use crate::study::part::Part;
use crate::study::run::{Outcome, Point, Study};
use crate::study::{Axis, Base, Key, StudyError};
use crate::systems::options::LaunchOptions;
use crate::validate::interval::{Group, Interval};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Predict every combination of values of a device or a launch.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("drawings").args(["chart", "heatmap"]).multiple(true)),
    mut_args(look::only_with_drawings)
)]
pub struct WhatifArgs {
    /// Key and values to vary; repeat to combine keys, or to add values to one. Keys: problem, kernel, threads, stack-dim, stack-registers, l1 (in KiB), population,
    /// cases, threads-per-program, clock, smx, schedulers, registers, or section.field of the preset. Values: 64,128 or 4..256 or 900..1100+50
    #[arg(long, value_name = "KEY=VALUES")]
    pub vary: Vec<String>,
    /// Study file (TOML) with device, engine, and sections base and vary; --vary adds to it
    #[arg(long, value_name = "FILE")]
    pub study: Option<PathBuf>,
    /// Device name, or the path of a .toml file [default: the study's, or gtx670]
    #[arg(long, value_parser = crate::commands::names::device())]
    pub device: Option<String>,
    /// Launch options that are not varied.
    #[command(flatten)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    pub own: OwnKernelArgs,
    /// Also name the part of the machine whose removal gains most; predicts each point about fifteen times
    #[arg(long)]
    pub why: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Part of the points, K/N from 1/N to N/N, for another machine: the rows of the parts in order are those of the whole
    #[arg(long, value_name = "K/N", conflicts_with_all = ["chart", "heatmap"])]
    pub part: Option<Part>,
    /// Chart of curves to draw, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
    /// Heat map over the first two varied keys to draw, .svg or .png; the best cell is framed
    #[arg(long, value_name = "FILE")]
    pub heatmap: Option<PathBuf>,
    #[command(flatten)]
    pub look: LookArgs,
    /// Key on the horizontal axis of the curves [default: the first varied key]
    #[arg(long, value_name = "KEY")]
    pub over: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub fn run(args: &WhatifArgs, stop: &Stop) -> CliResult {
    let file = study_file(args)?;
    let mut engine_args = engine_args(args, &file)?;
    let study = study(args, &file, &mut engine_args)?;
    let drawings = Drawings::plan(args, &study)?;
    let engine = open(&study, &engine_args, &args.own)?;
    let points = predict(args, &engine_args, (&study, &engine), stop)?;
    let axes = &study.axes;
    let rows = with_measured(args, &study, &engine_args, &points.0)?;
    let is_measured = rows.iter().any(|row| row.measured.is_some());
    let provenance = Provenance::of(&engine);
    args.output.print_columns(
        &whatif::columns(axes, is_measured, args.why),
        &rows,
        &provenance,
    )?;
    drawings.draw(&study.axes, &rows)?;
    if let Some(journal) = points.1 {
        journal.finish()?;
    }
    note_weights(&engine);
    Ok(())
}

/// The points, each with what was measured of its launch and the interval of its speed.
fn with_measured(
    args: &WhatifArgs,
    study: &Study,
    engine: &EngineArgs,
    points: &[Point],
) -> Result<Vec<whatif::StudyRow>, Box<dyn Error>> {
    // Another machine than the paper's was not measured.
    let changes_device = |axis: &Axis| matches!(axis.key, Key::Field(..));
    let known = match study.axes.iter().any(changes_device) {
        true => None,
        false => engine.inputs.known(&study.base.device)?,
    };
    let interval = |point: &Point| {
        let (device, launched) = (&study.base.device, &point.outcome.launched);
        let launch = Group {
            device: device.name.clone(),
            engine: engine.engine.to_string(),
            problem: launched.problem.clone().unwrap_or_default(),
            kernel: launched.kernel.clone(),
        };
        let interval = match study.axes.iter().any(changes_device) {
            true => Interval::NONE,
            false => {
                let l1_bytes = launched.l1_kib.map(|kib| kib * 1024);
                args.own.interval(device, &launch, l1_bytes)
            }
        };
        Some(interval.of_speed(point.outcome.gpops_billion?))
    };
    let row = |point: &Point| whatif::StudyRow {
        interval: interval(point),
        measured: (known.as_ref()).and_then(|known| known.of_launch(&point.outcome.launched)),
        point: point.clone(),
    };
    Ok(points.iter().map(row).collect())
}

fn device_name<'a>(args: &'a WhatifArgs, file: &'a StudyFile) -> &'a str {
    let given = args.device.as_ref().or(file.device.as_ref());
    given.map_or("gtx670", String::as_str)
}

/// The study that is asked for; `engine` becomes the one that predicts its kernels, with a kernel of the user's own.
fn study(
    args: &WhatifArgs,
    file: &StudyFile,
    engine: &mut EngineArgs,
) -> Result<Study, Box<dyn Error>> {
    let base = Base::load(device_name(args, file))?;
    let mut axes: Vec<Axis> = Vec::new();
    let of_file = file.axes()?;
    let mut of_line: Vec<Key> = Vec::new();
    for (place, given) in of_file.iter().chain(&args.vary).enumerate() {
        let mut axis = Axis::parse(given, &base)?;
        match axis.key {
            Key::Problem => names::problem().understand(&mut axis.values)?,
            Key::Kernel => names::kernel().understand(&mut axis.values)?,
            _ => {}
        }
        // A key of the command line replaces the file's; repeated, its values are combined.
        let known = axes.iter().position(|known| known.key == axis.key);
        match known {
            Some(at) if of_line.contains(&axis.key) => {
                axes[at].add(axis.values);
                continue;
            }
            Some(at) => drop(axes.remove(at)),
            None => {}
        }
        if place >= of_file.len() {
            of_line.push(axis.key.clone());
        }
        axes.push(axis);
    }
    let options = args.launch.options(&args.engine.inputs);
    let varied = axes.iter().find(|axis| axis.key == Key::Kernel);
    let kernels = varied.map_or(std::slice::from_ref(&options.kernel), |axis| &axis.values);
    *engine = engine.for_kernels(kernels.iter().map(String::as_str));
    let keys: Vec<&Key> = axes.iter().map(|axis| &axis.key).collect();
    for key in &keys {
        base.check_read(key, engine.engine.reader(), &keys)?;
    }
    let (options, inputs) = own_kernel::launched(options, &args.own, &engine.inputs, &base.device)?;
    engine.inputs = inputs;
    let study = Study {
        options,
        base,
        axes,
        part: args.part.unwrap_or(Part::WHOLE),
    };
    study.n_points()?;
    // Sizes that no cache can have are refused before any work; so is a preset out of its ranges.
    let firsts = study.axes.iter().scan(1, |before, axis| {
        let stride = study.n_points().ok()? / *before / axis.values.len();
        *before *= axis.values.len();
        Some((0..axis.values.len()).map(move |at| at * stride))
    });
    for point in firsts.flatten() {
        study.site(point)?;
    }
    Ok(study)
}

/// The model of a study, of which some point can be launched.
fn open(
    study: &Study,
    engine: &EngineArgs,
    own: &OwnKernelArgs,
) -> Result<Predictor, Box<dyn Error>> {
    let (engine, _) = open_for(&study.base.device, engine.settings()?, &[])?;
    let mut first = None;
    for point in 0..study.n_points()? {
        let site = study.site(point)?;
        let on = engine.on(site.device);
        match on.configure(&site.options) {
            Ok(launched) => {
                own_kernel::check(&on, &[launched], own)?;
                return Ok(engine);
            }
            Err(refused) => first = first.or(Some(refused)),
        }
    }
    match first {
        Some(refused) => Err(refused.into()),
        None => Ok(engine),
    }
}

fn study_file(args: &WhatifArgs) -> Result<StudyFile, StudyError> {
    match &args.study {
        Some(path) => StudyFile::load(path),
        None => Ok(StudyFile::default()),
    }
}

fn engine_args(args: &WhatifArgs, file: &StudyFile) -> Result<EngineArgs, StudyError> {
    let mut engine = args.engine.clone();
    if let Some(name) = &file.engine {
        engine.engine = clap::ValueEnum::from_str(name, false)
            .map_err(|_| StudyError::input("engine", name, "simulator, analytical"))?;
    }
    Ok(engine)
}

/// All points, and the journal to be removed once they are written.
fn predict(
    args: &WhatifArgs,
    engine_args: &EngineArgs,
    (study, engine): (&Study, &Predictor),
    stop: &Stop,
) -> Result<(Vec<Point>, Option<Journal>), Box<dyn Error>> {
    let predict = |device: &Device, options: &LaunchOptions| {
        if let Err(stopped) = stop.check() {
            return (None, Err(PredictError::other(stopped)));
        }
        let engine = engine.on(device.clone());
        match engine.configure(options) {
            Ok(launched) => {
                let outcome = match args.why {
                    true => engine.explain_alone(&launched).map(|one| with_gain(&one)),
                    false => engine.predict(&launched).map(|one| Outcome::of(&one)),
                };
                (Some(launched), outcome)
            }
            Err(refused) => (None, Err(refused)),
        }
    };
    let n_points = study.n_points()?;
    let path = args.output.path().filter(|path| !output::is_stream(path));
    let (journal, done) = match path {
        Some(path) => {
            output::check_writable(path)?;
            let hash = study.hash(&described(args, engine_args)?);
            let (journal, done) = Journal::open(&Journal::path_for(path), &hash, n_points)?;
            (Some(journal), done)
        }
        None => (None, vec![None; n_points]),
    };
    let part = &done[study.part.points(n_points)];
    let missing = part.iter().filter(|outcome| outcome.is_none()).count();
    note_duration(study, engine, missing, path);
    let progress = Progress::new(missing as u64, "points");
    let points = study.run(predict, done, journal.as_ref(), &|| progress.step())?;
    Ok((points, journal))
}

/// The model, its settings and what is asked of it, in text.
fn described(args: &WhatifArgs, engine: &EngineArgs) -> Result<String, Box<dyn Error>> {
    let asked = if args.why { " --why" } else { "" };
    Ok(engine.described()? + asked)
}

/// The outcome of a launch with the part whose removal gains most.
fn with_gain(explained: &Explained) -> Outcome {
    let first = explained.first().filter(|gain| gain.is_notable());
    Outcome {
        gains_most: Some(first.map_or("none", |gain| gain.free[0].name()).to_owned()),
        gain_percent: first.map(|gain| 100.0 * (gain.speedup - 1.0)),
        ..Outcome::of(&explained.prediction)
    }
}

/// Number of points from which a study announces its duration beforehand.
const LONG_STUDY: usize = 10_000;

/// Prints how long a long study takes, estimated from its first point, and how to resume an interrupted one.
fn note_duration(study: &Study, engine: &Predictor, missing: usize, out: Option<&Path>) {
    if missing < LONG_STUDY {
        return;
    }
    let Ok(site) = study.site(0) else {
        return;
    };
    let on = engine.on(site.device);
    // The first prediction also loads programs and traces.
    let mut times = [0.0; 2];
    for seconds in &mut times {
        let start = Instant::now();
        let _ = on.configure(&site.options).and_then(|one| on.predict(&one));
        *seconds = start.elapsed().as_secs_f64();
    }
    let seconds = times[1] * missing as f64 / rayon::current_num_threads() as f64;
    let about = match seconds {
        _ if seconds < 120.0 => format!("{seconds:.0} seconds"),
        _ if seconds < 7200.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    };
    let resume = match out {
        Some(_) => "; if interrupted, the same command resumes it",
        None => "; with --out FILE an interrupted study can be resumed",
    };
    progress::say(&format!("{missing} points, about {about}{resume}"));
}

/// Drawings to make of a study.
struct Drawings {
    chart: Option<(PathBuf, usize)>,
    heatmap: Option<(PathBuf, usize, usize)>,
    look: Look,
}

impl Drawings {
    /// Finds out before long work what could not be drawn.
    fn plan(args: &WhatifArgs, study: &Study) -> Result<Drawings, Box<dyn Error>> {
        let grid = Grid {
            axes: &study.axes,
            rows: &[],
        };
        let varying = grid.varying();
        let named = |name: &str| -> Result<usize, Box<dyn Error>> {
            let (key, _) = study.base.key(name)?;
            let at = study.axes.iter().position(|axis| axis.key == key);
            at.ok_or_else(|| refused("--over", name, &study.axes))
        };
        let over = match &args.over {
            Some(name) => Some(named(name)?),
            None => varying.first().copied(),
        };
        let check = |path: &Path| chart::check_path(path);
        let chart = match (&args.chart, over) {
            (Some(path), Some(over)) => {
                check(path)?;
                Some((path.clone(), over))
            }
            (Some(path), None) => {
                return Err(refused("--chart", &path.display().to_string(), &study.axes));
            }
            _ => None,
        };
        let heatmap = match (&args.heatmap, &varying[..]) {
            (Some(path), [right, up, ..]) => {
                check(path)?;
                Some((path.clone(), *right, *up))
            }
            (Some(path), _) => {
                return Err(refused(
                    "--heatmap",
                    &path.display().to_string(),
                    &study.axes,
                ));
            }
            _ => None,
        };
        Ok(Drawings {
            chart,
            heatmap,
            look: args.look.look(),
        })
    }

    fn draw(&self, axes: &[Axis], rows: &[whatif::StudyRow]) -> CliResult {
        let grid = Grid { axes, rows };
        if let Some((path, over)) = &self.chart {
            chart::save(&grid.curves(*over), path, self.look)?;
        }
        if let Some((path, right, up)) = &self.heatmap {
            chart::save(&grid.heat(*right, *up), path, self.look)?;
        }
        Ok(())
    }
}

fn refused(what: &str, given: &str, axes: &[Axis]) -> Box<dyn Error> {
    let names: Vec<String> = axes.iter().map(|axis| axis.key.name()).collect();
    let names = match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    };
    format!(
        "{what}: given {given}; allowed: with keys that --vary gives more than one value (curves one, heat maps two; now: {names})"
    )
    .into()
}
