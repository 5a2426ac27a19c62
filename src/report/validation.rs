//! Predicted launches beside measured ones, as text and rows, and the summary under them.
//!
//! Leaves out: computing predictions. Units: in the columns' names. A positive error is a prediction that is too slow.

use super::chart::scatter::{Point, Scatter, Series};
use super::columns::Columns;
use super::grouped;
use crate::validate::interval::{Interval, Support};
use crate::validate::stats;

/// One configuration.
#[derive(Debug, Clone)]
pub struct Line {
    pub device: String,
    /// `calibration` or `holdout`.
    pub split: &'static str,
    pub problem: String,
    pub kernel: String,
    pub stack_dim: u32,
    /// `float`, `float4`, `uint4`.
    pub data_type: String,
    pub stack_registers: u32,
    pub threads_per_block: u32,
    /// Programs of the launch.
    pub population: u32,
    /// Name of these programs, the same for launches of the same ones.
    pub programs: String,
    /// Blocks that share the fitness cases of a program.
    pub case_blocks: u32,
    pub l1_kib: u32,
    pub measured_ms: Option<f64>,
    pub predicted_ms: f64,
    pub measured_warp_instructions: Option<u64>,
    pub predicted_warp_instructions: u64,
    pub measured_l1_hit_percent: Option<f64>,
    /// `None` where nothing was loaded from local memory.
    pub predicted_l1_hit_percent: Option<f64>,
    /// Confidence in the predicted time.
    pub interval: Interval,
}

impl Line {
    pub fn error_percent(&self) -> Option<f64> {
        Some(100.0 * (self.predicted_ms / self.measured_ms? - 1.0))
    }

    fn bounds_ms(&self) -> Option<(f64, f64)> {
        self.interval.around(self.predicted_ms)
    }

    fn is_covered(&self) -> Option<bool> {
        let (low, high) = self.bounds_ms()?;
        Some((low..=high).contains(&self.measured_ms?))
    }

    fn instruction_error_percent(&self) -> Option<f64> {
        let measured = self.measured_warp_instructions? as f64;
        Some(100.0 * (self.predicted_warp_instructions as f64 / measured - 1.0))
    }

    fn hit_difference(&self) -> Option<f64> {
        Some(self.predicted_l1_hit_percent? - self.measured_l1_hit_percent?)
    }
}

/// Returns the columns of a table with one row per configuration.
pub fn columns() -> Columns<Line> {
    Columns::<Line>::new(6)
        .column("device", "device", |line| line.device.clone())
        .column("split", "split", |line| line.split)
        .column("problem", "problem", |line| line.problem.clone())
        .column("kernel", "kernel", |line| line.kernel.clone())
        .column("dim", "stack_dim", |line| line.stack_dim)
        .column("type", "data_type", |line| line.data_type.clone())
        .column("registers", "stack_registers", |line| line.stack_registers)
        .column("threads", "threads", |line| line.threads_per_block)
        .column("population", "population", |line| line.population)
        .column("case blocks", "case_blocks", |line| line.case_blocks)
        .column("L1 KiB", "l1", |line| line.l1_kib)
        .column("measured ms", "measured_ms", |line| line.measured_ms)
        .digits(4)
        .column("predicted ms", "predicted_ms", |line| line.predicted_ms)
        .digits(4)
        .column("error %", "error_percent", |line| line.error_percent())
        .not_in_json()
        .digits(2)
        .column("low ms", "predicted_ms_low", |line| {
            Some(line.bounds_ms()?.0)
        })
        .digits(4)
        .column("high ms", "predicted_ms_high", |line| {
            Some(line.bounds_ms()?.1)
        })
        .digits(4)
        .column("support", "support", |line| line.interval.support.name())
        .column("measured inst", "measured_warp_instructions", |line| {
            line.measured_warp_instructions
        })
        .column("predicted inst", "predicted_warp_instructions", |line| {
            line.predicted_warp_instructions
        })
        .column("hit %", "measured_l1_hit_percent", |line| {
            line.measured_l1_hit_percent
        })
        .digits(2)
        .column("predicted hit %", "predicted_l1_hit_percent", |line| {
            line.predicted_l1_hit_percent
        })
        .digits(2)
        .rounded()
}

/// The line whose time is predicted worst.
pub fn worst(lines: &[Line]) -> Option<&Line> {
    let timed = lines
        .iter()
        .filter_map(|line| Some((line.error_percent()?.abs(), line)));
    let worst = timed.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(worst.1)
}

/// Predicted over measured times, by kernel.
pub fn scatter(lines: &[Line]) -> Scatter {
    let point = |line: &&Line| {
        Some(Point {
            measured: line.measured_ms?,
            predicted: line.predicted_ms,
            fitted: line.split == "calibration",
        })
    };
    let mut kernels = grouped(lines, |line| line.kernel.clone());
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    let series = |(name, lines): (String, Vec<&Line>)| Series {
        name,
        points: lines.iter().filter_map(point).collect(),
    };
    Scatter {
        series: kernels.into_iter().map(series).collect(),
        unit: "ms",
    }
}

/// Errors of the two splits, apart.
pub fn summary(lines: &[Line]) -> String {
    let mut text = String::new();
    for split in ["calibration", "holdout"] {
        let part: Vec<&Line> = lines.iter().filter(|line| line.split == split).collect();
        if !part.is_empty() {
            text.push_str(&summary_of(split, &part));
            text.push_str(&coverage(split, &part));
        }
    }
    text
}

/// How many measured times of a split the intervals cover, and how many launches are outside what was validated.
fn coverage(split: &str, lines: &[&Line]) -> String {
    let covered: Vec<bool> = lines.iter().filter_map(|line| line.is_covered()).collect();
    let timed = lines.iter().filter(|line| line.measured_ms.is_some());
    let outside = timed.filter(|line| line.interval.support == Support::Outside);
    if covered.is_empty() {
        return String::new();
    }
    let widths = lines.iter().filter_map(|line| line.interval.factor);
    let widths: Vec<f64> = widths.map(|factor| 100.0 * (factor - 1.0)).collect();
    let inside = covered.iter().filter(|covered| **covered).count();
    format!(
        "{split}: 90 % intervals cover {:.0} % of {} launches; half-width {:.0} % in the mean; outside what was validated: {} launches\n",
        100.0 * inside as f64 / covered.len() as f64,
        covered.len(),
        stats::mean(&widths).unwrap_or(0.0),
        outside.count(),
    )
}

fn summary_of(split: &str, lines: &[&Line]) -> String {
    let absolute = |figure: fn(&Line) -> Option<f64>| -> Vec<f64> {
        let values = lines.iter().filter_map(|line| figure(line));
        values.map(f64::abs).collect()
    };
    let show = |value: Option<f64>, digits: usize| {
        value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let timed: Vec<&&Line> = lines.iter().filter(|l| l.measured_ms.is_some()).collect();
    let predicted: Vec<f64> = timed.iter().map(|line| line.predicted_ms).collect();
    let measured: Vec<f64> = timed.iter().filter_map(|line| line.measured_ms).collect();
    let errors = absolute(Line::error_percent);
    let instructions = absolute(Line::instruction_error_percent);
    let hits = absolute(Line::hit_difference);
    let largest = instructions.iter().copied().max_by(f64::total_cmp);
    format!(
        "{split}: {} configurations timed: mean absolute error {} %, median {} %, Spearman {}; {} with counters: warp \
         instructions at most {} % off, median {} %; L1 hit rate of local loads off by {} points in the median\n",
        timed.len(),
        show(stats::mean(&errors), 1),
        show(stats::median(&errors), 1),
        show(stats::spearman(&predicted, &measured), 3),
        instructions.len(),
        show(largest, 2),
        show(stats::median(&instructions), 2),
        show(stats::median(&hits), 1),
    )
}
