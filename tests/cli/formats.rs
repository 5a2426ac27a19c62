//! Does every command print its data as a table, as CSV and as JSON, with its provenance?

use crate::program::{json, refused, refuses, stdout};
use serde_json::Value;
use std::path::Path;

/// Provenance fields of a prediction.
const PREDICTED: [&str; 7] = [
    "device",
    "validated",
    "architecture",
    "engine",
    "program_seed",
    "math",
    "weighting",
];

/// Commands that print data, and what their provenance has besides the version.
const COMMANDS: &[(&str, &[&str])] = &[
    ("predict --engine analytical", &PREDICTED),
    (
        "predict --engine analytical --device g80 --kernel blockgp --problem mux6 --population 100",
        &PREDICTED,
    ),
    (
        "explain --engine analytical --against threads=64",
        &PREDICTED,
    ),
    ("explain --per-instruction --threads 64", &PREDICTED),
    ("advise --engine analytical --kernel rpn", &PREDICTED),
    ("occupancy --registers 26", &["device"]),
    (
        "occupancy --kernel lgp",
        &["device", "architecture", "math", "weighting"],
    ),
    ("trace --program X1", &["architecture", "math"]),
    ("whatif --engine analytical --vary l1=16,48", &PREDICTED),
    ("reproduce --table 3 --engine analytical", &PREDICTED),
    (
        "validate --limit 2 --engine analytical",
        &["device", "architecture", "engine"],
    ),
    ("reproduce --table 5,6 --problem sextic", &[]),
    ("list devices --arch sm_90", &[]),
];

#[test]
fn every_command_has_three_formats_and_says_where_its_figures_come_from() {
    for &(command, known) in COMMANDS {
        let with = |format| stdout(&format!("{command} --format {format}"));
        let json = json(command);
        let provenance = &json["provenance"];
        assert_eq!(
            provenance["version"],
            env!("CARGO_PKG_VERSION"),
            "{command}"
        );
        let csv = with("csv");
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let header = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert!(!rows.is_empty(), "{command}");
        for name in known.iter().chain(&["version"]) {
            let at = header.iter().position(|column| column == *name);
            let at = at.unwrap_or_else(|| panic!("{command}: no column {name}: {header:?}"));
            let said = match &provenance[*name] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert!(rows.iter().all(|row| row[at] == said), "{command}: {name}");
        }
        if let Some(records) = json["rows"].as_array() {
            assert_eq!(records.len(), rows.len(), "{command}");
        }
        let names = header.iter();
        let wrong: Vec<&str> = names
            .filter(|name| {
                ["threads_per_block", "l1_kib", "l1_bytes"].contains(name)
                    || name.contains([' ', '-'])
            })
            .collect();
        assert!(wrong.is_empty(), "{command}: {wrong:?}");
        let table = with("table");
        assert!(!table.starts_with('{') && table != csv, "{command}");
    }
}

#[test]
fn the_ending_of_the_file_decides_the_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, more, begin) in [
        ("x.csv", "", "problem,functions,"),
        ("x.json", "", "{\"provenance\""),
        ("x.txt", "", "  problem "),
        ("y.csv", "--format json", "{"),
    ] {
        let path = folder.path().join(name);
        stdout(&format!("list problems --out {} {more}", path.display()));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with(begin), "{name}");
    }
}

/// A device with machine code of each architecture.
fn device(arch: &str) -> &'static str {
    match arch {
        "sm_35" => "gtx670",
        "sm_75" => "t4",
        "sm_80" => "a100",
        "sm_86" => "rtx3090",
        "sm_89" => "rtx4090",
        "sm_90" => "h200",
        other => panic!("{other}"),
    }
}

#[test]
fn every_kernel_that_is_listed_runs() {
    let listed = json("list kernels");
    let mut seen = std::collections::BTreeSet::new();
    for row in listed["rows"].as_array().unwrap() {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let of_paper = row["shape"].is_null();
        seen.insert((text("kernel"), text("architecture"), of_paper));
    }
    assert!(seen.len() > 20, "{seen:?}");
    for (kernel, arch, of_paper) in &seen {
        // Its usual problem; few programs where they have to be made.
        let few = if *of_paper { "--population 64" } else { "" };
        let device = device(arch);
        let printed = stdout(&format!(
            "predict --engine analytical --kernel {kernel} --device {device} {few}"
        ));
        assert!(printed.contains(kernel.as_str()), "{kernel} on {arch}");
    }
}

#[test]
fn lists_fit_100_columns_and_filter() {
    for list in [
        "list kernels",
        "list devices",
        "list devices h200 --kind documented",
    ] {
        for line in stdout(list).lines() {
            let width = line.chars().count();
            // An address cannot be broken.
            assert!(
                width <= 100 || !line.trim().contains(' '),
                "{width}: {line}"
            );
        }
    }
    let filtered = stdout("list kernels lgp --problem Sextic --arch sm_90 --format csv");
    let rows: Vec<&str> = filtered.lines().skip(1).collect();
    assert_eq!(rows.len(), 12, "{filtered}");
    assert!(rows.iter().all(|row| row.starts_with("lgp,sextic,sm_90,")));
    refuses(&[(
        "list kernels accumulator --arch sm_35",
        "accumulator, sm_35",
    )]);
    assert!(!stdout("list devices --arch sm_90").contains("gtx670"));
}

#[test]
fn a_kernels_occupancy_is_that_of_its_prediction() {
    for launch in [
        "lgp --stack-dim 6 --threads 640",
        "rpn --threads 256 --problem kddcup",
    ] {
        let listed = json(&format!("occupancy --kernel {launch}"));
        let predicted = json(&format!("predict --engine analytical --kernel {launch}"));
        let row = &listed["rows"][0];
        assert_eq!(row["blocks"], predicted["occupancy"]["blocks"], "{launch}");
        assert_eq!(row["registers"], predicted["block"]["registers_per_thread"]);
        assert_eq!(
            row["shared_bytes"],
            predicted["block"]["shared_bytes_per_block"]
        );
        assert_eq!(row["l1"], predicted["l1"], "{launch}");
    }
    // Without --l1 as the device divides its memory.
    assert!(stdout("occupancy --device h200 --registers 32").contains("100.0"));
}

#[test]
fn a_name_that_is_nearly_right_is_answered_with_the_right_one() {
    for (line, meant) in [
        ("predict --kernel lgp-vektor", "lgp-vector"),
        ("predict --kernel lpg", "lgp"),
        ("predict --problem sextik", "sextic"),
        ("reproduce --table 3 --problem sextic,shutle", "shuttle"),
        ("list devices h20", "h200"),
        ("list devices --arch sm90", "sm_90"),
        ("whatif --device gtx760", "gtx670"),
        ("predict --thread 64", "--threads"),
        ("predct", "predict"),
    ] {
        refused(line, &[&format!("did you mean {meant}?")]);
    }
    assert!(!refused("predict --kernel forth", &[]).contains("did you mean"));
    let script = stdout("generate completions bash");
    for name in ["lgp-registers", "mux20", "rtx4090", "sm_89"] {
        assert!(script.contains(name), "{name}");
    }
}

#[test]
fn help_shows_an_example_and_groups() {
    for (line, parts) in [
        (
            "predict --help",
            &[
                "Launch:",
                "Model:",
                "Programs and code:",
                "Output:",
                "Example:\n  warpstack predict",
            ][..],
        ),
        (
            "--help",
            &["Predict:", "Compare with measurements:", "--jobs"],
        ),
    ] {
        let help = stdout(line);
        for part in parts {
            assert!(help.contains(part), "{part}: {help}");
        }
    }
}

#[test]
fn checks_come_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let itself = folder.path().to_str().unwrap();
    for command in ["whatif --vary threads=64", "advise", "explain"] {
        refused(&format!("{command} --out {itself}"), &[itself]);
    }
    let kept = format!("{itself}/kept.csv");
    std::fs::write(&kept, "x").unwrap();
    let mut permissions = std::fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&kept, permissions).unwrap();
    for command in ["predict", "export accel-sim"] {
        refused(&format!("{command} --out {kept}"), &["kept.csv"]);
    }
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "x");
    let timeline = format!("{itself}/timeline.json");
    let large = "export perfetto --blocks 400 --iterations 500 --cycles 99999999";
    refused(
        &format!("{large} --out {timeline}"),
        &["at most 2000000", "--cycles"],
    );
    assert!(!Path::new(&timeline).exists());
}
