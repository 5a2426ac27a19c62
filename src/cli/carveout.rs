//! `warpstack whatif --device h200 --vary carveout`: one kernel at every division of the on-chip memory, as measured and
//! as predicted.

use super::CliResult;
use super::validate::measured_populations;
use super::whatif::WhatifArgs;
use crate::device::Preset;
use crate::engine::given::{GivenLaunch, GivenPrograms};
use crate::gp::problem;
use crate::gpu::variant::{Arch, Dispatch, FunctionSet, Math, Shape, Variant};
use crate::predict::PredictError;
use crate::report::carveout::{CarveoutCurves, CarveoutPoint, csv};
use crate::report::{chart, output};
use crate::validate::launches::{MeasuredLaunch, measured_launches};
use std::collections::BTreeMap;

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

fn points(args: &WhatifArgs) -> Result<Vec<CarveoutPoint>, Box<dyn std::error::Error>> {
    let wanted = args;
    let set: FunctionSet = wanted.problem.parse()?;
    let variant = Variant {
        stack_registers: wanted.stack_registers,
        shape: Shape::Unrolled,
        math: args.engine.math.unwrap_or(Math::Accurate),
        dispatch: Dispatch::Float,
        ..Variant::new(wanted.kernel.parse()?, set, wanted.stack_dim, Arch::Sm90)
    };
    variant.resources()?;
    let device = Preset::load("h200")?.device;
    let n_cases = problem::describe(set.name())?.n_cases;
    let per_pass = (wanted.threads * wanted.stack_dim).max(1);
    let elements = n_cases as u32 / crate::gpu::workload::cases_per_element(set);
    let measured = most_complete(measured_launches()?, &variant, wanted.threads);
    let population = measured.first().map_or(1000, |row| row.launch.population);
    let populations = measured_populations()?;
    let programs = GivenPrograms::new(set, &populations[&set]);
    let nodes: usize = populations[&set].iter().map(|p| p.0.len()).sum();
    let operations =
        nodes as f64 * f64::from(population) / populations[&set].len() as f64 * n_cases as f64;
    let gpops = |milliseconds: f64| operations / milliseconds / 1e6;
    let splits = &device.l1.splits;
    let launches: Vec<GivenLaunch> = splits
        .iter()
        .map(|split| GivenLaunch {
            variant,
            threads_per_block: wanted.threads,
            elements: elements.next_multiple_of(per_pass),
            population,
            case_blocks: 1,
            shared_config_bytes: Some(split.shared_bytes),
        })
        .collect();
    let predictions = programs.predict(&device, &launches, args.engine.engine.kind(), &|| {});
    let mut points = Vec::new();
    for (split, predicted) in splits.iter().zip(predictions) {
        let predicted = match predicted {
            Err(PredictError::Occupancy { .. }) => continue,
            predicted => predicted?,
        };
        let same = measured
            .iter()
            .find(|row| row.launch.shared_config_bytes == Some(split.shared_bytes));
        points.push(CarveoutPoint {
            shared_kib: split.shared_bytes / 1024,
            l1_kib: split.l1_bytes / 1024,
            population,
            resident_blocks: predicted.resident_blocks,
            measured_gpops_billion: same.and_then(|row| row.milliseconds).map(gpops),
            predicted_gpops_billion: gpops(predicted.milliseconds),
        });
    }
    Ok(points)
}

/// The measured carve-outs of a kernel and block size, for the population with the most of them.
fn most_complete(
    launches: Vec<MeasuredLaunch>,
    variant: &Variant,
    threads_per_block: u32,
) -> Vec<MeasuredLaunch> {
    let mut by_population: BTreeMap<u32, Vec<MeasuredLaunch>> = BTreeMap::new();
    for row in launches {
        let launch = &row.launch;
        if launch.variant == *variant
            && launch.threads_per_block == threads_per_block
            && row.milliseconds.is_some()
        {
            by_population
                .entry(launch.population)
                .or_default()
                .push(row);
        }
    }
    by_population
        .into_values()
        .max_by_key(Vec::len)
        .unwrap_or_default()
}
