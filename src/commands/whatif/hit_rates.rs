//! `warpstack whatif --metric hit-rate`: hit rates of every L1 from one simulation of a launch.
//!
//! Leaves out: time (the speed over the L1 size is `whatif --vary l1=...`). Units: bytes, percent.

use super::{WhatifArgs, device_name, study_file};
use crate::commands::CliResult;
use crate::commands::engine::{Kind, open_for};
use crate::commands::own_kernel;
use crate::commands::refuse;
use crate::device::{Device, Preset};
use crate::launch::spec::CacheSpec;
use crate::report::chart;
use crate::report::chart::lines::{Lines, Scale, of_points};
use crate::report::columns::Columns;
use crate::report::provenance::Provenance;
use crate::study::l1::l1_geometry;
use serde::Serialize;
use std::error::Error;

/// Which caches, with `--metric hit-rate`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "With --metric hit-rate")]
pub struct L1Args {
    /// Numbers of ways, separated by commas [default: those of the size]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=64))]
    pub ways: Vec<u32>,
    /// Line sizes in bytes, separated by commas [default: 128]
    #[arg(long, value_delimiter = ',', value_name = "BYTES")]
    pub line_bytes: Vec<u32>,
    /// Simulate N times as long as `predict` [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub times: Option<u32>,
}

const LINES: [u32; 1] = [128];
const TIMES: u32 = 4;

/// Sizes that are listed beside those of the device: 1 KiB to 1 MiB.
const SIZES_KIB: [u32; 14] = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512, 1024];
/// Lines that a row of 128 bytes divides into, or that whole rows fill.
const LINE_BYTES: [u32; 5] = [32, 64, 128, 256, 512];
/// The analytical model counts the lines of whole rows.
const MODELLED_LINE_BYTES: [u32; 1] = [128];

/// Hit rates of one L1.
#[derive(Debug, Serialize)]
pub struct L1HitRates {
    /// In KiB.
    pub l1: u32,
    pub line_bytes: u32,
    pub sets: u32,
    pub ways: u32,
    pub load_hit_percent: Option<f64>,
    pub store_hit_percent: Option<f64>,
    /// Hit rate of global loads, where the L1 caches them.
    pub global_hit_percent: Option<f64>,
}

pub(super) fn run(args: &WhatifArgs) -> CliResult {
    args.output.check()?;
    if let Some(path) = &args.chart {
        chart::check_path(path)?;
    }
    let (rows, provenance) = rows(args)?;
    args.output
        .print_columns(&columns(&rows), &rows, &provenance)?;
    if let Some(path) = &args.chart {
        chart::save(&curves(&rows), path, args.look.look())?;
    }
    Ok(())
}

/// Hit rates of loads and stores over the L1 size; a line each for every line size.
fn curves(rows: &[L1HitRates]) -> Lines {
    let has_lines = rows.iter().any(|row| row.line_bytes != rows[0].line_bytes);
    let points = rows.iter().flat_map(|row| {
        let detail = match has_lines {
            true => format!(", lines of {} bytes", row.line_bytes),
            false => String::new(),
        };
        let rates = [
            ("loads", row.load_hit_percent),
            ("stores", row.store_hit_percent),
        ];
        let point = move |(name, rate): (&str, Option<f64>)| {
            Some((format!("{name}{detail}"), (f64::from(row.l1), rate?)))
        };
        rates.into_iter().filter_map(point)
    });
    Lines {
        x_label: "L1 size (KiB)".into(),
        y_label: "hits (%)".into(),
        scale: Scale::Doubling,
        lines: of_points(points),
        ..Lines::default()
    }
}

/// Refuses these options where speeds are predicted.
pub(super) fn refuse_options(args: &L1Args) -> Result<(), String> {
    let options = [
        ("--ways", !args.ways.is_empty()),
        ("--line-bytes", !args.line_bytes.is_empty()),
        ("--times", args.times.is_some()),
    ];
    refuse::given(
        &options,
        "given with --metric speed; allowed: with --metric hit-rate",
    )
}

/// Refuses what only a study of speeds has.
fn refuse_study(args: &WhatifArgs) -> Result<(), String> {
    let options = [
        ("--vary", !args.vary.is_empty()),
        ("--study", args.study.is_some()),
        ("--shard", args.shard.is_some()),
        ("--slurm", args.slurm.slurm.is_some()),
        ("--heatmap", args.heatmap.is_some()),
        ("--over", args.over.is_some()),
    ];
    refuse::given(
        &options,
        "given with --metric hit-rate; allowed: with --metric speed",
    )
}

/// One row for every L1 that the options ask for.
pub fn rows(args: &WhatifArgs) -> Result<(Vec<L1HitRates>, Provenance), Box<dyn Error>> {
    refuse_study(args)?;
    let lines = match &args.l1.line_bytes[..] {
        [] => &LINES[..],
        given => given,
    };
    check_line_bytes(lines, args.engine.engine)?;
    let device = Preset::load(device_name(args, &study_file(args)?))?.device;
    let options = args.launch.options(&args.engine.inputs);
    let (options, inputs) = own_kernel::launched(options, &args.own, &args.engine.inputs, &device)?;
    let engine = args.engine.with_inputs(inputs);
    let (engine, launches) = open_for(&device, engine.settings()?, &[options])?;
    own_kernel::check(&engine, &launches, &args.own)?;
    let sweep = engine.sweep(&launches[0], args.l1.times.unwrap_or(TIMES))?;
    let caches: Vec<CacheSpec> = lines
        .iter()
        .flat_map(|&line_bytes| {
            let sweep = &sweep;
            let cache = move |(sets, ways)| sweep.cache(line_bytes, sets, ways);
            let found = geometries(&device, line_bytes, &args.l1.ways);
            found.into_iter().map(cache)
        })
        .collect();
    let rates = sweep.hit_rates(&caches);
    let rows = caches.iter().zip(rates).map(|(cache, rates)| L1HitRates {
        l1: cache.bytes() / 1024,
        line_bytes: cache.line_bytes,
        sets: cache.sets,
        ways: cache.ways,
        load_hit_percent: percent(rates.local_loads),
        store_hit_percent: percent(rates.local_stores),
        global_hit_percent: percent(rates.global_loads),
    });
    Ok((rows.collect(), Provenance::of(&engine)))
}

/// Refuses lines that the engine cannot count.
fn check_line_bytes(lines: &[u32], engine: Kind) -> Result<(), String> {
    let allowed = match engine {
        Kind::Simulator => &LINE_BYTES[..],
        Kind::Analytical => &MODELLED_LINE_BYTES,
    };
    if let Some(given) = lines.iter().find(|bytes| !allowed.contains(bytes)) {
        let allowed: Vec<String> = allowed.iter().map(u32::to_string).collect();
        return Err(format!(
            "--line-bytes: given {given}; allowed: {} ({engine})",
            allowed.join(", ")
        ));
    }
    Ok(())
}

/// Sets and ways of every listed size.
fn geometries(device: &Device, line_bytes: u32, ways: &[u32]) -> Vec<(u32, u32)> {
    let mut bytes = SIZES_KIB.map(|kib| 1024 * kib).to_vec();
    bytes.extend(device.l1.geometry.iter().map(|geometry| geometry.bytes));
    bytes.sort_unstable();
    bytes.dedup();
    if ways.is_empty() {
        let found = bytes
            .iter()
            .filter_map(|&bytes| l1_geometry(device, bytes, line_bytes));
        return found
            .map(|geometry| (geometry.n_sets, geometry.n_ways))
            .collect();
    }
    let with = |ways: &u32| {
        let way_bytes = ways * line_bytes;
        let whole =
            |bytes: &u32| bytes.is_multiple_of(way_bytes) && (bytes / way_bytes).is_power_of_two();
        let ways = *ways;
        let fits = bytes.iter().filter(|bytes| whole(bytes));
        fits.map(move |bytes| (bytes / way_bytes, ways))
            .collect::<Vec<_>>()
    };
    ways.iter().flat_map(with).collect()
}

/// A table has the last column only where the L1 caches global loads.
fn columns(rows: &[L1HitRates]) -> Columns<L1HitRates> {
    let global = |row: &L1HitRates| row.global_hit_percent;
    let columns = Columns::<L1HitRates>::new(0)
        .column("L1 (KiB)", "l1", |row| row.l1)
        .column("line (bytes)", "line_bytes", |row| row.line_bytes)
        .column("sets", "sets", |row| row.sets)
        .column("ways", "ways", |row| row.ways)
        .column("load hits (%)", "load_hit_percent", |row| {
            row.load_hit_percent
        })
        .digits(2)
        .or("-")
        .column("store hits (%)", "store_hit_percent", |row| {
            row.store_hit_percent
        })
        .digits(2)
        .or("-");
    match rows.iter().any(|row| row.global_hit_percent.is_some()) {
        true => columns.column("global load hits (%)", GLOBAL, global),
        false => columns.filed(GLOBAL, global),
    }
    .digits(2)
    .or("-")
}

const GLOBAL: &str = "global_hit_percent";

fn percent(rate: Option<f64>) -> Option<f64> {
    rate.map(|rate| 100.0 * rate)
}
