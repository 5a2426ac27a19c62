//! `warpstack whatif`: what throughput would be if the L1, the block size or the stack's second dimension were different.
//!
//! Leaves out: other values of the preset; copy its TOML file and change them. Units: bytes for the L1.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{EngineArgs, note_weights};
use crate::device::{CacheGeometry, Device, OnChipSplit, Preset};
use crate::engine::Engine;
use crate::predict::{Configuration, PerformanceModel, PredictError};
use crate::report::chart::{self, curves::Curves};
use crate::report::output;
use crate::report::progress::Progress;
use crate::report::whatif::{self, Point};
use rayon::prelude::*;
use std::path::PathBuf;

/// Predicts every combination of varied values (use --engine model for many).
#[derive(Debug, clap::Args)]
pub struct WhatifArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// What to vary: l1_bytes, threads or stack_dim = a list (16K,48K) or a range (4K..256K, doubling; stack_dim by ones)
    #[arg(long, required = true, value_name = "NAME=VALUES")]
    pub vary: Vec<String>,
    #[arg(long, value_enum, default_value = "csv")]
    pub format: Format,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Curves to draw, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Csv,
    /// One JSON object per line
    JsonLines,
}

/// The values to combine.
#[derive(Debug, Clone, PartialEq)]
struct Axes {
    l1_bytes: Vec<u32>,
    threads: Vec<u32>,
    stack_dim: Vec<u32>,
}

pub fn run(args: &WhatifArgs) -> CliResult {
    let device = Preset::load(&args.configuration.device)?.device;
    let base = args.configuration.configuration(&device)?;
    let axes = Axes::parse(&base, &args.vary)?;
    let devices = axes
        .l1_bytes
        .iter()
        .map(|&bytes| with_l1(&device, bytes))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    if let Some(path) = &args.chart {
        chart::check_path(path)?;
    }
    let engine = args.engine.open(&device, &[&base.problem])?;
    let points = predict_all(&engine, &devices, &axes.configurations(&base))?;
    let content = match args.format {
        Format::Csv => whatif::csv(&points)?,
        Format::JsonLines => whatif::json_lines(&points)?,
    };
    output::write(args.out.as_deref(), &content)?;
    if let Some(path) = &args.chart {
        chart::save(&Curves(&points), path)?;
    }
    note_weights(&engine);
    Ok(())
}

/// In parallel, in the order of the configurations; those that no device of this kind can run have no throughput.
fn predict_all(
    engine: &Engine,
    devices: &[Device],
    configurations: &[(usize, Configuration)],
) -> Result<Vec<Point>, PredictError> {
    let engines: Vec<Engine> = devices
        .iter()
        .map(|device| engine.on(device.clone()))
        .collect();
    let progress = Progress::new(configurations.len() as u64, "points");
    configurations
        .par_iter()
        .map(|(device, configuration)| {
            let result = engines[*device].predict(configuration);
            progress.step();
            match result {
                Ok(prediction) => Ok(Point::of(&prediction)),
                Err(PredictError::Occupancy { .. }) => Ok(Point::impossible(configuration)),
                Err(error) => Err(error),
            }
        })
        .collect()
}

impl Axes {
    fn parse(base: &Configuration, vary: &[String]) -> Result<Axes, String> {
        let mut axes = Axes {
            l1_bytes: vec![base.l1_bytes],
            threads: vec![base.threads_per_block],
            stack_dim: vec![base.stack_dim],
        };
        for given in vary {
            let (name, values) = given.split_once('=').ok_or_else(|| refused(given))?;
            match name.trim() {
                "l1_bytes" => axes.l1_bytes = parse_values(given, values, |value| 2 * value)?,
                "threads" => axes.threads = parse_values(given, values, |value| 2 * value)?,
                "stack_dim" => axes.stack_dim = parse_values(given, values, |value| value + 1)?,
                _ => return Err(refused(given)),
            }
        }
        Ok(axes)
    }

    /// Every combination with the index of its L1 size; the L1 varies fastest.
    fn configurations(&self, base: &Configuration) -> Vec<(usize, Configuration)> {
        let mut all = Vec::new();
        for &stack_dim in &self.stack_dim {
            for &threads_per_block in &self.threads {
                for (device, &l1_bytes) in self.l1_bytes.iter().enumerate() {
                    let configuration = Configuration {
                        stack_dim,
                        threads_per_block,
                        l1_bytes,
                        ..base.clone()
                    };
                    all.push((device, configuration));
                }
            }
        }
        all
    }
}

fn refused(given: &str) -> String {
    format!(
        "--vary: given \"{given}\"; allowed: l1_bytes=VALUES, threads=VALUES, stack_dim=VALUES \
         with VALUES like 16K,48K or 4K..256K"
    )
}

fn parse_values(given: &str, values: &str, next: impl Fn(u64) -> u64) -> Result<Vec<u32>, String> {
    let Some((first, last)) = values.split_once("..") else {
        return values
            .split(',')
            .map(|value| number(given, value))
            .collect();
    };
    let (first, last) = (number(given, first)?, number(given, last)?);
    if first > last {
        return Err(refused(given));
    }
    let range = std::iter::successors(Some(u64::from(first)), |&value| Some(next(value)));
    Ok(range
        .take_while(|&value| value <= u64::from(last))
        .map(|value| value as u32)
        .collect())
}

/// A whole number above 0, with K and M for kibi- and mebibytes.
fn number(given: &str, text: &str) -> Result<u32, String> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1024),
        None => text
            .strip_suffix(['M', 'm'])
            .map_or((text, 1), |digits| (digits, 1024 * 1024)),
    };
    let value = digits
        .parse::<u32>()
        .ok()
        .and_then(|value| value.checked_mul(unit));
    value
        .filter(|&value| value > 0)
        .ok_or_else(|| refused(given))
}

/// Ways that a size the preset does not know may have.
const WAYS: [u32; 4] = [4, 5, 6, 7];
/// The largest L1 that is asked for.
const MAX_L1_BYTES: u32 = 1 << 20;

/// The device with an L1 of `bytes`. A size that it has keeps its shared memory and geometry; any other gets the
/// largest shared memory beside it, and four to seven ways.
fn with_l1(device: &Device, bytes: u32) -> Result<Device, String> {
    let mut changed = device.clone();
    if device.split_for_l1(bytes).is_some() {
        return Ok(changed);
    }
    let line_bytes = device.l1.line_bytes;
    let fits = |ways: &&u32| {
        let way_bytes = **ways * line_bytes;
        bytes.is_multiple_of(way_bytes) && (bytes / way_bytes).is_power_of_two()
    };
    let ways = WAYS.iter().find(fits).filter(|_| bytes <= MAX_L1_BYTES);
    let ways = *ways.ok_or_else(|| {
        format!("l1_bytes: given {bytes}; allowed: 4, 5, 6 or 7 times {line_bytes} times a power of two, up to 1M")
    })?;
    let shared_bytes = device
        .l1
        .splits
        .iter()
        .map(|split| split.shared_bytes)
        .max()
        .unwrap_or(0);
    changed.l1.splits = vec![OnChipSplit {
        shared_bytes,
        l1_bytes: bytes,
    }];
    changed.l1.geometry = vec![CacheGeometry {
        bytes,
        n_sets: bytes / (ways * line_bytes),
        n_ways: ways,
    }];
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Configuration {
        Configuration {
            problem: "sextic".into(),
            kernel: "rpn".into(),
            stack_dim: 1,
            stack_registers: 0,
            threads_per_block: 256,
            l1_bytes: 49152,
        }
    }

    #[test]
    fn ranges_and_lists_combine() {
        let vary = ["l1_bytes=4K..20K", "stack_dim=1..3", "threads=64,96"].map(String::from);
        let axes = Axes::parse(&base(), &vary).unwrap();
        assert_eq!(axes.l1_bytes, [4096, 8192, 16384]);
        assert_eq!(
            (axes.stack_dim.clone(), axes.threads.clone()),
            (vec![1, 2, 3], vec![64, 96])
        );
        assert_eq!(axes.configurations(&base()).len(), 18);
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        for vary in [
            "l1",
            "l1_bytes=",
            "warps=3",
            "threads=64..32",
            "stack_dim=0",
            "l1_bytes=9999999M",
        ] {
            let message = Axes::parse(&base(), &[vary.to_owned()]).unwrap_err();
            assert!(
                message.contains(vary) && message.contains("allowed"),
                "{message}"
            );
        }
    }

    #[test]
    fn any_l1_has_whole_sets() {
        let device = Preset::load("gtx670").unwrap().device;
        for bytes in [1024, 4096, 49152, 65536, 98304, 1 << 20] {
            let geometry = with_l1(&device, bytes).unwrap().l1_geometry(bytes).unwrap();
            assert_eq!(geometry.n_sets * geometry.n_ways * 128, bytes);
        }
        assert!(with_l1(&device, 5000).is_err());
        assert!(with_l1(&device, 1 << 21).is_err());
    }
}
