//! Do intervals cover what they promise, and are the errors behind them today's?

use super::program::stdout;
use std::collections::BTreeMap;
use std::sync::LazyLock;

struct Row {
    split: String,
    group: String,
    measured: f64,
    predicted: f64,
    bounds: Option<(f64, f64)>,
    support: String,
}

/// The rows of a device's committed launches that have a time, predicted once for both tests.
fn rows(device: &str) -> &'static [Row] {
    static H200: LazyLock<Vec<Row>> = LazyLock::new(|| validated("h200"));
    static H100: LazyLock<Vec<Row>> = LazyLock::new(|| validated("h100"));
    match device {
        "h200" => &H200,
        _ => &H100,
    }
}

fn validated(device: &str) -> Vec<Row> {
    let line = format!("validate --device {device} --limit 0 --engine analytical --format csv");
    let text = stdout(&line);
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let number = |row: &Vec<&str>, name| row[at(name)].parse::<f64>().ok();
    lines
        .filter_map(|row| {
            Some(Row {
                split: row[at("split")].into(),
                group: format!("{},{}", row[at("problem")], row[at("kernel")]),
                measured: number(&row, "measured_ms")?,
                predicted: number(&row, "predicted_ms")?,
                bounds: number(&row, "predicted_ms_low").zip(number(&row, "predicted_ms_high")),
                support: row[at("support")].into(),
            })
        })
        .collect()
}

/// Percent of unseen launches within their intervals, drawn nearer to the prediction by `narrower`.
fn coverage(rows: &[Row], narrower: f64) -> f64 {
    let unseen = rows.iter().filter(|row| row.split == "holdout");
    let covered = unseen.filter_map(|row| {
        let (low, high) = row.bounds?;
        let half = |bound: f64| row.predicted * (bound / row.predicted).powf(narrower);
        Some((half(low)..=half(high)).contains(&row.measured))
    });
    let covered: Vec<bool> = covered.collect();
    let inside = covered.iter().filter(|inside| **inside).count();
    100.0 * inside as f64 / covered.len() as f64
}

#[test]
fn nine_of_ten_unseen_launches_are_inside_and_fewer_if_intervals_are_halved() {
    for device in ["h200", "h100"] {
        let rows = rows(device);
        let whole = coverage(rows, 1.0);
        assert!((86.0..=97.0).contains(&whole), "{device}: {whole}");
        let halved = coverage(rows, 0.5);
        assert!(halved < 80.0, "{device}: {halved}");
        let far = rows
            .iter()
            .filter(|row| (row.predicted / row.measured - 1.0).abs() > 0.2);
        let far: Vec<&Row> = far.filter(|row| row.split == "holdout").collect();
        let told = far.iter().filter(|row| row.support == "outside").count();
        println!(
            "{device}: {whole:.1} %, halved {halved:.1} %, {told} of {} far off told",
            far.len()
        );
    }
}

/// `cargo xtask errors` writes them anew after a change of the model.
#[test]
fn the_committed_errors_are_those_of_this_program() {
    let file = std::fs::read_to_string("fixtures/measured/errors.csv").unwrap();
    for device in ["h200", "h100"] {
        let mut known: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let head = format!("analytical,{device},");
        for line in file.lines().filter_map(|line| line.strip_prefix(&head)) {
            let (group, ratio) = line.rsplit_once(',').unwrap();
            known.entry(group).or_default().push(ratio.parse().unwrap());
        }
        let rows = rows(device);
        let fitted = rows.iter().filter(|row| row.split == "calibration");
        let mut today: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for row in fitted {
            let ratios = today.entry(&row.group).or_default();
            ratios.push(row.measured / row.predicted);
        }
        assert_eq!(known.len(), today.len(), "{device}");
        for (group, mut ratios) in today {
            let mut known = known.remove(group).unwrap_or_default();
            known.sort_by(f64::total_cmp);
            ratios.sort_by(f64::total_cmp);
            assert_eq!(known.len(), ratios.len(), "{device}, {group}");
            for (known, today) in known.iter().zip(&ratios) {
                let allowed = 0.01 * today;
                assert!(
                    (known - today).abs() < allowed,
                    "{device}, {group}: {known} {today}; run `cargo xtask errors`"
                );
            }
        }
    }
}

/// A launch whose kernel was measured on the device.
const LAUNCH: &str = "--engine analytical --device h200 --kernel lgp --stack-dim 4 --l1 124";

#[test]
fn explain_and_whatif_give_the_interval_of_predict() {
    let bounds = |text: &str| -> Vec<f64> {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        // One prediction is the whole file; of others there may be several.
        let one = value.get("rows").map_or(&value, |rows| &rows[0]);
        let names = ["gpops_billion_low", "gpops_billion_high"];
        names
            .iter()
            .map(|name| one[name].as_f64().unwrap())
            .collect()
    };
    let of = |command: &str| bounds(&stdout(&format!("{command} {LAUNCH} --format json")));
    let predicted = of("predict --threads 256");
    assert_eq!(of("explain --threads 256"), predicted);
    assert_eq!(of("whatif --vary threads=256"), predicted);
}

#[test]
fn a_machine_that_does_not_exist_has_no_interval() {
    let row = |vary: &str| {
        let text = stdout(&format!(
            "whatif --engine analytical --kernel rpn --threads 128 {vary} --format csv"
        ));
        text.lines().next_back().unwrap().to_owned()
    };
    assert!(row("--vary l1=16").contains(",validated,"));
    for changed in ["--vary l1=20", "--vary l1.hit_latency_cycles=40"] {
        assert!(row(changed).contains(",,,outside,"), "{changed}");
    }
}
