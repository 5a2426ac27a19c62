//! Hit rates of any number of caches from one pass over the stack accesses of resident warps.
//!
//! What it does: shows every access to each of the caches. LRU caches of any size come from one set of stack distances. What it leaves out: time. Units: accesses of one line.
//! Sources: equation (22) of `docs/model.md`; Hill and Smith, IEEE Trans. Computers 38 (1989), for one pass over many
//! geometries.

use super::interleave::Stream;
use super::random_cache::RandomCache;
use super::stack_distance::StackDistances;
use super::turns::{Access, ROW_BYTES};
use crate::launch::spec::{CacheSpec, Replacement};
use std::collections::BTreeMap;

/// Hit rates, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HitRates {
    pub loads: f64,
    pub stores: f64,
}

/// Hit rates of all `caches`.
pub fn hit_rates(stream: &Stream, caches: &[CacheSpec]) -> Vec<HitRates> {
    let mut lru: BTreeMap<u32, [StackDistances; 2]> = BTreeMap::new();
    caches
        .iter()
        .map(|cache| match cache.replacement {
            Replacement::Random => followed(stream, cache),
            Replacement::Lru => {
                let [loads, stores] = lru.entry(cache.line_bytes).or_insert_with(|| {
                    let all = stream.accesses.iter();
                    StackDistances::of_two(all.flat_map(|access| lines(access, cache.line_bytes)))
                });
                HitRates {
                    loads: loads.hit_rate_in_sets(cache.sets, cache.ways),
                    stores: stores.hit_rate_in_sets(cache.sets, cache.ways),
                }
            }
        })
        .collect()
}

fn followed(stream: &Stream, cache: &CacheSpec) -> HitRates {
    let mut held = RandomCache::new(cache);
    let (mut hits, mut counts) = ([0u32; 2], [0u32; 2]);
    for (now, access) in stream.accesses.iter().enumerate() {
        for (line, store) in lines(access, cache.line_bytes) {
            let hit = held.access(line);
            if now >= stream.warm_up {
                hits[usize::from(store)] += u32::from(hit);
                counts[usize::from(store)] += 1;
            }
        }
    }
    let rate = |kind: usize| f64::from(hits[kind]) / f64::from(counts[kind].max(1));
    HitRates {
        loads: rate(0),
        stores: rate(1),
    }
}

/// Line addresses: wide lines hold several rows, narrow ones a part of a row.
fn lines(access: &Access, line_bytes: u32) -> impl Iterator<Item = (u32, bool)> {
    let per_row = (ROW_BYTES / line_bytes).max(1);
    let first = access.address / line_bytes;
    let store = access.store;
    (first..first + per_row).map(move |line| (line, store))
}
