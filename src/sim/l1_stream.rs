//! Accesses of a simulated L1, in order, and the places of their lines.
//!
//! Models: the L1 look-ups of a run are recorded, then replayed through an empty cache of the same kind, at the recorded
//! cycles, which hits what the run hit.
//! Units: cycles, bytes.

use super::cache::{Cache, Lookup};
use super::code::MemoryRequest;
use super::observe::{L1Access, Observer};

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

/// One access, the place of its line and the cycle from which it is there.
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

impl L1Recorder {
    /// Replays every access through `cache`, which must be empty and of the recorded kind.
    pub fn steps(&self, cache: &mut Cache) -> Vec<L1Step> {
        let step = |record: &Record| {
            let access = &record.access;
            cache.now(access.cycle);
            let (hit, ready_at) =
                match cache.access_part(access.address, u32::from(access.bytes), false) {
                    Lookup::Hit { ready_at } => (true, ready_at),
                    Lookup::Miss { way, free_at, .. } => {
                        let ready_at = match record.fill_cycles {
                            Some(cycles) => access.cycle + u64::from(cycles),
                            // A store that fetches nothing.
                            None => access.cycle.max(free_at),
                        };
                        cache.fill_at(way, ready_at);
                        (false, ready_at)
                    }
                };
            L1Step {
                cycle: access.cycle,
                address: access.address,
                request: access.request,
                place: cache.place_of(access.address),
                hit,
                ready_at,
            }
        };
        self.records.iter().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Space;
    use crate::sim::code::ReplayCode;
    use crate::sim::dispatch::Geometry;
    use crate::sim::spec::{CacheSpec, Replacement, SetIndex, SmxSpec};
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

    fn recorded(spec: &SmxSpec) -> (Window, L1Recorder) {
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
        (observed.expect("the bench code runs on"), recorder)
    }

    /// An L1 that holds a part of the lines.
    fn small(replacement: Replacement, caches_global_loads: bool) -> SmxSpec {
        let mut spec = spec();
        // As many places as there are local lines, but some sets are asked for more than others.
        spec.l1.sets = 16;
        spec.l1.ways = 3;
        spec.l1.index = SetIndex::Spread;
        spec.l1.replacement = replacement;
        spec.device.l1.caches_global_loads = caches_global_loads;
        spec
    }

    #[test]
    fn the_recorded_cache_replayed_hits_what_it_hit() {
        for replacement in [Replacement::Lru, Replacement::Random] {
            for is_like_hopper in [false, true] {
                let mut spec = small(replacement, is_like_hopper);
                spec.l1.sector_bytes = if is_like_hopper { 32 } else { 128 };
                spec.l1.fills_hold_lines = is_like_hopper;
                spec.device.l1.write_back = !is_like_hopper;
                spec.device.l1.fetch_on_write_miss = !is_like_hopper;
                let (window, recorder) = recorded(&spec);
                let steps = recorder.steps(&mut Cache::new(spec.l1.clone(), PLAN.seed));
                let counted = &window.counters;
                let lines = [
                    (
                        MemoryRequest::LocalLoad,
                        counted.l1_load_lines,
                        counted.l1_load_hits,
                    ),
                    (
                        MemoryRequest::LocalStore,
                        counted.l1_store_lines,
                        counted.l1_store_hits,
                    ),
                    (
                        MemoryRequest::GlobalLoad,
                        counted.l1_global_lines,
                        counted.l1_global_hits,
                    ),
                ];
                // The first accesses only warm the caches up.
                let n_counted: u64 = lines.iter().map(|(_, lines, _)| lines).sum();
                let warm_up = steps.len() - n_counted as usize;
                assert!(warm_up > 0 && n_counted > 0);
                for (request, lines, hits) in lines {
                    let of_kind = steps[warm_up..]
                        .iter()
                        .filter(|step| step.request == request);
                    let replayed: Vec<bool> = of_kind.map(|step| step.hit).collect();
                    assert_eq!(replayed.len() as u64, lines, "{replacement:?}");
                    let replayed = replayed.iter().filter(|hit| **hit).count();
                    assert_eq!(replayed as u64, hits, "{replacement:?}");
                }
                assert_eq!(counted.l1_global_lines > 0, is_like_hopper);
                assert!(0 < counted.l1_load_hits && counted.l1_load_hits < counted.l1_load_lines);
            }
        }
    }

    #[test]
    fn recording_changes_nothing() {
        let spec = small(Replacement::Random, true);
        let plain = simulate(&spec, &code(), 64, GEOMETRY, [0].as_slice().into(), PLAN);
        let plain = plain.expect("the bench code runs on");
        let (observed, _) = recorded(&spec);
        assert_eq!(
            serde_json::to_string(&plain.counters).unwrap(),
            serde_json::to_string(&observed.counters).unwrap()
        );
    }

    #[test]
    fn a_sector_that_was_not_fetched_misses_in_a_line_that_is_there() {
        let record = |address| Record {
            access: L1Access {
                cycle: 0,
                address,
                bytes: 32,
                request: MemoryRequest::LocalLoad,
            },
            fill_cycles: Some(10),
        };
        let recorder = L1Recorder {
            records: [0, 32, 0].map(record).to_vec(),
        };
        let hits = |sector_bytes| {
            let l1 = CacheSpec {
                sector_bytes,
                ..spec().l1
            };
            let steps = recorder.steps(&mut Cache::new(l1, 1));
            steps.iter().map(|step| step.hit).collect::<Vec<_>>()
        };
        assert_eq!(hits(32), [false, false, true]);
        assert_eq!(hits(128), [false, true, true]);
    }
}
