//! Do windows and whole runs agree?

use warpstack::device::Preset;
use warpstack::launch::prediction::{Configuration, Prediction};
use warpstack::predictor::{Predictor, Settings};
use warpstack::sim::simulator::Scope;

/// Problem, kernel, second dimension, stack levels in registers, threads per block.
type Cell = (&'static str, &'static str, u32, u32, u32);

/// Cells of all tables, with small and large blocks. Cells with long whole runs are left out.
const CELLS: [Cell; 12] = [
    ("sextic", "rpn", 1, 0, 128),
    ("sextic", "rpn", 2, 0, 768),
    ("sextic", "rpn", 4, 0, 128),
    ("sextic", "rpn", 4, 0, 1024),
    ("sextic", "rpn", 6, 0, 640),
    ("sextic", "lgp", 1, 0, 512),
    ("sextic", "lgp", 3, 0, 256),
    ("sextic", "lgp", 4, 0, 1024),
    ("sextic", "lgp-vector", 2, 0, 384),
    ("sextic", "lgp-registers", 4, 1, 256),
    ("sextic", "lgp-registers", 4, 3, 768),
    ("shuttle", "lgp", 3, 0, 512),
];

/// Largest difference of one cell and of their mean, in percent.
const WORST: f64 = 5.0;
const MEAN: f64 = 2.0;

fn gpops(engine: &Predictor, cell: &Cell) -> f64 {
    predict(engine, cell).gpops_billion
}

fn predict(engine: &Predictor, cell: &Cell) -> Prediction {
    let &(problem, kernel, stack_dim, stack_registers, threads_per_block) = cell;
    let configuration = Configuration {
        problem: problem.into(),
        kernel: kernel.into(),
        stack_dim,
        stack_registers,
        threads_per_block,
        case_blocks: 1,
        l1_bytes: Some(49152),
        population: None,
        cases: None,
        threads_per_program: None,
    };
    engine.predict(&configuration).unwrap()
}

fn engine(scope: Scope) -> Predictor {
    let mut settings = Settings::default();
    settings.simulator.scope = scope;
    let device = Preset::load("gtx670").unwrap().device;
    Predictor::with_settings(device, settings)
}

#[test]
fn the_sample_says_what_the_whole_run_says() {
    let [sampled, whole] = [Scope::Window, Scope::Multiprocessor].map(engine);
    let compared: Vec<(f64, f64)> = std::thread::scope(|scope| {
        let compare = |cell| {
            let sample = predict(&sampled, cell);
            let difference = 100.0 * (sample.gpops_billion / gpops(&whole, cell) - 1.0);
            (difference, sample.sampling_error_percent)
        };
        let (even, odd) = CELLS.split_at(CELLS.len() / 2);
        let half = scope.spawn(move || even.iter().map(compare).collect::<Vec<(f64, f64)>>());
        let other: Vec<(f64, f64)> = odd.iter().map(compare).collect();
        let mut all = half.join().unwrap();
        all.extend(other);
        all
    });
    let within = compared.iter().filter(|(d, bound)| d.abs() <= *bound);
    let within = within.count();
    assert!(10 * within >= 9 * compared.len(), "{compared:?}");
    let differences: Vec<f64> = compared.iter().map(|(d, _)| *d).collect();
    let mean = differences.iter().map(|d| d.abs()).sum::<f64>() / differences.len() as f64;
    assert!(mean < MEAN, "{mean}: {differences:?}");
    assert!(
        differences.iter().all(|d| d.abs() < WORST),
        "{differences:?}"
    );
}

#[test]
fn more_is_simulated_until_the_tolerance_is_kept() {
    let cell = &CELLS[2];
    let at = |tolerance: Option<&str>| {
        let mut settings = Settings::default();
        settings.simulator.tolerance = tolerance.map(|text| text.parse().unwrap());
        let device = Preset::load("gtx670").unwrap().device;
        predict(&Predictor::with_settings(device, settings), cell)
    };
    let windows = at(None);
    assert_eq!(at(Some("100%")).gpops_billion, windows.gpops_billion);
    let longer = at(Some("3.1%"));
    assert!(longer.sampling_error_percent <= 3.1, "{longer:?}");
    assert!(longer.simulated_warp_instructions > windows.simulated_warp_instructions);
    let run = at(Some("2%"));
    assert_eq!(run.sampling_error_percent, 0.0);
    let whole = gpops(&engine(Scope::Multiprocessor), cell);
    assert_eq!(run.gpops_billion, whole);
}
