//! Figures of sections 7 and 8 for the initial generation, predicted: every layout's speed, and quantities derived from the
//! speeds.
//!
//! Devices of compute capability 1.x launch it as in the paper, others in one grid, like `measure`.
//! Units: in the quantities' names.

use super::card::Card;
use super::experiment::Experiment;
use super::generation::LangdonGeneration;
use super::later::{self, As, INSTRUCTIONS, SPEED};
use super::parallelism::{
    infinite_blocks, infinite_milliseconds, transfer_milliseconds, with_transfers,
};
use super::predict::{LangdonLayout, LangdonSpeed, predict_generation};
use super::published::Quantity;
use super::{BLOCK_SIZES, POPULATION, THREADS_PER_PROGRAM};
use crate::launch::prediction::PredictError;
use crate::systems::figure::Figure;
use crate::systems::machine::Machine;
use crate::util::band::Band;
use crate::util::parallel;

const RATIO: &str = "64 threads per program over 1 (ratio of speeds)";
/// Threads per block for which section 7 gives the ratio.
const RATIO_BLOCKS: [(u32, Quantity); 3] = [
    (64, Quantity::Ratio64),
    (128, Quantity::Ratio128),
    (256, Quantity::Ratio256),
];
const GENERATION: &str = "time of a generation with transfers (ms)";

/// Returns all layouts of section 7 whose threads fill their blocks.
pub fn layouts() -> Vec<LangdonLayout> {
    let of_block = |threads_per_block: u32| {
        let layout = move |threads_per_program| LangdonLayout {
            threads_per_program,
            threads_per_block,
        };
        let fits = move |layout: &LangdonLayout| layout.threads_per_program <= threads_per_block;
        THREADS_PER_PROGRAM.into_iter().map(layout).filter(fits)
    };
    BLOCK_SIZES.into_iter().flat_map(of_block).collect()
}

/// Predicts all of the paper's figures; `name` is the device's name in the configurations.
pub fn figures(name: &str, on: Machine, seed: u64) -> Result<Vec<Figure>, PredictError> {
    let on = As::new(name, on, seed);
    let mut figures = initial(on)?;
    figures.extend(later::figures(on)?);
    Ok(figures)
}

/// Predicts the figures of the initial generation.
fn initial(on: As) -> Result<Vec<Figure>, PredictError> {
    let generation = LangdonGeneration {
        launching: on.launching,
        ..LangdonGeneration::INITIAL
    };
    let speeds = predict_all(on, generation, &layouts())?;
    let name = on.name;
    let figures = speeds.iter().flat_map(|speed| of_layout(name, speed));
    let mut figures: Vec<Figure> = figures.collect();
    let heavier = match on.on.heavier() {
        Some(device) => of_heavier_compiler(on.with(&device), generation, best(&speeds))?,
        None => Vec::new(),
    };
    figures.extend(section_7(name, [&speeds, &heavier]));
    figures.extend(figure_8(name, &speeds));
    let cards = Card::of(name, on.on.device);
    figures.extend(section_8(&cards, [&speeds, &heavier]));
    Ok(figures)
}

/// Predicts the layouts of the ratios and the best one with the heavier compiler's code; infinite parallelism would require all
/// layouts.
fn of_heavier_compiler(
    on: As,
    generation: LangdonGeneration,
    best: LangdonLayout,
) -> Result<Vec<LangdonSpeed>, PredictError> {
    let is_asked = |layout: &LangdonLayout| {
        let is_end = [1, 64].contains(&layout.threads_per_program);
        let is_block = |(block, _): (u32, Quantity)| block == layout.threads_per_block;
        is_end && RATIO_BLOCKS.into_iter().any(is_block) || *layout == best
    };
    let asked: Vec<LangdonLayout> = layouts().into_iter().filter(is_asked).collect();
    predict_all(on, generation, &asked)
}

/// Returns the fastest layout.
fn best(speeds: &[LangdonSpeed]) -> LangdonLayout {
    let fastest = speeds
        .iter()
        .max_by(|a, b| a.gpops_billion.total_cmp(&b.gpops_billion));
    fastest.expect("section 7 has layouts").layout
}

fn predict_all(
    on: As,
    generation: LangdonGeneration,
    layouts: &[LangdonLayout],
) -> Result<Vec<LangdonSpeed>, PredictError> {
    // The execution of a layout's sample takes some hundred megabytes.
    const TOGETHER: usize = 4;
    let speed = |&layout: &LangdonLayout| predict_generation(on.on, layout, &generation, on.seed);
    let mut speeds: Vec<LangdonSpeed> = Vec::new();
    for some in layouts.chunks(TOGETHER) {
        speeds.extend(parallel::try_map(some, speed)?);
    }
    Ok(speeds)
}

fn place(name: &str, layout: LangdonLayout) -> String {
    let LangdonLayout {
        threads_per_program,
        threads_per_block,
    } = layout;
    format!("{name}, {threads_per_program} threads per program, {threads_per_block} per block")
}

fn of_layout(name: &str, speed: &LangdonSpeed) -> [Figure; 2] {
    let place = place(name, speed.layout);
    [
        Figure::new("figure 5", &place, SPEED, speed.gpops_billion),
        Figure::new(
            "figure 5",
            &place,
            INSTRUCTIONS,
            speed.warp_instructions_per_node,
        ),
    ]
}

/// Returns the speedup of running all tests at once over one after another, with the code of both compilers.
fn section_7(name: &str, speeds: [&[LangdonSpeed]; 2]) -> Vec<Figure> {
    let ratio = |speeds: &[LangdonSpeed], threads_per_block| {
        let speed_of = |threads_per_program| {
            let layout = LangdonLayout {
                threads_per_program,
                threads_per_block,
            };
            let found = speeds.iter().find(|speed| speed.layout == layout);
            found.map(|speed| speed.gpops_billion)
        };
        Some(speed_of(64)? / speed_of(1)?)
    };
    let of_block = |(block, id): (u32, Quantity)| {
        let place = format!("{name}, blocks of {block}");
        let ratios = Band::over(speeds.iter().filter_map(|all| ratio(all, block)));
        Figure::new("section 7", place, RATIO, ratios).of(id.of(name))
    };
    RATIO_BLOCKS.into_iter().map(of_block).collect()
}

fn figure_8(name: &str, speeds: &[LangdonSpeed]) -> Vec<Figure> {
    let figure = |place: String, ms: f64| Figure::new("figure 8", place, GENERATION, ms);
    let of_layout = |speed: &LangdonSpeed| figure(place(name, speed.layout), with_transfers(speed));
    let infinite = |(threads, ms)| {
        let place = format!("{name}, {threads} threads per program, infinitely large blocks");
        figure(place, ms)
    };
    let intercepts = infinite_blocks(speeds).into_iter().map(infinite);
    speeds.iter().map(of_layout).chain(intercepts).collect()
}

/// Returns the figures of the best layout, of infinite parallelism and of transfers, from the speeds with the code of both
/// compilers. The first card is the primary reading.
fn section_8(cards: &[Card], [speeds, heavier]: [&[LangdonSpeed]; 2]) -> Vec<Figure> {
    let name = cards[0].name.as_str();
    let of_cards = |of_chip| cards.iter().map(move |card| card.speed(of_chip));
    let transfers = transfer_milliseconds(&Experiment::MUX20);
    let nodes = speeds.iter().map(|speed| speed.mean_nodes).sum::<f64>() / speeds.len() as f64;
    let operations = Experiment::MUX20.operations(POPULATION, nodes);
    let infinite = operations / (infinite_milliseconds(speeds) - transfers) / 1e6;
    let generation = |speed| operations / speed / 1e6 + transfers;
    let layout = best(speeds);
    let best = speeds
        .iter()
        .chain(heavier)
        .filter(|one| one.layout == layout);
    let best = Band::over(best.flat_map(|one| of_cards(one.gpops_billion)));
    let times = Band::over(of_cards(infinite).map(generation));
    let infinite = Band::over(of_cards(infinite));
    const INFINITE: &str = "infinite parallelism";
    const TRANSFERS: &str = "time of a generation (ms)";
    let figures = [
        (Quantity::BestSpeed, "best configuration", SPEED, best),
        (Quantity::InfiniteTime, INFINITE, GENERATION, times),
        (Quantity::InfiniteSpeed, INFINITE, SPEED, infinite),
        (
            Quantity::Transfers,
            "transfers",
            TRANSFERS,
            transfers.into(),
        ),
    ];
    let figure = |(id, place, quantity, band): (Quantity, _, _, Band)| {
        Figure::new("section 8", format!("{name}, {place}"), quantity, band).of(id.of(name))
    };
    figures.map(figure).into()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::host::Host;
    use super::super::published::PaperCard;
    use super::later::{Reading, published};
    use super::*;

    /// Returns the figures that have ids, from made-up predictions.
    pub fn made_up() -> Vec<Figure> {
        let speed = |layout| LangdonSpeed {
            layout,
            mean_nodes: 55.0,
            warp_instructions_per_node: 40.0,
            gpops_billion: 100.0,
            kernel_milliseconds: 150.0,
        };
        let reading = Reading {
            constant: 1.0,
            in_a_run: 1.0,
            host: Host::of_share(0.5, 1.0),
        };
        let [name, tesla] = [PaperCard::Gtx295.name(), PaperCard::T10p.name()];
        let card = |chips| Card {
            name: name.to_owned(),
            chips,
        };
        let speeds: Vec<LangdonSpeed> = layouts().into_iter().map(speed).collect();
        let mut figures = section_7(name, [&speeds, &[]]);
        figures.extend(section_8(&[1, 2].map(card), [&speeds, &[]]));
        for experiment in &Experiment::ALL {
            figures.extend(published(name, experiment, true, &[reading]));
            figures.extend(published(tesla, experiment, false, &[reading]));
        }
        figures
    }

    #[test]
    fn cards_and_compilers_are_one_range_behind_one_chip_with_the_lighter_code() {
        let figures = made_up();
        let of = |id: Quantity| {
            let id = id.of(PaperCard::Gtx295.name());
            let found = figures.iter().find(|figure| figure.id == id);
            found.unwrap().predicted
        };
        let speed = of(Quantity::BestSpeed);
        assert_eq!((speed.low, speed.value, speed.high), (100.0, 100.0, 200.0));
        let time = of(Quantity::InfiniteTime);
        assert!(time.low < time.value && time.value == time.high);
    }
}
