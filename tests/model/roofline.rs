//! Do launches have the arithmetic intensity that Nsight Compute counted?

use std::collections::HashMap;
use warpstack::device::{Device, Preset};
use warpstack::gp::problem::uci::folder;
use warpstack::launch::prediction::Prediction;
use warpstack::predictor::{Predictor, Settings};
use warpstack::report::roofline::{Memory, intensity};
use warpstack::validate::launches::parse;
use warpstack::validate::requests::{Programs, Requests};

const COUNTERS: &str = "fixtures/measured/h100/runs_counters.csv";
const SECTOR: f64 = 32.0;

/// Bytes per warp instruction at the L1 and at the L2.
type Bytes = [f64; 2];

fn counted(row: &HashMap<String, String>) -> Bytes {
    let of = |name: &str| -> f64 { row[name].parse().unwrap_or(0.0) };
    let kind = |kind: &str| format!("l1tex__t_sectors_pipe_lsu_mem_{kind}");
    let asked = |name: &str| of(&format!("{}.sum", kind(name)));
    let missed = |name: &str| asked(name) - of(&format!("{}_lookup_hit.sum", kind(name)));
    let (global, local, stored) = ("global_op_ld", "local_op_ld", "local_op_st");
    let l1 = asked(global) + asked(local) + asked(stored);
    // Every store goes on to the L2.
    let l2 = missed(global) + missed(local) + asked(stored);
    [l1, l2].map(|sectors| SECTOR * sectors / of("sm__inst_executed.sum"))
}

fn predicted(prediction: &Prediction, device: &Device) -> Bytes {
    let of = |memory| intensity(memory, prediction, device).map_or(0.0, f64::recip);
    [of(Memory::L1), of(Memory::L2Loads) + of(Memory::L2Stores)]
}

#[test]
fn intensities_at_the_l1_and_the_l2_are_within_five_percent_in_the_median() {
    let text = std::fs::read_to_string(COUNTERS).unwrap();
    let device = Preset::load("h100").unwrap().device;
    let rows = parse(&text, COUNTERS, &device).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let counters: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), counters.len());
    let predictor = Predictor::with_settings(device.clone(), Settings::default());
    let mut requests = Requests::new(Programs::File(None), folder(None));
    let mut errors: [Vec<f64>; 2] = Default::default();
    for (row, counters) in rows.iter().zip(&counters).step_by(2) {
        let request = requests.of(row).unwrap();
        let prediction = predictor.predict_request(&request).unwrap();
        let (here, there) = (predicted(&prediction, &device), counted(counters));
        for (at, errors) in errors.iter_mut().enumerate() {
            errors.push(100.0 * (here[at] / there[at] - 1.0).abs());
        }
    }
    let medians = errors.map(|mut errors| {
        errors.sort_by(f64::total_cmp);
        errors[errors.len() / 2]
    });
    // docs/model.md gives these figures.
    println!("L1 {:.1} %, L2 {:.1} %", medians[0], medians[1]);
    assert!(medians.iter().all(|median| *median <= 5.0), "{medians:?}");
}
