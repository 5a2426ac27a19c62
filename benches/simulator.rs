//! How many warp instructions a second does the simulator replay on one core?
//!
//! `cargo bench --bench simulator` prints the throughput of full multiprocessor windows of the sextic
//! problem: latency-bound, issue-bound and memory-bound configurations.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpstack::device::Preset;
use warpstack::engine::{Settings, SimEngine};
use warpstack::predict::{Configuration, PerformanceModel};

fn configuration(threads_per_block: u32, stack_dim: u32) -> Configuration {
    Configuration {
        problem: "sextic".into(),
        kernel: "rpn".into(),
        stack_dim,
        stack_registers: 0,
        threads_per_block,
        l1_bytes: 48 * 1024,
    }
}

fn simulator(criterion: &mut Criterion) {
    let device = Preset::load("gtx670")
        .expect("the preset is embedded")
        .device;
    let engine =
        SimEngine::new(device, &["sextic"], Settings::default()).expect("the corpus is embedded");
    let mut group = criterion.benchmark_group("simulator");
    group.sample_size(10);
    for (threads, stack_dim) in [(32, 2), (256, 1), (256, 4)] {
        let configuration = configuration(threads, stack_dim);
        let once = engine.predict(&configuration).expect("a cell of the paper");
        group.throughput(Throughput::Elements(once.simulated_warp_instructions));
        group.bench_function(
            format!("threads {threads}, stack_dim {stack_dim}"),
            |bencher| {
                bencher.iter(|| engine.predict(&configuration).expect("a cell of the paper"));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, simulator);
criterion_main!(benches);
