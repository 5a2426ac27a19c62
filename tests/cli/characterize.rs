//! Does `warpstack characterize` write a preset that predicts as well as one made by hand, from readings alone, and nothing from bad ones?

use crate::program::{refuses, stdout};
use std::collections::HashMap;
use std::path::Path;
use warpstack::device::{Kind, Preset};

fn readings(card: &str) -> String {
    std::fs::read_to_string(format!("fixtures/measured/{card}/readings.csv")).unwrap()
}

/// Calls `check` with the command that characterizes from a text of readings, and the file that it writes.
fn with_readings(text: &str, check: impl FnOnce(&str, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    let (from, out) = (folder.path().join("r.csv"), folder.path().join("card.toml"));
    std::fs::write(&from, text).unwrap();
    let line = format!(
        "characterize --from {} --out {}",
        from.display(),
        out.display()
    );
    check(&line, &out);
}

/// Returns the preset that follows from a text of readings.
fn characterized(text: &str) -> Preset {
    let mut preset = None;
    with_readings(text, |line, out| {
        stdout(line);
        preset = Preset::load(&out.display().to_string()).ok();
    });
    preset.unwrap()
}

fn refused(text: &str, parts: &str) {
    with_readings(text, |line, out| {
        refuses(&[(line, parts)]);
        assert!(!out.exists(), "{parts}");
    });
}

/// Mean |error| in percent over committed launches, analytical model.
fn mean_error(device: &str, card: &str) -> f64 {
    let rows = stdout(&format!(
        "validate --device {device} --measured fixtures/measured/{card}/runs.csv --engine analytical --limit 0 --format csv"
    ));
    let errors: Vec<f64> = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(rows.as_bytes())
        .into_deserialize::<HashMap<String, String>>()
        .map(Result::unwrap)
        .filter_map(|row| row["error_percent"].parse::<f64>().ok())
        .map(f64::abs)
        .collect();
    let n = errors.len();
    assert!(n > 100, "{n} rows");
    errors.iter().sum::<f64>() / n as f64
}

#[test]
fn readings_predict_the_committed_launches_within_two_points_of_the_preset_made_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    for card in ["h100", "h200"] {
        let out = folder.path().join(format!("my-{card}.toml"));
        stdout(&format!(
            "characterize --from fixtures/measured/{card}/readings.csv --out {}",
            out.display()
        ));
        let (here, by_hand) = (
            mean_error(&out.display().to_string(), card),
            mean_error(card, card),
        );
        assert!(
            here < by_hand + 2.0,
            "{card}: {here:.1} %, by hand {by_hand:.1} %"
        );
    }
}

#[test]
fn every_value_says_where_it_comes_from_and_an_assumed_number_has_its_range() {
    let preset = characterized(&readings("h200"));
    let (mut measured, mut assumed) = (0, 0);
    for entry in &preset.entries {
        let (key, source) = (entry.key(), &entry.source);
        assert_ne!(entry.kind, Kind::Fitted, "{key}");
        if source.starts_with("measured here: ") {
            assert_eq!(entry.kind, Kind::Measured, "{key}");
            measured += 1;
        }
        if entry.kind == Kind::Assumed {
            assert!(source.starts_with("not measured here: "), "{key}: {source}");
            let is_number = entry.number().is_some();
            assert_eq!(entry.range.is_some(), is_number, "{key}");
            assumed += 1;
        }
    }
    // The count that docs/how-to/characterize-a-card.md gives.
    assert_eq!((measured, assumed), (50, 27));
}

#[test]
fn a_value_without_readings_stays_assumed() {
    let all = readings("h100");
    let without: String = all
        .lines()
        .filter(|line| !line.starts_with("chase_l2,"))
        .map(|line| format!("{line}\n"))
        .collect();
    let kind = |text: &str| {
        let preset = characterized(text);
        let entry = preset
            .entries
            .iter()
            .find(|entry| entry.key() == "l2.hit_latency_cycles");
        entry.unwrap().kind
    };
    assert_eq!(kind(&all), Kind::Measured);
    assert_eq!(kind(&without), Kind::Assumed);
}

#[test]
fn a_busy_card_and_other_files_are_refused_and_nothing_is_written() {
    let all = readings("h100");
    // Another program takes half of a round.
    let busy: Vec<String> = all
        .lines()
        .map(|line| match line.strip_prefix("stream_gb_per_s,0,0,2,") {
            Some(value) => format!(
                "stream_gb_per_s,0,0,2,{}",
                value.parse::<f64>().unwrap() / 2.0
            ),
            None => line.to_owned(),
        })
        .collect();
    refused(
        &busy.join("\n"),
        "NVIDIA H100 80GB HBM3: given rounds of stream_gb_per_s that differ by 50.|allowed: 9 %|nobody else uses",
    );
    refused("experiment,at\n", "r.csv, line 1: given \"experiment,at\"");
    refused(
        "# card\nexperiment,at,with,round,value\nloop,4,0,0,NaN\n",
        "r.csv, line 3, field value: given \"NaN\"|a finite number",
    );
    refused(
        "# card\nexperiment,at\nloop,4\n",
        "r.csv, header: given \"experiment,at\"",
    );
    // Neither are rows of another card, unless asked for.
    let other = "--engine analytical --limit 2 --measured fixtures/measured/h200/runs.csv";
    refuses(&[(
        &format!("validate --device h100 {other}"),
        "field device: given \"NVIDIA H200\"|device h100 (NVIDIA H100 SXM5)|--any-card",
    )]);
    stdout(&format!("validate --device h100 --any-card {other}"));
    for (out, parts) in [
        ("Cargo.toml", "--out: given Cargo.toml, a file that exists"),
        ("src", "--out: given src, a folder; allowed"),
        ("my.txt", "allowed: NAME.toml"),
        ("none/a.toml", "cannot write"),
    ] {
        let from = "--from fixtures/measured/h100/readings.csv";
        refuses(&[(&format!("characterize --out {out} {from}"), parts)]);
    }
}
