//! Does a user's way to a custom preset work: start one, list its unknown values, refit them from measured rows?

use crate::program::{json, refused, refuses, succeeds};
use std::path::Path;
use warpstack::device::{Kind, Preset, Validated};

const ROWS: &str = "fixtures/measured/h200/fresh/1-mux20-evolved.csv";
const PROGRAMS: &str = "fixtures/measured/programs/fresh/1-mux20-evolved.txt";
const CALIBRATE: &str =
    "calibrate --engine analytical --programs fixtures/measured/programs/fresh/1-mux20-evolved.txt";
/// Presets of cards that the project has not measured.
const NEVER: [&str; 4] = ["t4", "a100", "rtx3090", "rtx4090"];

/// Standard output and standard error of a command that succeeds.
fn both(line: &str) -> [String; 2] {
    let output = succeeds(line);
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
}

/// The first line of a text with `part`.
fn line_with<'a>(text: &'a str, part: &str) -> &'a str {
    let found = text.lines().find(|line| line.contains(part));
    found.unwrap_or_else(|| panic!("no {part}: {text}"))
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_devices_file_under_another_name_predicts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["h200", "gtx670", "t4"] {
        let [text, _] = both(&format!("list devices {name} --toml"));
        assert_eq!(text, Preset::text(name).unwrap());
        let file = path(folder.path(), &format!("my-{name}.toml"));
        let renamed = text.replacen(&format!("name = \"{name}\""), "name = \"mine\"", 1);
        std::fs::write(&file, renamed).unwrap();
        assert_eq!(Preset::load(&file).unwrap().device.name, "mine");
        let speed = |device: &str| {
            let line = format!("predict --engine analytical --threads 128 --device {device}");
            json(&line)["gpops_billion"].clone()
        };
        assert!(speed(&file).is_number());
        assert_eq!(speed(&file), speed(name), "{name}");
    }
    refuses(&[
        ("list devices h2000 --toml", "h2000|allowed: gtx670"),
        ("list devices hd5750 --toml", "hd5750"),
        ("list devices h200 --toml --kind fitted", "--toml|--kind"),
    ]);
}

#[test]
fn what_was_never_validated_says_so_wherever_it_is_used() {
    let [list, _] = both("list devices");
    let simulated = |name: &str| {
        let [_, notes] = both(&format!(
            "predict --engine analytical --device {name} --threads 128"
        ));
        notes.matches("never validated").count()
    };
    for name in NEVER {
        let preset = Preset::load(name).unwrap();
        assert_eq!(preset.device.validated, Validated::Never);
        let mut lines = list.lines();
        let line = lines.find(|line| line.trim_start().starts_with(name));
        assert!(line.unwrap().ends_with("never"), "{line:?}");
        let [values, _] = both(&format!("list devices {name} --kind assumed"));
        let head = values.lines().next().unwrap();
        assert!(head.contains("never validated"), "{values}");
        assert_eq!(simulated(name), 1, "{name}");
    }
    assert_eq!(simulated("h200"), 0);
}

#[test]
fn every_kernel_of_a_card_is_predicted_and_others_are_refused() {
    for (name, code) in [
        ("t4", "sm_75"),
        ("a100", "sm_80"),
        ("rtx3090", "sm_86"),
        ("rtx4090", "sm_89"),
    ] {
        let device = format!("predict --engine analytical --device {name} --kernel");
        for kernel in ["rpn", "lgp"] {
            for problem in ["sextic", "mux20"] {
                succeeds(&format!("{device} {kernel} --problem {problem}"));
            }
        }
        refused(&format!("{device} accumulator"), &[code, "lgp, rpn"]);
        refused(&format!("{device} gpocl-ppcu"), &[code, "sm_35, sm_90"]);
    }
}

/// Returns the H200's preset with one value marked unknown and far off.
fn spoilt(folder: &Path) -> String {
    let text = Preset::text("h200").unwrap();
    let line = line_with(&text, "taken_branch_cycles = ");
    let spoilt = line
        .replace("value = 5", "value = 48")
        .replace("\"measured\"", "\"assumed\"");
    assert_ne!(line, spoilt);
    let file = path(folder, "spoilt.toml");
    std::fs::write(&file, text.replace(line, &spoilt)).unwrap();
    file
}

/// Returns the mean errors of half of the rows, with the preset and refitted.
fn errors(text: &str, split: &str) -> (f64, f64) {
    let words = line_with(text, split).split_whitespace();
    let means: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    assert_eq!(means.len(), 3, "launches, before, after: {text}");
    (means[1], means[2])
}

#[test]
fn what_is_not_known_is_refitted_on_the_calibration_rows_and_the_others_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (device, out) = (spoilt(folder.path()), path(folder.path(), "refitted.toml"));
    let line = format!("{CALIBRATE} --measured {ROWS} --device {device} --out {out}");
    let [text, _] = both(&line);
    for split in ["fitted on", "not seen"] {
        let (before, after) = errors(&text, split);
        assert!(after < 0.7 * before, "{text}");
    }
    assert!(
        text.contains("[latency]\ntaken_branch_cycles = { value = "),
        "{text}"
    );
    assert!(
        text.contains("kind = \"fitted\"") && text.contains("before: 48 (assumed)"),
        "{text}"
    );
    let (before, after) = (Preset::load(&device).unwrap(), Preset::load(&out).unwrap());
    for (old, new) in before.entries.iter().zip(&after.entries) {
        let unknown = matches!(old.kind, Kind::Assumed | Kind::Fitted);
        assert!(
            old == new || (unknown || old.key() == "chip.clock_mhz") && new.kind == Kind::Fitted,
            "{old:?} {new:?}"
        );
    }
    assert!(
        text.contains(" rows, ") && text.contains(" launches: 0 rows merged"),
        "{text}"
    );
    // The same rows, the same answer.
    assert_eq!(both(&line)[0], text);
}

/// Measured times that a card with another clock and two other latencies would have: the fit moves all three the right way.
#[test]
fn a_hidden_truth_is_found_with_the_right_signs() {
    let folder = tempfile::tempdir().unwrap();
    let changed = |name: &str, changes: &[(&str, &str, &str)]| {
        let mut text = Preset::text("h200").unwrap().to_string();
        for (field, from, to) in changes {
            let line = line_with(&text, field).to_owned();
            assert!(line.contains(from), "{line}");
            text = text.replace(&line, &line.replace(from, to));
        }
        let file = path(folder.path(), name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let unknown = ["taken_branch_cycles = ", "hit_latency_cycles = "];
    let kinds = unknown.map(|field| (field, "\"measured\"", "\"assumed\""));
    let base = changed("base.toml", &kinds);
    let truth = changed(
        "truth.toml",
        &[
            ("clock_mhz = ", "1980", "1782"),
            ("taken_branch_cycles = ", "value = 5", "value = 8"),
            ("hit_latency_cycles = ", "value = 41", "value = 57"),
        ],
    );
    let [times, _] = both(&format!(
        "validate --device {truth} --any-card --measured {ROWS} --programs {PROGRAMS} --limit 0 --engine analytical --format csv"
    ));
    let column = |reader: &mut csv::Reader<&[u8]>, name: &str| {
        let header = reader.headers().unwrap();
        header.iter().position(|one| one == name).unwrap()
    };
    let mut times = csv::Reader::from_reader(times.as_bytes());
    let at = column(&mut times, "predicted_ms");
    let rows = std::fs::read_to_string(ROWS).unwrap();
    let mut rows = csv::Reader::from_reader(rows.as_bytes());
    let time = column(&mut rows, "median_ms");
    let file = path(folder.path(), "rows.csv");
    let mut out = csv::Writer::from_path(&file).unwrap();
    out.write_record(rows.headers().unwrap()).unwrap();
    for (row, predicted) in rows.records().zip(times.records()) {
        let mut fields: Vec<String> = row.unwrap().iter().map(str::to_owned).collect();
        fields[time] = predicted.unwrap()[at].to_owned();
        out.write_record(&fields).unwrap();
    }
    out.flush().unwrap();
    let found = path(folder.path(), "found.toml");
    let [text, _] = both(&format!(
        "{CALIBRATE} --measured {file} --device {base} --out {found}"
    ));
    let device = Preset::load(&found).unwrap().device;
    assert!((1683.0..1900.0).contains(&device.chip.clock_mhz), "{text}");
    assert!(device.latency.taken_branch_cycles > 5, "{text}");
    assert!(device.l1.hit_latency_cycles > 41, "{text}");
    let (before, after) = errors(&text, "not seen");
    assert!(after < before / 3.0, "{text}");
    assert!(text.contains("a clock of 1"), "{text}");
}

#[test]
fn a_calibration_that_cannot_be_is_refused_in_one_line() {
    let refused = |rows: &str, more: &str, parts: &str| {
        refuses(&[(
            &format!("{CALIBRATE} --measured {rows} --device {more}"),
            parts,
        )]);
    };
    refused(
        ROWS,
        "h200 --math fast",
        "--math: given with --measured; allowed with it",
    );
    refused(ROWS, "t4", "NVIDIA H200|--any-card");
    refused(ROWS, "t4 --any-card", "kernel|allowed");
    let folder = tempfile::tempdir().unwrap();
    let few = path(folder.path(), "few.csv");
    let rows = std::fs::read_to_string(ROWS).unwrap();
    let first: Vec<&str> = rows.lines().take(3).collect();
    std::fs::write(&few, first.join("\n")).unwrap();
    refused(&few, "h200", "split calibration|at least 4 and 1");
}

#[test]
fn rows_with_the_columns_names_of_earlier_versions_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(ROWS).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let header: Vec<&str> = header
        .split(',')
        .map(|name| match name {
            "threads" => "threads_per_block",
            "l1" => "l1_kib",
            other => other,
        })
        .collect();
    assert!(header.contains(&"threads_per_block") && header.contains(&"l1_kib"));
    let earlier = path(folder.path(), "earlier.csv");
    std::fs::write(&earlier, format!("{}\n{rows}", header.join(","))).unwrap();
    let validated = |rows: &str| {
        both(&format!(
            "validate --measured {rows} --programs {PROGRAMS} --limit 3 --engine analytical --format csv"
        ))
    };
    assert_eq!(validated(&earlier)[0], validated(ROWS)[0]);
}
