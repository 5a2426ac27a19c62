//! One multiprocessor's share of the L2: which fills and fitness-case loads go on to DRAM.
//!
//! What it models: stack lines evicted from the L1 and the rows of fitness cases compete for the share; LRU or random
//! replacement, independent requests.
//! What it leaves out: its sets (the hash spreads lines evenly).
//! Units: lines, per token. Sources: equation (14) of `docs/model.md`; Che et al., IEEE JSAC 20 (2002), for LRU;
//! Martina et al., INFOCOM 2014, for random replacement.

use super::Analysis;
use super::l1::{Resident, residents};
use crate::launch::Launch;
use crate::launch::spec::Replacement;

const HALVINGS: u32 = 40;

/// Traffic behind the load/store unit per token.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    pub load_misses: f64,
    pub store_misses: f64,
    pub write_backs: f64,
    /// Probabilities that the L2 has what is asked for.
    pub fill_l2_hit: f64,
    pub write_back_l2_hit: f64,
    pub case_l2_hit: f64,
}

/// Traffic with `blocks` resident of which the first `active` warps run, averaged over the programs that are resident together.
pub fn traffic(launch: &Launch, analysis: &Analysis, blocks: u32, active: u32) -> Traffic {
    let residents = residents(launch, analysis, blocks, active);
    let case_lines = case_lines(launch, analysis);
    let mut sum = Traffic::default();
    let (mut tokens, mut fills, mut cases) = (0.0, 0.0, 0.0);
    for resident in &residents {
        let time = survival(launch, resident, case_lines);
        let hit = |rate: f64| presence(launch.spec.l2.replacement, rate * time);
        for line in &resident.l2_lines {
            let hit = hit(line.fills + line.write_backs);
            sum.fill_l2_hit += line.fills * hit;
            sum.write_back_l2_hit += line.write_backs * hit;
            fills += line.fills;
        }
        let repeated = resident.case_lines - resident.first_case_lines;
        sum.case_l2_hit +=
            repeated + resident.first_case_lines * hit(case_rate(resident, case_lines));
        cases += resident.case_lines;
        sum.load_misses += resident.load_misses;
        sum.store_misses += resident.store_misses;
        sum.write_backs += resident.write_backs;
        tokens += resident.tokens;
    }
    let part = |sum: f64, of: f64| if of > 0.0 { sum / of } else { 1.0 };
    Traffic {
        fill_l2_hit: part(sum.fill_l2_hit, fills),
        write_back_l2_hit: part(sum.write_back_l2_hit, sum.write_backs),
        case_l2_hit: part(sum.case_l2_hit, cases),
        load_misses: sum.load_misses / tokens,
        store_misses: sum.store_misses / tokens,
        write_backs: sum.write_backs / tokens,
    }
}

/// Probability that a line is there which is asked for `requests` times in the survival time on average.
fn presence(replacement: Replacement, requests: f64) -> f64 {
    match replacement {
        Replacement::Random => requests / (1.0 + requests),
        Replacement::Lru => 1.0 - (-requests).exp(),
    }
}

/// Lines of fitness cases that one multiprocessor's share of the L2 sees: rows times the window.
fn case_lines(launch: &Launch, analysis: &Analysis) -> f64 {
    let row_bytes = 4 * launch.geometry.fitness_cases.max(1);
    let profiles = &analysis.locality.profiles;
    let addresses = profiles.iter().flat_map(|profile| &profile.case_addresses);
    let mut rows: Vec<u32> = addresses.map(|address| address / row_bytes).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.len() as f64 * f64::from(launch.geometry.case_window_bytes()) / 128.0
}

/// First loads of one case line per instruction.
fn case_rate(resident: &Resident, case_lines: f64) -> f64 {
    if case_lines > 0.0 {
        resident.first_case_lines / case_lines
    } else {
        0.0
    }
}

/// **(14)** The survival time at which the expected number of lines in the share equals its size.
fn survival(launch: &Launch, resident: &Resident, case_lines: f64) -> f64 {
    let size = f64::from(launch.spec.l2.sets * launch.spec.l2.ways);
    let rate = case_rate(resident, case_lines);
    let lines_at = |time: f64| {
        let there = |rate: f64| presence(launch.spec.l2.replacement, rate * time);
        let stacks: f64 = resident
            .l2_lines
            .iter()
            .map(|line| there(line.fills + line.write_backs))
            .sum();
        stacks + case_lines * there(rate)
    };
    let (mut low, mut high) = (0.0f64, 40.0f64);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if lines_at(middle.exp2()) < size {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.exp2()
}
