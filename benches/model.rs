//! How fast are the analytical model and the one-pass sweep?
//!
//! `cargo bench --package warpstack-benches --bench model`: one prediction of a loaded kernel at a known L1 size and at a new one, loading a
//! kernel; a sweep of four and of all L1 sizes against simulating each of them.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use warpstack::device::Preset;
use warpstack::launch::prediction::Configuration;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::study::l1::{l1_geometry, with_l1};

const SIZES_KIB: [u32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

fn configuration(
    problem: &str,
    kernel: &str,
    threads_per_block: u32,
    stack_dim: u32,
) -> Configuration {
    Configuration {
        problem: problem.into(),
        kernel: kernel.into(),
        stack_dim,
        stack_registers: 0,
        threads_per_block,
        case_blocks: 1,
        l1_bytes: Some(48 * 1024),
        population: None,
        cases: None,
        threads_per_program: None,
    }
}

fn engine(kind: Kind, problem: &str) -> Predictor {
    let device = Preset::load("gtx670")
        .expect("the preset is embedded")
        .device;
    let settings = Settings {
        kind,
        ..Settings::default()
    };
    let predictor = Predictor::with_settings(device, settings);
    predictor
        .population(problem)
        .expect("the corpus is embedded");
    predictor
}

fn prediction(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prediction");
    for (kernel, stack_dim) in [("rpn", 1), ("rpn", 6), ("lgp", 4)] {
        let model = engine(Kind::Analytical, "sextic");
        let configuration = configuration("sextic", kernel, 256, stack_dim);
        model.predict(&configuration).expect("a cell of the paper");
        group.bench_function(
            format!("{kernel}, stack_dim {stack_dim}, loaded"),
            |bencher| {
                bencher.iter(|| model.predict(&configuration).expect("a cell of the paper"));
            },
        );
    }
    group.sample_size(10);
    group.bench_function("rpn, stack_dim 1, with its kernel", |bencher| {
        bencher.iter_batched(
            || engine(Kind::Analytical, "sextic"),
            |model| {
                model
                    .predict(&configuration("sextic", "rpn", 256, 1))
                    .expect("a cell of the paper")
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn every_l1(criterion: &mut Criterion) {
    for (name, sizes_kib) in [
        ("L1 of 16, 32, 48 and 64 KB", &[16, 32, 48, 64][..]),
        ("every L1 from 1 KB to 1 MB", &SIZES_KIB),
    ] {
        for problem in ["sextic", "mux20"] {
            sizes(criterion, &format!("{name}, {problem}"), problem, sizes_kib);
        }
    }
}

fn sizes(criterion: &mut Criterion, name: &str, problem: &str, sizes_kib: &[u32]) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    let simulator = engine(Kind::Simulator, problem);
    let at = configuration(problem, "rpn", 256, 1);
    simulator.predict(&at).expect("a cell of the paper");
    simulator.sweep(&at, 1).expect("a cell of the paper");
    group.bench_function("one pass", |bencher| {
        bencher.iter(|| {
            let sweep = simulator.sweep(&at, 1).expect("a cell of the paper");
            let cache = |kib: &u32| {
                let geometry =
                    l1_geometry(simulator.device(), 1024 * kib, 128).expect("ways are found");
                sweep.cache(128, geometry.n_sets, geometry.n_ways)
            };
            let caches: Vec<_> = sizes_kib.iter().map(cache).collect();
            sweep.hit_rates(&caches)
        });
    });
    group.bench_function("each simulated", |bencher| {
        bencher.iter(|| {
            let simulate = |kib: &u32| {
                let device = with_l1(simulator.device(), 1024 * kib).expect("ways are found");
                let configuration = Configuration {
                    l1_bytes: Some(1024 * kib),
                    ..at.clone()
                };
                simulator
                    .on(device)
                    .predict(&configuration)
                    .expect("any L1")
            };
            sizes_kib.iter().map(simulate).collect::<Vec<_>>()
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    // Plots need a system font, which not every machine has.
    config = Criterion::default().without_plots();
    targets = prediction, every_l1
}
criterion_main!(benches);
