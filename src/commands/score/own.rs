//! Predictions of the measured rows by both engines.
//!
//! Leaves out: measured values, which are not read. Units: those of the rows.

use crate::commands::validate::of_papers;
use crate::device::{Device, Preset};
use crate::launch::prediction::{PredictError, Prediction};
use crate::predictor::{Kind, Predictor, Settings};
use crate::report::progress::Progress;
use crate::systems::chitty::request::Request;
use crate::systems::options::LaunchOptions;
use crate::util::parallel;
use crate::validate::paper_rows::PaperRow;
use crate::validate::requests::{Programs, Requests};
use crate::validate::score::predictions::{Counts, Own};
use crate::validate::score::roofline;
use crate::validate::score::sets::{Origin, Row, Unit};
use std::collections::{BTreeSet, HashMap};
use std::error::Error;

/// Launch of a row, as engines take it.
enum Asked {
    Options(LaunchOptions),
    Request(Box<Request>),
}

/// Predicts rows, in their order; `None` where the measured programs are not at hand.
pub fn predict(rows: &[&Row]) -> Result<Vec<Option<Own>>, Box<dyn Error>> {
    let mut found: HashMap<usize, Own> = HashMap::new();
    let devices: BTreeSet<&str> = rows.iter().map(|row| row.device).collect();
    let progress = Progress::new(rows.len() as u64, "rows");
    for name in devices {
        let device = Preset::load(name)?.device;
        let of_device = || {
            rows.iter()
                .enumerate()
                .filter(|(_, row)| row.device == name)
        };
        found.extend(of_kernels(&device, of_device(), &progress)?);
        found.extend(of_other_papers(&device, of_device(), &progress)?);
    }
    let own = (0..rows.len()).map(|at| found.get(&at).copied());
    Ok(own.collect())
}

/// Predicts the rows of the main paper's kernels and the accumulator, kernel by kernel, which share traces.
fn of_kernels<'a>(
    device: &Device,
    rows: impl Iterator<Item = (usize, &'a &'a Row)>,
    progress: &Progress,
) -> Result<Vec<(usize, Own)>, Box<dyn Error>> {
    let mut requests = Requests::new(Programs::File(None), None);
    let mut jobs: Vec<(usize, &Row, Asked)> = Vec::new();
    for (at, row) in rows {
        let asked = match &row.origin {
            Origin::Cell(cell) => Asked::Options(cell.options()),
            Origin::Launch(launch) => Asked::Request(Box::new(requests.of(launch)?)),
            Origin::Paper(_) => continue,
        };
        jobs.push((at, row, asked));
    }
    jobs.sort_by_key(|(_, row, _)| row.names());
    let engine = |kind| {
        let settings = Settings {
            kind,
            ..Settings::default()
        };
        Predictor::with_settings(device.clone(), settings)
    };
    let simulator = engine(Kind::Simulator);
    let analytical = simulator.with_engine(Kind::Analytical);
    let of = |engine: &Predictor, asked: &Asked| match asked {
        Asked::Options(options) => engine.predict(options.clone()),
        Asked::Request(request) => engine.predict_request(request),
    };
    let own = parallel::try_map(&jobs, |(at, row, asked)| {
        let simulated = of(&simulator, asked)?;
        let counted = of(&analytical, asked)?;
        progress.step();
        Ok::<_, PredictError>((*at, own(device, row, &simulated, &counted)))
    });
    Ok(own?)
}

fn own(device: &Device, row: &Row, simulated: &Prediction, counted: &Prediction) -> Own {
    let value = |prediction: &Prediction| match row.unit {
        Unit::Milliseconds => prediction.run_milliseconds,
        Unit::Speed => prediction.gpops_billion,
    };
    let memory = &counted.memory;
    let in_window = counted.window_instructions();
    let whole = |count: u64| match in_window > 0.0 {
        true => count as f64 * counted.warp_instructions / in_window,
        false => 0.0,
    };
    let [.., blocks_of_program, programs] = row.sizes();
    let blocks = programs.max(1.0) * blocks_of_program.max(1.0);
    let resident = f64::from(counted.occupancy.blocks * device.chip.n_smx);
    let milliseconds = counted.run_milliseconds + counted.host_milliseconds;
    let counts = Counts {
        roofline: 0.0,
        billion_operations: counted.gpops_billion * milliseconds / 1e3,
        warp_instructions: counted.warp_instructions,
        warps: f64::from(counted.occupancy.warps),
        waves: blocks / resident.max(1.0),
        l1_kib: f64::from(counted.l1_bytes) / 1024.0,
        l1_lines: whole(memory.l1_load_lines + memory.l1_store_lines),
        l2_bytes: whole(memory.l2_read_bytes + memory.l2_write_bytes),
        dram_bytes: whole(memory.dram_read_bytes + memory.dram_write_bytes),
    };
    Own {
        simulator: value(simulated),
        analytical: Some(value(counted)),
        counts: Counts {
            roofline: roofline::milliseconds(device, &counts),
            ..counts
        },
    }
}

/// Predicts the rows of the other papers' systems, which the analytical model does not cover and of which only instructions are counted.
fn of_other_papers<'a>(
    device: &Device,
    rows: impl Iterator<Item = (usize, &'a &'a Row)>,
    progress: &Progress,
) -> Result<Vec<(usize, Own)>, Box<dyn Error>> {
    let rows = rows.filter_map(|(at, row)| match &row.origin {
        Origin::Paper(paper) => Some((at, paper.clone())),
        _ => None,
    });
    let (places, papers): (Vec<usize>, Vec<PaperRow>) = rows.unzip();
    let lines = places.into_iter().zip(of_papers(device, &papers)?);
    let own = lines.filter_map(|(at, simulated)| {
        progress.step();
        let simulated = simulated?;
        let counts = Counts {
            warp_instructions: simulated.predicted_warp_instructions as f64,
            ..Counts::default()
        };
        let own = Own {
            simulator: simulated.predicted_ms,
            analytical: None,
            counts: Counts {
                roofline: roofline::milliseconds(device, &counts),
                ..counts
            },
        };
        Some((at, own))
    });
    Ok(own.collect())
}
