//! Do launches have the arithmetic intensity that Nsight Compute counted?

use std::collections::HashMap;
use warpstack::device::{Device, Preset};
use warpstack::gp::problem::uci::folder;
use warpstack::launch::prediction::Prediction;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::report::roofline::{Memory, intensity};
use warpstack::validate::launches::parse;
use warpstack::validate::requests::{Programs, Requests};

const COUNTERS: &str = "fixtures/measured/h100/runs_counters.csv";
const SECTOR: f64 = 32.0;

/// Bytes per warp instruction at the L1, the L2 and the device memory.
type Bytes = [f64; 3];

fn counted(row: &HashMap<String, String>) -> Bytes {
    let of = |name: &str| -> f64 { row[name].parse().unwrap_or(0.0) };
    let kind = |kind: &str| format!("l1tex__t_sectors_pipe_lsu_mem_{kind}");
    let asked = |name: &str| of(&format!("{}.sum", kind(name)));
    let missed = |name: &str| asked(name) - of(&format!("{}_lookup_hit.sum", kind(name)));
    let (global, local, stored) = ("global_op_ld", "local_op_ld", "local_op_st");
    let l1 = asked(global) + asked(local) + asked(stored);
    // Every store goes on to the L2.
    let l2 = missed(global) + missed(local) + asked(stored);
    let bytes = [SECTOR * l1, SECTOR * l2, of("dram__bytes.sum")];
    bytes.map(|bytes| bytes / of("sm__inst_executed.sum"))
}

fn predicted(prediction: &Prediction, device: &Device) -> Bytes {
    let of = |memory| intensity(memory, prediction, device).map_or(0.0, f64::recip);
    [
        of(Memory::L1),
        of(Memory::L2Loads) + of(Memory::L2Stores),
        of(Memory::Dram),
    ]
}

/// Predicted and counted bytes of every launch whose counters are committed.
fn launches(kind: Kind) -> Vec<[Bytes; 2]> {
    let text = std::fs::read_to_string(COUNTERS).unwrap();
    let device = Preset::load("h100").unwrap().device;
    let rows = parse(&text, COUNTERS, &device).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let counters: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), counters.len());
    let settings = Settings {
        kind,
        ..Settings::default()
    };
    let predictor = Predictor::with_settings(device.clone(), settings);
    let mut requests = Requests::new(Programs::File(None), folder(None));
    let both = |(row, counters)| {
        let request = requests.of(row).unwrap();
        let prediction = predictor.predict_request(&request).unwrap();
        [predicted(&prediction, &device), counted(counters)]
    };
    rows.iter().zip(&counters).map(both).collect()
}

/// Median |error| in percent at a memory.
fn median_error(launches: &[[Bytes; 2]], memory: usize) -> f64 {
    let error = |[here, there]: &[Bytes; 2]| 100.0 * (here[memory] / there[memory] - 1.0).abs();
    let mut errors: Vec<f64> = launches.iter().map(error).collect();
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

/// With `--nocapture` it prints the figures of the roofline in docs/model.md.
#[test]
fn intensities_at_the_l1_and_the_l2_are_within_five_percent_in_the_median() {
    let closed = launches(Kind::Analytical);
    let simulated = launches(Kind::Simulator);
    let [l1, l2] = [0, 1].map(|memory| median_error(&simulated, memory));
    println!("{} launches: L1 {l1:.1} %, L2 {l2:.1} %", simulated.len());
    let [near, far] = [0, 1].map(|memory| median_error(&closed, memory));
    println!("analytical model: L1 {near:.1} %, L2 {far:.1} %");
    let moved = simulated.iter().map(|[here, there]| (here[2], there[2]));
    let much: Vec<(f64, f64)> = moved.filter(|(_, counted)| *counted > 0.02).collect();
    let right = much
        .iter()
        .filter(|(here, there)| (here / there - 1.0).abs() < 0.15);
    println!(
        "device memory: {} of {} within 15 %",
        right.count(),
        much.len()
    );
    assert!(l1 <= 5.0 && l2 <= 5.0, "L1 {l1:.1} %, L2 {l2:.1} %");
    assert!(near <= 5.0, "analytical model, L1 {near:.1} %");
}
