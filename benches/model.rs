//! How fast is the analytical model?
//!
//! `cargo bench --package warpstack-benches --bench model`: one prediction of a loaded kernel at a known L1 size and at a new one, loading a
//! kernel.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use warpstack::device::Preset;
use warpstack::launch::prediction::Configuration;
use warpstack::predictor::{Kind, Predictor, Settings};

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

criterion_group! {
    name = benches;
    // Plots need a system font, which not every machine has.
    config = Criterion::default().without_plots();
    targets = prediction
}
criterion_main!(benches);
