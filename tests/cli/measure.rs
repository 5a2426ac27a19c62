//! Does `warpstack measure` refuse bad input in one line with exit code 2?

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

/// Before a table of cases is laid out for so many.
#[test]
fn threads_that_no_block_has_are_refused() {
    let programs = "fixtures/measured/programs/sextic.txt";
    for threads in ["0", "1025", "4294967295"] {
        for on in ["gpu", "cpu"] {
            let work = ["--on", on, "--problem", "sextic", "--programs", programs];
            let message = refused(&[&work[..], &["--threads", threads]].concat());
            let range = format!("--threads: given {threads}; allowed with --on {on}: 1 to 1024");
            assert!(message.contains(&range), "{message}");
        }
    }
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

#[test]
fn bad_options_of_the_cpu_are_named_with_what_is_allowed() {
    let sextic = |more: &[&str]| {
        let common = ["--on", "cpu", "--problem", "sextic", "--programs", "3"];
        refused(&[&common[..], more].concat())
    };
    let interpreter = sextic(&["--interpreter", "lpg-2d"]);
    assert!(
        interpreter.contains("lpg-2d") && interpreter.contains("did you mean lgp-2d?"),
        "{interpreter}"
    );
    let block = sextic(&["--block-cases", "256,17"]);
    assert!(
        block.contains("--block-cases: given 17; allowed with sextic: multiples of 16"),
        "{block}"
    );
    let threads = sextic(&["--threads", "0"]);
    assert!(threads.contains("--threads: given 0; allowed"), "{threads}");
    let chart = sextic(&[
        "--interpreter",
        "rpn",
        "--cases",
        "10",
        "--chart",
        "curve.svg",
    ]);
    assert!(chart.contains("no row has a block of cases"), "{chart}");
    let functions = refused(&[
        "--on",
        "cpu",
        "--problem",
        "mux20",
        "--programs",
        "3",
        "--functions",
        "arithmetic",
    ]);
    assert!(functions.contains("mux20 has no +"), "{functions}");
    let number = refused(&["--on", "cpu", "--problem", "sextic", "--programs", "0"]);
    assert!(
        number.contains("given 0; allowed: a file, or 1 to 1000000"),
        "{number}"
    );
}

#[test]
fn options_that_a_paper_does_not_have_on_the_cpu_are_refused() {
    for (paper, option, value, allowed) in [
        ("gpocl", "--scheme", "threadgp", "--domain"),
        ("gpocl", "--strategy", "ppcu", "--domain"),
        ("gpocl", "--threads-per-program", "8", "--threads"),
        ("robilliard", "--scheme", "threadgp", "--benchmark"),
        ("robilliard", "--datasets", "1000", "--benchmark"),
    ] {
        let message = refused(&["--on", "cpu", "--paper", paper, option, value]);
        let given = format!("{option}: given with --paper {paper} --on cpu; allowed with it: ");
        assert!(
            message.contains(&given) && message.contains(allowed),
            "{message}"
        );
    }
    let langdon = refused(&["--on", "cpu", "--paper", "langdon", "--threads", "2"]);
    assert!(
        langdon.contains("given langdon; allowed with --on cpu: gpocl, robilliard"),
        "{langdon}"
    );
}

#[test]
fn the_best_interpreter_has_a_row_for_each_number_of_threads() {
    let paper = "measure --on cpu --paper gpocl --populations 10 --datasets 100 --repeats 1 --warm-ups 0 --threads 1,2 --format csv";
    let rows = |interpreter: &str| {
        let mut command = Command::cargo_bin("warpstack").unwrap();
        let arguments = paper.split(' ').chain(["--interpreter", interpreter]);
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
        let columns = lines.map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            [fields[1].to_owned(), fields[4].to_owned()]
        });
        columns.collect::<Vec<_>>()
    };
    let of = |problem: &str, threads: &str| [problem.to_owned(), threads.to_owned()];
    let (first, second) = ("regression", "classification");
    let best = [
        of(first, "1"),
        of(first, "2"),
        of(second, "1"),
        of(second, "2"),
    ];
    assert_eq!(rows("best"), best);
    assert_eq!(rows("rpn-2d,lgp-2d").len(), 2 * best.len());
}

/// Before the first evaluation: this many would take hours.
#[test]
fn an_output_that_cannot_be_written_is_refused_at_once() {
    for option in ["--out", "--chart"] {
        let arguments = [
            "--on",
            "cpu",
            "--problem",
            "sextic",
            "--programs",
            "1000000",
        ];
        let more = ["--interpreter", "reference", option, "/nowhere/rows.svg"];
        let message = refused(&[&arguments[..], &more].concat());
        assert!(message.contains("/nowhere"), "{message}");
    }
}

#[test]
fn every_interpreter_of_the_cpu_has_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("curve.svg");
    let arguments = "measure --on cpu --problem sextic --functions arithmetic --programs 3 --nodes 9 --cases 1001 --threads 1,2 --interpreter all --block-cases 16,512 --repeats 1 --format csv --chart";
    let mut command = Command::cargo_bin("warpstack").unwrap();
    let output = command
        .args(arguments.split(' '))
        .arg(&chart)
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let column = |name: &str| -> Vec<&str> {
        let at = header.iter().position(|one| *one == name).unwrap();
        rows.iter().map(|row| row[at]).collect()
    };
    let per_thread = [
        "reference",
        "rpn",
        "rpn-2d",
        "rpn-2d",
        "lgp-2d",
        "lgp-2d",
        "accumulator",
    ];
    assert_eq!(column("interpreter"), [per_thread, per_thread].concat());
    let blocks = ["", "", "16", "512", "16", "512", ""];
    assert_eq!(column("block_cases"), [blocks, blocks].concat());
    assert!(
        column("max_error")
            .iter()
            .all(|error| *error == "0.0" || *error == "0")
    );
    assert!(column("threads")[..7].iter().all(|threads| *threads == "1"));
    assert!(
        column("functions")
            .iter()
            .all(|functions| *functions == "arithmetic")
    );
    let drawn = std::fs::read_to_string(chart).unwrap();
    assert!(drawn.contains("fitness cases of a block"));
}
