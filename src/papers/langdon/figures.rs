//! What sections 7 and 8 report of the initial generation, predicted: every layout's speed, and what follows from them.
//!
//! Units: in the quantities' names.

use super::parallelism::{infinite_milliseconds, transfer_milliseconds};
use super::predict::{Layout, Speed, predict};
use super::{POPULATION, TEST_WORDS, THREADS_PER_BLOCK, THREADS_PER_PROGRAM};
use crate::papers::figure::Figure;
use crate::papers::launch::On;
use crate::predict::PredictError;
use rayon::prelude::*;

const SPEED: &str = "speed (billion GPop/s)";

/// All layouts of section 7 whose threads fill their blocks.
pub fn layouts() -> Vec<Layout> {
    let of_block = |threads_per_block: u32| {
        let layout = move |threads_per_program| Layout {
            threads_per_program,
            threads_per_block,
        };
        let fits = move |layout: &Layout| layout.threads_per_program <= threads_per_block;
        THREADS_PER_PROGRAM.into_iter().map(layout).filter(fits)
    };
    THREADS_PER_BLOCK.into_iter().flat_map(of_block).collect()
}

/// `name`: what the device is called in the configurations.
pub fn figures(name: &str, on: On, seed: u64) -> Result<Vec<Figure>, PredictError> {
    // What a layout's sample executed takes some hundred megabytes.
    const TOGETHER: usize = 4;
    let mut speeds: Vec<Speed> = Vec::new();
    for some in layouts().chunks(TOGETHER) {
        let predicted = some.par_iter().map(|&layout| predict(on, layout, seed));
        speeds.extend(predicted.collect::<Result<Vec<Speed>, _>>()?);
    }
    let mut figures: Vec<Figure> = speeds
        .iter()
        .flat_map(|speed| of_layout(name, speed))
        .collect();
    figures.extend(section_7(name, &speeds));
    figures.extend(section_8(name, &speeds));
    Ok(figures)
}

fn of_layout(name: &str, speed: &Speed) -> [Figure; 2] {
    let Layout {
        threads_per_program,
        threads_per_block,
    } = speed.layout;
    let figure = |quantity, predicted| Figure {
        experiment: "figure 5",
        configuration: format!(
            "{name}, {threads_per_program} threads per program, {threads_per_block} per block"
        ),
        quantity,
        predicted,
    };
    [
        figure(SPEED, speed.gpops_billion),
        figure(
            "warp instructions per node of a warp",
            speed.warp_instructions_per_node,
        ),
    ]
}

/// How much faster all tests at once are than one after another.
fn section_7(name: &str, speeds: &[Speed]) -> Vec<Figure> {
    let speed_of = |threads_per_program, threads_per_block| {
        let layout = Layout {
            threads_per_program,
            threads_per_block,
        };
        let found = speeds.iter().find(|speed| speed.layout == layout);
        found.map(|speed| speed.gpops_billion)
    };
    let ratio = |threads_per_block| {
        Some(Figure {
            experiment: "section 7",
            configuration: format!("{name}, blocks of {threads_per_block}"),
            quantity: "64 threads per program over 1 (ratio of speeds)",
            predicted: speed_of(64, threads_per_block)? / speed_of(1, threads_per_block)?,
        })
    };
    [64, 128, 256].into_iter().filter_map(ratio).collect()
}

fn section_8(name: &str, speeds: &[Speed]) -> Vec<Figure> {
    let figure = |configuration: &str, quantity, predicted| Figure {
        experiment: "section 8",
        configuration: format!("{name}, {configuration}"),
        quantity,
        predicted,
    };
    let best = speeds.iter().map(|speed| speed.gpops_billion);
    let infinite = infinite_milliseconds(speeds);
    let nodes = speeds.iter().map(|speed| speed.mean_nodes).sum::<f64>() / speeds.len() as f64;
    let operations = f64::from(POPULATION) * nodes * f64::from(32 * TEST_WORDS);
    let in_kernel = (infinite - transfer_milliseconds()) / 1e3;
    vec![
        figure("best configuration", SPEED, best.fold(0.0, f64::max)),
        figure(
            "infinite parallelism",
            "time of a generation with transfers (ms)",
            infinite,
        ),
        figure("infinite parallelism", SPEED, operations / in_kernel / 1e9),
        figure(
            "transfers",
            "time of a generation (ms)",
            transfer_milliseconds(),
        ),
    ]
}
