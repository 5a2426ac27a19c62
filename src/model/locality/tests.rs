use super::*;
use crate::isa::Space;
use crate::launch::code::ReplayProgram;
use crate::launch::testing::{load, looped};
use crate::model::tests::inputs;

#[test]
fn a_time_is_survived_or_not_and_the_rest_of_it_the_line_is_away() {
    let mut reuse = Reuse::default();
    reuse.before_load[bin(8)] = 1.0;
    reuse.before_store[bin(8)] = 1.0;
    reuse.between_stores[bin(16)] = 1.0;
    let table = Survival::new(Replacement::Lru, 2).table(&reuse, 0.5);
    // Lines survive 4, 8 and 16 instructions.
    let expected = LineRates {
        occupancy: 4.0,
        load_misses: 0.5,
        store_misses: 0.5,
        dirty_evictions: 0.5,
        waiting_loads: 0.5,
        paired_misses: 0.5,
        away_before_loads: 2.0,
        away_before_stores: 2.0,
    };
    assert_eq!(table.0[0], expected);
    let kept = LineRates {
        occupancy: 8.0,
        dirty_evictions: 0.5,
        ..LineRates::default()
    };
    assert_eq!(table.0[1], kept);
    let all = LineRates {
        occupancy: 8.0,
        ..LineRates::default()
    };
    assert_eq!(table.0[2], all);
    let between = table.at(2.5);
    assert_eq!((between.occupancy, between.load_misses), (6.0, 0.25));
}

#[test]
fn at_random_a_line_of_two_is_gone_more_often_than_one() {
    let mut reuse = Reuse::default();
    reuse.before_load[bin(8)] = 1.0;
    let rates = Survival::new(Replacement::Random, 2).table(&reuse, 1.0).0[1];
    let gone = 1.0 - (-1.0f64).exp();
    let expected = [
        gone,
        1.0 - (1.0 - gone) * (1.0 - gone),
        gone * gone,
        8.0 * gone,
        8.0 - 8.0 * gone,
    ];
    let found = [
        rates.load_misses,
        rates.waiting_loads,
        rates.paired_misses,
        rates.occupancy,
        rates.away_before_loads,
    ];
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

/// Programs of one, two and four lines; each class has an equal share of the executed instructions.
#[test]
fn classes_are_equal_parts_of_the_time() {
    let mut code = looped(&vec![load(Space::Local, 4); 4]);
    code.segments = vec![(0, 4), (0, 1), (0, 2)];
    code.lists = vec![0, 1, 2];
    let program = code.programs[0].clone();
    code.programs = (0..3)
        .map(|list| ReplayProgram {
            steady: list..list + 1,
            ..program.clone()
        })
        .collect();
    let segments = Segments::new(&code);
    let found = |blocks| classes(&inputs(&code), &segments, blocks);
    // Middles at 1/14, 4/14 and 10/14 of the time, then at 1/6, 3/6 and 5/6.
    assert_eq!(found(&[1, 1, 1]), [2, 0, 1]);
    assert_eq!(found(&[2, 8, 4]), [3, 0, 2]);
}

/// Three instructions of the stack and two that load a case of the only row.
#[test]
fn what_an_iteration_loads_again_is_told_from_what_it_loads_first() {
    let mut ops = vec![load(Space::Local, 4); 3];
    ops.extend(vec![load(Space::Global, 4); 2]);
    let code = looped(&ops);
    let of_dim = |stack_dim: u32| Inputs {
        sample: &[0, 0],
        stack_dim,
        ..inputs(&code)
    };
    let found = Locality::new(&of_dim(1));
    assert_eq!(
        (
            found.instructions_per_token,
            found.instructions_per_iteration
        ),
        (5.0, 5.0)
    );
    assert_eq!((found.case_lines, found.first_case_lines), (0.4, 0.2));
    assert_eq!(found.words, [[0], [1], [2]]);
    let classes: f64 = found.classes.iter().map(|class| class.instructions).sum();
    assert_eq!(classes, 10.0);
    // A load shared by all lanes is not a per-case load.
    let mut code = code.clone();
    code.ops[3].address_kind = AddressKind::Uniform;
    let uniform = Inputs {
        sample: &[0, 0],
        ..inputs(&code)
    };
    assert_eq!(Locality::new(&uniform).case_lines, 0.2);
    // Two cases a thread: two words to a level, two lines to a row.
    let found = Locality::new(&of_dim(2));
    assert_eq!(found.first_case_lines, 0.4);
    assert_eq!(found.words, [vec![0, 1], vec![2]]);
}
