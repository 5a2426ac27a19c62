//! How fast is each interpreter of the CPU?
//!
//! `cargo bench --package warpstack-benches --bench interpreters`, on one core: 200 random programs of 50 nodes, + - * / and the full set on 100,000 cases of the sextic,
//! AND OR NOT IF on the 2^20 cases of the 20-multiplexer. An element is a GP operation. The oracle and the scalar stack evaluate fewer
//! programs.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpstack::gp::evolve::config::FunctionChoice;
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::init::{Ingredients, of_size};
use warpstack::gp::interpret::{self, Options};
use warpstack::gp::primitive::Primitive::{Add, Div, Mul, Sub};
use warpstack::gp::problem::{self, Problem};
use warpstack::gp::program::Rpn;

fn programs(ingredients: &Ingredients, n: u64) -> Vec<Rpn> {
    let program = |i| of_size(ingredients, 50, &mut Dice::new(1, i));
    (0..n).map(program).collect()
}

fn measure(criterion: &mut Criterion, name: &str, problem: &Problem, ingredients: &Ingredients) {
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one_core = one_core.expect("a thread");
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    for interpreter in interpret::ALL {
        let is_fast = interpret::FAST
            .iter()
            .any(|fast| fast.name() == interpreter.name());
        let programs = programs(ingredients, if is_fast { 200 } else { 2 });
        let nodes: usize = programs.iter().map(Rpn::n_nodes).sum();
        let all: Vec<&Rpn> = programs.iter().collect();
        group.throughput(Throughput::Elements((nodes * problem.n_cases()) as u64));
        group.bench_function(interpreter.name(), |bencher| {
            bencher
                .iter(|| one_core.install(|| interpreter.errors(&all, problem, Options::best())));
        });
    }
    group.finish();
}

fn interpreters(criterion: &mut Criterion) {
    let sextic = problem::by_name("sextic", None).expect("a problem without files");
    let full = Ingredients::of(&sextic, FunctionChoice::Uniform);
    let arithmetic = Ingredients {
        functions: vec![Add, Sub, Mul, Div],
        ..full.clone()
    };
    measure(criterion, "sextic, + - * /", &sextic, &arithmetic);
    measure(criterion, "sextic, full set", &sextic, &full);
    let mux20 = problem::by_name("mux20", None).expect("a problem without files");
    let boolean = Ingredients::of(&mux20, FunctionChoice::Uniform);
    measure(criterion, "mux20", &mux20, &boolean);
}

criterion_group! {
    name = benches;
    config = Criterion::default().without_plots();
    targets = interpreters
}
criterion_main!(benches);
