//! The L1: which part of the stack accesses miss, for warps that share its sets.
//!
//! What it models: the true set of every line of every resident warp (address layout and index hash); in each set the
//! survival time at which the expected number of resident lines equals the ways; programs that are resident together,
//! drawn evenly from the grid.
//! What it leaves out: LRU (treated as random); warps that run ahead of others.
//! Units: lines, per token. Sources: equation (13) of `docs/model.md`.

use super::Analysis;
use super::locality::{LineRates, Profile, log2_range};
use crate::launch::Launch;
use crate::launch::spec::CacheSpec;

/// Sets of resident programs that are averaged.
const COMPOSITIONS: u32 = 8;
/// Halvings of the interval of survival times.
const HALVINGS: u32 = 12;

/// One line's use of the L2: requests per instruction.
#[derive(Debug, Clone, Copy)]
pub struct L2Line {
    pub fills: f64,
    pub write_backs: f64,
}

/// The resident warps of one moment.
#[derive(Debug, Clone, Default)]
pub struct Resident {
    pub l2_lines: Vec<L2Line>,
    pub load_misses: f64,
    pub store_misses: f64,
    pub write_backs: f64,
    pub tokens: f64,
    pub case_lines: f64,
    pub first_case_lines: f64,
}

/// Misses of the first `active` warps of `blocks` blocks, one entry per composition; figures are sums over warps, per instruction of each.
pub fn residents(launch: &Launch, analysis: &Analysis, blocks: u32, active: u32) -> Vec<Resident> {
    // With one block, one composition is one program: take more of them.
    let compositions = COMPOSITIONS.max(64 / blocks.max(1));
    (0..compositions)
        .map(|composition| {
            let programs: Vec<&Profile> = (0..blocks)
                .map(|block| {
                    let position = f64::from(composition * blocks + block) + 0.5;
                    analysis
                        .locality
                        .program_at(position / f64::from(compositions * blocks))
                })
                .collect();
            resident(launch, &programs, active)
        })
        .collect()
}

fn resident(launch: &Launch, programs: &[&Profile], active: u32) -> Resident {
    let spec = &launch.spec.l1;
    let warps = launch.geometry.warps_per_block();
    let mut sets: Vec<Vec<&super::locality::Line>> = vec![Vec::new(); spec.sets as usize];
    let mut resident = Resident::default();
    for (block, program) in programs.iter().enumerate() {
        let first = block as u32 * warps;
        let running = active.saturating_sub(first).min(warps);
        for slot in first..first + running {
            let base = slot * launch.geometry.local_stride_bytes / spec.line_bytes;
            for line in &program.lines {
                sets[set_of(spec, base + line.word) as usize].push(line);
            }
        }
        let warps = f64::from(running);
        resident.tokens += warps * program.tokens_per_instruction;
        resident.case_lines += warps * program.case_lines;
        resident.first_case_lines += warps * program.first_case_lines;
    }
    for set in sets.iter().filter(|set| set.len() > spec.ways as usize) {
        let log2_time = survival(set, f64::from(spec.ways));
        for line in set {
            resident.add(&line.at(log2_time));
        }
    }
    resident
}

impl Resident {
    fn add(&mut self, rates: &LineRates) {
        self.load_misses += rates.load_misses;
        self.store_misses += rates.store_misses;
        self.write_backs += rates.dirty_evictions;
        self.l2_lines.push(L2Line {
            fills: rates.load_misses + rates.store_misses,
            write_backs: rates.dirty_evictions,
        });
    }
}

/// **(13)** The survival time (its logarithm) at which a set's expected number of lines equals its ways.
fn survival(set: &[&super::locality::Line], ways: f64) -> f64 {
    let (mut low, mut high) = log2_range();
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let resident: f64 = set.iter().map(|line| line.at(middle).occupancy).sum();
        if resident < ways {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn set_of(spec: &CacheSpec, tag: u32) -> u32 {
    spec.index.set_of(tag, spec.sets)
}
