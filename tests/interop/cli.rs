//! Do `export`, `import` and `generate` work as documented, and refuse other requests in one line?

use crate::program::{json, refused, refuses, stdout, succeeds};
use std::path::Path;

fn exported(folder: &Path) -> String {
    let out = folder.join("trace");
    stdout(&format!(
        "export accel-sim --threads 64 --blocks 2 --out {}",
        out.display()
    ))
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
fn an_exported_trace_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let report = exported(folder.path());
    let path = |name: &str| in_trace(folder.path(), name);
    let import = format!("import accel-sim {}", path("kernel-1.traceg"));
    let imported = stdout(&import);
    for name in ["warp instructions", "L1 load lines"] {
        assert_eq!(figure(&imported, name), figure(&report, name), "{name}");
    }
    let list = format!("import accel-sim {}", path("kernelslist.g"));
    assert_eq!(stdout(&list), imported);
    let cycles = json(&list)["rows"][0]["cycles"].to_string();
    assert_eq!(cycles, figure(&imported, "cycles"));
    let first = succeeds(&format!("{import} --blocks 1"));
    let said = String::from_utf8(first.stderr).unwrap();
    assert!(said.contains("the first 1 blocks only"), "{said}");
}

#[test]
fn traces_that_are_too_large_are_refused_before_they_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let out = in_trace(folder.path(), "");
    refuses(&[(
        &format!("export accel-sim --threads 64 --blocks 400 --iterations 500 --out {out}"),
        "warp instructions in 400 blocks|MB|at most 2000000|--iterations",
    )]);
    assert!(!Path::new(&out).exists());
    exported(folder.path());
    refuses(&[(
        &format!("import accel-sim {out}/kernel-1.traceg --instructions 100"),
        "kernel-1.traceg:|more than 100|raise --instructions",
    )]);
}

#[test]
fn export_refuses_what_has_no_meaning() {
    refuses(&[
        ("export accel-sim --threads 64", "--out"),
        (
            "export perfetto --threads 64 --engine analytical",
            "--engine",
        ),
        ("export vcd --threads 64", "vcd|perfetto"),
        (
            "export perfetto --threads 64 --out /nowhere/x.json",
            "/nowhere/x.json",
        ),
        ("export perfetto --threads 2000", "2000|1 to 1024"),
    ]);
}

/// Checks that an import refuses a file with each text replaced in turn; restores the file at the end.
fn damaged(file: &str, import: &str, cases: &[(&str, &str, &str)]) {
    let good = std::fs::read_to_string(file).unwrap();
    for (from, to, parts) in cases {
        assert!(good.contains(from), "{from}");
        std::fs::write(file, good.replacen(from, to, 1)).unwrap();
        refuses(&[(&format!("import accel-sim {import}"), parts)]);
    }
    std::fs::write(file, good).unwrap();
}

#[test]
fn damaged_files_are_refused_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    exported(folder.path());
    let path = |name: &str| in_trace(folder.path(), name);
    let [trace, list] = ["kernel-1.traceg", "kernelslist.g"].map(path);
    damaged(
        &trace,
        &trace,
        &[
            ("-block dim", "-block size", "traceg:|no -block dim line"),
            ("(64,1,1)", "(64,99,1)", "traceg:|6336 threads|1 to 1024"),
            (
                "tracer version = 5",
                "tracer version = 7",
                "traceg:12|given 7|1 to 6",
            ),
            ("S2R", "FROB.X", "traceg:|opcode|FROB.X|instruction sets"),
            (
                "4 1 0x10000000 0 0",
                "4 0 10000000",
                "traceg:|addresses of the active lanes|given 1|32",
            ),
            (
                " 4 1 0x10000000 0 0",
                " 0 0",
                "traceg:|memory width of LD.E",
            ),
            ("insts = ", "insts = 9", "traceg:|instructions|found"),
            ("warp = 1", "warp = 2", "traceg:|warp = 2|of 2 warps"),
            ("#END_TB\n", "", "traceg:|#END_TB"),
        ],
    );
    let good = std::fs::read_to_string(&trace).unwrap();
    for (file, text, parts) in [
        (&trace, &good[..good.len() / 2], "kernel-1.traceg:|allowed"),
        (&trace, "", "kernel-1.traceg:0|the end of the file"),
        (
            &trace,
            "hello\n",
            "kernel-1.traceg:1|header line|-name = value",
        ),
        (
            &list,
            "kernel-1.traceg.xz\n",
            "kernelslist.g:1: kernel file",
        ),
        (&list, "nothing\n", "kernelslist.g:1: list: given no kernel"),
        (&list, "kernel-7.traceg\n", "kernel-7.traceg"),
    ] {
        std::fs::write(file, text).unwrap();
        refuses(&[(&format!("import accel-sim {file}"), parts)]);
    }
    refuses(&[("import /nowhere/x.traceg", "/nowhere/x.traceg")]);
}

#[test]
fn counters_of_nsight_compute_are_listed_in_base_units() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ncu.csv");
    let csv = "==PROF== Connected\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"dram__bytes_read.sum\"\n\
        \"\",\"\",\"\",\"\",\"Mbyte\"\n\"0\",\"rpn\",\"(32, 1, 1)\",\"(9, 1, 1)\",\"1,024.5\"\n";
    std::fs::write(&file, csv).unwrap();
    let import = format!("import ncu {}", file.display());
    let table = stdout(&import);
    let row = table
        .lines()
        .find(|line| line.contains("dram__bytes_read.sum"));
    let row = row.unwrap();
    assert!(row.contains("byte") && row.ends_with("1024500000"), "{row}");
    let counter = &json(&import)["rows"][0];
    assert_eq!(counter["metric"], "dram__bytes_read.sum");
    assert_eq!(counter["value"], 1024500000.0);
    std::fs::write(&file, "nothing").unwrap();
    refused(&import, &["ncu.csv", "no line begins with \"ID\""]);
}

#[test]
fn completions_know_every_subcommand_and_its_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&format!("generate completions {shell}"));
        for word in ["predict", "export", "import", "stack-dim"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    refuses(&[("generate completions csh", "csh|bash")]);
}

#[test]
fn the_manual_has_a_page_per_subcommand() {
    let page = stdout("generate man");
    assert!(
        page.contains(".TH") && page.contains("warpstack\\-predict"),
        "{page}"
    );
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    stdout(&format!("generate man --out-dir {}", out.display()));
    let predict = std::fs::read_to_string(out.join("warpstack-predict.1")).unwrap();
    assert!(predict.contains(".TH") && predict.contains("threads"));
    assert!(out.join("warpstack.1").exists() && out.join("warpstack-import.1").exists());
}
