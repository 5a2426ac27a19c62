//! How long does the host take to breed a generation and to lower it to a kernel's words?
//!
//! `cargo bench --package warpstack-benches --bench breeding`, on one core: small programs (sextic) and larger ones (20-multiplexer). The two give the cost of
//! a program and of a node: `host.breeding_ns_per_program` and `host.breeding_ns_per_node` of the device presets.

use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpstack::gp::corpus::Corpus;
use warpstack::gp::evolve::{EvolveConfig, Run};
use warpstack::gp::problem::{self, ProblemId, Source};
use warpstack::gp::program::Rpn;
use warpstack::systems::chitty::lower::lower;
use warpstack::systems::chitty::variant::KernelId;

/// Name, fitness cases (as few as there can be), corpus.
const PROBLEMS: [(&str, usize, &str); 2] = [
    (
        "sextic",
        1,
        include_str!("../fixtures/corpus/sextic.corpus"),
    ),
    ("mux20", 32, include_str!("../fixtures/corpus/mux20.corpus")),
];

/// A population of the size of the paper's from the committed runs.
fn population(corpus: &str) -> Vec<Rpn> {
    let corpus = Corpus::parse(corpus, Path::new("the committed corpus")).expect("a corpus");
    let entries = corpus.entries.iter().step_by(corpus.entries.len() / 1000);
    entries.take(1000).map(|e| e.program.clone()).collect()
}

fn breeding(criterion: &mut Criterion) {
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one_core = one_core.expect("a thread");
    let mut group = criterion.benchmark_group("breeding a program");
    for (name, n_cases, corpus) in PROBLEMS {
        let source = Source {
            n_cases: Some(n_cases),
            data: None,
        };
        let problem = problem::load(name, &source).expect("a problem without files");
        let functions: ProblemId = name.parse().expect("a problem");
        let config = EvolveConfig::default();
        let programs = population(corpus);
        let nodes: usize = programs.iter().map(Rpn::n_nodes).sum();
        let mean_nodes = nodes as f64 / programs.len() as f64;
        group.throughput(Throughput::Elements(programs.len() as u64));
        let run = Run::resume(&problem, &config, 1, 1, programs).expect("valid programs");
        group.bench_function(
            format!("{name}, {mean_nodes:.1} nodes on average"),
            |bencher| {
                bencher.iter(|| {
                    one_core.install(|| {
                        let offspring = run.offspring_of_last().expect("a generation was seen");
                        let words = offspring
                            .iter()
                            .map(|p| lower(p, KernelId::Lgp.lowering(), functions));
                        words.map(|w| w.map_or(0, |w| w.words.len())).sum::<usize>()
                    })
                });
            },
        );
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().without_plots();
    targets = breeding
}
criterion_main!(benches);
