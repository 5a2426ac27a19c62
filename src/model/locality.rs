//! Reuse of stack levels by the programs of a population.
//!
//! Models: histograms of the time between accesses to one line, per stack level and class of programs; from them occupancy,
//! misses and dirty evictions as a function of the survival time of a line. Random replacement evicts at a constant rate `1/T`,
//! so a line touched again after `t` is still cached with probability `exp(-t/T)`; LRU keeps a line exactly `T`. Time is
//! counted in instructions of the warp. The accesses of an iteration repeat.
//! Leaves out: first touches by a new block (few compared with a block's iterations); different reuse of the elements of one
//! level.
//! Units: `T` in warp instructions; rates per warp instruction of a warp.
//! Sources: equation (12) of `docs/model.md`; Berg and Hagersten, StatCache, ISPASS 2004; Martina, Garetto and Leonardi, A
//! unified approach to the performance analysis of caching systems, INFOCOM 2014; Che, Tung and Wang, IEEE JSAC 20 (2002), for
//! LRU.

use crate::util::elementary::{exp_m1, exp2, log2};
use std::collections::BTreeSet;
use std::sync::LazyLock;

use bytemuck::{Pod, Zeroable};

use super::{Inputs, add_scaled};
use crate::launch::code::{MemoryRequest, ReplayCode};
use crate::launch::spec::Replacement;
use crate::trace::AddressKind;

/// Number of tabulated survival times: powers of two from 4 warp instructions on.
pub const GRID: usize = 24;
const LOWEST_LOG2: f64 = 2.0;
/// Number of program classes, by lines touched.
pub const CLASSES: usize = 4;
/// Histogram bins per doubling of the time.
const BINS_PER_OCTAVE: f64 = 4.0;
const BINS: usize = 4 * 22;

/// Rates of one line per warp instruction of its warp.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LineRates {
    /// Probability that the line is in the cache.
    pub occupancy: f64,
    pub load_misses: f64,
    pub store_misses: f64,
    pub dirty_evictions: f64,
    /// Loads of its level of which at least one line misses.
    pub waiting_loads: f64,
    /// Load misses shared by a neighbour of the same level.
    pub paired_misses: f64,
    /// Fraction of the time that the line is evicted and next loaded.
    pub away_before_loads: f64,
    /// Fraction of the time that the line is evicted and next stored.
    pub away_before_stores: f64,
}

impl LineRates {
    fn between(low: &LineRates, high: &LineRates, part: f64) -> LineRates {
        let mut between = *low;
        between.scale(1.0 - part);
        between.add(high, part);
        between
    }

    fn scale(&mut self, times: f64) {
        let old = std::mem::take(self);
        self.add(&old, times);
    }

    pub fn add(&mut self, other: &LineRates, times: f64) {
        add_scaled(self, other, times);
    }
}

/// Rates of a line as a function of the survival time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table(pub [LineRates; GRID]);

impl Table {
    /// Rates if lines survive `2^log2_time` warp instructions, interpolated.
    pub fn at(&self, log2_time: f64) -> LineRates {
        let position = (log2_time - LOWEST_LOG2).clamp(0.0, (GRID - 1) as f64);
        let low = (position as usize).min(GRID - 2);
        LineRates::between(&self.0[low], &self.0[low + 1], position - low as f64)
    }
}

/// Logarithm of the tabulated survival time at `index`.
pub fn log2_time(index: f64) -> f64 {
    LOWEST_LOG2 + index
}

/// Reuse times of one line, summed over programs.
#[derive(Debug, Clone, PartialEq)]
struct Reuse {
    before_load: [f32; BINS],
    before_store: [f32; BINS],
    between_stores: [f32; BINS],
}

impl Default for Reuse {
    fn default() -> Self {
        Reuse {
            before_load: [0.0; BINS],
            before_store: [0.0; BINS],
            between_stores: [0.0; BINS],
        }
    }
}

/// Programs that touch a similar number of lines.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Class {
    /// Reuse times by stack level, summed over the lines of a level.
    levels: Vec<Reuse>,
    /// Ticks of all its programs.
    pub instructions: f64,
}

/// Reuse of stack lines and fitness cases by the programs of a population.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Locality {
    pub classes: Vec<Class>,
    /// Words of the frame that each level consists of.
    pub words: Vec<Vec<u32>>,
    /// Lines of a level, which one instruction accesses together.
    pub lines_per_level: u32,
    /// Ticks of a warp per token.
    pub instructions_per_token: f64,
    /// Ticks of one iteration, mean over the blocks.
    pub instructions_per_iteration: f64,
    /// Fitness-case lines loaded per warp instruction.
    pub case_lines: f64,
    /// Fitness-case lines loaded for the first time in their iteration, per warp instruction.
    pub first_case_lines: f64,
}

impl Locality {
    pub fn new(inputs: &Inputs) -> Self {
        let segments = Segments::new(inputs.code);
        let mut blocks = vec![0u32; inputs.rows_per_program.len()];
        for &program in inputs.sample {
            blocks[program as usize] += 1;
        }
        let mut locality = Locality {
            classes: vec![Class::default(); CLASSES],
            lines_per_level: inputs.stack_dim,
            ..Locality::default()
        };
        let classes = classes(inputs, &segments, &blocks);
        let mut words: Vec<BTreeSet<u32>> = Vec::new();
        let mut clocks = Clocks::default();
        let (mut instructions, mut tokens, mut case_lines, mut first) = (0.0, 0.0, 0.0, 0.0);
        for (program, &times) in blocks.iter().enumerate().filter(|(_, times)| **times > 0) {
            let list = segments.list(inputs.code, program);
            let class = &mut locality.classes[classes[program]];
            let times = f64::from(times);
            let used = clocks.count(
                &segments,
                list,
                inputs.stack_dim,
                times as f32,
                class,
                &mut words,
            );
            instructions += times * f64::from(used.instructions);
            tokens += times * f64::from(inputs.code.programs[program].nodes);
            case_lines += times * f64::from(used.case_lines);
            let rows = f64::from(inputs.rows_per_program[program] * inputs.stack_dim);
            first += times * rows.min(f64::from(used.case_lines));
        }
        locality.words = words
            .into_iter()
            .map(|words| words.into_iter().collect())
            .collect();
        locality.instructions_per_token = instructions / tokens;
        locality.instructions_per_iteration = instructions / inputs.sample.len() as f64;
        locality.case_lines = case_lines / instructions;
        locality.first_case_lines = first / instructions;
        locality
    }

    /// Tables of one line of each level: all programs mixed, then each class alone with its share of the time.
    pub fn tables(&self, replacement: Replacement) -> Vec<(f64, Vec<Table>)> {
        let total: f64 = self.classes.iter().map(|class| class.instructions).sum();
        let zero = Table([LineRates::default(); GRID]);
        let mut mixed = vec![zero; self.words.len()];
        let survival = Survival::new(replacement, self.lines_per_level);
        let mut all: Vec<(f64, Vec<Table>)> = Vec::new();
        for class in self.classes.iter().filter(|class| class.instructions > 0.0) {
            let part = class.instructions / total;
            let mut tables = vec![zero; self.words.len()];
            for (level, reuse) in class.levels.iter().enumerate() {
                let lines = self.words[level].len().max(1) as f64;
                tables[level] = survival.table(reuse, 1.0 / (class.instructions * lines));
                for (mine, theirs) in mixed[level].0.iter_mut().zip(&tables[level].0) {
                    mine.add(theirs, part);
                }
            }
            all.push((part, tables));
        }
        all.insert(0, (1.0, mixed));
        all
    }
}

/// Local accesses and lengths of all segments.
struct Segments {
    spans: Vec<Span>,
    accesses: Vec<Access>,
}

#[derive(Clone, Copy)]
struct Span {
    first: u32,
    end: u32,
    instructions: u32,
    case_lines: u32,
}

#[derive(Clone, Copy)]
struct Access {
    /// Ticks since the segment's start.
    at: u32,
    word: u32,
    store: bool,
}

impl Segments {
    fn new(code: &ReplayCode) -> Self {
        let mut accesses = Vec::new();
        let spans = code.segments.iter().map(|&(start, end)| {
            let first = accesses.len() as u32;
            let (mut case_lines, mut instructions) = (0, 0);
            for op in &code.ops[start as usize..end as usize] {
                instructions += 1;
                let store = op.request == MemoryRequest::LocalStore;
                if store || op.request == MemoryRequest::LocalLoad {
                    accesses.extend((0..u32::from(op.lines)).map(|line| Access {
                        at: instructions,
                        word: op.address / 4 + line,
                        store,
                    }));
                } else if op.request == MemoryRequest::GlobalLoad
                    && op.address_kind == AddressKind::PerCase
                {
                    case_lines += u32::from(op.lines);
                }
            }
            Span {
                first,
                end: accesses.len() as u32,
                instructions,
                case_lines,
            }
        });
        let spans = spans.collect();
        Segments { spans, accesses }
    }

    fn list<'a>(&self, code: &'a ReplayCode, program: usize) -> &'a [u32] {
        let steady = &code.programs[program].steady;
        &code.lists[steady.start as usize..steady.end as usize]
    }
}

/// Class of every program: equal shares of the time, by accesses to the stack per instruction and lines touched.
fn classes(inputs: &Inputs, segments: &Segments, blocks: &[u32]) -> Vec<usize> {
    let mut lines = BTreeSet::new();
    let mut programs: Vec<(usize, usize, f64)> = (0..blocks.len())
        .map(|program| {
            lines.clear();
            let mut instructions = 0;
            for &segment in segments.list(inputs.code, program) {
                let span = segments.spans[segment as usize];
                let accesses = &segments.accesses[span.first as usize..span.end as usize];
                lines.extend(accesses.iter().map(|access| access.word));
                instructions += span.instructions;
            }
            (
                lines.len(),
                program,
                f64::from(instructions * blocks[program]),
            )
        })
        .collect();
    programs.sort_unstable_by_key(|&(lines, program, _)| (lines, program));
    let total: f64 = programs.iter().map(|program| program.2).sum();
    let mut classes = vec![0; blocks.len()];
    let mut before = 0.0;
    for (_, program, instructions) in programs {
        let middle = (before + 0.5 * instructions) / total;
        classes[program] = ((middle * CLASSES as f64) as usize).min(CLASSES - 1);
        before += instructions;
    }
    classes
}

/// Last access and last store of every word of a frame.
#[derive(Default)]
struct Clocks {
    touched: Vec<i64>,
    stored: Vec<i64>,
    used: Vec<u32>,
}

struct Used {
    instructions: u32,
    case_lines: u32,
}

impl Clocks {
    /// Adds a program's reuse times to its class: one round to find the last accesses, one to count.
    fn count(
        &mut self,
        segments: &Segments,
        list: &[u32],
        stack_dim: u32,
        times: f32,
        class: &mut Class,
        words: &mut Vec<BTreeSet<u32>>,
    ) -> Used {
        for word in self.used.drain(..) {
            self.touched[word as usize] = NEVER;
            self.stored[word as usize] = NEVER;
        }
        let (mut now, mut case_lines) = (0i64, 0);
        for round in 0..2 {
            for &segment in list {
                let span = segments.spans[segment as usize];
                for access in &segments.accesses[span.first as usize..span.end as usize] {
                    self.access(now + i64::from(access.at), access, |before, store| {
                        if round == 1 {
                            let level = (access.word / stack_dim) as usize;
                            class.note(level, before, store, access.store, times);
                        }
                    });
                }
                now += i64::from(span.instructions);
                case_lines += span.case_lines;
            }
        }
        for &word in &self.used {
            let level = (word / stack_dim) as usize;
            if words.len() <= level {
                words.resize(level + 1, BTreeSet::new());
            }
            words[level].insert(word);
        }
        let instructions = (now / 2) as u32;
        class.instructions += f64::from(times) * f64::from(instructions);
        Used {
            instructions,
            case_lines: case_lines / 2,
        }
    }

    fn access(&mut self, now: i64, access: &Access, note: impl FnOnce(i64, Option<i64>)) {
        let word = access.word as usize;
        if self.touched.len() <= word {
            self.touched.resize(word + 1, NEVER);
            self.stored.resize(word + 1, NEVER);
        }
        let (touched, stored) = (self.touched[word], self.stored[word]);
        if touched == NEVER {
            self.used.push(access.word);
        } else {
            note(now - touched, (stored != NEVER).then(|| now - stored));
        }
        self.touched[word] = now;
        if access.store {
            self.stored[word] = now;
        }
    }
}

const NEVER: i64 = i64::MIN;

impl Class {
    fn note(&mut self, level: usize, before: i64, stored: Option<i64>, store: bool, times: f32) {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Reuse::default());
        }
        let reuse = &mut self.levels[level];
        if !store {
            reuse.before_load[bin(before)] += times;
            return;
        }
        reuse.before_store[bin(before)] += times;
        if let Some(stored) = stored {
            reuse.between_stores[bin(stored)] += times;
        }
    }
}

/// Precomputed bins of short times.
static SHORT_TIMES: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..1 << 14).map(|time| exact_bin(time) as u8).collect());

fn bin(time: i64) -> usize {
    match SHORT_TIMES.get(time as usize) {
        Some(&bin) => usize::from(bin),
        None => exact_bin(time),
    }
}

fn exact_bin(time: i64) -> usize {
    let exact = BINS_PER_OCTAVE * log2(time.max(1) as f64);
    (exact.round() as usize).min(BINS - 1)
}

/// Effect of one reuse time on a line.
#[derive(Debug, Clone, Copy)]
struct Fate {
    /// Probability that the line is evicted by the end.
    gone: f64,
    /// Probability that at least one line of its level is.
    one_gone: f64,
    /// Ticks that the line is cached.
    kept: f64,
    /// Ticks that the line is not cached.
    away: f64,
}

impl Fate {
    fn new(replacement: Replacement, lines_per_level: u32, time: f64, survival: f64) -> Fate {
        let (gone, kept) = match replacement {
            // Under first-in first-out a line misses as often as under random replacement (Gelenbe 1973).
            Replacement::Random | Replacement::Rows => {
                let gone = -exp_m1(-time / survival);
                (gone, survival * gone)
            }
            Replacement::Lru => (f64::from(u8::from(time > survival)), time.min(survival)),
        };
        Fate {
            gone,
            one_gone: 1.0 - (1.0 - gone).powi(lines_per_level as i32),
            kept,
            away: time - kept,
        }
    }
}

/// Probability that a line is cached, given its mean number of requests per survival time.
pub fn presence(replacement: Replacement, requests: f64) -> f64 {
    match replacement {
        Replacement::Random | Replacement::Rows => requests / (1.0 + requests),
        Replacement::Lru => -exp_m1(-requests),
    }
}

/// Fates of all reuse times, by bin and survival time.
struct Survival(Vec<[Fate; GRID]>);

impl Survival {
    fn new(replacement: Replacement, lines_per_level: u32) -> Self {
        let fates = |bin: usize| {
            let time = exp2(bin as f64 / BINS_PER_OCTAVE);
            let survival = |index: usize| exp2(log2_time(index as f64));
            std::array::from_fn(|i| Fate::new(replacement, lines_per_level, time, survival(i)))
        };
        Survival((0..BINS).map(fates).collect())
    }

    /// **(12)** Sums over reuse times, each weighted by `scale`.
    fn table(&self, reuse: &Reuse, scale: f64) -> Table {
        let mut rates = [LineRates::default(); GRID];
        for bin in 0..BINS {
            let load = scale * f64::from(reuse.before_load[bin]);
            let store = scale * f64::from(reuse.before_store[bin]);
            let stores = scale * f64::from(reuse.between_stores[bin]);
            if load + store == 0.0 && stores == 0.0 {
                continue;
            }
            for (rates, fate) in rates.iter_mut().zip(&self.0[bin]) {
                rates.occupancy += (load + store) * fate.kept;
                rates.load_misses += load * fate.gone;
                rates.store_misses += store * fate.gone;
                rates.dirty_evictions += stores * fate.gone;
                rates.waiting_loads += load * fate.one_gone;
                rates.paired_misses += load * fate.gone * fate.gone;
                rates.away_before_loads += load * fate.away;
                rates.away_before_stores += store * fate.away;
            }
        }
        Table(rates)
    }
}

#[cfg(test)]
mod tests;
