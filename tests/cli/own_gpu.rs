//! Does a stranger's way to a preset of their own work: start one, see what is not known of it, refit that from measured rows?

use assert_cmd::Command;
use std::path::Path;
use warpstack::device::{Device, Kind, Preset, Validated};

const ROWS: &str = "fixtures/measured/h200/fresh/1-mux20-evolved.csv";
const PROGRAMS: &str = "fixtures/measured/programs/fresh/1-mux20-evolved.txt";
/// Presets of cards that nobody of the project has measured.
const NEVER: [&str; 5] = ["t4", "a100", "rtx3090", "rtx4090", "h100"];

/// Standard output and standard error of a command that succeeds.
fn succeeds(args: &[&str]) -> (String, String) {
    let output = Command::cargo_bin("warpstack").unwrap().args(args).output();
    let output = output.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{args:?}: {}",
        text(&output.stderr)
    );
    (text(&output.stdout), text(&output.stderr))
}

/// Standard error, one line, of a command that fails.
fn refused(args: &[&str]) -> String {
    let output = Command::cargo_bin("warpstack").unwrap().args(args).output();
    let output = output.unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    message
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_new_preset_is_the_old_one_under_another_name_with_what_matters_at_its_head() {
    let folder = tempfile::tempdir().unwrap();
    for from in ["h200", "gtx670", "t4"] {
        let file = path(folder.path(), &format!("my-{from}.toml"));
        let (shown, _) = succeeds(&["devices", "new", "--from", from, &file]);
        let (new, old) = (Preset::load(&file).unwrap(), Preset::load(from).unwrap());
        assert_eq!(new.device.name, format!("my-{from}"));
        assert_eq!(new.device.validated, Validated::Never);
        // Equal values, equal predictions.
        let same = Device {
            name: new.device.name.clone(),
            title: new.device.title.clone(),
            validated: new.device.validated,
            ..old.device
        };
        assert_eq!(new.device, same);
        assert_eq!(new.entries, old.entries);
        let text = std::fs::read_to_string(&file).unwrap();
        for line in shown.lines() {
            assert!(
                text.contains(&format!("# {line}").trim_end().to_owned()),
                "{line}"
            );
        }
        assert!(shown.contains("chip.clock_mhz"), "{shown}");
    }
}

#[test]
fn the_list_is_in_order_and_the_clock_matters_as_much_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(folder.path(), "my.toml");
    let (shown, _) = succeeds(&["devices", "new", "--from", "h200", &file]);
    let change = |line: &str| -> f64 {
        let percents = line.split_whitespace().collect::<Vec<_>>();
        let number = |at: usize| percents[at].parse::<f64>().ok();
        let signs = (3..percents.len()).filter(|&at| percents[at].starts_with(['+', '-']));
        signs.filter_map(number).map(f64::abs).fold(0.0, f64::max)
    };
    let rows = shown
        .lines()
        .filter(|line| line.starts_with("  ") && line.contains(" %"));
    let changes: Vec<f64> = rows.map(change).collect();
    assert!(changes.len() > 5, "{shown}");
    assert!(changes[0] > 5.0, "{shown}");
    // The launch of the list, on the device and on one with a tenth more clock.
    let args = |clock: &'static str| {
        [
            "whatif", "--engine", "model", "--device", "h200", "--format", "csv", "--vary", clock,
        ]
    };
    let speed = |clock| {
        let (csv, _) = succeeds(&args(clock));
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let at = reader
            .headers()
            .unwrap()
            .iter()
            .position(|one| one == "gpops_billion")
            .unwrap();
        let row = reader.records().next().unwrap().unwrap();
        row[at].parse::<f64>().unwrap()
    };
    let more = 100.0 * (speed("clock=2178") / speed("clock=1980") - 1.0);
    let line = shown
        .lines()
        .find(|line| line.contains("chip.clock_mhz"))
        .unwrap();
    assert!(line.contains(&format!("{more:+.1} %")), "{more}: {line}");
}

#[test]
fn what_cannot_be_started_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(folder.path(), "my.toml");
    std::fs::write(&file, "mine").unwrap();
    let message = refused(&["devices", "new", "--from", "h200", &file]);
    assert!(
        message.contains("a file that exists; allowed: a new file NAME.toml"),
        "{message}"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let message = refused(&[
        "devices",
        "new",
        "--from",
        "h200",
        folder.path().to_str().unwrap(),
    ]);
    assert!(message.contains("a folder; allowed"), "{message}");
    let message = refused(&[
        "devices",
        "new",
        "--from",
        "h200",
        &path(folder.path(), "my.txt"),
    ]);
    assert!(message.contains("allowed: NAME.toml"), "{message}");
    let message = refused(&[
        "devices",
        "new",
        "--from",
        "h2000",
        &path(folder.path(), "a.toml"),
    ]);
    assert!(
        message.contains("unknown device \"h2000\"; allowed: gtx670"),
        "{message}"
    );
    let message = refused(&[
        "devices",
        "new",
        "--from",
        "hd5750",
        &path(folder.path(), "a.toml"),
    ]);
    assert!(message.contains("hd5750"), "{message}");
    let nowhere = path(folder.path(), "none/a.toml");
    assert!(refused(&["devices", "new", "--from", "h200", &nowhere]).contains("cannot write"));
}

#[test]
fn what_was_never_validated_says_so_wherever_it_is_used() {
    let (list, _) = succeeds(&["devices"]);
    for name in NEVER {
        assert_eq!(
            Preset::load(name).unwrap().device.validated,
            Validated::Never
        );
        let line = list
            .lines()
            .find(|line| line.trim_start().starts_with(name))
            .unwrap();
        assert!(line.ends_with("never"), "{line}");
        let (values, _) = succeeds(&["devices", name, "--kind", "assumed"]);
        assert!(
            values
                .lines()
                .next()
                .unwrap()
                .contains("never validated here"),
            "{values}"
        );
        let (_, notes) = succeeds(&[
            "simulate",
            "--engine",
            "model",
            "--device",
            name,
            "--threads",
            "128",
        ]);
        let noted = notes
            .lines()
            .filter(|line| line.contains("never validated here"));
        assert_eq!(noted.count(), 1, "{notes}");
    }
    let (_, notes) = succeeds(&[
        "simulate",
        "--engine",
        "model",
        "--device",
        "h200",
        "--threads",
        "128",
    ]);
    assert!(!notes.contains("validated"), "{notes}");
}

#[test]
fn every_kernel_of_a_card_is_predicted_and_others_are_refused() {
    for (name, code) in [
        ("t4", "sm_75"),
        ("a100", "sm_80"),
        ("rtx3090", "sm_86"),
        ("rtx4090", "sm_89"),
    ] {
        for kernel in ["rpn", "lgp"] {
            for problem in ["sextic", "mux20"] {
                let launch = [
                    "--kernel",
                    kernel,
                    "--problem",
                    problem,
                    "--stack-dim",
                    "2",
                    "--threads",
                    "256",
                ];
                let device = ["simulate", "--engine", "model", "--device", name];
                let (text, _) = succeeds(&[&device[..], &launch].concat());
                assert!(!text.is_empty());
            }
        }
        let message = refused(&[
            "simulate",
            "--device",
            name,
            "--kernel",
            "accumulator",
            "--threads",
            "128",
        ]);
        assert!(
            message.contains(code) && message.contains("lgp, rpn"),
            "{message}"
        );
        let message = refused(&["simulate", "--device", name, "--kernel", "gpocl-ppcu"]);
        assert!(
            message.contains(code) && message.contains("sm_35, sm_90"),
            "{message}"
        );
    }
}

/// The H200's preset with one value not known and far off.
fn spoilt(folder: &Path) -> String {
    let text = Preset::text("h200").unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("taken_branch_cycles"))
        .unwrap();
    let spoilt = line
        .replace("value = 5", "value = 48")
        .replace("\"measured\"", "\"assumed\"");
    assert_ne!(line, spoilt);
    let file = path(folder, "spoilt.toml");
    std::fs::write(&file, text.replace(line, &spoilt)).unwrap();
    file
}

/// The mean errors of a half of the rows, with the preset and refitted.
fn errors(text: &str, half: &str) -> (f64, f64) {
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with(half))
        .unwrap();
    let means: Vec<f64> = line
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    assert_eq!(means.len(), 3, "launches, before, after: {line}");
    (means[1], means[2])
}

#[test]
fn what_is_not_known_is_refitted_on_half_of_the_rows_and_the_other_half_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (device, out) = (spoilt(folder.path()), path(folder.path(), "refitted.toml"));
    let args = [
        "calibrate",
        "--engine",
        "model",
        "--device",
        &device,
        "--measured",
        ROWS,
        "--programs",
        PROGRAMS,
        "--out",
        &out,
    ];
    let (text, _) = succeeds(&args);
    for half in ["fitted on", "not seen"] {
        let (before, after) = errors(&text, half);
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
            old == new || unknown && new.kind == Kind::Fitted,
            "{old:?} {new:?}"
        );
    }
    // The same rows, the same answer.
    assert_eq!(succeeds(&args).0, text);
}

#[test]
fn a_calibration_that_cannot_be_is_refused_in_one_line() {
    let calibrate = |more: &[&str]| {
        let args = [
            "calibrate",
            "--measured",
            ROWS,
            "--programs",
            PROGRAMS,
            "--engine",
            "model",
        ];
        refused(&[&args[..], more].concat())
    };
    let message = calibrate(&["--device", "h200", "--math", "fast"]);
    assert!(
        message.contains("--math: given with --measured; allowed with it"),
        "{message}"
    );
    let message = calibrate(&["--device", "t4"]);
    assert!(
        message.contains("kernel") && message.contains("allowed"),
        "{message}"
    );
    let folder = tempfile::tempdir().unwrap();
    let few = path(folder.path(), "few.csv");
    let rows = std::fs::read_to_string(ROWS).unwrap();
    let first: Vec<&str> = rows.lines().take(3).collect();
    std::fs::write(&few, first.join("\n")).unwrap();
    let message = refused(&[
        "calibrate",
        "--measured",
        &few,
        "--programs",
        PROGRAMS,
        "--device",
        "h200",
        "--engine",
        "model",
    ]);
    assert!(
        message.contains("calibration half") && message.contains("at least 4 and 1"),
        "{message}"
    );
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
    let validated = |file: &str| {
        let launches = ["validate", "--measured", file, "--programs", PROGRAMS];
        succeeds(
            &[
                &launches[..],
                &["--rows", "3", "--engine", "model", "--format", "csv"],
            ]
            .concat(),
        )
        .0
    };
    assert_eq!(validated(&earlier), validated(ROWS));
}

/// What nobody here has measured values of is predicted all the same: others compare.
#[test]
fn tables_without_measured_values_are_predicted() {
    let table = [
        "reproduce",
        "--table",
        "9",
        "--engine",
        "model",
        "--format",
        "csv",
    ];
    let (printed, said) = succeeds(&table);
    assert!(printed.lines().count() > 30, "{printed}");
    assert!(said.contains("table 9 of sextic: predicted only"), "{said}");
}
