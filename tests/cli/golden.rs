//! Did the output change? `WARPSTACK_UPDATE_GOLDEN=1` writes the expected output anew; read it before committing.
//!
//! The files lie under `fixtures/golden/`.

use assert_cmd::Command;
use std::path::PathBuf;

/// Runs the program and compares its standard output with a golden file.
fn golden(name: &str, args: &[&str]) {
    let output = Command::cargo_bin("warpstack")
        .unwrap()
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    let path = PathBuf::from("fixtures/golden").join(name);
    if std::env::var_os("WARPSTACK_UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all("fixtures/golden").unwrap();
        std::fs::write(&path, &output.stdout).unwrap();
        return;
    }
    let expected = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; see the head of this file", path.display()));
    let (expected, got) = (
        String::from_utf8_lossy(&expected),
        String::from_utf8_lossy(&output.stdout),
    );
    assert_eq!(got, expected, "{args:?} changed; see the head of this file");
}

#[test]
fn occupancy_table() {
    golden(
        "occupancy-36-registers.txt",
        &["occupancy", "--registers", "36", "--shared", "400"],
    );
}

#[test]
fn list_of_devices() {
    golden("devices.txt", &["devices"]);
}

#[test]
fn table_3_of_the_sextic_problem() {
    let args = ["reproduce", "--table", "3", "--problem", "sextic"];
    golden(
        "table3-sextic.csv",
        &[&args[..], &["--format", "csv"]].concat(),
    );
}
