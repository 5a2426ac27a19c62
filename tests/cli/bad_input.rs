//! Is every bad input refused in one line that names it, with exit code 2 and nothing written?

use assert_cmd::Command;
use std::path::Path;

/// Runs the program; the one line on standard error of a refusal.
fn refusal(args: &[&str]) -> String {
    let output = Command::cargo_bin("warpstack")
        .unwrap()
        .args(args)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    assert!(stderr.starts_with("error: "), "{stderr}");
    stderr
}

/// The refusal must name all of `parts`: the thing, what was given, what is allowed.
fn refuses(args: &[&str], parts: &[&str]) {
    let message = refusal(args);
    for part in parts {
        assert!(
            message.contains(part),
            "{args:?}: no \"{part}\" in: {message}"
        );
    }
}

/// `simulate` with one option changed from a valid configuration.
fn simulate_with(option: &str, value: &str, parts: &[&str]) {
    let mut args = vec!["simulate"];
    for (name, default) in [
        ("--device", "gtx670"),
        ("--kernel", "rpn"),
        ("--threads", "256"),
    ] {
        args.extend([name, if name == option { value } else { default }]);
    }
    if !args.contains(&option) {
        args.extend([option, value]);
    }
    refuses(&args, parts);
}

fn files_in(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_drawing_that_cannot_be_is_refused() {
    let figure = ["figure", "smx", "--out", "smx.png"];
    for (option, value, allowed) in [("--width", "50", "120..=7680"), ("--theme", "blue", "dark")] {
        let args = [&figure[..], &[option, value]].concat();
        refuses(&args, &[option, value, allowed]);
    }
    // What has no drawing has no width.
    refuses(&["stacks", "--width", "900"], &["--chart"]);
    let whatif = ["whatif", "--vary", "threads=32,64", "--theme", "dark"];
    refuses(&whatif, &["--chart", "--heatmap"]);
}

/// On a full disk or a closed pipe nothing can be said, and nothing panics.
#[cfg(unix)]
#[test]
fn nobody_need_hear_what_is_said() {
    let full = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let program = assert_cmd::cargo::cargo_bin("warpstack");
    for (args, code) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["dance"], 2),
        (&[], 2),
        (&["stacks"], 0),
    ] {
        let run = || {
            let mut command = std::process::Command::new(&program);
            command.args(args);
            command
        };
        let deaf = run()
            .stdout(std::process::Stdio::null())
            .stderr(full())
            .status();
        assert_eq!(deaf.unwrap().code(), Some(code), "{args:?} 2>/dev/full");
        let full_disk = run()
            .stdout(full())
            .stderr(std::process::Stdio::null())
            .status();
        assert_eq!(full_disk.unwrap().code(), Some(2), "{args:?} >/dev/full");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = run()
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .status();
        assert_eq!(
            closed.unwrap().code(),
            Some(code),
            "{args:?} into a closed pipe"
        );
    }
}

#[test]
fn programs_and_files_that_do_not_fit_are_refused() {
    refuses(&["trace", "--program", "X2 X1 +"], &["X2", "1 inputs"]);
    let cases = ["evolve", "--problem", "sextic", "--cases"];
    for given in ["1000000000000", "18446744073709551615"] {
        let args = [&cases[..], &[given]].concat();
        refuses(&args, &["cases", given, "1 to 16777216"]);
    }
    refuses(
        &["import", "kernel-1.traceg.xz"],
        &["kernel-1.traceg.xz", "xz -d"],
    );
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    let text = std::fs::read_to_string("fixtures/runs/settings.json").unwrap();
    let mut deep: serde_json::Value = serde_json::from_str(&text).unwrap();
    deep["mutation"] = serde_json::json!({ "subtree": { "max_depth": 1_000_000 } });
    std::fs::write(&settings, deep.to_string()).unwrap();
    let settings = settings.to_str().unwrap();
    refuses(
        &["evolve", "--problem", "sextic", "--settings", settings],
        &["settings.json", "mutation.max_depth", "1000000", "0 to 12"],
    );
}

#[test]
fn unknown_names_list_what_exists() {
    simulate_with("--device", "gtx999", &["device", "gtx999", "gtx670"]);
    simulate_with("--kernel", "tree", &["kernel", "tree", "rpn"]);
    simulate_with("--problem", "cubic", &["problem", "cubic", "sextic"]);
    refuses(
        &["reproduce", "--table", "99"],
        &["table", "99", "3, 4, 7, 8, 9, 10, all"],
    );
    refuses(
        &["reproduce", "--table", "3", "--problem", "cubic"],
        &["problem", "cubic", "sextic"],
    );
    refuses(
        &["reproduce", "--table", "3", "--engine", "oracle"],
        &["engine", "oracle", "sim"],
    );
    refuses(
        &["kernels", "--arch", "sm_99"],
        &["--arch", "sm_99", "sm_35"],
    );
    refuses(&["dance"], &["dance"]);
}

/// They do not say how long they are.
#[cfg(unix)]
#[test]
fn files_that_never_end_are_refused() {
    let most = ["/dev/zero", "more than 67108864 bytes", "at most 67108864"];
    let listing = ["simulate", "--sass", "/dev/zero", "--lowering", "rpn"];
    refuses(&listing, &most);
    refuses(&["whatif", "--study", "/dev/zero"], &most);
    refuses(&["simulate", "--inferred=/dev/zero"], &most);
    let line = ["/dev/zero:1", "more than 1048576 bytes", "at most 1048576"];
    refuses(&["import", "/dev/zero"], &line);
}

#[test]
fn thread_counts_lie_between_1_and_1024() {
    for given in ["0", "1025", "4000000000"] {
        simulate_with("--threads", given, &["threads", given, "1 to 1024"]);
    }
    simulate_with("--threads", "many", &["--threads", "many"]);
}

#[test]
fn other_numbers_name_their_range() {
    simulate_with("--l1", "17", &["L1", "17", "16, 32, 48"]);
    simulate_with("--stack-dim", "0", &["dimension", "0", "1, 2, 3, 4, 5, 6"]);
    simulate_with(
        "--stack-dim",
        "99",
        &["dimension", "99", "1, 2, 3, 4, 5, 6"],
    );
    simulate_with("--stack-registers", "9", &["registers", "9"]);
    refuses(&["--jobs", "0", "devices"], &["--jobs", "0"]);
}

#[test]
fn a_block_that_cannot_be_resident_is_refused() {
    refuses(
        &["occupancy", "--registers", "64"],
        &["registers", "64", "1 to 63"],
    );
    refuses(
        &["occupancy", "--registers", "20", "--shared", "50000"],
        &["shared memory", "50000", "49152"],
    );
}

#[test]
fn corrupt_presets_name_file_line_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read_to_string("fixtures/devices/gtx670.toml").unwrap();
    let path = folder.path().join("bad.toml");
    let shown = path.to_str().unwrap();
    let cases = [
        (
            good.replace("n_smx = { value = 7", "n_smx = { value = -7"),
            "chip.n_smx",
        ),
        (good.replace("n_ways =", "n_wais ="), "n_wais"),
        (good.replace("[dram]", "[dram"), "line"),
        (good.replace("\"measured\"", "\"guessed\""), "guessed"),
        (String::new(), "device"),
    ];
    for (text, part) in cases {
        std::fs::write(&path, text).unwrap();
        refuses(&["devices", shown], &["bad.toml", part]);
        simulate_with("--device", shown, &["bad.toml", part]);
    }
    let missing = folder.path().join("missing.toml");
    refuses(&["devices", missing.to_str().unwrap()], &["missing.toml"]);
}

#[test]
fn corrupt_corpora_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.corpus");
    let shown = path.to_str().unwrap();
    let good = std::fs::read_to_string("fixtures/corpus/sextic.corpus").unwrap();
    let half = &good[..good.len() / 2];
    let other_problem = good.replacen("\"sextic\"", "\"cubic\"", 1);
    assert_ne!(other_problem, good);
    for text in ["", "no corpus\n", half, &other_problem] {
        std::fs::write(&path, text).unwrap();
        simulate_with("--corpus", shown, &["bad.corpus"]);
    }
    let missing = folder.path().join("missing.corpus");
    simulate_with("--corpus", missing.to_str().unwrap(), &["missing.corpus"]);
}

#[test]
fn unwritable_outputs_are_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("no/such/out.csv");
    let nowhere = nowhere.to_str().unwrap();
    refuses(&["reproduce", "--table", "3", "--out", nowhere], &[nowhere]);
    simulate_with("--out", nowhere, &[nowhere]);
    let itself = folder.path().to_str().unwrap();
    refuses(&["reproduce", "--table", "3", "--out", itself], &[itself]);
    let gif = folder.path().join("chart.gif");
    refuses(
        &[
            "reproduce",
            "--table",
            "3",
            "--chart",
            gif.to_str().unwrap(),
        ],
        &["gif", "svg, png"],
    );
    assert_eq!(files_in(folder.path()), 0, "nothing half-written");
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [&["--help"][..], &["--version"], &["simulate", "--help"]] {
        let assert = Command::cargo_bin("warpstack").unwrap().args(args).assert();
        assert.success().stderr("");
    }
}

#[test]
fn options_that_the_study_of_the_carve_out_does_not_have_are_refused() {
    let study = ["whatif", "--device", "h200", "--vary", "carveout"];
    for (option, value) in [
        ("--heatmap", "map.svg"),
        ("--over", "threads"),
        ("--l1", "48"),
    ] {
        let args: Vec<&str> = study.into_iter().chain([option, value]).collect();
        refuses(&args, &[option, "--format, --out and --chart"]);
    }
    assert!(!Path::new("map.svg").exists());
}

#[test]
fn what_another_paper_does_not_have_is_refused() {
    let paper = ["reproduce", "--paper", "langdon"];
    for (option, value, allowed) in [
        ("--weights", "none", "--population-seed"),
        ("--table", "3", "--paper"),
    ] {
        let args: Vec<&str> = paper.into_iter().chain([option, value]).collect();
        refuses(&args, &[option, allowed]);
    }
    // Before anything is predicted, which takes minutes.
    let chart: Vec<&str> = paper.into_iter().chain(["--chart", "map.gif"]).collect();
    refuses(&chart, &["map.gif", "allowed: svg, png"]);
    let measure = ["measure", "--paper", "langdon", "--threads", "48"];
    refuses(&measure, &["--threads", "48", "[32, 64, 128, 256]"]);
    let both = ["measure", "--paper", "langdon", "--problem", "sextic"];
    refuses(&both, &["--paper", "--problem"]);
}
