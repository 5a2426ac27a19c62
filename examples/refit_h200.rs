//! Fits the H200's three fitted values again, on the calibration split alone.
//!
//!     cargo run --release --example refit_h200 -- 64
//!
//! Of each value in turn all candidates are predicted, the others as they are, and the one with the least mean absolute error in time
//! stays; two rounds. The argument is the number of configurations, evenly spread over those of the split that have a time.

use std::sync::Arc;

use warpstack::device::{Device, Preset};
use warpstack::engine::Kind;
use warpstack::engine::given::GivenPrograms;
use warpstack::gpu::measure::Split;
use warpstack::gpu::variant::FunctionSet;
use warpstack::gpu::workload::measured_programs;
use warpstack::validate::launches::{MeasuredLaunch, measured_launches};

/// A value's name, its candidates, and how a device takes one.
type Value = (&'static str, &'static [f64], fn(&mut Device, f64));

const VALUES: [Value; 3] = [
    (
        "l2.write_bytes_per_cycle",
        &[14.0, 16.0, 18.0, 20.0, 24.0],
        |device, value| {
            device.l2.write_bytes_per_cycle = value;
        },
    ),
    (
        "l2.request_bytes",
        &[8.0, 12.0, 16.0, 20.0, 24.0],
        |device, value| {
            device.l2.request_bytes = value as u32;
        },
    ),
    (
        "instruction_cache.l15_latency_cycles",
        &[30.0, 45.0, 60.0, 80.0],
        |device, value| {
            device.instruction_cache.l15_latency_cycles = value as u32;
        },
    ),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(64), |n| n.parse())?;
    let mut rows = measured_launches()?;
    rows.retain(|row| row.split == Split::Calibration && row.milliseconds.is_some());
    let step = (rows.len() / n.max(1)).max(1);
    let rows: Vec<MeasuredLaunch> = rows.into_iter().step_by(step).collect();
    let mut device = Preset::load("h200")?.device;
    for round in 1..=2 {
        for (name, candidates, set) in VALUES {
            let devices: Vec<Arc<Device>> = candidates
                .iter()
                .map(|&candidate| {
                    let mut device = device.clone();
                    set(&mut device, candidate);
                    Arc::new(device)
                })
                .collect();
            let errors = mean_errors_percent(&devices, &rows)?;
            for (candidate, error) in candidates.iter().zip(&errors) {
                println!(
                    "round {round}: {name} = {candidate}: {error:.2} % over {} configurations",
                    rows.len()
                );
            }
            let best = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b]));
            if let Some(best) = best {
                set(&mut device, candidates[best]);
            }
        }
    }
    Ok(())
}

/// Mean absolute error in time of each device.
fn mean_errors_percent(
    devices: &[Arc<Device>],
    rows: &[MeasuredLaunch],
) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let mut sums = vec![0.0; devices.len()];
    for problem in FunctionSet::ALL {
        let programs = measured_programs(*problem)?;
        let rows: Vec<&MeasuredLaunch> = rows
            .iter()
            .filter(|row| row.launch.variant.problem == *problem)
            .collect();
        let jobs: Vec<_> = devices
            .iter()
            .flat_map(|device| rows.iter().map(move |row| (&**device, row.launch)))
            .collect();
        let given = GivenPrograms::new(*problem, &programs);
        let predictions = given.predict_jobs(&jobs, Kind::Simulator, &|| {});
        for (at, predicted) in predictions.into_iter().enumerate() {
            let measured = rows[at % rows.len()].milliseconds.unwrap_or(f64::NAN);
            sums[at / rows.len()] += 100.0 * (predicted?.milliseconds / measured - 1.0).abs();
        }
    }
    Ok(sums
        .into_iter()
        .map(|sum| sum / rows.len() as f64)
        .collect())
}
