//! Do the commands print every documented figure, and are the figures consistent?

use crate::program::{json, stdout, succeeds};
use serde_json::Value;

fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("no number at {path}"))
}

const SIMULATE: &str = "predict --threads 128 --stack-dim 2";

#[test]
fn a_prediction_fits_itself() {
    let prediction = json(SIMULATE);
    let stack = prediction["cpi_stack"].as_array().unwrap();
    let cycles: u64 = stack.iter().map(|e| e["cycles"].as_u64().unwrap()).sum();
    assert_eq!(
        cycles % 4,
        0,
        "four schedulers, each with every cycle accounted for"
    );
    let issued = stack.iter().find(|e| e["cause"] == "selected").unwrap();
    let issued = issued["cycles"].as_u64().unwrap() as f64;
    // Every issue cycle issues one instruction, or two when it is a dual issue.
    let instructions = number(&prediction, "/ipc") * cycles as f64 / 4.0;
    let dual = number(&prediction, "/dual_issue_percent") / 100.0;
    assert!((instructions * (1.0 - dual) - issued).abs() <= 0.01 * issued);
    assert_eq!(number(&prediction, "/occupancy/blocks"), 16.0);
    assert_eq!(number(&prediction, "/l1"), 48.0);
    for level in ["l1_load", "l1_store", "l2"] {
        let value = number(&prediction, &format!("/memory/{level}_hit_percent"));
        assert!((0.0..=100.0).contains(&value), "{level} {value}");
    }
}

#[test]
fn the_table_names_every_promised_figure() {
    let text = stdout(SIMULATE);
    for figure in [
        "GPop/s",
        "occupancy",
        "limited by",
        "registers",
        "L1 load hits",
        "L2 hits",
        "DRAM read",
        "dual-issued",
        "simulated warp instructions per second",
        "selected",
        "total",
    ] {
        assert!(text.contains(figure), "no \"{figure}\" in:\n{text}");
    }
}

#[test]
fn an_explanation_adds_up_and_two_stand_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("explain.svg");
    let explanations = json(&format!(
        "explain --threads 256 --against threads=32,stack-dim=4 --chart {}",
        chart.display()
    ));
    let explanations = explanations["rows"].as_array().unwrap();
    assert_eq!(explanations.len(), 2);
    for explanation in explanations {
        for part in ["instructions", "cycles"] {
            let shares = explanation[part].as_array().unwrap();
            let sum: f64 = shares.iter().map(|s| number(s, "/percent")).sum();
            assert!((sum - 100.0).abs() < 1e-6, "{part}: {sum}");
        }
        assert!(explanation["bottleneck"].as_str().unwrap().ends_with('.'));
    }
    assert_eq!(explanations[1]["occupancy_limited_by"][0], "blocks");
    let drawn = std::fs::read_to_string(chart).unwrap();
    assert!(drawn.contains("second dimension 4, 32 threads per block"));
}

#[test]
fn a_kind_that_no_value_has_is_said() {
    for name in ["g80", "hd5750"] {
        let output = succeeds(&format!("list devices {name} --kind fitted"));
        assert!(output.stdout.is_empty(), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, format!("{name}: none of its values is fitted\n"));
    }
}

#[test]
fn lists_name_what_exists() {
    assert!(stdout("list problems").contains("100000"));
    assert!(stdout("list kernels").contains("rolled-input"));
    assert!(stdout("list devices").contains("gtx670"));
    let shown = |line: &str| {
        let text = stdout(line);
        text.lines().filter(|line| !line.starts_with(' ')).count()
    };
    let preset = warpstack::device::Preset::load("gtx670").unwrap();
    assert_eq!(
        shown("list devices gtx670 --kind fitted"),
        preset.fitted().len()
    );
}

#[test]
fn a_measured_speed_stands_beside_the_papers_card_and_no_changed_copy_of_it() {
    let measured = |device: &str| {
        json(&format!(
            "predict --engine analytical --threads 128 --device {device}"
        ))["measured"]
            .clone()
    };
    assert_eq!(measured("gtx670")["table"], 3);
    assert!(measured("h200").is_null());
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("gtx670.toml");
    let preset = std::fs::read_to_string("fixtures/devices/gtx670.toml").unwrap();
    let changed = preset.replacen("n_smx = { value = 7", "n_smx = { value = 8", 1);
    assert_ne!(changed, preset);
    std::fs::write(&copy, changed).unwrap();
    assert!(measured(copy.to_str().unwrap()).is_null());
}
