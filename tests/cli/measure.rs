//! Does `warpstack measure` refuse bad input in one line, and has every interpreter of the CPU its rows?

use crate::program::{refuses, stdout};

#[test]
fn bad_input_is_named_with_what_is_allowed() {
    const SEXTIC: &str =
        "measure gpu --problem sextic --programs fixtures/measured/programs/sextic.txt";
    const CPU: &str = "measure cpu --problem sextic --programs";
    let folder = tempfile::tempdir().unwrap();
    let unfit = folder.path().join("programs.txt");
    std::fs::write(&unfit, "X1 sin\nX1 X3 +\n").unwrap();
    let (unfit, data) = (unfit.display(), folder.path().display());
    for (line, parts) in [
        (
            "measure gpu --problem sixtic --programs fixtures/measured/programs/sextic.txt".into(),
            "'sixtic'|allowed: sextic, shuttle, kddcup, mux20",
        ),
        (
            format!("{SEXTIC} --kernel rpm"),
            "allowed: rpn, lgp, lgp-vector, lgp-registers",
        ),
        (
            "measure gpu --problem sextic --programs none.txt".into(),
            "none.txt",
        ),
        (
            "measure gpu --problem sextic --programs Cargo.toml".into(),
            "`Cargo.toml` line 1",
        ),
        (format!("{SEXTIC} --carveout 101"), "101"),
        (
            "measure gpu --problem mux20 --programs fixtures/measured/programs/mux20.txt --math fast"
                .into(),
            "no kernel is compiled",
        ),
        (
            format!(
                "measure gpu --problem shuttle --programs fixtures/measured/programs/shuttle.txt --data {data}"
            ),
            "shuttle.trn",
        ),
        (
            "measure counters Cargo.toml --rows fixtures/measured/h200/runs.csv".into(),
            "ncu --csv",
        ),
        // A kernel would read past the end of the cases.
        (
            format!("measure gpu --problem sextic --programs {unfit}"),
            "program 2 reads X3; allowed with sextic: X1 to X1",
        ),
        (
            format!("{CPU} {unfit}"),
            "program 2 reads X3; allowed with sextic: X1 to X1",
        ),
        (
            format!("{CPU} 3 --interpreter lpg-2d"),
            "lpg-2d|did you mean lgp-2d?",
        ),
        (
            format!("{CPU} 3 --block-cases 256,17"),
            "--block-cases: given 17; allowed with sextic: multiples of 16",
        ),
        (
            format!("{CPU} 3 --interpreter rpn --cases 10 --chart curve.svg"),
            "no row has a block of cases",
        ),
        (
            "measure cpu --problem mux20 --programs 3 --functions arithmetic".into(),
            "mux20 has no +",
        ),
        (
            format!("{CPU} 0"),
            "given 0; allowed: a file, or 1 to 1000000",
        ),
        (
            "measure paper langdon --on cpu".into(),
            "given cpu with langdon; allowed with it: gpocl, robilliard",
        ),
        // Before the first evaluation: this many would take hours.
        (
            format!("{CPU} 1000000 --interpreter reference --out /nowhere/rows.svg"),
            "/nowhere",
        ),
        (
            format!("{CPU} 1000000 --interpreter reference --chart /nowhere/rows.svg"),
            "/nowhere",
        ),
    ] {
        refuses(&[(&line, parts)]);
    }
    // Before a table of cases is laid out for so many.
    for threads in ["0", "1025", "4294967295"] {
        for on in ["gpu", "cpu"] {
            let range = format!("--threads: given {threads}; allowed: 1 to 1024");
            let line = SEXTIC.replace("measure gpu", &format!("measure {on}"));
            refuses(&[(&format!("{line} --threads {threads}"), &range)]);
        }
    }
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
        let line = format!("measure paper {paper} --on cpu {option} {value}");
        let given = format!("{option}: given with {paper} --on cpu; allowed with it: ");
        refuses(&[(&line, &format!("{given}|{allowed}"))]);
    }
}

/// Columns of CSV, by name.
fn columns<const N: usize>(text: &str, names: [&str; N]) -> Vec<[String; N]> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let at = names.map(|name| header.iter().position(|one| one == name).unwrap());
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| at.map(|at| row[at].to_owned())).collect()
}

#[test]
fn the_best_interpreter_has_a_row_for_each_number_of_threads() {
    let rows = |interpreter: &str| {
        let paper = "measure paper gpocl --on cpu --populations 10 --datasets 100 --repeats 1 --warm-ups 0 --threads 1,2";
        let text = stdout(&format!("{paper} --format csv --interpreter {interpreter}"));
        columns(&text, ["problem", "threads"])
    };
    let (first, second) = ("regression", "classification");
    let best = [[first, "1"], [first, "2"], [second, "1"], [second, "2"]];
    assert_eq!(rows("best"), best);
    assert_eq!(rows("rpn-2d,lgp-2d").len(), 2 * best.len());
}

#[test]
fn every_interpreter_of_the_cpu_has_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("curve.svg");
    let text = stdout(&format!(
        "measure cpu --problem sextic --functions arithmetic --programs 3 --nodes 9 --cases 1001 --threads 1,2 \
         --interpreter all --block-cases 16,512 --repeats 1 --format csv --chart {}",
        chart.display()
    ));
    let per_thread = [
        ["reference", ""],
        ["rpn", ""],
        ["rpn-2d", "16"],
        ["rpn-2d", "512"],
        ["lgp-2d", "16"],
        ["lgp-2d", "512"],
        ["accumulator", ""],
    ];
    let rows = columns(&text, ["interpreter", "block_cases"]);
    assert_eq!(rows, [per_thread, per_thread].concat());
    for [functions, error] in columns(&text, ["functions", "max_error"]) {
        assert_eq!(functions, "arithmetic");
        assert_eq!(error.parse(), Ok(0.0));
    }
    assert!(
        columns(&text, ["threads"])[..7]
            .iter()
            .all(|[threads]| threads == "1")
    );
    let drawn = std::fs::read_to_string(chart).unwrap();
    assert!(drawn.contains("fitness cases of a block"));
}
