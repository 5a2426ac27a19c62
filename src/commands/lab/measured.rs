//! The lab's measured launches, predicted by either engine.
//!
//! Models: launches of two cards, each a row of `fixtures/measured/` that the column `source` names. Leaves out: marking.
//! Units: milliseconds; errors in percent of the measured time.

use crate::device::Preset;
use crate::gp::problem::ProblemId;
use crate::launch::prediction::PredictError;
use crate::predictor::{Kind, Predictor, Settings};
use crate::systems::chitty::variant::KernelId;
use crate::util::parallel;
use crate::util::refused::Refused;
use crate::validate::launches::parse;
use crate::validate::requests::{Programs, Requests};
use std::error::Error;

macro_rules! file {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../fixtures/lab/", $name)),
        )
    };
}

/// Files of measured launches, by the names that students see.
pub const FILES: [(&str, &str); 3] = [
    file!("h200.csv"),
    file!("h200-again.csv"),
    file!("h100.csv"),
];

/// A file of measured launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    H200,
    /// One launch of [`Measured::H200`], measured once more.
    H200Again,
    H100,
}

impl Measured {
    fn device(self) -> &'static str {
        match self {
            Measured::H200 | Measured::H200Again => "h200",
            Measured::H100 => "h100",
        }
    }

    fn file(self) -> &'static (&'static str, &'static str) {
        &FILES[self as usize]
    }
}

/// A measured launch and its prediction.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    pub problem: ProblemId,
    pub kernel: KernelId,
    pub measured_ms: f64,
    pub error_percent: f64,
}

/// Predicts every launch of a file, in the file's order.
pub fn compared(measured: Measured, kind: Kind) -> Result<Vec<Compared>, Box<dyn Error>> {
    let device = Preset::load(measured.device())?.device;
    let (file, text) = measured.file();
    let rows = parse(text, file, &device)?;
    let mut requests = Requests::new(Programs::File(None), None);
    let mut jobs = Vec::new();
    for row in rows {
        let request = requests.of(&row)?;
        let milliseconds = row.milliseconds;
        let milliseconds = milliseconds.ok_or_else(|| Refused::new(file, "no time", "times"))?;
        jobs.push((*row.launched.kernel, milliseconds, request));
    }
    let settings = Settings {
        kind,
        ..Settings::default()
    };
    let engine = Predictor::with_settings(device, settings);
    let compared = parallel::try_map(&jobs, |(kernel, measured_ms, request)| {
        let predicted = engine.predict_request(request)?;
        Ok::<_, PredictError>(Compared {
            problem: kernel.problem,
            kernel: kernel.kernel,
            measured_ms: *measured_ms,
            error_percent: 100.0 * (predicted.run_milliseconds / measured_ms - 1.0),
        })
    });
    Ok(compared?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn fields(header: &str, line: &str) -> HashMap<String, String> {
        let names = header.split(',').map(str::to_owned);
        names.zip(line.split(',').map(str::to_owned)).collect()
    }

    #[test]
    fn every_launch_is_the_committed_row_that_it_names() {
        for (file, text) in FILES {
            let (header, rows) = text.split_once('\n').unwrap();
            for row in rows.lines() {
                let mut row = fields(header, row);
                let source = row.remove("source").unwrap();
                let (path, line) = source.split_once(':').unwrap();
                let all = std::fs::read_to_string(format!("fixtures/measured/{path}")).unwrap();
                let committed = all.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap();
                let committed = fields(all.lines().next().unwrap(), committed);
                for (name, value) in &row {
                    assert_eq!(committed.get(name), Some(value), "{file}, {source}: {name}");
                }
            }
        }
    }
}
