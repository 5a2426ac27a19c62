//! What sections 7 and 8 report of the initial generation, predicted: every layout's speed, and what follows from them.
//!
//! Devices of compute capability 1.x launch it as the paper did; any other as `measure` does, in one grid.
//! Units: in the quantities' names.

use super::card::Card;
use super::experiment::Experiment;
use super::generation::Generation;
use super::later::{self, As};
use super::parallelism::{
    infinite_blocks, infinite_milliseconds, transfer_milliseconds, with_transfers,
};
use super::predict::{Layout, Speed, predict_generation};
use super::{POPULATION, THREADS_PER_BLOCK, THREADS_PER_PROGRAM};
use crate::launch::prediction::PredictError;
use crate::systems::figure::Figure;
use crate::systems::heavier;
use crate::systems::machine::Bench;
use crate::util::parallel;

const RATIO: &str = "64 threads per program over 1 (ratio of speeds)";
const RATIO_HEAVIER: &str = "64 threads per program over 1 (ratio of speeds), heavier compiler";
/// Threads per block that section 7 names the ratio for.
const RATIO_BLOCKS: [u32; 3] = [64, 128, 256];
const GENERATION: &str = "time of a generation with transfers (ms)";
pub(super) const INSTRUCTIONS: &str = "warp instructions per node of a warp";
pub(super) const SPEED_HEAVIER: &str = "speed (billion GPop/s), heavier compiler";
pub(super) const SPEED: &str = "speed (billion GPop/s)";

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

/// All of the paper's figures; `name` is what the device is called in the configurations.
pub fn figures(name: &str, on: Bench, seed: u64) -> Result<Vec<Figure>, PredictError> {
    let on = As::new(name, on, seed);
    let mut figures = initial(on)?;
    figures.extend(later::figures(on)?);
    Ok(figures)
}

/// The layouts of the initial generation.
fn initial(on: As) -> Result<Vec<Figure>, PredictError> {
    let generation = Generation {
        launching: on.launching,
        ..Generation::INITIAL
    };
    let speeds = predict_all(on, generation, &layouts())?;
    let name = on.name;
    let figures = speeds.iter().flat_map(|speed| of_layout(name, speed));
    let mut figures: Vec<Figure> = figures.collect();
    figures.extend(section_7(name, &speeds, RATIO));
    figures.extend(figure_8(name, &speeds));
    for card in Card::of(name, on.on.device) {
        figures.extend(section_8(&card, &speeds));
    }
    if let Some(device) = heavier::device(on.on.device) {
        let on = on.with(&device);
        figures.extend(of_heavier_compiler(on, generation, &speeds)?);
    }
    Ok(figures)
}

/// The other end of the ratios and of the best layout; infinite parallelism would take all layouts.
fn of_heavier_compiler(
    on: As,
    generation: Generation,
    speeds: &[Speed],
) -> Result<Vec<Figure>, PredictError> {
    let best = speeds
        .iter()
        .max_by(|a, b| a.gpops_billion.total_cmp(&b.gpops_billion));
    let best = best.map(|speed| speed.layout);
    let is_asked = |layout: &Layout| {
        let is_end = [1, 64].contains(&layout.threads_per_program);
        is_end && RATIO_BLOCKS.contains(&layout.threads_per_block) || Some(*layout) == best
    };
    let asked: Vec<Layout> = layouts().into_iter().filter(is_asked).collect();
    let speeds = predict_all(on, generation, &asked)?;
    let mut figures = section_7(on.name, &speeds, RATIO_HEAVIER);
    let best = speeds.iter().find(|speed| Some(speed.layout) == best);
    for card in Card::of(on.name, on.on.device) {
        figures.extend(best.map(|best| Figure {
            experiment: "section 8",
            configuration: format!("{}, best configuration", card.name),
            quantity: SPEED_HEAVIER,
            predicted: card.speed(best.gpops_billion),
        }));
    }
    Ok(figures)
}

fn predict_all(
    on: As,
    generation: Generation,
    layouts: &[Layout],
) -> Result<Vec<Speed>, PredictError> {
    // What a layout's sample executed takes some hundred megabytes.
    const TOGETHER: usize = 4;
    let speed = |&layout: &Layout| predict_generation(on.on, layout, &generation, on.seed);
    let mut speeds: Vec<Speed> = Vec::new();
    for some in layouts.chunks(TOGETHER) {
        speeds.extend(parallel::try_map(some, speed)?);
    }
    Ok(speeds)
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
        figure(INSTRUCTIONS, speed.warp_instructions_per_node),
    ]
}

/// How much faster all tests at once are than one after another.
fn section_7(name: &str, speeds: &[Speed], quantity: &'static str) -> Vec<Figure> {
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
            quantity,
            predicted: speed_of(64, threads_per_block)? / speed_of(1, threads_per_block)?,
        })
    };
    RATIO_BLOCKS.into_iter().filter_map(ratio).collect()
}

fn figure_8(name: &str, speeds: &[Speed]) -> Vec<Figure> {
    let figure = |configuration: String, predicted| Figure {
        experiment: "figure 8",
        configuration,
        quantity: GENERATION,
        predicted,
    };
    let of_layout = |speed: &Speed| {
        let Layout {
            threads_per_program,
            threads_per_block,
        } = speed.layout;
        figure(
            format!(
                "{name}, {threads_per_program} threads per program, {threads_per_block} per block"
            ),
            with_transfers(speed),
        )
    };
    let infinite = |(threads, milliseconds)| {
        figure(
            format!("{name}, {threads} threads per program, infinitely large blocks"),
            milliseconds,
        )
    };
    let intercepts = infinite_blocks(speeds).into_iter().map(infinite);
    speeds.iter().map(of_layout).chain(intercepts).collect()
}

fn section_8(card: &Card, speeds: &[Speed]) -> Vec<Figure> {
    let figure = |configuration: &str, quantity, predicted| Figure {
        experiment: "section 8",
        configuration: format!("{}, {configuration}", card.name),
        quantity,
        predicted,
    };
    let best = speeds.iter().map(|speed| speed.gpops_billion);
    let transfers = transfer_milliseconds(&Experiment::MUX20);
    let nodes = speeds.iter().map(|speed| speed.mean_nodes).sum::<f64>() / speeds.len() as f64;
    let operations = Experiment::MUX20.operations(POPULATION, nodes);
    let of_chip = operations / (infinite_milliseconds(speeds) - transfers) / 1e6;
    let infinite = card.speed(of_chip);
    vec![
        figure(
            "best configuration",
            SPEED,
            card.speed(best.fold(0.0, f64::max)),
        ),
        figure(
            "infinite parallelism",
            GENERATION,
            operations / infinite / 1e6 + transfers,
        ),
        figure("infinite parallelism", SPEED, infinite),
        figure("transfers", "time of a generation (ms)", transfers),
    ]
}
