//! Does a what-if study cover every combination, resume after a stop, and name what it cannot vary?

use crate::program::{json, refused, refuses, stdout, words};
use std::time::Duration;

const SMALL: &str = "whatif --engine analytical --vary l1=16,32,48,64 --vary threads=32,256,1024";

#[test]
fn every_combination_has_a_line_in_order() {
    let text = stdout(&format!("{SMALL} --vary stack-dim=1..2 --format csv"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 4 * 3 * 2);
    for (line, begin) in [(1, "sextic,rpn,1,0,32,16,"), (2, "sextic,rpn,2,0,32,16,")] {
        assert!(lines[line].starts_with(begin), "{}", lines[line]);
    }
    let study = json(SMALL);
    let rows = study["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4 * 3);
    for row in rows {
        assert!(row["gpops_billion"].as_f64().unwrap() > 1.0);
    }
    assert_eq!(study["provenance"]["engine"], "analytical");
}

#[test]
fn a_study_file_is_the_same_as_a_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("study.toml");
    let text = "engine = \"analytical\"\n[base]\nkernel = \"lgp\"\n[vary]\nclock = \"900..1000+50\"\nthreads = [64, 128]\n";
    std::fs::write(&file, text).unwrap();
    let from_file = stdout(&format!("whatif --study {}", file.display()));
    let from_line = stdout(
        "whatif --engine analytical --vary kernel=lgp --vary clock=900..1000+50 --vary threads=64,128",
    );
    assert_eq!(from_file, from_line);
    assert_eq!(from_file.lines().count(), 2 + 6);
}

#[test]
fn what_cannot_run_has_a_reason_instead_of_a_speed() {
    let text = stdout("whatif --engine analytical --vary stack-dim=6,7 --vary threads=64");
    let impossible = text.lines().last().unwrap();
    assert!(impossible.contains("second dimension: given 7"), "{text}");
}

/// A study of some thousand points.
const LARGE: &str = "whatif --engine analytical --jobs 1 --vary clock=500..1500+2 --vary threads=64,128,256,512 --vary stack_dim=1..3 --out";

#[test]
fn a_study_that_is_killed_goes_on_and_ends_with_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, killed, journal] =
        ["whole.csv", "killed.csv", "killed.csv.journal"].map(|name| folder.path().join(name));
    stdout(&format!("{LARGE} {}", whole.display()));
    let line = format!("{LARGE} {}", killed.display());
    let mut stops = 0;
    for lines in [2, 900, 2500] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("warpstack"))
            .args(words(&line))
            .spawn()
            .unwrap();
        let written = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        while written() < lines {
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
    stdout(&line);
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
    let other = "{\"study\":\"x\",\"points\":1}\n";
    std::fs::write(folder.path().join("out.csv.journal"), other).unwrap();
    let line = format!("{SMALL} --out {}", out.display());
    refused(&line, &["another study", "out.csv.journal"]);
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
        refused(
            &format!("whatif --engine analytical --vary {vary}"),
            &[part, "allowed"],
        );
    }
    refuses(&[
        ("whatif --vary threads=64 --heatmap x.svg", "--heatmap"),
        ("whatif --vary threads=64 --part 9/8", "9/8"),
    ]);
}

#[test]
fn charts_show_every_point_and_mark_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let [curves, map] = ["curves.svg", "map.svg"].map(|name| folder.path().join(name));
    let (shown, best) = (curves.display(), map.display());
    stdout(&format!("{SMALL} --chart {shown} --heatmap {best}"));
    let curves = std::fs::read_to_string(curves).unwrap();
    // Twelve points and one mark per curve in the legend.
    assert_eq!(curves.matches("<circle").count(), 12 + 3);
    assert!(curves.contains("L1 size (KiB)") && curves.contains("threads 1024"));
    let map = std::fs::read_to_string(map).unwrap();
    assert!(map.contains("Best:") && map.contains("threads per block"));
}

#[test]
fn curves_have_bands_where_launches_like_them_were_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("curves.svg");
    let bands = |vary: &str| {
        let line = format!("whatif --engine analytical --vary threads=64,128 {vary}");
        stdout(&format!("{line} --chart {}", path.display()));
        std::fs::read_to_string(&path)
            .unwrap()
            .matches("<polygon")
            .count()
    };
    assert_eq!(bands("--vary kernel=rpn,lgp"), 2);
    // A machine that nobody measured, and more curves than bands can be told apart.
    assert_eq!(bands("--vary clock=900"), 0);
    assert_eq!(bands("--vary stack-dim=1..4"), 0);
}

/// For every kernel, with defaults and with another block size, a study's row equals the prediction of `predict`, and that of the
/// library where it has the kernel.
#[test]
fn a_study_predicts_what_simulate_and_the_library_predict() {
    let h200 = warpstack::Preset::load("h200").unwrap().device;
    let library = warpstack::Predictor::new(h200).with_engine(warpstack::EngineKind::Analytical);
    for (kernel, more) in [
        ("rpn", ""),
        ("lgp", ""),
        ("lgp-vector", ""),
        ("lgp-registers", ""),
        ("accumulator", ""),
        ("blockgp", " --population 64"),
        ("threadgp", " --population 64"),
        ("submachine", " --population 4096"),
        ("gpocl-ppcu", " --population 64 --cases 100"),
    ] {
        let common = format!("--engine analytical --device h200 --kernel {kernel}{more}");
        let varied = match kernel {
            "gpocl-ppcu" => "cases=100,200",
            _ => "threads=64,128",
        };
        let study = json(&format!("whatif {common} --vary {varied}"));
        let usual = json(&format!("whatif {common} --vary l1=124"));
        let mut rows = study["rows"].as_array().unwrap().clone();
        rows.extend(usual["rows"].as_array().unwrap().clone());
        let (key, values) = varied.split_once('=').unwrap();
        let mut options: Vec<String> = values.split(',').map(|v| format!("{key} {v}")).collect();
        options.push("l1 124".into());
        for (row, option) in rows.iter().zip(options) {
            let common = common.replace(" --cases 100", "");
            let cases = if key == "cases" && option.starts_with("l1") {
                " --cases 100"
            } else {
                ""
            };
            let found = json(&format!("predict {common}{cases} --{option}"));
            assert_eq!(
                row["gpops_billion"], found["gpops_billion"],
                "{kernel}, {option}"
            );
            let launched = &found["configuration"];
            for column in ["stack_dim", "stack_registers", "threads"] {
                assert_eq!(
                    row[column], launched[column],
                    "{kernel}, {option}: {column}"
                );
            }
        }
        let is_chittys = warpstack::Kernel::ALL.iter().any(|id| id.name() == kernel);
        if is_chittys {
            let launch = warpstack::LaunchOptions::of(kernel).with(warpstack::Size::L1Kib, 124);
            let found = library.predict(&launch).unwrap().gpops_billion;
            assert_eq!(rows[2]["gpops_billion"], found, "{kernel}");
        }
    }
}
