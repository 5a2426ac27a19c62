//! Compares short windows with long ones and with whole runs: predicts cells of the paper's tables with any scope, as CSV.
//!
//! `cargo xtask sampling every=13 window_instructions=16000000 units=2000 > long.csv`
//! `cargo xtask sampling every=9 scope=multiprocessor > runs.csv`

use super::Failure;
use rayon::prelude::*;
use warpstack::device::Preset;
use warpstack::predictor::{Predictor, Settings, problems};
use warpstack::sim::simulator::Scope;
use warpstack::validate::{Cell, Table, cells};

#[derive(clap::Args)]
pub struct Args {
    /// name=value: every, offset and threads choose cells, scope is sampled, multiprocessor or chip, the others are of the sampling plan
    settings: Vec<String>,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let mut settings = Settings::default();
    let plan = &mut settings.simulator.plan;
    let (mut every, mut offset, mut threads) = (1, 0, 0);
    for argument in args.settings {
        let (name, value) = argument
            .split_once('=')
            .ok_or_else(|| format!("{argument}: given no =; allowed: name=value"))?;
        if name == "scope" {
            settings.simulator.scope = value.parse::<Scope>().map_err(|error| error.to_string())?;
            continue;
        }
        let value: u32 = value.parse()?;
        match name {
            "every" => every = value as usize,
            "offset" => offset = value as usize,
            "threads" => threads = value,
            "window_instructions" => {
                plan.window.instructions = (value.into(), value.into());
            }
            "least_instructions" => plan.window.instructions.0 = value.into(),
            "most_instructions" => plan.window.instructions.1 = value.into(),
            "least_units" => plan.window.least_units = value,
            "partial_instructions" => plan.partial_instructions = value.into(),
            "units" => plan.window.units = value,
            "warm_up_percent" => plan.window.warm_up_percent = value,
            "window_programs" => plan.programs = value as usize,
            "program_seed" => settings.program_seed = value.into(),
            "partial_units" => plan.partial_units = value,
            "cache_seed" => plan.window.seed = value,
            _ => return Err(format!("unknown name {name}").into()),
        }
    }
    let device = Preset::load("gtx670")?.device;
    let engine = Predictor::with_settings(device, settings);
    let all: Vec<Cell> = Table::ALL
        .into_iter()
        .flat_map(|table| problems().into_iter().flat_map(move |p| cells(table, p)))
        .filter(|cell| threads == 0 || cell.threads_per_block == threads)
        .collect();
    let chosen: Vec<&Cell> = all.iter().skip(offset).step_by(every).collect();
    let found = chosen
        .par_iter()
        .map(|cell| engine.predict(cell.options()))
        .collect::<Result<Vec<_>, _>>()?;
    println!(
        "table,problem,cell,threads,gpops_billion,error_percent,ipc,instructions,per_node,l1_per_node,l2_per_node,hit,stack_levels"
    );
    for (cell, p) in chosen.iter().zip(&found) {
        let (table, at) = (cell.table.number(), &p.configuration);
        println!(
            "{table},{},{},{},{},{},{},{},{},{},{},{},{}",
            at.problem,
            cell.label().replace(',', ";"),
            at.threads_per_block,
            p.gpops_billion,
            p.sampling_error_percent,
            p.ipc,
            p.simulated_warp_instructions,
            p.warp_instructions_per_node,
            (p.memory.l1_load_lines + p.memory.l1_store_lines) as f64 / p.memory.warp_nodes as f64,
            (p.memory.l2_read_bytes + p.memory.l2_write_bytes) as f64 / p.memory.warp_nodes as f64,
            p.memory.l1_load_hit_percent,
            p.mean_stack_levels,
        );
    }
    Ok(())
}
