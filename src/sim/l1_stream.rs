//! Accesses of a simulated L1, and the hit rates of other caches with them.
//!
//! Models: the L1 look-ups of a window are recorded, then replayed through the tag array of any other geometry, at the
//! recorded cycles. An access that misses only in the replay is filled in the mean time of its kind.
//! Leaves out: the effect of another L1 on the order of warps.
//! Units: cycles, bytes; hit rates 0 to 1.
//! Sources: Mattson et al., IBM Systems Journal 9 (1970), for many sizes from one trace; `docs/whatif.md`.

use super::cache::{Cache, Lookup};
use super::code::MemoryRequest;
use super::observe::{Counters, L1Access, Observer};
use super::spec::CacheSpec;
use crate::launch::prediction::HitRates;

/// Local loads, local stores, global loads.
const N_KINDS: usize = 3;

/// Observer that records the accesses of an L1, in order.
#[derive(Debug, Clone, Default)]
pub struct L1Recorder {
    records: Vec<Record>,
}

#[derive(Debug, Clone, Copy)]
struct Record {
    access: L1Access,
    /// Cycles from the look-up to the data, where the line was fetched.
    fill_cycles: Option<u32>,
}

impl Observer for L1Recorder {
    #[inline]
    fn l1_accessed(&mut self, access: L1Access) {
        self.records.push(Record {
            access,
            fill_cycles: None,
        });
    }

    #[inline]
    fn l1_filled(&mut self, ready_at: u64) {
        if let Some(record) = self.records.last_mut() {
            record.fill_cycles = Some((ready_at - record.access.cycle) as u32);
        }
    }
}

/// One line of an access, where the cache holds it and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct L1Step {
    pub cycle: u64,
    pub address: u32,
    pub request: MemoryRequest,
    /// See [`Cache::place_of`]; `None` for a line that got no place.
    pub place: Option<u32>,
    pub hit: bool,
    /// Cycle from which the data are usable.
    pub ready_at: u64,
}

/// Accesses in their order, the first of which only fill the caches.
#[derive(Debug, Clone)]
pub struct L1Stream {
    records: Vec<Record>,
    warm_up: usize,
    /// Mean fill time of the accesses of each kind; 0 if none was filled.
    mean_fill_cycles: [u64; N_KINDS],
    seed: u32,
}

impl L1Recorder {
    /// The recorded stream of a window that counted `counters`. `seed` starts the replacement generator of replayed caches.
    pub fn stream(self, counters: &Counters, seed: u32) -> L1Stream {
        let counted = counters.l1_load_lines + counters.l1_store_lines + counters.l1_global_lines;
        L1Stream {
            warm_up: self.records.len() - counted as usize,
            mean_fill_cycles: mean_fill_cycles(&self.records),
            records: self.records,
            seed,
        }
    }
}

impl L1Stream {
    /// Accesses recorded, those of the warm-up included.
    pub fn n_accesses(&self) -> usize {
        self.records.len()
    }

    /// Hit rates of another cache.
    pub fn hit_rates(&self, spec: &CacheSpec) -> HitRates {
        let mut cache = Cache::new(spec.clone(), self.seed);
        let (warm_up, counted) = self.records.split_at(self.warm_up);
        for record in warm_up {
            self.replay(record, &mut cache, spec.line_bytes);
        }
        let mut tallies = [Tally::default(); N_KINDS];
        for record in counted {
            let tally = &mut tallies[kind(record.access.request)];
            tally.add(self.replay(record, &mut cache, spec.line_bytes));
        }
        let [local_loads, local_stores, global_loads] = tallies.map(Tally::hit_rate);
        HitRates {
            local_loads,
            local_stores,
            global_loads,
        }
    }

    /// Returns every line of every access, and the place that a cache has for it.
    pub fn steps(&self, cache: &mut Cache, line_bytes: u32) -> Vec<L1Step> {
        let mut steps = Vec::new();
        for record in &self.records {
            self.looked_up(
                record,
                cache,
                line_bytes,
                |cache, address, hit, ready_at| {
                    steps.push(L1Step {
                        cycle: record.access.cycle,
                        address,
                        request: record.access.request,
                        place: cache.place_of(address),
                        hit,
                        ready_at,
                    });
                },
            );
        }
        steps
    }

    /// Looks up the lines of one access.
    #[inline]
    fn replay(&self, record: &Record, cache: &mut Cache, line_bytes: u32) -> Tally {
        let mut tally = Tally::default();
        self.looked_up(record, cache, line_bytes, |_, _, hit, _| {
            tally.lines += 1;
            tally.hits += u64::from(hit);
        });
        tally
    }

    /// Looks up the lines of one access, and tells of each whether it hit and from which cycle on it is usable.
    #[inline]
    fn looked_up(
        &self,
        record: &Record,
        cache: &mut Cache,
        line_bytes: u32,
        mut tell: impl FnMut(&Cache, u32, bool, u64),
    ) {
        let access = &record.access;
        cache.now(access.cycle);
        let bytes = u32::from(access.bytes).min(line_bytes);
        for address in lines(access, line_bytes) {
            match cache.access_part(address, bytes, false) {
                Lookup::Hit { ready_at } => tell(cache, address, true, ready_at),
                Lookup::Miss { way, free_at, .. } => {
                    let ready_at = match record.fill_cycles {
                        Some(cycles) => access.cycle + u64::from(cycles),
                        None => {
                            let cycles = self.mean_fill_cycles[kind(access.request)];
                            access.cycle.max(free_at) + cycles
                        }
                    };
                    cache.fill_at(way, ready_at);
                    tell(cache, address, false, ready_at);
                }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    lines: u64,
    hits: u64,
}

impl Tally {
    #[inline]
    fn add(&mut self, other: Tally) {
        self.lines += other.lines;
        self.hits += other.hits;
    }

    fn hit_rate(self) -> Option<f64> {
        (self.lines > 0).then(|| self.hits as f64 / self.lines as f64)
    }
}

fn kind(request: MemoryRequest) -> usize {
    match request {
        MemoryRequest::LocalLoad => 0,
        MemoryRequest::LocalStore => 1,
        _ => 2,
    }
}

/// Mean fill cycles by kind; 0 if no access of a kind was filled: stores need not fetch their lines.
fn mean_fill_cycles(records: &[Record]) -> [u64; N_KINDS] {
    let mut sums = [(0, 0); N_KINDS];
    for record in records {
        let (cycles, fills) = &mut sums[kind(record.access.request)];
        if let Some(fill_cycles) = record.fill_cycles {
            *cycles += u64::from(fill_cycles);
            *fills += 1;
        }
    }
    sums.map(|(cycles, fills): (u64, u64)| cycles / fills.max(1))
}

/// One address in each line that an access touches: wide lines hold several accesses, narrow ones a part of one.
#[inline]
fn lines(access: &L1Access, line_bytes: u32) -> impl Iterator<Item = u32> + use<> {
    let bytes = u32::from(access.bytes);
    let first = access.address & !(bytes - 1);
    (0..(bytes / line_bytes).max(1)).map(move |i| first + i * line_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Space;
    use crate::sim::code::ReplayCode;
    use crate::sim::dispatch::Geometry;
    use crate::sim::spec::{Replacement, SetIndex, SmxSpec};
    use crate::sim::testing::{load, looped, spec, store};
    use crate::sim::window::{Window, WindowPlan, simulate, simulate_observed};
    use crate::trace::AddressKind;

    const PLAN: WindowPlan = WindowPlan {
        instructions: (20_000, 20_000),
        least_units: 1,
        units: 8,
        warm_up_percent: 20,
        batches: 4,
        longer_above: f64::INFINITY,
        seed: 7,
    };
    /// 16 warps with three lines each.
    const GEOMETRY: Geometry = Geometry {
        threads_per_block: 64,
        stack_dim: 1,
        fitness_cases: 64_000,
        programs: 1000,
        case_blocks: 1,
        resident_blocks: 8,
        n_smx: 1,
        local_stride_bytes: 512,
    };

    /// The last two loads are of two sectors of one line, the same for all warps.
    fn code() -> ReplayCode {
        let mut code = looped(&[
            load(Space::Local, 4),
            store(Space::Local, 4),
            load(Space::Local, 4),
            load(Space::Global, 4),
            load(Space::Global, 4),
            load(Space::Global, 4),
        ]);
        for (op, address) in code.ops[4..].iter_mut().zip([0x4000, 0x4020]) {
            op.address_kind = AddressKind::Uniform;
            op.address = address;
        }
        code
    }

    fn recorded(spec: &SmxSpec) -> (Window, L1Stream) {
        let (code, mut recorder) = (code(), L1Recorder::default());
        let observed = simulate_observed(
            spec,
            &code,
            64,
            GEOMETRY,
            [0].as_slice().into(),
            PLAN,
            &mut recorder,
        );
        let window = observed.expect("the bench code runs on");
        let stream = recorder.stream(&window.counters, PLAN.seed);
        (window, stream)
    }

    /// An L1 that holds a part of the lines.
    fn small(replacement: Replacement, caches_global_loads: bool) -> SmxSpec {
        let mut spec = spec();
        // As many places as there are local lines, but some sets are asked for more than others.
        spec.l1.sets = 16;
        spec.l1.ways = 3;
        spec.l1.index = SetIndex::Spread;
        spec.l1.replacement = replacement;
        spec.l1_caches_global_loads = caches_global_loads;
        spec
    }

    #[test]
    fn the_recorded_cache_replayed_hits_what_it_hit() {
        for replacement in [Replacement::Lru, Replacement::Random] {
            for is_like_hopper in [false, true] {
                let mut spec = small(replacement, is_like_hopper);
                spec.l1.sector_bytes = if is_like_hopper { 32 } else { 128 };
                spec.l1.fills_hold_lines = is_like_hopper;
                spec.l1_write_through = is_like_hopper;
                spec.l1_fetch_on_write_miss = !is_like_hopper;
                let (window, stream) = recorded(&spec);
                let counters = &window.counters;
                let part = |hits, lines| (lines > 0).then(|| hits as f64 / lines as f64);
                let expected = HitRates {
                    local_loads: part(counters.l1_load_hits, counters.l1_load_lines),
                    local_stores: part(counters.l1_store_hits, counters.l1_store_lines),
                    global_loads: part(counters.l1_global_hits, counters.l1_global_lines),
                };
                assert_eq!(stream.hit_rates(&spec.l1), expected, "{replacement:?}");
                assert_eq!(expected.global_loads.is_some(), is_like_hopper);
                assert!((0.01..0.99).contains(&expected.local_loads.unwrap()));
            }
        }
    }

    #[test]
    fn recording_changes_nothing() {
        let spec = small(Replacement::Random, true);
        let plain = simulate(&spec, &code(), 64, GEOMETRY, [0].as_slice().into(), PLAN);
        let plain = plain.expect("the bench code runs on");
        let (observed, stream) = recorded(&spec);
        assert_eq!(
            serde_json::to_string(&plain.counters).unwrap(),
            serde_json::to_string(&observed.counters).unwrap()
        );
        assert!(stream.warm_up > 0 && stream.warm_up < stream.n_accesses());
    }

    #[test]
    fn a_cache_that_holds_all_misses_nothing_once_it_is_warm() {
        let (_, stream) = recorded(&small(Replacement::Random, false));
        let mut large = spec().l1;
        large.sets = 1024;
        for line_bytes in [32, 64, 128, 256] {
            large.line_bytes = line_bytes;
            let rates = stream.hit_rates(&large);
            assert_eq!(
                (rates.local_loads, rates.local_stores),
                (Some(1.0), Some(1.0))
            );
        }
    }

    fn record(address: u32, bytes: u16, fill_cycles: Option<u32>) -> Record {
        Record {
            access: L1Access {
                cycle: 0,
                address,
                bytes,
                request: MemoryRequest::LocalLoad,
            },
            fill_cycles,
        }
    }

    #[test]
    fn fills_take_their_mean_and_what_hit_does_not_count() {
        let records = [
            record(0, 128, Some(10)),
            record(0, 128, None),
            record(0, 128, Some(30)),
        ];
        assert_eq!(mean_fill_cycles(&records), [20, 0, 0]);
    }

    #[test]
    fn a_sector_that_was_not_fetched_misses_in_a_line_that_is_there() {
        let stream = L1Stream {
            records: [0, 32, 0].map(|at| record(at, 32, Some(10))).to_vec(),
            warm_up: 0,
            mean_fill_cycles: [10; N_KINDS],
            seed: 1,
        };
        let loads = |sector_bytes| {
            let l1 = CacheSpec {
                sector_bytes,
                ..spec().l1
            };
            stream.hit_rates(&l1).local_loads
        };
        assert_eq!(loads(32), Some(1.0 / 3.0));
        assert_eq!(loads(128), Some(2.0 / 3.0));
    }

    #[test]
    fn an_access_touches_every_line_that_it_covers() {
        let lines = |address, bytes, line_bytes| {
            lines(&record(address, bytes, None).access, line_bytes).collect::<Vec<_>>()
        };
        assert_eq!(lines(0x1000, 128, 32), [0x1000, 0x1020, 0x1040, 0x1060]);
        assert_eq!(lines(0x1080, 128, 128), [0x1080]);
        assert_eq!(lines(0x1020, 32, 128), [0x1020]);
    }
}
