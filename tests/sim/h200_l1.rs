//! Does the simulated L1 of the H200 behave as the chip did, access by access? (`fixtures/measured/h200/l1/`, `docs/h200.md`.)
//!
//! Replays the same lists of accesses on the cache that the preset describes. Single loads and stores follow each other, so
//! no line is being filled when the next access comes.

use std::collections::BTreeMap;
use std::fs;

use warpstack::device::Preset;
use warpstack::launch::spec::{CacheSpec, SetIndex, SmxSpec};
use warpstack::sim::cache::{Cache, Lookup};

const LINE_BYTES: u32 = 128;

fn rows(name: &str) -> Vec<BTreeMap<String, String>> {
    let path = format!("fixtures/measured/h200/l1/{name}");
    let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// Returns the L1 beside `shared` KiB of shared memory, of which each block takes one.
fn l1(shared_kib: u32) -> CacheSpec {
    let device = Preset::load("h200").unwrap().device;
    let splits = &device.l1.splits;
    let split = splits.iter().find(|s| s.shared_bytes == 1024 * shared_kib);
    SmxSpec::new(&device, split.unwrap().l1_bytes).unwrap().l1
}

fn misses(cache: &mut Cache, line: u32, store: bool) -> bool {
    matches!(cache.access(line * LINE_BYTES, store), Lookup::Miss { .. })
}

/// Lines of the first row of the first set.
fn lines_of_a_row(spec: &CacheSpec) -> Vec<u32> {
    let SetIndex::Bits(_) = spec.index else {
        panic!("the preset says how sets follow from bits")
    };
    let row = spec.rows.unwrap().index;
    let is_there = |&line: &u32| spec.index.set_of(line, spec.sets) == 0 && row.of(line) == 0;
    (0..).filter(is_there).take(8).collect()
}

#[test]
fn short_lists_in_one_row_hit_and_leave_what_they_did() {
    let spec = l1(100);
    let lines = lines_of_a_row(&spec);
    let (mut compared, mut other) = (0, Vec::new());
    for row in rows("rows.csv") {
        let list = &row["list"];
        // Loads and stores of whole lines; the other kinds are not the simulator's.
        if list.chars().step_by(2).any(|kind| !"ls".contains(kind)) {
            continue;
        }
        let mut cache = Cache::new(spec.clone(), 1);
        let mut slow = Vec::new();
        let letters: Vec<char> = list.chars().collect();
        for pair in letters.chunks(2) {
            let line = lines[usize::from(pair[1] as u8 - b'A')];
            let missed = misses(&mut cache, line, pair[0] == 's');
            if pair[0] == 'l' {
                slow.push(if missed { "1" } else { "0" });
            }
        }
        let there = lines.iter().map(|&line| {
            let missed = misses(&mut cache.clone(), line, false);
            if missed { "0" } else { "1" }
        });
        let there: Vec<&str> = there.collect();
        compared += 1;
        if (slow.join(" "), there.join(" "))
            != (row["slow"].clone(), row["there_afterwards"].clone())
        {
            other.push(list.clone());
        }
    }
    assert!(compared > 280, "{compared} lists");
    assert!(other.len() <= 4, "{} of {compared}: {other:?}", other.len());
}

#[test]
fn as_many_lines_stay_as_did_at_every_size() {
    let mut sizes = BTreeMap::new();
    for row in rows("capacity.csv")
        .iter()
        .filter(|row| row["lines"] == "neighbours")
    {
        let shared_kib: u32 = row["shared_kib"].parse().unwrap();
        sizes
            .entry(shared_kib)
            .or_insert_with(Vec::new)
            .push(row["fit"].parse::<u32>().unwrap());
    }
    assert_eq!(sizes.len(), 9);
    for (shared_kib, fits) in sizes {
        let spec = l1(shared_kib);
        let most = *fits.iter().max().unwrap();
        let mut cache = Cache::new(spec.clone(), 1);
        (0..most).for_each(|line| assert!(misses(&mut cache, line, false)));
        assert!(
            (0..most).all(|line| !misses(&mut cache, line, false)),
            "{shared_kib} KB"
        );
        assert_eq!(spec.sets * spec.usable_ways(), most, "{shared_kib} KB");
    }
}

#[test]
fn lists_that_go_round_and_round_miss_as_often() {
    let mut off = Vec::new();
    for row in rows("cyclic.csv")
        .iter()
        .filter(|row| row["kind"] == "global")
    {
        let n: u32 = row["lines"].parse().unwrap();
        let mut cache = Cache::new(l1(row["shared_kib"].parse().unwrap()), 1);
        let mut pass = || {
            (0..n)
                .filter(|&line| misses(&mut cache, line, false))
                .count()
        };
        (0..8).for_each(|_| _ = pass());
        let steady = (0..8).map(|_| pass()).sum::<usize>() as f64 / 8.0 / f64::from(n);
        let measured = row["steady"].parse::<f64>().unwrap() / f64::from(n);
        off.push(100.0 * (steady - measured).abs());
    }
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    assert!(
        off.len() > 100 && mean < 1.0,
        "{mean} points off in the mean of {}",
        off.len()
    );
}

#[test]
fn the_fixtures_are_those_that_the_preset_names() {
    let preset = fs::read_to_string("fixtures/devices/h200.toml").unwrap();
    for word in preset.split(|c: char| c.is_whitespace() || "\":,;".contains(c)) {
        let is_file = word.starts_with("fixtures/") && word.ends_with(".csv");
        assert!(!is_file || fs::metadata(word).is_ok(), "{word}");
    }
}
