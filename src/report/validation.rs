//! Predicted launches beside measured ones, as text and rows, and the summary under them.
//!
//! Leaves out: computing predictions. Units: in the columns' names. A positive error is a prediction that is too slow.

use super::chart::scatter::{Point, Scatter, Series};
use super::rows::Row;
use super::table::table;
use crate::validate::stats;
use serde::Serialize;

/// The columns of the CSV.
pub const HEADER: [&str; 18] = [
    "device",
    "split",
    "problem",
    "kernel",
    "stack_dim",
    "data_type",
    "stack_registers",
    "threads",
    "population",
    "case_blocks",
    "l1",
    "measured_ms",
    "predicted_ms",
    "error_percent",
    "measured_warp_instructions",
    "predicted_warp_instructions",
    "measured_l1_hit_percent",
    "predicted_l1_hit_percent",
];

/// One configuration.
#[derive(Debug, Clone, Serialize)]
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
    #[serde(rename = "threads")]
    pub threads_per_block: u32,
    /// Programs of the launch.
    pub population: u32,
    /// Blocks that share the fitness cases of a program.
    pub case_blocks: u32,
    #[serde(rename = "l1")]
    pub l1_kib: u32,
    pub measured_ms: Option<f64>,
    pub predicted_ms: f64,
    pub measured_warp_instructions: Option<u64>,
    pub predicted_warp_instructions: u64,
    pub measured_l1_hit_percent: Option<f64>,
    /// `None` where nothing was loaded from local memory.
    pub predicted_l1_hit_percent: Option<f64>,
}

impl Line {
    pub fn error_percent(&self) -> Option<f64> {
        Some(100.0 * (self.predicted_ms / self.measured_ms? - 1.0))
    }

    fn instruction_error_percent(&self) -> Option<f64> {
        let measured = self.measured_warp_instructions? as f64;
        Some(100.0 * (self.predicted_warp_instructions as f64 / measured - 1.0))
    }

    fn hit_difference(&self) -> Option<f64> {
        Some(self.predicted_l1_hit_percent? - self.measured_l1_hit_percent?)
    }

    fn fields(&self) -> Vec<String> {
        let decimal = |value: Option<f64>, digits: usize| {
            value.map_or(String::new(), |value| format!("{value:.digits$}"))
        };
        let count = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        vec![
            self.device.clone(),
            self.split.to_owned(),
            self.problem.clone(),
            self.kernel.clone(),
            self.stack_dim.to_string(),
            self.data_type.clone(),
            self.stack_registers.to_string(),
            self.threads_per_block.to_string(),
            self.population.to_string(),
            self.case_blocks.to_string(),
            self.l1_kib.to_string(),
            decimal(self.measured_ms, 4),
            decimal(Some(self.predicted_ms), 4),
            decimal(self.error_percent(), 2),
            count(self.measured_warp_instructions),
            count(Some(self.predicted_warp_instructions)),
            decimal(self.measured_l1_hit_percent, 2),
            decimal(self.predicted_l1_hit_percent, 2),
        ]
    }
}

/// Rounded.
pub fn rows(lines: &[Line]) -> Vec<Row> {
    let row = |line: &Line| Row::rounded(&HEADER, line.fields());
    lines.iter().map(row).collect()
}

pub fn text(lines: &[Line]) -> String {
    const SHORT: [&str; 18] = [
        "device",
        "split",
        "problem",
        "kernel",
        "dim",
        "type",
        "registers",
        "threads",
        "population",
        "case blocks",
        "L1 KiB",
        "measured ms",
        "predicted ms",
        "error %",
        "measured inst",
        "predicted inst",
        "hit %",
        "predicted hit %",
    ];
    table(&SHORT, lines.iter().map(Line::fields).collect(), 6)
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
    let mut kernels: Vec<&str> = lines.iter().map(|line| line.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let point = |line: &Line| {
        Some(Point {
            name: None,
            measured: line.measured_ms?,
            measured_half: 0.0,
            predicted: line.predicted_ms,
            predicted_half: 0.0,
            fitted: line.split == "calibration",
        })
    };
    let series = |kernel: &&str| Series {
        name: (*kernel).to_owned(),
        points: lines
            .iter()
            .filter(|line| line.kernel == *kernel)
            .filter_map(point)
            .collect(),
    };
    Scatter {
        series: kernels.iter().map(series).collect(),
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
        }
    }
    text
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
