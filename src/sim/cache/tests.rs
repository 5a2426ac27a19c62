use super::*;
use crate::launch::spec::BitFlips;

fn cache(ways: u32, replacement: Replacement) -> Cache {
    Cache::new(
        CacheSpec {
            sector_bytes: 32,
            replacement,
            ..CacheSpec::new(2, ways, 128)
        },
        1,
    )
}

#[test]
fn a_second_access_hits_and_waits_for_the_fill() {
    let mut cache = cache(2, Replacement::Lru);
    let Lookup::Miss {
        way,
        evicted_dirty: None,
        ..
    } = cache.access(0x100, false)
    else {
        panic!("an empty cache cannot hit")
    };
    cache.fill_at(way, 500);
    assert_eq!(cache.access(0x17f, false), Lookup::Hit { ready_at: 500 });
}

#[test]
fn a_sector_that_was_not_asked_for_misses() {
    let mut cache = cache(2, Replacement::Lru);
    let mut misses = |address, bytes| match cache.access_part(address, bytes, false) {
        Lookup::Miss { way, .. } => {
            cache.fill_at(way, 500);
            true
        }
        Lookup::Hit { .. } => false,
    };
    assert!(misses(0x100, 32));
    assert!(!misses(0x11c, 4), "the same sector");
    assert!(misses(0x120, 32), "the next");
    assert!(misses(0x100, 128), "all of them");
    assert!(!misses(0x160, 32));
    assert_eq!(
        cache.access_part(0x140, 32, false),
        Lookup::Hit { ready_at: 500 }
    );
}

#[test]
fn lru_evicts_the_oldest_and_reports_a_dirty_line() {
    let mut cache = cache(2, Replacement::Lru);
    cache.access(0, true);
    cache.access(256, false);
    let Lookup::Miss { evicted_dirty, .. } = cache.access(512, false) else {
        panic!("three lines cannot fit two ways")
    };
    assert_eq!(evicted_dirty, Some(0));
    assert_eq!(cache.access(256, false), Lookup::Hit { ready_at: 0 });
}

#[test]
fn random_replacement_uses_every_way() {
    let mut cache = cache(4, Replacement::Random);
    for line in 0..4 {
        cache.access(line * 256, true);
    }
    let mut evicted = std::collections::HashSet::new();
    for line in 4..100 {
        if let Lookup::Miss {
            evicted_dirty: Some(address),
            ..
        } = cache.access(line * 256, true)
        {
            evicted.insert(address);
        }
    }
    assert!((0..4).all(|line| evicted.contains(&(line * 256))));
}

/// A set of four ways, all being filled, the first until cycle 100.
fn filling(replacement: Replacement) -> Cache {
    let mut cache = cache(4, replacement);
    cache.spec.fills_hold_lines = true;
    for line in 0..4 {
        let Lookup::Miss { way, .. } = cache.access(line * 256, false) else {
            panic!("an empty cache cannot hit")
        };
        cache.fill_at(way, 100 * (1 + u64::from(line)));
    }
    cache
}

#[test]
fn a_line_that_is_being_filled_is_not_replaced() {
    for replacement in [Replacement::Lru, Replacement::Random] {
        let mut cache = filling(replacement);
        // At cycle 150 the first line alone has its data.
        cache.now(150);
        let Lookup::Miss { free_at, .. } = cache.access(1024, false) else {
            panic!("five lines cannot fit four ways")
        };
        assert_eq!(free_at, 100);
        for line in 1..4 {
            assert!(matches!(
                cache.access(line * 256, false),
                Lookup::Hit { .. }
            ));
        }
    }
}

/// With data in the first way only, that way is replaced, whichever the generator names.
#[test]
fn random_replacement_seeks_a_way_that_is_filled_all_round() {
    for seed in 1..20 {
        let mut cache = filling(Replacement::Random);
        (cache.random, cache.now) = (seed * 0x1234_5678, 150);
        cache.access(1024, false);
        let gone = cache.access(0, false);
        assert!(matches!(gone, Lookup::Miss { .. }), "{seed}: {gone:?}");
    }
}

/// Two rows of more lines than are compared at a time: the oldest line of the full row leaves, wherever it stands.
#[test]
fn the_oldest_line_of_a_long_row_leaves() {
    let mut spec = cache(12, Replacement::Rows).spec;
    spec.sets = 1;
    spec.rows = Some(RowSpec {
        rows_per_set: 2,
        lines_per_row: 6,
        index: BitFlips::new(&[1], 2).unwrap(),
        protected_hits: 0,
    });
    let mut cache = Cache::new(spec, 1);
    let odd: Vec<u32> = (0..9).map(|line| 2 * line + 1).collect();
    let even: Vec<u32> = (0..6).map(|line| 2 * line).collect();
    assert_eq!(missing(&mut cache, 0, &even), even);
    assert_eq!(missing(&mut cache, 0, &odd), odd);
    // The three that came first made place for the last three.
    assert_eq!(missing(&mut cache, 0, &odd[3..]), [] as [u32; 0]);
    assert_eq!(missing(&mut cache, 0, &even), [] as [u32; 0]);
    assert_eq!(missing(&mut cache, 0, &odd[..3]), odd[..3]);
    assert_eq!(missing(&mut cache, 0, &odd[6..]), [] as [u32; 0]);
}

/// One set of two rows of two lines with room for three; bit 0 of a line's number says which row.
fn of_rows(hold: bool) -> Cache {
    let mut spec = cache(3, Replacement::Rows).spec;
    spec.sets = 1;
    spec.fills_hold_lines = hold;
    spec.rows = Some(RowSpec {
        rows_per_set: 2,
        lines_per_row: 2,
        index: BitFlips::new(&[1], 2).unwrap(),
        protected_hits: 1,
    });
    Cache::new(spec, 1)
}

/// Accesses lines at a cycle, each filled 100 cycles later; which of them miss.
fn missing(cache: &mut Cache, now: u64, lines: &[u32]) -> Vec<u32> {
    let mut misses = Vec::new();
    for &line in lines {
        cache.now(now);
        if let Lookup::Miss { way, free_at, .. } = cache.access(128 * line, false) {
            assert_eq!(free_at, 0, "nobody waits for a line of rows");
            cache.fill_at(way, now + 100);
            misses.push(line);
        }
    }
    misses
}

#[test]
fn the_hand_takes_from_the_next_row_that_has_a_line_but_not_what_was_hit_last() {
    let mut cache = of_rows(false);
    assert_eq!(missing(&mut cache, 0, &[0, 2, 1, 0]), [0, 2, 1]);
    // No room for line 3: of row 0 the one that was not hit goes, then the only one of row 1.
    assert_eq!(missing(&mut cache, 0, &[3, 0, 1, 3]), [3]);
    assert_eq!(missing(&mut cache, 0, &[2, 0]), [2]);
}

#[test]
fn where_all_lines_of_rows_are_being_filled_a_line_is_not_kept() {
    let mut cache = of_rows(true);
    missing(&mut cache, 0, &[0, 2, 1]);
    assert_eq!(missing(&mut cache, 50, &[3, 3, 0, 1, 2]), [3, 3]);
    // Once they are there, one of them goes.
    assert_eq!(missing(&mut cache, 150, &[3, 3]), [3]);
}

#[test]
fn a_miss_waits_for_the_first_fill_when_all_lines_are_being_filled() {
    let mut cache = filling(Replacement::Random);
    cache.now(50);
    let Lookup::Miss { free_at, .. } = cache.access(1024, false) else {
        panic!("five lines cannot fit four ways")
    };
    assert_eq!(free_at, 100);
}
