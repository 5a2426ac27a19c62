//! Are the other papers' kernels predicted like any other: by the same code as their reproductions, by the simulator, and varied by studies?

use crate::program::{json, refuses, stdout, succeeds};
use warpstack::device::Preset;
use warpstack::isa::Arch;
use warpstack::launch::prediction::Prediction;
use warpstack::predictor::Predictor;
use warpstack::systems::gpocl;
use warpstack::systems::gpocl::{Domain, Strategy};
use warpstack::systems::langdon;
use warpstack::systems::machine::Machine;
use warpstack::systems::options::LaunchOptions;
use warpstack::systems::registry;
use warpstack::systems::robilliard;
use warpstack::systems::robilliard::kernel::Scheme;
use warpstack::systems::robilliard::problem::Benchmark;
use warpstack::systems::robilliard::runs::Run;

fn predicted(device: &str, launch: &LaunchOptions) -> Prediction {
    let device = Preset::load(device).unwrap().device;
    Predictor::new(device).predict(launch).unwrap()
}

fn launch(kernel: &str, problem: &str, threads: u32) -> LaunchOptions {
    LaunchOptions {
        problem: Some(problem.into()),
        threads_per_block: Some(threads),
        ..LaunchOptions::of(kernel)
    }
}

/// Options of a kernel whose block size follows from its other sizes.
fn ppcu(population: u32, cases: u32) -> LaunchOptions {
    LaunchOptions {
        problem: Some("regression".into()),
        population: Some(population),
        cases: Some(cases),
        ..LaunchOptions::of("gpocl-ppcu")
    }
}

fn of_population(launch: LaunchOptions, population: u32) -> LaunchOptions {
    LaunchOptions {
        population: Some(population),
        ..launch
    }
}

#[test]
fn a_launch_is_as_fast_as_in_the_reproduction_of_its_paper() {
    let g80 = Preset::load("g80").unwrap().device;
    let on = Machine::new(&g80, Arch::Sm35);
    let layout = robilliard::predict::RobilliardLayout {
        scheme: Scheme::BlockGp,
        benchmark: Benchmark::Mux6,
        threads_per_block: 64,
        population: 100,
    };
    let runs = Run::of(Benchmark::Mux6, &[100], 1).unwrap();
    let speed = robilliard::predict::predict(on, layout, &runs[0].generations()).unwrap();
    let same = of_population(launch("blockgp", "mux6", 64), 100);
    let found = predicted("g80", &same);
    assert_eq!(found.gpops_billion, speed.gpops_billion);
    assert_eq!(found.warp_instructions, speed.warp_instructions);

    let gtx285 = Preset::load("gtx285").unwrap().device;
    let one = gpocl::GpoclConfiguration {
        strategy: Strategy::Ppcu,
        domain: Domain::Regression,
        population: 100,
        dataset: 100,
    };
    let speeds = gpocl::predict::predict(Machine::new(&gtx285, Arch::Sm35), &[one], 1).unwrap();
    let same = ppcu(100, 100);
    let found = predicted("gtx285", &same);
    assert_eq!(found.gpops_billion, speeds[0].gpops_billion);
    assert_eq!(found.configuration.threads_per_block, speeds[0].range.local);

    let h200 = Preset::load("h200").unwrap().device;
    let layout = langdon::predict::LangdonLayout {
        threads_per_program: 64,
        threads_per_block: 64,
    };
    let speed = langdon::predict::predict_generation(
        Machine::new(&h200, Arch::Sm90),
        layout,
        &langdon::generation::LangdonGeneration::INITIAL,
        1,
    )
    .unwrap();
    let found = predicted("h200", &launch("submachine", "mux20", 64));
    assert_eq!(found.gpops_billion, speed.gpops_billion);
}

#[test]
fn every_cycle_has_a_cause_and_every_instruction_a_role() {
    let launch = of_population(launch("blockgp-shared", "mux6", 64), 100);
    let found = predicted("h200", &launch);
    let cycles = found.scheduler_cycles() as f64;
    assert!(cycles > 0.0);
    let roles = found.instruction_mix.iter();
    let sum: f64 = roles.map(|entry| entry.warp_instructions_per_node).sum();
    assert!((sum / found.warp_instructions_per_node - 1.0).abs() < 1e-9);
    let issued = cycles * found.ipc / 4.0;
    let mut stack = found.cpi_stack.iter();
    let charged = stack.find(|one| one.cause == warpstack::Cause::Issued);
    let charged = charged.unwrap().cycles as f64;
    assert!((charged / issued - 1.0).abs() < 0.02, "{charged} {issued}");
}

/// The analytical model does not cover these kernels: a run is simulated as a whole, says so once and names the simulator.
#[test]
fn with_the_analytical_model_they_are_simulated() {
    let study =
        "whatif --vary kernel=blockgp,blockgp-shared --problem mux6 --device g80 --population 100";
    let simulated = json(study);
    let output = succeeds(&format!("{study} --engine analytical --format json"));
    let asked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(asked, simulated);
    assert_eq!(asked["provenance"]["engine"], "simulator");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.matches("blockgp: simulated").count(), 1, "{told}");
}

#[test]
fn studies_vary_presets_and_populations() {
    let text = stdout(
        "whatif --kernel gpocl-pppe --problem regression --device h200 --cases 300 --format csv \
         --vary population=200,400 --vary l1.hit_latency_cycles=20,60",
    );
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let header = rows.headers().unwrap().clone();
    assert_eq!(&header[0], "population");
    let at = header
        .iter()
        .position(|name| name == "gpops_billion")
        .unwrap();
    let records = rows.records().map(Result::unwrap);
    let speeds: Vec<f64> = records.map(|record| record[at].parse().unwrap()).collect();
    assert_eq!(speeds.len(), 4);
    // A slower L1 is never faster, twice the programs on idle multiprocessors are.
    assert!(speeds[0] > speeds[1] && speeds[2] > speeds[3], "{speeds:?}");
    assert!(speeds[2] > 1.2 * speeds[0], "{speeds:?}");
}

#[test]
fn what_a_kernel_does_not_have_is_refused_in_one_line() {
    refuses(&[
        (
            "predict --kernel rpn --threads 64 --cases 5",
            "cases: given 5; allowed: none",
        ),
        (
            "predict --kernel gpocl-fp --problem regression --threads 64",
            "given 64; allowed: none, they follow",
        ),
        (
            "predict --kernel blockgp --problem mux6 --threads 48",
            "given 48; allowed: 32, 64",
        ),
        (
            "predict --kernel blockgp --problem sextic --threads 64",
            "given sextic; allowed: regression-64",
        ),
        (
            "predict --kernel blockgp --problem mux6 --threads 64 --cases 9",
            "cases: given 9",
        ),
        (
            "predict --kernel blockgp --problem mux6 --threads 64 --threads-per-program 2",
            "a number with submachine",
        ),
        (
            "predict --kernel blockgp --problem mux6 --threads 64 --shape rolled",
            "code shape: given rolled",
        ),
        (
            "predict --kernel submachine --problem mux20 --threads 32 --threads-per-program 64",
            "at most 32",
        ),
        (
            "predict --kernel submachine --problem mux20 --threads 64 --threads-per-program 8 --population 9",
            "multiples of 8",
        ),
        (
            "predict --kernel gpocl-fp --problem regression --device h200 --cases 0",
            "cases: given 0; allowed: 1 to 1000000",
        ),
        (
            "explain --kernel rpn --threads 64 --against population=4",
            "population: given 4; allowed: none",
        ),
        (
            "whatif --kernel rpn --vary cases=4",
            "cases: given 4; allowed: none",
        ),
        (
            "predict --threads 64 --device hd5750",
            "allowed with it: `reproduce --paper gpocl",
        ),
        (
            "measure paper langdon --strategy fp",
            "--strategy: given with langdon",
        ),
        (
            "measure paper gpocl --threads 64",
            "--threads: given with gpocl",
        ),
    ]);
}

#[test]
fn names_are_found_and_listed() {
    let listed = stdout("list kernels");
    for kernel in registry::kernels() {
        assert!(listed.contains(kernel.name), "{}", kernel.name);
    }
    assert!(stdout("list devices").contains("hd5750"));
}
