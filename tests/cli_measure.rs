//! Does `warpstack measure` refuse bad input in one line with exit code 2?

#![cfg(feature = "cli")]

use assert_cmd::Command;

fn refused(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("warpstack").unwrap();
    let output = command.arg("measure").args(arguments).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    assert!(output.stdout.is_empty());
    message
}

#[test]
fn bad_input_is_named_with_what_is_allowed() {
    let programs = "fixtures/measured/programs/sextic.txt";
    let unknown = refused(&["--problem", "sixtic", "--programs", programs]);
    assert!(
        unknown.contains("'sixtic'") && unknown.contains("allowed: sextic, shuttle, kddcup, mux20"),
        "{unknown}"
    );
    let kernel = refused(&[
        "--problem",
        "sextic",
        "--programs",
        programs,
        "--kernel",
        "rpm",
    ]);
    assert!(
        kernel.contains("allowed: rpn, lgp, lgp-vector, lgp-registers"),
        "{kernel}"
    );
    let missing = refused(&["--problem", "sextic", "--programs", "none.txt"]);
    assert!(missing.contains("none.txt"), "{missing}");
    let wrong = refused(&["--problem", "sextic", "--programs", "Cargo.toml"]);
    assert!(wrong.contains("`Cargo.toml` line 1"), "{wrong}");
    let carveout = refused(&[
        "--problem",
        "sextic",
        "--programs",
        programs,
        "--carveout",
        "101",
    ]);
    assert!(carveout.contains("101"), "{carveout}");
    let combination = refused(&[
        "--problem",
        "mux20",
        "--programs",
        "fixtures/measured/programs/mux20.txt",
        "--math",
        "fast",
    ]);
    assert!(combination.contains("no compiled kernel"), "{combination}");
}

/// A kernel would read past the end of the cases.
#[test]
fn programs_that_read_inputs_which_the_problem_lacks_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("programs.txt");
    std::fs::write(&file, "X1 sin\nX1 X3 +\n").unwrap();
    for on in ["gpu", "cpu"] {
        let programs = file.to_str().unwrap();
        let message = refused(&["--on", on, "--problem", "sextic", "--programs", programs]);
        assert!(
            message.contains("program 2 reads X3; allowed with sextic: X1 to X1"),
            "{message}"
        );
    }
}

#[test]
fn a_folder_without_the_data_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let programs = "fixtures/measured/programs/shuttle.txt";
    let message = refused(&[
        "--problem",
        "shuttle",
        "--programs",
        programs,
        "--data",
        data,
    ]);
    assert!(message.contains("shuttle.trn"), "{message}");
}

#[test]
fn counters_that_do_not_fit_are_refused() {
    let rows = "fixtures/measured/h200/runs.csv";
    let message = refused(&["--counters", "Cargo.toml", "--rows", rows]);
    assert!(message.contains("ncu --csv"), "{message}");
}
