//! Does `score` print the table of trust, and does it judge anybody's predictions?

use super::program::{refused, stdout};
use std::collections::HashMap;
use std::fs;

/// Rows of a CSV by the names of their columns; a comma within a field becomes a dash.
fn rows(text: &str) -> Vec<HashMap<String, String>> {
    let text = text.replace('"', "").replace(", ", " - ");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields = line.split(',').map(str::to_owned);
        header
            .iter()
            .map(|name| (*name).to_owned())
            .zip(fields)
            .collect()
    };
    lines.map(row).collect()
}

fn mean(rows: &[HashMap<String, String>], block: &str, predictor: &str) -> (String, String) {
    let is_it =
        |row: &&HashMap<String, String>| row["block"] == block && row["predictor"] == predictor;
    let row = rows
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("no {block}, {predictor}"));
    (row["launches"].clone(), row["mean_error_percent"].clone())
}

#[test]
fn the_table_of_trust_is_what_score_prints() {
    let rows = rows(&stdout("score --format csv"));
    let readme = fs::read_to_string("README.md").unwrap();
    for (line, block, predictor) in [
        (
            "GTX 670, blind: ",
            "GTX 670 - blind",
            "simulator of the day",
        ),
        ("GTX 670, held out: ", "GTX 670 - held out", "simulator"),
        ("H200, blind: ", "H200 - blind sets", "simulator of the day"),
        (
            "H200, blind, other papers' kernels: ",
            "H200 - other papers",
            "simulator of the day",
        ),
        ("H100, blind: ", "H100 - blind", "simulator of the day"),
        ("H200, held out: ", "H200 - held out", "simulator"),
    ] {
        let (launches, mean) = mean(&rows, block, predictor);
        let start = format!("| {line}");
        let found = readme.lines().find(|text| text.starts_with(&start));
        let found = found
            .unwrap_or_else(|| panic!("README has no row {line}"))
            .replace(',', "");
        let counted = format!("{launches} launches");
        assert!(
            found.contains(&counted) && found.contains(&format!("| {mean} %")),
            "{found}: {counted}, {mean} %"
        );
    }
}

#[test]
fn the_committed_predictions_are_those_of_this_program() {
    let sets = ["papers/", "h200/runs", "h200/fresh", "h100/"];
    let of_set = |set: &&str| rows(&stdout(&format!("score --predict --limit 6 --set {set}")));
    let again: Vec<_> = sets.iter().flat_map(of_set).collect();
    let file = fs::read_to_string("fixtures/measured/predictions.csv").unwrap();
    let known = rows(&file);
    for row in &again {
        let is_it = |known: &&HashMap<String, String>| {
            known["set"] == row["set"] && known["row"] == row["row"]
        };
        let known = known.iter().find(is_it).unwrap();
        for column in ["simulator", "analytical", "roofline"] {
            let [a, b] = [known, row].map(|row| row[column].parse::<f64>().unwrap());
            assert!(
                (a / b - 1.0).abs() < 0.01,
                "{} {}, {column}: {a} {b}; run `cargo xtask predictions`",
                row["set"],
                row["row"]
            );
        }
    }
    assert_eq!(again.len(), 24);
}

#[test]
fn predictions_of_a_file_are_scored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("constant.csv");
    let file = fs::read_to_string("fixtures/measured/predictions.csv").unwrap();
    let h100 = file.lines().filter(|line| line.starts_with("h100/runs,"));
    let constant = h100.take(400).map(|line| {
        let id: Vec<&str> = line.split(',').take(2).collect();
        format!("{},10\n", id.join(","))
    });
    let text = format!("set,row,predicted\n{}", constant.collect::<String>());
    fs::write(&path, text).unwrap();
    let name = path.to_str().unwrap();
    let rows = rows(&stdout(&format!("score --predictions {name} --format csv")));
    let own: Vec<_> = rows.iter().filter(|row| row["predictor"] == name).collect();
    assert_eq!(own.len(), 1);
    assert_eq!(
        (own[0]["launches"].as_str(), own[0]["missing"].as_str()),
        ("400", "10")
    );
}

#[test]
fn wrong_predictions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.csv");
    fs::write(&path, "set,row,predicted\nh900/runs,1,1\n").unwrap();
    let given = path.display();
    refused(
        &format!("score --predictions {given}"),
        &["line 2", "set", "h900/runs"],
    );
    refused(
        &format!("score --predictions {given} --predict"),
        &["--predict"],
    );
    refused("score --limit 1", &["--predict"]);
    refused("score --predict --set h900", &["--set", "h900"]);
    refused("score --predictions absent.csv", &["absent.csv"]);
}

#[test]
fn programs_of_a_set_are_found_or_said_to_be_lost() {
    let set = "fixtures/measured/h200/fresh/5-sextic.csv";
    let printed = stdout(&format!(
        "validate --measured {set} --engine analytical --limit 3 --format csv"
    ));
    assert_eq!(printed.lines().count(), 4);
    let lost = "fixtures/measured/h200/fresh/3-sextic-1000.csv";
    refused(
        &format!("validate --measured {lost} --limit 3"),
        &["af33bd194df0", "lost"],
    );
}
