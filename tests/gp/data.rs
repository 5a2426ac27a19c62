//! The UCI data sets: read where they are, refused where they are damaged.

use std::path::{Path, PathBuf};
use warpstack::gp::problem::{self, Dataset, Problem, Source};

/// Returns the folder of the real data, or prints that the test is skipped.
fn data_folder(test: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let folder = std::env::var_os("WARPSTACK_DATA").map_or(beside, PathBuf::from);
    if folder.join("shuttle.trn").is_file() {
        return Some(folder);
    }
    eprintln!(
        "SKIPPED {test}: no data in {} (set WARPSTACK_DATA)",
        folder.display()
    );
    None
}

fn load(name: &str, folder: &Path, n_cases: Option<usize>) -> Result<Problem, String> {
    let source = Source {
        n_cases,
        data: Some(folder.to_owned()),
    };
    problem::load(name, &source).map_err(|e| e.to_string())
}

fn floats(problem: &Problem) -> (&[Vec<f32>], &[f32]) {
    match &problem.dataset {
        Dataset::Float(cases) => (&cases.inputs, &cases.expected),
        Dataset::Word(_) => panic!("{} has float cases", problem.name),
    }
}

fn count(values: &[f32], value: f32) -> usize {
    values.iter().filter(|&&v| v == value).count()
}

fn range(column: &[f32]) -> (f32, f32) {
    column.iter().fold((f32::MAX, f32::MIN), |(low, high), &v| {
        (low.min(v), high.max(v))
    })
}

#[test]
fn shuttle_has_the_published_classes_and_ranges() {
    let Some(folder) = data_folder("shuttle") else {
        return;
    };
    let problem = load("shuttle", &folder, None).unwrap();
    let (inputs, expected) = floats(&problem);
    assert_eq!((problem.n_cases(), problem.n_inputs()), (58_000, 9));
    let classes: Vec<usize> = (1..=7).map(|class| count(expected, class as f32)).collect();
    assert_eq!(classes, [45_586, 50, 171, 8_903, 3_267, 10, 13]);
    assert_eq!(range(&inputs[1]), (-4821.0, 5075.0));
    assert_eq!(range(&inputs[8]), (-356.0, 266.0));
    assert_eq!(load("shuttle", &folder, Some(100)).unwrap().n_cases(), 100);
}

#[test]
fn kddcup_has_the_published_labels_and_symbols() {
    let Some(folder) = data_folder("kddcup") else {
        return;
    };
    let problem = load("kddcup", &folder, None).unwrap();
    let (inputs, expected) = floats(&problem);
    assert_eq!((problem.n_cases(), problem.n_inputs()), (494_021, 41));
    assert_eq!(count(expected, 0.0), 97_278, "normal");
    assert_eq!(
        count(expected, 1.0),
        2_203,
        "back is the first attack in byte order"
    );
    assert_eq!(count(expected, 18.0), 280_790, "smurf");
    assert_eq!(count(expected, 10.0), 107_201, "neptune");
    assert_eq!(range(expected), (0.0, 22.0));
    for (column, n_values) in [(1, 3), (2, 66), (3, 11)] {
        assert_eq!(
            range(&inputs[column]),
            (0.0, n_values as f32 - 1.0),
            "field {}",
            column + 1
        );
    }
    assert_eq!(range(&inputs[4]).1, 693_375_640.0);
}

#[test]
fn absent_data_is_an_error_that_says_what_is_expected() {
    let folder = tempfile::tempdir().unwrap();
    for (name, file, doi) in [
        ("shuttle", "shuttle.trn", "10.24432/C5WS31"),
        ("kddcup", "kddcup.data_10_percent.gz", "10.24432/C51C7N"),
    ] {
        let error = load(name, folder.path(), None).unwrap_err();
        assert!(
            error.contains(file) && error.contains(doi) && error.contains("SHA-256"),
            "{error}"
        );
    }
}

#[test]
fn damaged_data_is_an_error_with_line_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let shuttle = |text: &str| {
        std::fs::write(folder.path().join("shuttle.trn"), text).unwrap();
        load("shuttle", folder.path(), None).unwrap_err()
    };
    let good = "50 21 77 0 28 0 27 48 22 2\n";
    assert!(
        shuttle(&format!("{good}50 21 x 0 28 0 27 48 22 2\n"))
            .contains("shuttle.trn, line 2, field 3: is `x`")
    );
    assert!(
        shuttle("50 21 77 0 28 0 27 48 22\n")
            .contains("line 1, field 9: line has 9 fields, allowed: 10")
    );
    assert!(
        shuttle("50 21 77 0 28 0 27 48 22 8\n")
            .contains("line 1, field 10: class is `8`, allowed: 1 to 7")
    );
    assert!(shuttle(good).contains("line 2, field 1: file ends, expected 43500 lines"));
    assert!(shuttle(&good.repeat(43_500)).contains("SHA-256 is"));

    let kddcup = |text: &str| {
        std::fs::write(folder.path().join("kddcup.data_10_percent"), text).unwrap();
        load("kddcup", folder.path(), None).unwrap_err()
    };
    let good = format!("0,tcp,http,SF{},normal.\n", ",1".repeat(37));
    assert!(kddcup(&good).contains("line 2, field 1: file ends, expected 494021 lines"));
    assert!(
        kddcup(&good.replace("normal.", "normal")).contains("line 1, field 42: label is `normal`")
    );
    assert!(kddcup(&good.replacen(",1", ",", 1)).contains("line 1, field 5: is empty"));
    assert!(
        kddcup(&good.replacen(",1", "", 1))
            .contains("line 1, field 41: is `normal.`, allowed: a number")
    );
}
