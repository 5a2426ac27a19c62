//! Do `export`, `import`, `completions` and `man` do what they say, and refuse what they cannot do in one line?

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn warpstack(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("warpstack")
        .unwrap()
        .args(args)
        .output()
        .unwrap()
}

fn text(args: &[&str]) -> String {
    let output = warpstack(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// The refusal, which names all of `parts`.
fn refuses(args: &[&str], parts: &[&str]) {
    let output = warpstack(args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        output.status.code(),
        Some(2),
        "{args:?} {parts:?}: {stderr}"
    );
    assert!(
        output.stdout.is_empty() && stderr.lines().count() == 1,
        "{stderr}"
    );
    for part in parts {
        assert!(
            stderr.contains(part),
            "{args:?}: no \"{part}\" in: {stderr}"
        );
    }
}

fn exported(folder: &Path) -> String {
    let out = folder.join("trace");
    let path = out.to_str().unwrap();
    text(&[
        "export",
        "--to",
        "accel-sim",
        "--threads",
        "64",
        "--blocks",
        "2",
        "--out",
        path,
    ])
}

/// A file of the exported trace.
fn in_trace(folder: &Path, name: &str) -> String {
    let path = folder.join("trace").join(name);
    path.to_str().unwrap().to_owned()
}

fn figure(report: &str, name: &str) -> String {
    let row = report.lines().find(|line| line.trim().starts_with(name));
    row.unwrap_or_else(|| panic!("no {name}: {report}"))
        .split_whitespace()
        .last()
        .unwrap()
        .to_owned()
}

#[test]
fn an_exported_trace_takes_the_same_cycles_when_imported() {
    let folder = tempfile::tempdir().unwrap();
    let report = exported(folder.path());
    let cycles = figure(&report, "cycles");
    let path = |name: &str| in_trace(folder.path(), name);
    for file in ["kernelslist.g", "kernel-1.traceg"] {
        assert_eq!(figure(&text(&["import", &path(file)]), "cycles"), cycles);
    }
    let json = text(&["import", &path("kernelslist.g"), "--format", "json"]);
    let reports: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(reports["rows"][0]["cycles"].to_string(), cycles);
    assert_eq!(reports["rows"][0]["schedule"], "from the schedule file");
    let without = text(&["import", &path("kernel-1.traceg"), "--schedule", "none"]);
    assert_ne!(figure(&without, "cycles"), cycles);
    std::fs::remove_file(path("kernel-1.schedule.toml")).unwrap();
    assert_eq!(text(&["import", &path("kernel-1.traceg")]), without);
    let first = warpstack(&["import", &path("kernel-1.traceg"), "--blocks", "1"]);
    assert!(
        String::from_utf8(first.stderr)
            .unwrap()
            .contains("the first 1 blocks only")
    );
}

#[test]
fn traces_that_are_too_large_are_refused_before_they_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("trace");
    let out = out.to_str().unwrap();
    let large = [
        "export",
        "--to",
        "accel-sim",
        "--threads",
        "64",
        "--blocks",
        "400",
        "--iterations",
        "500",
        "--out",
        out,
    ];
    refuses(
        &large,
        &[
            "warp instructions in 400 blocks",
            "MB",
            "at most 2000000",
            "--iterations",
        ],
    );
    assert!(!Path::new(out).exists());
    exported(folder.path());
    let trace = format!("{out}/kernel-1.traceg");
    refuses(
        &["import", &trace, "--instructions", "100"],
        &["kernel-1.traceg:", "more than 100", "raise --instructions"],
    );
}

#[test]
fn export_refuses_what_has_no_meaning() {
    refuses(
        &["export", "--to", "accel-sim", "--threads", "64"],
        &["--out"],
    );
    refuses(
        &[
            "export",
            "--to",
            "kanata",
            "--threads",
            "64",
            "--engine",
            "model",
        ],
        &["--engine"],
    );
    refuses(
        &["export", "--to", "vcd", "--threads", "64"],
        &["vcd", "perfetto"],
    );
    refuses(
        &[
            "export",
            "--to",
            "perfetto",
            "--threads",
            "64",
            "--out",
            "/nowhere/x.json",
        ],
        &["/nowhere/x.json"],
    );
    refuses(
        &["export", "--to", "perfetto", "--threads", "2000"],
        &["2000", "1 to 1024"],
    );
}

/// Writes a damaged copy of a good trace and tries to read it.
#[test]
fn damaged_traces_are_refused_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    exported(folder.path());
    let good = std::fs::read_to_string(folder.path().join("trace/kernel-1.traceg")).unwrap();
    let bad = folder.path().join("bad.traceg");
    let path = bad.to_str().unwrap();
    let check = |content: &str, parts: &[&str]| {
        std::fs::write(&bad, content).unwrap();
        refuses(&["import", path], &[&["bad.traceg:"], parts].concat());
    };
    check(&good[..good.len() / 2], &["allowed"]);
    check("", &["bad.traceg:0", "the end of the file"]);
    check("hello\n", &["bad.traceg:1", "header line", "-name = value"]);
    check(
        &good.replace("-block dim", "-block size"),
        &["no -block dim line"],
    );
    check(
        &good.replace("(64,1,1)", "(64,99,1)"),
        &["6336 threads", "1 to 1024"],
    );
    check(
        &good.replace("tracer version = 5", "tracer version = 7"),
        &["bad.traceg:12", "given 7", "1 to 6"],
    );
    check(
        &good.replacen("S2R", "FROB.X", 1),
        &["opcode", "FROB.X", "instruction sets"],
    );
    check(
        &good.replacen("4 1 0x10000000 0 0", "4 0 10000000", 1),
        &["addresses of the active lanes", "given 1", "32"],
    );
    check(
        &good.replacen(" 4 1 0x10000000 0 0", " 0 0", 1),
        &["memory width of LD.E"],
    );
    check(
        &good.replacen("insts = ", "insts = 9", 1),
        &["instructions", "found"],
    );
    check(
        &good.replacen("warp = 1", "warp = 2", 1),
        &["warp = 2", "of 2 warps"],
    );
    check(&good.replacen("#END_TB\n", "", 1), &["#END_TB"]);
    refuses(&["import", "/nowhere/x.traceg"], &["/nowhere/x.traceg"]);
}

#[test]
fn damaged_schedules_and_lists_are_refused_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    exported(folder.path());
    let path = |name: &str| in_trace(folder.path(), name);
    let (trace, beside) = (path("kernel-1.traceg"), path("kernel-1.schedule.toml"));
    let good = std::fs::read_to_string(&beside).unwrap();
    let check = |content: &str, parts: &[&str]| {
        std::fs::write(&beside, content).unwrap();
        refuses(&["import", &trace], parts);
    };
    check(
        &good.replacen("stall", "stahl", 1),
        &["kernel-1.schedule.toml:7", "stahl"],
    );
    check(
        &good.replace("version = 1", "version = 2"),
        &["version: given 2; allowed: 1"],
    );
    check(
        &good.replacen("{ pc = 0x0008", "{ pc = 0x9999", 1),
        &["kernel-1.traceg:", "0x8, which the schedule"],
    );
    check(
        &good.replace("local_bytes_per_thread", "local_bytes"),
        &["kernel-1.schedule.toml:", "local_bytes"],
    );
    check(
        &good.replacen(
            "local_bytes_per_thread = ",
            "local_bytes_per_thread = 42000",
            1,
        ),
        &[
            "kernel-1.schedule.toml:1: schedule: local_bytes_per_thread: given 42000",
            "allowed: at most 4194304",
        ],
    );
    check(
        &good.replacen("stall = ", "write = 6, stall = ", 1),
        &[
            "kernel-1.schedule.toml",
            "write Some(6)",
            "scoreboards 0 to 5",
        ],
    );
    let list = path("kernelslist.g");
    for (content, part) in [
        ("kernel-1.traceg.xz\n", "kernelslist.g:1: kernel file"),
        ("MemcpyHtoD,0x10\n", "kernelslist.g:1: copy"),
        ("nothing\n", "kernelslist.g:1: list: given no kernel"),
        ("kernel-7.traceg\n", "kernel-7.traceg"),
    ] {
        std::fs::write(&list, content).unwrap();
        refuses(&["import", &list], &[part]);
    }
}

#[test]
fn counters_of_nsight_compute_are_listed_in_base_units() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ncu.csv");
    let csv = "==PROF== Connected\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"dram__bytes_read.sum\"\n\
        \"\",\"\",\"\",\"\",\"Mbyte\"\n\"0\",\"rpn\",\"(32, 1, 1)\",\"(9, 1, 1)\",\"1,024.5\"\n";
    std::fs::write(&file, csv).unwrap();
    let path = file.to_str().unwrap();
    let table = text(&["import", path, "--from", "ncu"]);
    let row = table
        .lines()
        .find(|line| line.contains("dram__bytes_read.sum"))
        .unwrap();
    assert!(row.contains("byte") && row.ends_with("1024500000"), "{row}");
    let json: Value = serde_json::from_str(&text(&[
        "import", path, "--from", "ncu", "--format", "json",
    ]))
    .unwrap();
    let counter = &json["rows"][0];
    assert_eq!(counter["metric"], "dram__bytes_read.sum");
    assert_eq!(counter["value"], 1024500000.0);
    std::fs::write(&file, "nothing").unwrap();
    refuses(
        &["import", path, "--from", "ncu"],
        &["ncu.csv", "no line begins with \"ID\""],
    );
}

#[test]
fn completions_know_every_subcommand_and_its_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&["completions", shell]);
        for word in ["simulate", "export", "import", "stack-dim"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    refuses(&["completions", "csh"], &["csh", "bash"]);
}

#[test]
fn the_manual_has_a_page_per_subcommand() {
    let page = text(&["man"]);
    assert!(
        page.contains(".TH") && page.contains("warpstack\\-simulate"),
        "{page}"
    );
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    text(&["man", "--out", out.to_str().unwrap()]);
    let simulate = std::fs::read_to_string(out.join("warpstack-simulate.1")).unwrap();
    assert!(simulate.contains(".TH") && simulate.contains("threads"));
    assert!(out.join("warpstack.1").exists() && out.join("warpstack-import.1").exists());
}
