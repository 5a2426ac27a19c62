//! Does every command print its data as a table, as CSV and as JSON, and say where the figures come from?

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn run(args: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("warpstack").unwrap();
    command.args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn stderr_of_refusal(args: &[&str]) -> String {
    let output = run(args);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

/// What is known of a prediction.
const PREDICTED: [&str; 6] = [
    "device",
    "architecture",
    "engine",
    "population_seed",
    "math",
    "weighting",
];

/// Commands that print data, and what their provenance has besides the version.
const COMMANDS: [(&str, &[&str]); 16] = [
    ("simulate --engine model", &PREDICTED),
    (
        "simulate --engine model --device g80 --kernel blockgp --problem mux6 --population 100",
        &PREDICTED,
    ),
    ("explain --engine model --against threads=64", &PREDICTED),
    ("annotate --threads 64", &PREDICTED),
    ("advise --engine model --kernel rpn", &PREDICTED),
    ("occupancy --registers 26", &["device"]),
    (
        "occupancy --kernel lgp",
        &["device", "architecture", "math", "weighting"],
    ),
    ("trace --program X1", &["architecture", "math"]),
    ("whatif --engine model --vary l1=16,48", &PREDICTED),
    ("sweep --engine model", &PREDICTED),
    ("reproduce --table 3 --engine model", &PREDICTED),
    (
        "validate --rows 2 --engine model",
        &["device", "architecture", "engine"],
    ),
    (
        "compare --table 3 --every 12",
        &["device", "architecture", "sampling_seed"],
    ),
    ("stacks --problem sextic", &[]),
    (
        "langdon --problem mux6 --population 64 --generations 2",
        &[],
    ),
    ("devices --arch sm_90", &[]),
];

#[test]
fn every_command_has_three_formats_and_says_where_its_figures_come_from() {
    for (command, known) in COMMANDS {
        let words: Vec<&str> = command.split(' ').collect();
        let with = |format| stdout(&[&words[..], &["--format", format]].concat());
        let json: Value = serde_json::from_str(&with("json")).unwrap();
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
    let written = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        stdout(&[&["problems", "--out", path.to_str().unwrap()], more].concat());
        std::fs::read_to_string(path).unwrap()
    };
    assert!(written("x.csv", &[]).starts_with("problem,functions,"));
    assert!(written("x.json", &[]).starts_with("{\"provenance\""));
    assert!(written("x.txt", &[]).starts_with("  problem "));
    assert!(written("y.csv", &["--format", "json"]).starts_with('{'));
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
    let listed: Value = serde_json::from_str(&stdout(&["kernels", "--format", "json"])).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for row in listed["rows"].as_array().unwrap() {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let of_paper = row["shape"].is_null();
        seen.insert((text("kernel"), text("architecture"), of_paper));
    }
    assert!(seen.len() > 20, "{seen:?}");
    for (kernel, arch, of_paper) in &seen {
        // Its usual problem; few programs where they have to be made.
        let args = ["simulate", "--engine", "model", "--kernel", kernel];
        let on = [&args[..], &["--device", device(arch)]].concat();
        let few: &[&str] = if *of_paper {
            &["--population", "64"]
        } else {
            &[]
        };
        let printed = stdout(&[&on[..], few].concat());
        assert!(printed.contains(kernel.as_str()), "{kernel} on {arch}");
    }
}

#[test]
fn lists_fit_100_columns_and_filter() {
    for list in [
        "kernels",
        "devices",
        "devices h200 --kind documented",
        "devices zen5",
    ] {
        let words: Vec<&str> = list.split(' ').collect();
        for line in stdout(&words).lines() {
            let width = line.chars().count();
            // An address cannot be broken.
            assert!(
                width <= 100 || !line.trim().contains(' '),
                "{width}: {line}"
            );
        }
    }
    let filtered = ["kernels", "--problem", "Sextic", "--arch", "sm_90"];
    let filtered = stdout(&[&filtered[..], &["--kernel", "lgp", "--format", "csv"]].concat());
    let rows: Vec<&str> = filtered.lines().skip(1).collect();
    assert_eq!(rows.len(), 12, "{filtered}");
    assert!(rows.iter().all(|row| row.starts_with("lgp,sextic,sm_90,")));
    let none = ["kernels", "--kernel", "accumulator", "--arch", "sm_35"];
    assert!(stderr_of_refusal(&none).contains("accumulator, sm_35"));
    assert!(!stdout(&["devices", "--arch", "sm_90"]).contains("gtx670"));
}

#[test]
fn a_kernels_occupancy_is_that_of_its_prediction() {
    let of = |command: &str| {
        let words: Vec<&str> = command.split(' ').collect();
        let text = stdout(&[&words[..], &["--format", "json"]].concat());
        serde_json::from_str::<Value>(&text).unwrap()
    };
    for launch in [
        "lgp --stack-dim 6 --threads 640",
        "rpn --threads 256 --problem kddcup",
    ] {
        let listed = of(&format!("occupancy --kernel {launch}"));
        let predicted = of(&format!("simulate --engine model --kernel {launch}"));
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
    assert!(stdout(&["occupancy", "--device", "h200", "--registers", "32"]).contains("100.0"));
}

#[test]
fn a_name_that_is_nearly_right_is_answered_with_the_right_one() {
    for (args, meant) in [
        (&["simulate", "--kernel", "lgp-vektor"][..], "lgp-vector"),
        (&["simulate", "--kernel", "lpg"], "lgp"),
        (&["simulate", "--problem", "sextik"], "sextic"),
        (
            &["reproduce", "--table", "3", "--problem", "sextic,shutle"],
            "shuttle",
        ),
        (&["devices", "h20"], "h200"),
        (&["devices", "--arch", "sm90"], "sm_90"),
        (&["whatif", "--device", "gtx760"], "gtx670"),
        (&["simulate", "--thread", "64"], "--threads"),
        (&["simulat"], "simulate"),
    ] {
        let message = stderr_of_refusal(args);
        assert!(
            message.contains(&format!("did you mean {meant}?")),
            "{message}"
        );
    }
    assert!(!stderr_of_refusal(&["simulate", "--kernel", "forth"]).contains("did you mean"));
    let script = stdout(&["completions", "bash"]);
    for name in ["lgp-registers", "mux20", "rtx4090", "sm_89"] {
        assert!(script.contains(name), "{name}");
    }
}

#[test]
fn help_shows_an_example_and_groups() {
    let help = stdout(&["simulate", "--help"]);
    for part in [
        "Launch:",
        "Model:",
        "Programs and code:",
        "Output:",
        "Example:\n  warpstack simulate",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
    let help = stdout(&["--help"]);
    for part in [
        "Predict and explain:",
        "Compare with what was measured:",
        "--jobs",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

#[test]
fn checks_come_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let itself = folder.path().to_str().unwrap();
    for command in [
        "whatif --vary threads=64",
        "slurm --study x.toml --tasks 2",
        "advise",
        "explain",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let message = stderr_of_refusal(&[&words[..], &["--out", itself]].concat());
        assert!(message.contains(itself), "{message}");
    }
    let kept = path("kept.csv");
    std::fs::write(&kept, "x").unwrap();
    let mut permissions = std::fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&kept, permissions).unwrap();
    let message = stderr_of_refusal(&["simulate", "--out", &kept]);
    assert!(message.contains("kept.csv"), "{message}");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "x");
    let large = "export --to perfetto --blocks 400 --iterations 500 --cycles 99999999";
    let words: Vec<&str> = large.split(' ').collect();
    let timeline = path("timeline.json");
    let message = stderr_of_refusal(&[&words[..], &["--out", &timeline]].concat());
    assert!(
        message.contains("at most 2000000") && message.contains("--cycles"),
        "{message}"
    );
    let into_file = ["export", "--to", "accel-sim", "--out", &kept];
    assert!(stderr_of_refusal(&into_file).contains("kept.csv"));
    assert!(!Path::new(&timeline).exists());
}
