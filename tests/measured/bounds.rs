//! Are predictions as near to measured values as the documents say? A few cells of Tables 4, 8 and 10 and ten launches on the H200.
//!
//! The bounds are stated here: about two points on either side of the mean error that there is (which is not zero), wide enough for a
//! change in the last digits, too narrow for a model that has lost a mechanism. How far every cell is off: `warpstack reproduce`, `warpstack validate`.

use warpstack::device::Preset;
use warpstack::predictor::{Engine, Kind, Settings, problems};
use warpstack::validate::launches::{MeasuredLaunch, measured_launches};
use warpstack::validate::requests::{Programs, Requests};
use warpstack::validate::{Cell, Measured, Table, cells};

const TABLES: [Table; 3] = [Table::Four, Table::Eight, Table::Ten];

/// What the relative errors of some predictions keep, in percent.
#[derive(Debug)]
struct Bound {
    /// The mean of the signed ones: fast or slow as a whole.
    mean: (f64, f64),
    mean_absolute: f64,
    largest: f64,
}

#[track_caller]
fn assert_within(errors: &[f64], bound: &Bound, of: &str) {
    let n = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / n;
    let mean_absolute = errors.iter().map(|error| error.abs()).sum::<f64>() / n;
    let largest = errors.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let kept = (bound.mean.0..=bound.mean.1).contains(&mean)
        && mean_absolute <= bound.mean_absolute
        && largest <= bound.largest;
    assert!(
        kept,
        "{of}: mean {mean:.2}, mean absolute {mean_absolute:.2}, largest {largest:.2}; allowed: {bound:?}"
    );
}

/// Every eleventh cell of each table: all of its sizes and settings come by.
fn chosen(problem: &str) -> Vec<Cell> {
    let of_table = |table| cells(table, problem).into_iter().skip(3).step_by(11);
    TABLES.into_iter().flat_map(of_table).collect()
}

fn errors(engine: &Engine, problem: &str) -> Vec<f64> {
    let measured = TABLES.map(|table| Measured::of_paper(table).unwrap());
    let error = |cell: &Cell| {
        let measured = measured.iter().find_map(|table| table.get(cell)).unwrap();
        let predicted = engine.predict(&cell.configuration()).unwrap();
        100.0 * (predicted.gpops_billion / measured.gpops_billion - 1.0)
    };
    chosen(problem).iter().map(error).collect()
}

fn bound(mean: (f64, f64), mean_absolute: f64, largest: f64) -> Bound {
    Bound {
        mean,
        mean_absolute,
        largest,
    }
}

#[test]
fn cells_of_the_papers_tables() {
    let device = Preset::load("gtx670").unwrap().device;
    let simulator = Engine::new(device, &problems(), Settings::default()).unwrap();
    let model = simulator.with_kind(Kind::Analytical);
    let cases = [
        (
            "sextic",
            bound((0.5, 4.5), 9.5, 18.0),
            bound((-0.5, 4.0), 9.5, 23.0),
        ),
        (
            "shuttle",
            bound((-8.0, -4.0), 9.0, 18.0),
            bound((-7.5, -3.5), 9.0, 21.0),
        ),
        (
            "kddcup",
            bound((3.0, 7.0), 12.0, 21.0),
            bound((5.5, 10.0), 14.0, 29.0),
        ),
        (
            "mux20",
            bound((-3.5, 0.5), 6.0, 11.0),
            bound((-6.0, -1.5), 8.0, 20.0),
        ),
    ];
    for (problem, of_simulator, of_model) in cases {
        let all = errors(&simulator, problem);
        assert_eq!(all.len(), 14, "{problem}");
        assert_within(&all, &of_simulator, &format!("simulator, {problem}"));
        let all = errors(&model, problem);
        assert_within(&all, &of_model, &format!("model, {problem}"));
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
    let simulator = Engine::new(device, &[], Settings::default()).unwrap();
    let model = simulator.with_kind(Kind::Analytical);
    let mut errors = |engine: &Engine| -> Vec<f64> {
        let error = |row: &MeasuredLaunch| {
            let request = requests.of(row).unwrap();
            let predicted = engine.predict_request(&request).unwrap().run_milliseconds;
            100.0 * (predicted / row.milliseconds.unwrap() - 1.0)
        };
        rows.iter().map(error).collect()
    };
    let (by_simulator, by_model) = (errors(&simulator), errors(&model));
    assert_eq!(by_simulator.len(), 10);
    assert_within(&by_simulator, &bound((-1.5, 2.5), 5.0, 10.0), "simulator");
    assert_within(&by_model, &bound((-1.0, 4.0), 6.5, 14.0), "model");
}
