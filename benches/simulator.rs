//! How many warp instructions a second does the simulator replay on one core?
//!
//! `cargo bench --package warpstack-benches --bench simulator` prints the throughput of whole predictions of traced kernels: windows and the grid, in
//! configurations bound by latency, by issue, by the L1 and by DRAM.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpstack::device::Preset;
use warpstack::launch::prediction::Configuration;
use warpstack::predictor::{Predictor, Settings};

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

/// The limit of each configuration, and the configuration.
const CASES: [(&str, &str, &str, u32, u32); 5] = [
    ("latency", "sextic", "rpn", 32, 2),
    ("issue, postfix", "sextic", "rpn", 256, 1),
    ("issue, linear", "sextic", "lgp", 256, 1),
    ("L1", "sextic", "rpn", 256, 4),
    ("DRAM", "shuttle", "lgp", 512, 4),
];

fn simulator(criterion: &mut Criterion) {
    let device = Preset::load("gtx670")
        .expect("the preset is embedded")
        .device;
    let engine = Predictor::with_settings(device, Settings::default());
    let mut group = criterion.benchmark_group("simulator");
    group.sample_size(20);
    for (bound, problem, kernel, threads, stack_dim) in CASES {
        let configuration = configuration(problem, kernel, threads, stack_dim);
        let once = engine.predict(&configuration).expect("a cell of the paper");
        group.throughput(Throughput::Elements(once.simulated_warp_instructions));
        let name = format!("{bound}: {problem} {kernel} threads {threads} stack_dim {stack_dim}");
        group.bench_function(name, |bencher| {
            bencher.iter(|| engine.predict(&configuration).expect("a cell of the paper"));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    // Plots need a system font, which not every machine has.
    config = Criterion::default().without_plots();
    targets = simulator
}
criterion_main!(benches);
