//! Is every damaged file refused or read, and never more: no panic, no end that does not come?
//!
//! Good files with lines removed, doubled and exchanged, and characters replaced. `WARPSTACK_DAMAGE` sets how many of each are tried.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::time::{Duration, Instant};
use warpstack::device::Preset;
use warpstack::interop::replay::{Limits, import};
use warpstack::isa::Kernel;
use warpstack::isa::cfg::ControlFlow;
use warpstack::isa::nv50;
use warpstack::launch::spec::SmxSpec;
use warpstack::sim::blocks;
use warpstack::systems::chitty::variant::{Arch, FunctionSet, KernelId, Variant};
use warpstack::systems::chitty::words_of_program;
use warpstack::trace::TraceBuilder;
use warpstack::trace::launch::KernelLaunch;

/// What one damaged file may take: a hundred times what a good one does.
const LONGEST: Duration = Duration::from_secs(20);

fn cases() -> u32 {
    let given = std::env::var("WARPSTACK_DAMAGE").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(150)
}

#[derive(Debug, Clone)]
enum Damage {
    Remove,
    Double,
    Exchange(prop::sample::Index),
    Character(prop::sample::Index, char),
    /// A number of the line becomes another.
    Number(&'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let characters = "0123456789abfxPRSUL`()[]@!.,:;/*-=# "
        .chars()
        .collect::<Vec<_>>();
    let numbers = vec![
        "0",
        "1",
        "7",
        "255",
        "0xffffffff",
        "4294967295",
        "18446744073709551615",
        "-1",
    ];
    prop_oneof![
        Just(Damage::Remove),
        Just(Damage::Double),
        any::<prop::sample::Index>().prop_map(Damage::Exchange),
        (
            any::<prop::sample::Index>(),
            prop::sample::select(characters)
        )
            .prop_map(|(at, with)| Damage::Character(at, with)),
        prop::sample::select(numbers).prop_map(Damage::Number),
    ]
}

fn damages() -> impl Strategy<Value = Vec<(prop::sample::Index, Damage)>> {
    proptest::collection::vec((any::<prop::sample::Index>(), damage()), 1..6)
}

fn damaged(text: &str, damages: &[(prop::sample::Index, Damage)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (at, damage) in damages {
        let at = at.index(lines.len());
        match damage {
            Damage::Remove if lines.len() > 1 => drop(lines.remove(at)),
            Damage::Remove => {}
            Damage::Double => lines.insert(at, lines[at].clone()),
            Damage::Exchange(other) => {
                let other = other.index(lines.len());
                lines.swap(at, other);
            }
            Damage::Character(place, with) if !lines[at].is_empty() => {
                let mut characters: Vec<char> = lines[at].chars().collect();
                let place = place.index(characters.len());
                characters[place] = *with;
                lines[at] = characters.into_iter().collect();
            }
            Damage::Character(..) => {}
            Damage::Number(with) => {
                let is_number = |word: &str| word.parse::<u64>().is_ok();
                let words: Vec<&str> = lines[at].split(' ').collect();
                let words = words
                    .iter()
                    .map(|word| if is_number(word) { *with } else { *word });
                lines[at] = words.collect::<Vec<_>>().join(" ");
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Tries a reader on damaged copies of a file.
fn try_damaged(text: &str, read: impl Fn(&str)) {
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(cases())
    };
    let tried = TestRunner::new(config).run(&damages(), |damages| {
        let start = Instant::now();
        read(&damaged(text, &damages));
        prop_assert!(start.elapsed() < LONGEST, "took {:?}", start.elapsed());
        Ok(())
    });
    tried.unwrap_or_else(|error| panic!("{error}"));
}

fn listing(arch: Arch) -> (Variant, String) {
    let variant = Variant::new(KernelId::Rpn, FunctionSet::Sextic, 1, arch);
    let text = variant.sass().unwrap().to_string();
    (variant, text)
}

#[test]
fn listings_of_machine_code() {
    for arch in [Arch::Sm35, Arch::Sm90] {
        let (variant, text) = listing(arch);
        let program = "X1 X1 * X1 - X1 +".parse().unwrap();
        let words = words_of_program(&variant, 0, &program).unwrap();
        try_damaged(&text, |text| {
            let Ok(kernel) = Kernel::parse(text, "damaged") else {
                return;
            };
            let _ = ControlFlow::new(&kernel).map(|flow| flow.loops());
            if let Some(target) = nv50::target("sm_10") {
                let _ = nv50::translate(&kernel, target);
            }
            let launch = KernelLaunch::block_gp(64, 1, 192);
            if let Ok(mut builder) = TraceBuilder::new(&kernel, launch) {
                let _ = builder.trace(&words);
            }
        });
    }
}

/// The fuzz targets begin with it, too.
const TRACE: &str = include_str!("../../fuzz/seeds/two-warps.traceg");

#[test]
fn traces_and_what_the_simulator_makes_of_them() {
    let device = Preset::load("gtx670").unwrap().device;
    let spec = SmxSpec::new(&device, 49_152).unwrap();
    let limits = Limits {
        blocks: 4,
        instructions: 1000,
    };
    assert!(import(TRACE.as_bytes(), "good", None, limits).is_ok());
    try_damaged(TRACE, |text| {
        if let Ok(imported) = import(text.as_bytes(), "damaged", None, limits) {
            let _ = blocks::run(&spec, &imported.blocks, 1, 1_000_000, ());
        }
    });
}

#[test]
fn presets() {
    let text = Preset::text("h200").unwrap();
    try_damaged(&text, |text| {
        let _ = Preset::from_toml(text, "damaged.toml");
    });
}
