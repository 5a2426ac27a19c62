//! Are predictions as near to measured values as the README promises ("How far to trust it")?
//!
//! Ceilings are one-sided and say what a reader may rely on. Today's errors are lower; `warpstack reproduce` and `warpstack validate` print them,
//! and `tests/matrix.rs` notices every change. The sample: cells of Tables 4, 8 and 10, and launches on the H200.

use warpstack::device::Preset;
use warpstack::gp::problem::ProblemId;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::systems::chitty::variant::{KernelId, Math};
use warpstack::systems::options::LaunchOptions;
use warpstack::validate::launches::{MeasuredLaunch, measured_launches, parse};
use warpstack::validate::requests::{Programs, Requests};
use warpstack::validate::{Cell, Measured, Table, cells};

const TABLES: [Table; 3] = [Table::Four, Table::Eight, Table::Ten];

/// Largest mean error of a problem of the paper, in percent. Tables predicted blind were 9 % off.
const PAPER: f64 = 10.0;
/// Largest mean error of KDD Cup, whose programs differ most from the paper's, in percent.
const PAPER_KDDCUP: f64 = 15.0;
/// Largest mean error on the H200, in percent. Series predicted blind were 4.8 to 7.1 % off.
const H200: f64 = 8.0;
/// Largest mean error of the accumulator, in percent.
const ACCUMULATOR: f64 = 20.0;
/// Largest error of a single launch, in percent. The linear interpreter gains 34 to 60 % over the postfix one: a third would hide that.
const SINGLE: f64 = 33.0;

/// Holds relative errors in percent against a mean and [`SINGLE`].
#[track_caller]
fn assert_within(errors: &[f64], largest_mean: f64, of: &str) {
    let amounts = || errors.iter().map(|error| error.abs());
    let mean = amounts().sum::<f64>() / errors.len() as f64;
    let largest = amounts().fold(0.0, f64::max);
    assert!(
        mean <= largest_mean && largest <= SINGLE,
        "{of}: mean {mean:.2}, largest {largest:.2}; allowed: {largest_mean}, {SINGLE}"
    );
}

/// Returns every eleventh cell of each table, so that all sizes and settings occur.
fn chosen(problem: &str) -> Vec<Cell> {
    let of_table = |table| cells(table, problem).into_iter().skip(3).step_by(11);
    TABLES.into_iter().flat_map(of_table).collect()
}

fn errors(engine: &Predictor, problem: &str) -> Vec<f64> {
    let measured = TABLES.map(|table| Measured::of_paper(table).unwrap());
    let error = |cell: &Cell| {
        let measured = measured.iter().find_map(|table| table.get(cell)).unwrap();
        let predicted = engine.predict(cell.options()).unwrap();
        100.0 * (predicted.gpops_billion / measured.gpops_billion - 1.0)
    };
    chosen(problem).iter().map(error).collect()
}

/// 256 threads have 49 passes over the sextic's cases. With 200 blocks a program, 151 of them have none. On an H100 the 150 further
/// ones of each of 1000 programs took 0.185 ms (`fixtures/measured/h100/case-blocks-sextic.csv`), whatever the programs.
#[test]
fn blocks_without_cases_take_the_time_that_they_took_on_an_h100() {
    let device = Preset::load("h100").unwrap().device;
    let simulator = Predictor::with_settings(device, Settings::default());
    for engine in [&simulator, &simulator.with_engine(Kind::Analytical)] {
        let [fifty, many] = [50, 200].map(|case_blocks| {
            let options = LaunchOptions {
                problem: Some("sextic".to_owned()),
                threads_per_block: Some(256),
                stack_dim: Some(8),
                stack_registers: Some(2),
                case_blocks: Some(case_blocks),
                ..LaunchOptions::of("accumulator")
            };
            engine.predict(&options).unwrap().run_milliseconds
        });
        let further = many - fifty;
        assert!((0.157..0.213).contains(&further), "{further:.3}");
    }
}

#[test]
fn cells_of_the_papers_tables() {
    let device = Preset::load("gtx670").unwrap().device;
    let simulator = Predictor::with_settings(device, Settings::default());
    let model = simulator.with_engine(Kind::Analytical);
    for (problem, largest_mean) in [
        ("sextic", PAPER),
        ("shuttle", PAPER),
        ("kddcup", PAPER_KDDCUP),
        ("mux20", PAPER),
    ] {
        let all = errors(&simulator, problem);
        assert_eq!(all.len(), 14, "{problem}");
        assert_within(&all, largest_mean, &format!("simulator, {problem}"));
        let all = errors(&model, problem);
        assert_within(&all, largest_mean, &format!("model, {problem}"));
    }
}

#[test]
fn launches_on_the_h200() {
    let device = Preset::load("h200").unwrap().device;
    let timed = |row: &MeasuredLaunch| row.milliseconds.is_some();
    let rows = measured_launches(&device)
        .unwrap()
        .into_iter()
        .filter(timed);
    let rows: Vec<MeasuredLaunch> = rows.collect();
    let every = rows.len() / 10;
    let rows: Vec<MeasuredLaunch> = rows.into_iter().step_by(every).take(10).collect();
    let mut requests = Requests::new(Programs::Committed, None);
    let simulator = Predictor::with_settings(device, Settings::default());
    let model = simulator.with_engine(Kind::Analytical);
    let mut errors = |engine: &Predictor| -> Vec<f64> {
        let error = |row: &MeasuredLaunch| {
            let request = requests.of(row).unwrap();
            let predicted = engine.predict_request(&request).unwrap().run_milliseconds;
            100.0 * (predicted / row.milliseconds.unwrap() - 1.0)
        };
        rows.iter().map(error).collect()
    };
    let (by_simulator, by_model) = (errors(&simulator), errors(&model));
    assert_eq!(by_simulator.len(), 10);
    assert_within(&by_simulator, H200, "simulator");
    assert_within(&by_model, H200, "model");
}

/// Launches of the accumulator: cases divided over blocks, blocks without cases, both mathematics.
#[test]
fn launches_of_the_accumulator_on_the_h200() {
    let device = Preset::load("h200").unwrap().device;
    let text = std::fs::read_to_string("fixtures/measured/h200/ladder.csv").unwrap();
    let rows = parse(&text, "ladder.csv", &device).unwrap();
    let simulator = Predictor::with_settings(device, Settings::default());
    let model = simulator.with_engine(Kind::Analytical);
    let (mut by_simulator, mut by_model) = (Vec::new(), Vec::new());
    for (problem, file, hash, levels, math, threads, case_blocks) in [
        (
            ProblemId::Sextic,
            "sextic-46",
            "42e388f1f5dd",
            2,
            Math::Accurate,
            64,
            25,
        ),
        (
            ProblemId::Sextic,
            "sextic-46",
            "42e388f1f5dd",
            2,
            Math::Fast,
            128,
            50,
        ),
        (
            ProblemId::Mux20,
            "mux20",
            "82b29805b89f",
            3,
            Math::Accurate,
            64,
            64,
        ),
        (
            ProblemId::Mux20,
            "mux20",
            "82b29805b89f",
            3,
            Math::Accurate,
            128,
            64,
        ),
    ] {
        let mut found = rows.iter().filter(|row| {
            let (launched, variant) = (&row.launched, &row.launched.kernel);
            (variant.kernel, variant.problem) == (KernelId::Accumulator, problem)
                && (variant.stack_registers, variant.math) == (levels, math)
                && (launched.threads_per_block, launched.case_blocks) == (threads, case_blocks)
                && launched.programs == hash
        });
        let row = found.next().unwrap();
        assert!(found.next().is_none());
        let file = format!("fixtures/measured/programs/{file}.txt");
        let mut requests = Requests::new(Programs::File(Some(file.into())), None);
        let request = requests.of(row).unwrap();
        let error = |engine: &Predictor| {
            let predicted = engine.predict_request(&request).unwrap().run_milliseconds;
            100.0 * (predicted / row.milliseconds.unwrap() - 1.0)
        };
        by_simulator.push(error(&simulator));
        by_model.push(error(&model));
    }
    assert_within(&by_simulator, ACCUMULATOR, "simulator");
    assert_within(&by_model, ACCUMULATOR, "model");
}
