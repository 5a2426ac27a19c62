//! Tests that the model responds as physics requires.

use super::super::count::Width;
use super::super::preset::{Preset, builtin_names};
use super::super::work::{Kind, Setup};
use super::*;
use crate::gp::evolve::config::FunctionChoice;
use crate::gp::evolve::dice::Dice;
use crate::gp::evolve::init::{Ingredients, of_size};
use crate::gp::problem::sextic;

/// Random programs on blocks of `block_cases` cases.
fn work(kind: Kind, block_cases: usize) -> Work {
    let problem = sextic::problem(1, 20_000);
    let ingredients = Ingredients::of(&problem, FunctionChoice::Uniform);
    let program = |n| of_size(&ingredients, 30, &mut Dice::new(1, n));
    let programs: Vec<_> = (0..20).map(program).collect();
    let setup = Setup {
        width: Width::Half,
        block_cases: Some(block_cases),
        share: false,
    };
    Work::new(kind, &programs, &problem, setup).unwrap()
}

fn cycles(work: &Work, preset: &Preset) -> f64 {
    predict(work, &preset.machine(Width::Half).unwrap()).cycles
}

#[test]
fn causes_add_up() {
    for (kind, block) in [
        (Kind::Rpn2d, 64),
        (Kind::Lgp2d, 8192),
        (Kind::Accumulator, 1),
    ] {
        let work = work(kind, block);
        for name in builtin_names() {
            let machine = Preset::load(name).unwrap().machine(Width::Half).unwrap();
            let predicted = predict(&work, &machine);
            let sum: f64 = Cause::ALL.map(|cause| predicted.of(cause)).iter().sum();
            assert!((sum / predicted.cycles - 1.0).abs() < 1e-9);
            assert!(predicted.by_cause.iter().all(|&cycles| cycles >= 0.0));
        }
    }
}

#[test]
fn the_same_work_takes_the_same_time_to_the_last_bit() {
    let work = work(Kind::Rpn2d, 64);
    let preset = Preset::load("zen5").unwrap();
    let first = cycles(&work, &preset);
    for _ in 0..50 {
        assert_eq!(cycles(&work, &preset), first);
    }
}

#[test]
fn more_of_anything_never_costs_time() {
    let more = [
        ("core.issue_per_cycle", 2.0),
        ("core.branchy_per_cycle", 2.0),
        ("core.mispredict_cycles", 0.5),
        ("core.vector_window", 2.0),
        ("avx2.multiply_per_cycle", 2.0),
        ("avx2.divide_per_cycle", 2.0),
        ("avx2.loads_per_cycle", 2.0),
        ("avx2.stores_per_cycle", 2.0),
        ("l1.bytes", 2.0),
        ("l2.bytes", 2.0),
        ("l2.read_bytes_per_cycle", 2.0),
        ("l2.write_bytes_per_cycle", 2.0),
        ("l3.read_bytes_per_cycle", 2.0),
        ("memory.read_gb_per_second", 2.0),
    ];
    for (kind, block) in [(Kind::Rpn2d, 16), (Kind::Lgp2d, 4096), (Kind::Rpn2d, 16384)] {
        let work = work(kind, block);
        for name in builtin_names() {
            let preset = Preset::load(name).unwrap();
            let usual = cycles(&work, &preset);
            for (key, factor) in more {
                let (section, field) = key.split_once('.').unwrap();
                let value = preset.value(section, field).unwrap();
                let changed = preset.with(key, value * factor).unwrap();
                let faster = cycles(&work, &changed);
                assert!(
                    faster <= usual * (1.0 + 1e-9),
                    "{name} {key}: {usual} to {faster}"
                );
            }
        }
    }
}

#[test]
fn an_endless_l1_leaves_nothing_to_the_l2() {
    let work = work(Kind::Rpn2d, 16384);
    let preset = Preset::load("zen5").unwrap();
    let endless = preset.with("l1.bytes", 1e12).unwrap();
    let of = |preset: &Preset| predict(&work, &preset.machine(Width::Half).unwrap());
    let (usual, endless) = (of(&preset), of(&endless));
    assert!(usual.of(Cause::L2) > 0.05 * usual.cycles);
    // Data touched for the first time is always fetched.
    assert!(endless.of(Cause::L2) < 1e-3 * endless.cycles, "{endless:?}");
}

#[test]
fn dispatch_falls_as_blocks_get_longer() {
    for kind in [Kind::Rpn2d, Kind::Lgp2d] {
        let preset = Preset::load("zen5").unwrap();
        let machine = preset.machine(Width::Half).unwrap();
        let dispatch = |block| predict(&work(kind, block), &machine).of(Cause::Dispatch);
        let (short, long) = (dispatch(64), dispatch(512));
        assert!((short / long / 8.0 - 1.0).abs() < 0.05, "{short} {long}");
    }
}

#[test]
fn where_transfers_do_not_hide_they_add_up() {
    let work = work(Kind::Rpn2d, 16384);
    let preset = Preset::load("zen5").unwrap();
    let one_after_the_other = preset.with("core.overlaps", 0.0).unwrap();
    assert!(cycles(&work, &one_after_the_other) > 1.02 * cycles(&work, &preset));
}
