//! Do the committed measurements match their README?

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use warpstack::device::Preset;
use warpstack::device::occupancy::OccupancyLimits;

type CsvRows = Vec<BTreeMap<String, String>>;

fn read(name: &str) -> CsvRows {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/measured/h200")
        .join(name);
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader
        .deserialize()
        .collect::<Result<CsvRows, _>>()
        .unwrap()
}

fn key(row: &BTreeMap<String, String>) -> Vec<String> {
    let columns = [
        "problem",
        "population",
        "kernel",
        "stack_dim",
        "stack_registers",
        "math",
        "threads",
        "carveout_percent",
    ];
    columns.iter().map(|&column| row[column].clone()).collect()
}

#[test]
fn there_are_enough_configurations_and_none_twice() {
    let rows = read("runs.csv");
    assert!(rows.len() >= 300, "{}", rows.len());
    assert_eq!(
        rows.iter().map(key).collect::<HashSet<_>>().len(),
        rows.len()
    );
    for split in ["calibration", "holdout"] {
        let share =
            rows.iter().filter(|row| row["split"] == split).count() as f64 / rows.len() as f64;
        assert!((0.3..0.7).contains(&share), "{split}: {share}");
    }
    let counters = read("counters.csv");
    assert!(counters.len() >= 60, "{}", counters.len());
}

#[test]
fn every_run_computed_what_the_cpu_computes() {
    for row in read("runs.csv") {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        let agreeing = number("agreeing_programs") / number("checked_programs");
        assert!(number("checked_programs") >= 60.0, "{row:?}");
        // Fast intrinsics round differently, and some programs magnify that.
        let bound = if row["math"] == "fast" { 0.85 } else { 0.95 };
        assert!(agreeing >= bound, "{row:?}");
        assert!(number("median_relative_difference") < 1e-5, "{row:?}");
        let operations = number("nodes") * number("cases");
        let gpops = operations / (number("median_ms") * 1e6);
        assert!(
            (gpops / number("gpops_billion") - 1.0).abs() < 1e-4,
            "{row:?}"
        );
    }
}

#[test]
fn the_carve_out_rule_is_what_the_profiler_read() {
    let limits = OccupancyLimits::of(&Preset::load("h200").unwrap().device);
    let mut seen = HashSet::new();
    for row in read("counters.csv")
        .into_iter()
        .chain(read("carveout_rule.csv"))
    {
        let number = |name: &str| row[name].parse::<u32>();
        let (Ok(percent), Ok(bytes)) = (
            number("carveout_percent"),
            number("launch__shared_mem_config_size"),
        ) else {
            continue;
        };
        let shared_bytes = number("shared_bytes").unwrap();
        let told = limits.carve_out(percent, shared_bytes);
        assert_eq!(told, bytes, "{percent} %, {shared_bytes} bytes a block");
        seen.insert((percent, shared_bytes));
    }
    assert!(seen.len() >= 48, "{}", seen.len());
}
