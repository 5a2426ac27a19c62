//! Is every bad input refused in one line that names it, with exit code 2 and nothing written?

use crate::program::{refused, refuses, succeeds};
use std::path::Path;

/// The thing, what was given, what is allowed.
#[test]
fn what_is_given_wrong_is_named_with_what_is_allowed() {
    refuses(&[
        ("dance", "dance"),
        ("predict --device gtx999", "device|gtx999|gtx670"),
        ("predict --kernel tree", "kernel|tree|rpn"),
        ("predict --problem cubic", "problem|cubic|sextic"),
        ("reproduce --table 99", "table|99|3, 4, 7, 8, 9, 10, all"),
        (
            "reproduce --table 3 --problem cubic",
            "problem|cubic|sextic",
        ),
        ("reproduce --table 3 --engine oracle", "engine|oracle|sim"),
        ("list kernels --arch sm_99", "--arch|sm_99|sm_35"),
        ("predict --threads 0", "threads|0|1 to 1024"),
        ("predict --threads 1025", "threads|1025|1 to 1024"),
        (
            "predict --threads 4000000000",
            "threads|4000000000|1 to 1024",
        ),
        ("predict --threads many", "--threads|many"),
        ("predict --l1 17", "L1|17|16, 32, 48"),
        ("predict --stack-dim 0", "dimension|0|1, 2, 3, 4, 5, 6"),
        ("predict --stack-dim 99", "dimension|99|1, 2, 3, 4, 5, 6"),
        ("predict --stack-registers 9", "registers|9"),
        ("--jobs 0 list devices", "--jobs|0"),
        ("occupancy --registers 64", "registers|64|1 to 63"),
        (
            "occupancy --registers 20 --shared 50000",
            "shared memory|50000|49152",
        ),
        ("trace --program \"X2 X1 +\"", "X2|1 inputs"),
        (
            "evolve --problem sextic --cases 1000000000000",
            "cases|1000000000000|1 to 16777216",
        ),
        (
            "evolve --problem sextic --cases 18446744073709551615",
            "cases|18446744073709551615|1 to 16777216",
        ),
        (
            "import accel-sim kernel-1.traceg.xz",
            "kernel-1.traceg.xz|xz -d",
        ),
        (
            "occupancy --kernel rpn --chart warps.png --width 50",
            "--width|50|120..=7680",
        ),
        (
            "occupancy --kernel rpn --chart warps.png --theme blue",
            "--theme|blue|dark",
        ),
        // What has no drawing has no width.
        ("reproduce --table 5,6 --width 900", "--chart"),
        (
            "whatif --vary threads=32,64 --theme dark",
            "--chart|--heatmap",
        ),
        // What another paper does not have, before anything is predicted, which takes minutes.
        (
            "reproduce --paper langdon --weights none",
            "--weights|--program-seed",
        ),
        ("reproduce --paper langdon --table 3", "--table|--paper"),
        (
            "reproduce --paper langdon --chart map.gif",
            "map.gif|allowed: svg, png",
        ),
        (
            "measure paper langdon --threads 48",
            "--threads|48|[32, 64, 128, 256]",
        ),
        ("measure paper langdon --problem sextic", "--problem"),
    ]);
    assert!(!Path::new("map.svg").exists());
}

/// No command panics on a full disk or a closed pipe, where messages cannot be written.
#[cfg(unix)]
#[test]
fn nobody_need_hear_what_is_said() {
    use std::process::{Command, Stdio};
    let full = || {
        std::fs::File::options()
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
        (&["list", "problems"], 0),
    ] {
        let ended = |out: Stdio, err: Stdio| {
            let mut command = Command::new(&program);
            command.args(args).stdout(out).stderr(err);
            command.status().unwrap().code()
        };
        assert_eq!(
            ended(Stdio::null(), full().into()),
            Some(code),
            "{args:?} 2>/dev/full"
        );
        assert_eq!(
            ended(full().into(), Stdio::null()),
            Some(2),
            "{args:?} >/dev/full"
        );
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = ended(writer.try_clone().unwrap().into(), writer.into());
        assert_eq!(closed, Some(code), "{args:?} into a closed pipe");
    }
}

/// Endless files are refused at a size limit.
#[cfg(unix)]
#[test]
fn files_that_never_end_are_refused() {
    let most = "/dev/zero|more than 67108864 bytes|at most 67108864";
    refuses(&[
        ("predict --sass /dev/zero --encoding rpn", most),
        ("whatif --study /dev/zero", most),
        ("predict --inferred=/dev/zero", most),
        (
            "import accel-sim /dev/zero",
            "/dev/zero:1|more than 1048576 bytes|at most 1048576",
        ),
    ]);
}

/// Writes each text into `name` and runs `commands` on it, which name the file and the part.
fn damaged(name: &str, texts: &[(&str, &str)], commands: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    for (text, part) in texts {
        std::fs::write(&path, text).unwrap();
        for command in commands {
            refuses(&[(
                &format!("{command} {}", path.display()),
                &format!("{name}|{part}"),
            )]);
        }
    }
    let missing = folder.path().join("missing");
    for command in commands {
        refused(&format!("{command} {}", missing.display()), &["missing"]);
    }
}

#[test]
fn corrupt_files_are_named_with_what_is_wrong() {
    let read = |path| std::fs::read_to_string(path).unwrap();
    let good = read("fixtures/devices/gtx670.toml");
    let presets = [
        (
            &*good.replace("n_smx = { value = 7", "n_smx = { value = -7"),
            "chip.n_smx",
        ),
        (&good.replace("n_ways =", "n_wais ="), "n_wais"),
        (&good.replace("[dram]", "[dram"), "line"),
        (&good.replace("\"measured\"", "\"guessed\""), "guessed"),
        ("", "device"),
    ];
    damaged("bad.toml", &presets, &["list devices", "predict --device"]);
    let good = read("fixtures/corpus/sextic.corpus");
    let corpora = [
        ("", ""),
        ("no corpus\n", ""),
        (&good[..good.len() / 2], ""),
        (&good.replacen("\"sextic\"", "\"cubic\"", 1), ""),
    ];
    damaged("bad.corpus", &corpora, &["predict --corpus"]);
    let mut deep: serde_json::Value =
        serde_json::from_str(&read("fixtures/runs/settings.json")).unwrap();
    deep["mutation"] = serde_json::json!({ "subtree": { "max_depth": 1_000_000 } });
    let settings = [(&*deep.to_string(), "mutation.max_depth|1000000|0 to 12")];
    damaged(
        "settings.json",
        &settings,
        &["evolve --problem sextic --settings"],
    );
}

#[test]
fn unwritable_outputs_are_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    for out in ["/no/such/out.csv", ""] {
        let out = format!("{folder}{out}");
        for command in ["reproduce --table 3", "predict"] {
            refused(&format!("{command} --out {out}"), &[&out]);
        }
    }
    let gif = format!("reproduce --table 3 --chart {folder}/chart.gif");
    refused(&gif, &["gif", "svg, png"]);
    let written = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(written, 0, "nothing half-written");
}

#[test]
fn help_and_version_are_no_errors() {
    for args in ["--help", "--version", "predict --help"] {
        assert!(succeeds(args).stderr.is_empty(), "{args}");
    }
}
