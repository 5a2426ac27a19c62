//! How a program reuses each line of its local memory, as functions of the time that a line survives in a cache.
//!
//! What it models: a cache with random replacement evicts a line at a constant rate `1/T`, so a line touched again after
//! a time `t` is still there with probability `exp(-t/T)`. For every program and line: occupancy, misses and dirty
//! evictions, tabulated over `T`. Time is counted in instructions of the warp, the accesses of an iteration repeat.
//! What it leaves out: first touches by a new block (they are few against the iterations of a block).
//! Units: `T` in warp instructions; rates per warp instruction.
//! Sources: equation (12) of `docs/model.md`; Berg and Hagersten, StatCache, ISPASS 2004; Martina, Garetto and
//! Leonardi, A unified approach to the performance analysis of caching systems, INFOCOM 2014.

use std::collections::{BTreeMap, HashSet};

use crate::launch::Launch;
use crate::launch::code::{MemoryRequest, ReplayCode};
use crate::trace::AddressKind;

/// Survival times tabulated: powers of two from 4 instructions on.
pub const GRID: usize = 22;
const LOWEST_LOG2: f64 = 2.0;

/// What happens to one line per instruction of its warp.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LineRates {
    /// Probability that the line is in the cache.
    pub occupancy: f64,
    pub load_misses: f64,
    pub store_misses: f64,
    pub dirty_evictions: f64,
}

impl LineRates {
    fn between(low: &LineRates, high: &LineRates, part: f64) -> LineRates {
        let mix = |a: f64, b: f64| a + (b - a) * part;
        LineRates {
            occupancy: mix(low.occupancy, high.occupancy),
            load_misses: mix(low.load_misses, high.load_misses),
            store_misses: mix(low.store_misses, high.store_misses),
            dirty_evictions: mix(low.dirty_evictions, high.dirty_evictions),
        }
    }
}

/// One line of a frame: 32 lanes of one 32-bit word.
#[derive(Debug, Clone)]
pub struct Line {
    /// Word of the frame.
    pub word: u32,
    table: [LineRates; GRID],
}

impl Line {
    /// Rates if lines survive `2^log2_time` instructions, interpolated.
    pub fn at(&self, log2_time: f64) -> LineRates {
        let position = (log2_time - LOWEST_LOG2).clamp(0.0, (GRID - 1) as f64);
        let low = (position as usize).min(GRID - 2);
        LineRates::between(
            &self.table[low],
            &self.table[low + 1],
            position - low as f64,
        )
    }
}

/// The logarithms between which survival times are tabulated.
pub fn log2_range() -> (f64, f64) {
    (LOWEST_LOG2, LOWEST_LOG2 + (GRID - 1) as f64)
}

/// One program's use of memory in a steady iteration.
#[derive(Debug, Clone)]
pub struct Profile {
    pub lines: Vec<Line>,
    pub tokens_per_instruction: f64,
    /// Fitness-case lines loaded, and those of them that the iteration has not loaded before.
    pub case_lines: f64,
    pub first_case_lines: f64,
    /// Distinct rows of fitness cases are counted by their addresses.
    pub case_addresses: Vec<u32>,
    pub instructions: f64,
}

/// Profiles of all programs, and the share of time that each is resident.
#[derive(Debug, Clone)]
pub struct Locality {
    pub profiles: Vec<Profile>,
    /// Programs of the sample in grid order with cumulative work in nodes.
    cumulative: Vec<(f64, u32)>,
}

impl Locality {
    pub fn new(launch: &Launch) -> Self {
        let code = launch.code;
        let one_iteration = launch.geometry.iterations(0) < 2;
        let profiles = (0..code.programs.len())
            .map(|program| profile(code, program, one_iteration))
            .collect();
        let mut work = 0.0;
        let cumulative = launch
            .sample
            .iter()
            .map(|&program| {
                work += f64::from(code.programs[program as usize].nodes);
                (work, program)
            })
            .collect();
        Locality {
            profiles,
            cumulative,
        }
    }

    /// The program at a part (0 to 1) of all the work.
    pub fn program_at(&self, part: f64) -> &Profile {
        let total = self.cumulative.last().map_or(0.0, |last| last.0);
        let index = self
            .cumulative
            .partition_point(|entry| entry.0 <= part * total)
            .min(self.cumulative.len() - 1);
        &self.profiles[self.cumulative[index].1 as usize]
    }
}

#[derive(Debug, Clone, Copy)]
struct Access {
    at: u32,
    store: bool,
}

fn profile(code: &ReplayCode, program: usize, one_iteration: bool) -> Profile {
    let program = &code.programs[program];
    let list = if one_iteration {
        program.only.clone()
    } else {
        program.steady.clone()
    };
    let mut accesses: BTreeMap<u32, Vec<Access>> = BTreeMap::new();
    let (mut now, mut case_lines, mut first_case_lines) = (0u32, 0.0, 0.0);
    let mut seen = HashSet::new();
    for &segment in &code.lists[list.start as usize..list.end as usize] {
        let (start, end) = code.segments[segment as usize];
        for op in &code.ops[start as usize..end as usize] {
            now += 1;
            let store = op.request == MemoryRequest::LocalStore;
            if store || op.request == MemoryRequest::LocalLoad {
                for line in 0..u32::from(op.lines) {
                    let word = op.address / 4 + line;
                    accesses
                        .entry(word)
                        .or_default()
                        .push(Access { at: now, store });
                }
            } else if op.request == MemoryRequest::GlobalLoad
                && op.address_kind == AddressKind::PerCase
            {
                case_lines += f64::from(op.lines);
                if seen.insert(op.address) {
                    first_case_lines += f64::from(op.lines);
                }
            }
        }
    }
    let period = now.max(1);
    let lines = accesses
        .into_iter()
        .map(|(word, accesses)| Line {
            word,
            table: tabulate(&accesses, f64::from(period)),
        })
        .collect();
    let mut case_addresses: Vec<u32> = seen.into_iter().collect();
    case_addresses.sort_unstable();
    Profile {
        lines,
        tokens_per_instruction: f64::from(program.nodes) / f64::from(period),
        case_lines: case_lines / f64::from(period),
        first_case_lines: first_case_lines / f64::from(period),
        case_addresses,
        instructions: f64::from(period),
    }
}

/// **(12)** Sums over the reuse times `t` of a line: occupancy `T (1 - exp(-t/T))`, miss `1 - exp(-t/T)`.
fn tabulate(accesses: &[Access], period: f64) -> [LineRates; GRID] {
    std::array::from_fn(|i| {
        let survival = 2f64.powf(LOWEST_LOG2 + i as f64);
        let mut rates = LineRates::default();
        // Once round to know whether the line is dirty when the iteration begins.
        let mut dirty = 0.0;
        for _ in 0..2 {
            rates = LineRates::default();
            let mut previous = f64::from(accesses[accesses.len() - 1].at) - period;
            for access in accesses {
                let stays = (-(f64::from(access.at) - previous) / survival).exp();
                previous = f64::from(access.at);
                rates.occupancy += survival * (1.0 - stays);
                rates.dirty_evictions += dirty * (1.0 - stays);
                if access.store {
                    rates.store_misses += 1.0 - stays;
                    dirty = 1.0;
                } else {
                    rates.load_misses += 1.0 - stays;
                    dirty *= stays;
                }
            }
        }
        LineRates {
            occupancy: rates.occupancy / period,
            load_misses: rates.load_misses / period,
            store_misses: rates.store_misses / period,
            dirty_evictions: rates.dirty_evictions / period,
        }
    })
}
