//! Hit rates of any number of caches from one pass over the stack accesses of resident warps.
//!
//! What it does: shows every access to all caches of one line size at once, those of random replacement to the lines
//! that they hold, those of LRU to the stack distances. What it leaves out: time. Units: accesses of one line.
//! Sources: equation (22) of `docs/model.md`; Hill and Smith, IEEE Trans. Computers 38 (1989), for one pass over many
//! geometries.

use super::caches::{Caches, TOGETHER};
use super::interleave::Stream;
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
    let mut rates = vec![HitRates::default(); caches.len()];
    let mut alike: BTreeMap<(u32, bool), Vec<usize>> = BTreeMap::new();
    for (index, cache) in caches.iter().enumerate() {
        let lru = cache.replacement == Replacement::Lru;
        alike
            .entry((cache.line_bytes, lru))
            .or_default()
            .push(index);
    }
    for ((line_bytes, lru), indices) in alike {
        for indices in indices.chunks(TOGETHER) {
            let caches: Vec<CacheSpec> =
                indices.iter().map(|&index| caches[index].clone()).collect();
            let found = if lru {
                by_distance(stream, line_bytes, &caches)
            } else {
                followed(stream, line_bytes, &caches)
            };
            for (&index, found) in indices.iter().zip(found) {
                rates[index] = found;
            }
        }
    }
    rates
}

fn by_distance(stream: &Stream, line_bytes: u32, caches: &[CacheSpec]) -> Vec<HitRates> {
    let all = stream.accesses.iter();
    let [loads, stores] = StackDistances::of_two(all.flat_map(|access| lines(access, line_bytes)));
    let of = |cache: &CacheSpec| HitRates {
        loads: loads.hit_rate_in_sets(cache.sets, cache.ways),
        stores: stores.hit_rate_in_sets(cache.sets, cache.ways),
    };
    caches.iter().map(of).collect()
}

fn followed(stream: &Stream, line_bytes: u32, caches: &[CacheSpec]) -> Vec<HitRates> {
    let last = stream.accesses.iter().map(|access| access.address).max();
    let n_lines = last.map_or(0, |last| (last + ROW_BYTES).div_ceil(line_bytes));
    let mut held = Caches::new(caches, n_lines);
    let (warm_up, counted) = stream.accesses.split_at(stream.warm_up);
    for (line, _) in warm_up.iter().flat_map(|access| lines(access, line_bytes)) {
        held.access(line);
    }
    let mut misses = [[0u32; 2]; TOGETHER];
    let mut accesses = [0u32; 2];
    for (line, store) in counted.iter().flat_map(|access| lines(access, line_bytes)) {
        accesses[usize::from(store)] += 1;
        let mut missed = held.access(line);
        while missed != 0 {
            misses[missed.trailing_zeros() as usize][usize::from(store)] += 1;
            missed &= missed - 1;
        }
    }
    let rate =
        |misses: u32, kind: usize| 1.0 - f64::from(misses) / f64::from(accesses[kind].max(1));
    let of = |[loads, stores]: &[u32; 2]| HitRates {
        loads: rate(*loads, 0),
        stores: rate(*stores, 1),
    };
    misses[..caches.len()].iter().map(of).collect()
}

/// Line addresses: wide lines hold several rows, narrow ones a part of a row.
fn lines(access: &Access, line_bytes: u32) -> impl Iterator<Item = (u32, bool)> {
    let shift = line_bytes.trailing_zeros();
    let per_row = (ROW_BYTES >> shift).max(1);
    let first = access.address >> shift;
    let store = access.store;
    (first..first + per_row).map(move |line| (line, store))
}
