//! Why a launch is as fast as it is, and why it is faster than another, in words.
//!
//! Uses predictions without a part of the machine (`predictor::interventions`): the bottleneck is the part whose removal gains
//! most; the cause of a difference is the part whose removal leaves least of it. Leaves out: new computing.
//! Units: in the sentences. A warp-node is one node on 32 fitness cases.

use crate::device::ideal::Ideal;
use crate::launch::prediction::Prediction;
use crate::predictor::{Explained, Gain, NOTABLE};
use crate::validate::known::{Agreement, agrees};

/// Smallest share of a difference that counts as its explanation.
const LEAST_PART: f64 = 0.25;

/// Describes the first bottleneck, its cost and its reason.
pub fn of_one(explained: &Explained) -> String {
    let pair = explained.pairs.first().filter(|gain| gain.is_notable());
    let Some(first) = explained.first().filter(|gain| gain.is_notable()) else {
        return match pair {
            Some(pair) => format!(
                "No bottleneck alone: removing any one limit gains less than {:.0} %. {}",
                100.0 * NOTABLE,
                without_both(pair)
            ),
            None => "No bottleneck: removing any one limit gains nothing.".into(),
        };
    };
    let ideal = first.free[0];
    let mut text = format!(
        "{}: if {}, the launch would be {}; {}.",
        capital(ideal.name()),
        ideal.condition(),
        change(first.speedup),
        fact(ideal, &explained.prediction)
    );
    if let Some(pair) = pair.filter(|pair| more_than_apart(pair, explained)) {
        text += " ";
        text += &without_both(pair);
    }
    if let Some(other) = explained.other_first() {
        text += &format!(
            " The analytical model names {} instead ({}).",
            other.free[0].name(),
            change(other.speedup)
        );
    }
    text
}

/// Whether a pair gains notably more than the product of what both gain alone: then each masks the other.
fn more_than_apart(pair: &Gain, explained: &Explained) -> bool {
    let apart: f64 = pair
        .free
        .iter()
        .map(|&part| explained.without(part))
        .product();
    pair.speedup > (1.0 + NOTABLE) * apart
}

fn without_both(pair: &Gain) -> String {
    format!(
        "Without both {} and {} it would be {}: each masks the other.",
        pair.free[0].name(),
        pair.free[1].name(),
        change(pair.speedup)
    )
}

/// Cause of a difference between two launches.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Difference {
    /// The number of instructions per warp-node.
    Instructions,
    /// A part of the machine.
    Part(Ideal),
}

/// Explains how launch `[number]` differs in speed from launch `[1]`, and why. Every percentage is a change of the speed of `[1]`.
pub fn of_two([first, other]: [&Explained; 2], number: usize) -> String {
    let ratio = other.prediction.gpops_billion / first.prediction.gpops_billion;
    if ratio.ln().abs() < NOTABLE {
        return format!("[{number}] and [1] are equally fast, within 2 %.");
    }
    let text = format!("[{number}] is {} [1]", than(ratio));
    let (fast, slow) = match ratio > 1.0 {
        true => (other, first),
        false => (first, other),
    };
    let (difference, closed) = most_telling(fast, slow);
    if closed.ln() < LEAST_PART * ratio.ln().abs() {
        return text + ", and no one part explains a quarter of it.";
    }
    let both = [other, first].map(|one| &one.prediction);
    match difference {
        Difference::Instructions => {
            let [others, firsts] = both.map(instructions);
            format!("{text}: {others:.2} against {firsts:.2} warp instructions per warp-node.")
        }
        Difference::Part(part) => {
            let facts = facts(part, both);
            let left = match ratio > 1.0 {
                true => ratio / closed,
                false => ratio * closed,
            };
            let state = match left.ln().abs() < NOTABLE {
                true => "both would be equally fast".to_owned(),
                false => format!("[{number}] would be {} [1]", than(left)),
            };
            format!("{text}: {facts}. If in both {}, {state}.", part.condition())
        }
    }
}

/// Compares the measured with the predicted speed of another launch, both relative to a first one.
pub fn beside_measured(measured: [f64; 2], predicted: [f64; 2]) -> String {
    let [is, should_be] = [predicted, measured].map(|[first, other]| other / first);
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let text = format!(
        "Measured: {}; predicted: {}.",
        change(should_be),
        change(is)
    );
    match agrees(percent(is), percent(should_be)) {
        Agreement::Yes => text,
        Agreement::Size => text + " The model misses the size of the difference.",
        Agreement::No => text + " The model names the wrong winner.",
    }
}

/// A speed relative to another: `14 % slower than`, `2.1 times as fast as`.
fn than(ratio: f64) -> String {
    let text = change(ratio);
    match text.ends_with("as fast") {
        true => text + " as",
        false => text + " than",
    }
}

/// A change of speed in words: `14 % slower`, `2.1 times as fast`.
fn change(ratio: f64) -> String {
    match ratio {
        2.0.. => format!("{ratio:.1} times as fast"),
        1.0.. => format!("{:.0} % faster", 100.0 * (ratio - 1.0)),
        _ => format!("{:.0} % slower", 100.0 * (1.0 - ratio)),
    }
}

/// Finds the difference whose removal from both favours the slower launch most, and by how much.
fn most_telling(fast: &Explained, slow: &Explained) -> (Difference, f64) {
    let fewer = instructions(&slow.prediction) / instructions(&fast.prediction);
    let [taken, others] = [fast, slow].map(|one| one.prediction.occupancy.fraction);
    // Equal occupancy cannot explain a difference.
    let differs = |part: &Ideal| *part != Ideal::Occupancy || taken != others;
    let parts = Ideal::ALL.iter().copied().filter(differs).map(|part| {
        let closed = slow.without(part) / fast.without(part);
        (Difference::Part(part), closed)
    });
    parts.fold((Difference::Instructions, fewer), |most, one| {
        if one.1 > most.1 { one } else { most }
    })
}

fn operations(prediction: &Prediction) -> f64 {
    prediction.memory.warp_nodes.max(1) as f64 * f64::from(prediction.configuration.stack_dim)
}

fn instructions(prediction: &Prediction) -> f64 {
    prediction.warp_instructions_per_node / f64::from(prediction.configuration.stack_dim)
}

fn lines(prediction: &Prediction) -> f64 {
    let memory = &prediction.memory;
    (memory.l1_load_lines + memory.l1_store_lines) as f64 / operations(prediction)
}

fn l2_bytes(prediction: &Prediction) -> f64 {
    let memory = &prediction.memory;
    (memory.l2_read_bytes + memory.l2_write_bytes) as f64 / operations(prediction)
}

fn dram_bytes(prediction: &Prediction) -> f64 {
    let memory = &prediction.memory;
    (memory.dram_read_bytes + memory.dram_write_bytes) as f64 / operations(prediction)
}

/// Describes a part's effect on a launch in figures.
fn fact(part: Ideal, prediction: &Prediction) -> String {
    let warps = prediction.occupancy.warps;
    let limited = limiters(prediction);
    match part {
        Ideal::L1Misses if prediction.l1_bytes == 0 => {
            format!("the stacks of {warps} warps lie in device memory, which no L1 caches")
        }
        Ideal::L1Misses => format!(
            "the stacks of {warps} warps touch {:.0} KiB, the L1 holds {} KiB, and {:.0} % of their loads hit",
            stack_bytes(prediction) / 1024.0,
            prediction.l1_bytes / 1024,
            prediction.memory.l1_load_hit_percent
        ),
        Ideal::MemoryBandwidth => format!(
            "a warp-node moves {:.0} bytes between L1 and L2, and {:.0} to or from the DRAM",
            l2_bytes(prediction),
            dram_bytes(prediction)
        ),
        Ideal::MemoryLatency | Ideal::OnChipLatency | Ideal::FixedLatency => {
            format!("{warps} resident warps (limited by {limited}) do not hide it")
        }
        Ideal::LoadStoreUnit => {
            format!(
                "a warp-node loads and stores {:.2} lines of the stack",
                lines(prediction)
            )
        }
        Ideal::Pipes | Ideal::IssueSlots => format!(
            "the schedulers issue in {:.0} % of their cycles, {:.1} instructions a cycle",
            issued_percent(prediction),
            prediction.ipc
        ),
        Ideal::Barriers => {
            "warps of a block wait for its last one before and after the fitness cases".into()
        }
        Ideal::InstructionFetch => "the interpreter's code does not fit into it".into(),
        Ideal::Occupancy => format!(
            "{warps} warps are resident, {:.0} % of the warp slots, limited by {limited}",
            100.0 * prediction.occupancy.fraction
        ),
        Ideal::Divergence => format!(
            "slow paths and divergent lanes add {:.1} % to the instructions",
            prediction.divergence_overhead_percent
        ),
        Ideal::GridEnds => grid_end(prediction),
        Ideal::Host => format!(
            "the host accounts for {:.0} % of the time",
            prediction.host_percent()
        ),
    }
}

/// Launches with fewer blocks for each place than this are told to evaluate more programs.
const FEW_ROUNDS: u32 = 8;

/// Compares the blocks of a launch with the places for them.
fn grid_end(prediction: &Prediction) -> String {
    let (blocks, places) = (prediction.blocks, prediction.places);
    let ends = match blocks < places {
        true => format!("its {blocks} blocks take fewer than the {places} places for them"),
        false => format!(
            "blocks take time to start, and when the last of its {blocks} blocks run, some of the {places} places for them are empty"
        ),
    };
    let more = FEW_ROUNDS.saturating_mul(places);
    match blocks < more && prediction.configuration.population.is_none() {
        true => format!(
            "{ends}. A larger population shows the multiprocessor itself (--population {more})"
        ),
        false => ends,
    }
}

/// Describes a part's effect on two launches in figures, in the order given.
fn facts(part: Ideal, both: [&Prediction; 2]) -> String {
    let first_is_faster = both[0].gpops_billion > both[1].gpops_billion;
    let less = |less: &'static str, more: &'static str| match first_is_faster {
        true => less,
        false => more,
    };
    let of = |value: fn(&Prediction) -> f64| both.map(value);
    match part {
        Ideal::L1Misses => {
            let hits = pair(of(|one| one.memory.l1_load_hit_percent), 0);
            let stacks = pair(of(|one| stack_bytes(one) / 1024.0), 0);
            let l1 = pair(of(|one| f64::from(one.l1_bytes) / 1024.0), 0);
            format!(
                "{hits} % of the stack's loads hit the L1; stacks need {stacks} KiB, the L1 holds {l1} KiB"
            )
        }
        Ideal::MemoryBandwidth => {
            let (l2, dram) = (pair(of(l2_bytes), 0), pair(of(dram_bytes), 0));
            format!(
                "a warp-node moves {l2} bytes between L1 and L2, and {dram} to or from the DRAM"
            )
        }
        Ideal::MemoryLatency | Ideal::OnChipLatency | Ideal::FixedLatency => {
            let [a, b] = both.map(|one| one.occupancy.warps);
            match a == b {
                true => format!(
                    "{a} resident warps hide less of the slower one's {}",
                    part.name()
                ),
                false => format!("{a} against {b} resident warps hide {}", part.name()),
            }
        }
        Ideal::LoadStoreUnit => {
            let lines = pair(of(lines), 2);
            format!("a warp-node loads and stores {lines} lines of the stack")
        }
        Ideal::Pipes | Ideal::IssueSlots => {
            let issued = pair(of(issued_percent), 0);
            format!("the schedulers issue in {issued} % of their cycles")
        }
        Ideal::Barriers => less("shorter waits at barriers", "longer waits at barriers").into(),
        Ideal::InstructionFetch => less(
            "fewer instruction-fetch stalls",
            "more instruction-fetch stalls",
        )
        .into(),
        Ideal::Occupancy => {
            let [a, b] = of(|one| 100.0 * one.occupancy.fraction);
            let slow = if first_is_faster { both[1] } else { both[0] };
            format!(
                "occupancy is {a:.0} against {b:.0} % ({} against {} warps, the slower launch limited by {})",
                both[0].occupancy.warps,
                both[1].occupancy.warps,
                limiters(slow)
            )
        }
        Ideal::Divergence => {
            let added = pair(of(|one| one.divergence_overhead_percent), 1);
            format!("slow paths and divergent lanes add {added} % instructions")
        }
        Ideal::GridEnds => {
            let lost = less("less", "more");
            format!("{lost} is lost when the last blocks of a grid run")
        }
        Ideal::Host => {
            let host = pair(of(Prediction::host_percent), 0);
            format!("the host accounts for {host} % of the time")
        }
    }
}

/// Both values, or the one that both have.
fn pair(both: [f64; 2], digits: usize) -> String {
    let [one, other] = both.map(|value| format!("{value:.digits$}"));
    match one == other {
        true => one,
        false => format!("{one} against {other}"),
    }
}

/// Part of the schedulers' cycles in which they issue.
fn issued_percent(prediction: &Prediction) -> f64 {
    use crate::launch::cause::Cause;
    let issued = prediction
        .cpi_stack
        .iter()
        .find(|entry| entry.cause == Cause::Issued);
    let cycles = prediction.scheduler_cycles().max(1) as f64;
    issued.map_or(0.0, |entry| 100.0 * entry.cycles as f64 / cycles)
}

/// The stack words that all resident warps touch on average.
pub fn stack_bytes(prediction: &Prediction) -> f64 {
    const WORD_BYTES_PER_WARP: f64 = 4.0 * 32.0;
    f64::from(prediction.occupancy.warps)
        * prediction.mean_stack_levels
        * f64::from(prediction.configuration.stack_dim)
        * WORD_BYTES_PER_WARP
}

fn limiters(prediction: &Prediction) -> String {
    let limiters = prediction.occupancy.limiters.iter();
    let names: Vec<&str> = limiters.map(|limiter| limiter.name()).collect();
    match &names[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
