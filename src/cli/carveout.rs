//! `warpstack whatif --device h200 --vary carveout`: one kernel at every division of the on-chip memory, as measured and
//! as predicted.

use super::CliResult;
use super::whatif::WhatifArgs;
use crate::device::{Device, Preset};
use crate::engine::{Engine, Settings};
use crate::gpu::variant::{Arch, Variant};
use crate::launch::CarveOut;
use crate::predict::PredictError;
use crate::report::carveout::{CarveoutCurves, CarveoutPoint, csv};
use crate::report::{chart, output};
use crate::validate::launches::{MeasuredLaunch, measured_launches};
use crate::validate::requests::{Programs, Requests};
use std::collections::BTreeMap;
use std::error::Error;

/// Whether this is what `--vary` asks for.
pub fn is_asked_for(args: &WhatifArgs) -> bool {
    args.vary == ["carveout"]
}

pub fn run(args: &WhatifArgs) -> CliResult {
    let name = args.device.as_deref().unwrap_or("gtx670");
    if name != "h200" {
        return Err(format!(
            "--vary carveout: given --device {name}; allowed: h200, where it was measured"
        )
        .into());
    }
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    if let Some(path) = &args.chart {
        chart::check_path(path)?;
    }
    let points = points(args)?;
    output::write(args.out.as_deref(), &csv(&points)?)?;
    if let Some(path) = &args.chart {
        chart::save(&CarveoutCurves(&points), path)?;
    }
    Ok(())
}

fn points(args: &WhatifArgs) -> Result<Vec<CarveoutPoint>, Box<dyn Error>> {
    let device = Preset::load("h200")?.device;
    let engine = Engine::new(
        device,
        &[],
        Settings {
            kind: args.engine.engine.kind(),
            ..Settings::default()
        },
    )?;
    let rows = measured_at_most_carveouts(args, engine.device())?;
    let first = rows.first().ok_or_else(|| {
        format!(
            "--vary carveout: given kernel {}, problem {}, {} threads; allowed: a launch that was measured \
             (`warpstack validate --rows 0 --format csv` lists them)",
            args.kernel, args.problem, args.threads
        )
    })?;
    let mut request = Requests::new(Programs::Committed, None).of(first)?;
    let population = first.launched.population;
    let nodes: u32 = request.programs.grids.iter().flatten().sum();
    let operations = f64::from(nodes) * request.cases.n as f64;
    let gpops = |milliseconds: f64| operations / milliseconds / 1e6;
    let mut points = Vec::new();
    for split in &engine.device().l1.splits {
        request.carve_out = CarveOut::SharedBytes(split.shared_bytes);
        let predicted = match engine.predict_request(&request) {
            Err(PredictError::Occupancy { .. }) => continue,
            predicted => predicted?,
        };
        let same = rows
            .iter()
            .find(|row| row.launched.shared_config_bytes == Some(split.shared_bytes));
        points.push(CarveoutPoint {
            shared_kib: split.shared_bytes / 1024,
            l1_kib: split.l1_bytes / 1024,
            population,
            resident_blocks: predicted.occupancy.blocks,
            measured_gpops_billion: same.and_then(|row| row.milliseconds).map(gpops),
            predicted_gpops_billion: gpops(predicted.run_milliseconds),
        });
    }
    Ok(points)
}

/// The measured rows of a kernel and block size, for the population with the most carve-outs.
fn measured_at_most_carveouts(
    args: &WhatifArgs,
    device: &Device,
) -> Result<Vec<MeasuredLaunch>, Box<dyn Error>> {
    let wanted = Variant {
        stack_registers: args.stack_registers.unwrap_or(0),
        ..Variant::new(
            args.kernel.parse()?,
            args.problem.parse()?,
            args.stack_dim.unwrap_or(1),
            Arch::Sm90,
        )
    };
    let wanted = Variant {
        math: args.engine.math.unwrap_or(wanted.math),
        ..wanted
    };
    let mut by_population: BTreeMap<u32, Vec<MeasuredLaunch>> = BTreeMap::new();
    for row in measured_launches(device)? {
        let launched = &row.launched;
        let same = launched.kernel == wanted && launched.threads_per_block == args.threads;
        if same && row.milliseconds.is_some() {
            let population = launched.population;
            by_population.entry(population).or_default().push(row);
        }
    }
    Ok(by_population
        .into_values()
        .max_by_key(Vec::len)
        .unwrap_or_default())
}
