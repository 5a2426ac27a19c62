//! Does a what-if study cover every combination, go on after it was stopped, and name what it cannot do?

use assert_cmd::Command;
use std::path::Path;
use std::time::{Duration, Instant};

fn warpstack(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("warpstack")
        .unwrap()
        .args(args)
        .output()
        .unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = warpstack(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(args: &[&str]) -> String {
    let output = warpstack(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

const SMALL: [&str; 7] = [
    "whatif",
    "--engine",
    "model",
    "--vary",
    "l1=16,32,48,64",
    "--vary",
    "threads=32,256,1024",
];

#[test]
fn every_combination_has_a_line_in_order() {
    let csv = ["--vary", "stack-dim=1..2", "--format", "csv"];
    let text = stdout(&[&SMALL[..], &csv].concat());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 4 * 3 * 2);
    assert!(
        lines[1].starts_with("sextic,rpn,1,0,32,16,"),
        "{}",
        lines[1]
    );
    assert!(
        lines[2].starts_with("sextic,rpn,2,0,32,16,"),
        "{}",
        lines[2]
    );
    let study = stdout(&[&SMALL[..], &["--format", "json"]].concat());
    let study: serde_json::Value = serde_json::from_str(&study).unwrap();
    let rows = study["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4 * 3);
    for row in rows {
        assert!(row["gpops_billion"].as_f64().unwrap() > 1.0);
    }
    assert_eq!(study["provenance"]["engine"], "model");
}

#[test]
fn a_study_file_is_the_same_as_a_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("study.toml");
    let text = "engine = \"model\"\n[base]\nkernel = \"lgp\"\n[vary]\nclock = \"900..1000+50\"\nthreads = [64, 128]\n";
    std::fs::write(&file, text).unwrap();
    let from_file = stdout(&["whatif", "--study", file.to_str().unwrap()]);
    let from_line = stdout(&[
        "whatif",
        "--engine",
        "model",
        "--vary",
        "kernel=lgp",
        "--vary",
        "clock=900..1000+50",
        "--vary",
        "threads=64,128",
    ]);
    assert_eq!(from_file, from_line);
    assert_eq!(from_file.lines().count(), 2 + 6);
}

#[test]
fn what_cannot_run_has_a_reason_instead_of_a_speed() {
    let text = stdout(&[
        "whatif",
        "--engine",
        "model",
        "--vary",
        "stack-dim=6,7",
        "--vary",
        "threads=64",
    ]);
    let impossible = text.lines().last().unwrap();
    assert!(
        impossible.contains("second dimension: given 7"),
        "{impossible}"
    );
}

/// A study of some thousand points.
fn large(out: &Path) -> Vec<String> {
    [
        "whatif",
        "--engine",
        "model",
        "--jobs",
        "1",
        "--vary",
        "clock=500..1500+2",
        "--vary",
        "threads=64,128,256,512",
        "--vary",
        "stack_dim=1..3",
        "--out",
    ]
    .iter()
    .map(|part| (*part).to_owned())
    .chain([out.display().to_string()])
    .collect()
}

#[test]
fn a_study_that_is_killed_goes_on_and_ends_with_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, killed) = (
        folder.path().join("whole.csv"),
        folder.path().join("killed.csv"),
    );
    let run = |out: &Path| stdout(&large(out).iter().map(String::as_str).collect::<Vec<_>>());
    run(&whole);
    let journal = folder.path().join("killed.csv.journal");
    let mut stops = 0;
    for lines in [2, 900, 2500] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("warpstack"))
            .args(large(&killed))
            .spawn()
            .unwrap();
        let patience = Instant::now();
        let written = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        while written() < lines && patience.elapsed() < Duration::from_secs(120) {
            if child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        let _ = child.wait();
        stops += usize::from(journal.exists());
    }
    assert!(stops > 0, "no run was stopped half-way");
    run(&killed);
    assert_eq!(
        std::fs::read(&whole).unwrap(),
        std::fs::read(&killed).unwrap()
    );
    assert!(!journal.exists());
}

#[test]
fn a_journal_of_another_study_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.csv");
    std::fs::write(
        folder.path().join("out.csv.journal"),
        "{\"study\":\"x\",\"points\":1}\n",
    )
    .unwrap();
    let out = out.to_str().unwrap();
    let message = refusal(&[&SMALL[..], &["--out", out]].concat());
    assert!(
        message.contains("another study") && message.contains("out.csv.journal"),
        "{message}"
    );
}

#[test]
fn mistakes_are_named() {
    for (vary, part) in [
        ("l1=5000", "l1 (KiB): given \"5000\""),
        ("l1_bytes=16K", "l1 (in KiB)"),
        ("warps=3", "\"warps\""),
        ("smx=0", "chip.n_smx"),
        ("problem=chess", "chess"),
        ("kernel=forth", "forth"),
        ("threads=9..3", "smaller value first"),
    ] {
        let message = refusal(&["whatif", "--engine", "model", "--vary", vary]);
        assert!(
            message.contains(part) && message.contains("allowed"),
            "{vary}: {message}"
        );
    }
    let message = refusal(&["whatif", "--vary", "threads=64", "--heatmap", "x.svg"]);
    assert!(message.contains("--heatmap"), "{message}");
}

#[test]
fn charts_show_every_point_and_mark_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let (curves, map) = (
        folder.path().join("curves.svg"),
        folder.path().join("map.svg"),
    );
    stdout(
        &[
            &SMALL[..],
            &[
                "--chart",
                curves.to_str().unwrap(),
                "--heatmap",
                map.to_str().unwrap(),
            ],
        ]
        .concat(),
    );
    let curves = std::fs::read_to_string(curves).unwrap();
    // Twelve points and one mark per curve in the legend.
    assert_eq!(curves.matches("<circle").count(), 12 + 3);
    assert!(curves.contains("L1 size (KiB)") && curves.contains("threads 1024"));
    let map = std::fs::read_to_string(map).unwrap();
    assert!(map.contains("Best:") && map.contains("threads per block"));
}
