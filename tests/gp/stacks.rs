//! `warpstack stacks`: the committed records and what is printed of them.

use assert_cmd::Command;
use warpstack::gp::evolve::EvolveConfig;
use warpstack::gp::problem;
use warpstack::gp::record::Record;

fn warpstack(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("warpstack").unwrap();
    command.args(arguments);
    command
}

fn stdout(arguments: &[&str]) -> String {
    String::from_utf8(
        warpstack(arguments)
            .assert()
            .success()
            .get_output()
            .stdout
            .clone(),
    )
    .unwrap()
}

#[test]
fn committed_records_hold_enough_runs_on_all_cases_with_one_setting() {
    for (name, runs) in [
        ("sextic", 25),
        ("shuttle", 25),
        ("mux20", 25),
        ("kddcup", 5),
    ] {
        let path = format!("{}/fixtures/runs/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let record = Record::parse(&std::fs::read_to_string(&path).unwrap(), &path).unwrap();
        assert!(
            record.runs.len() >= runs,
            "{name}: {} runs",
            record.runs.len()
        );
        assert_eq!(
            record.evaluated_cases,
            problem::describe(name).unwrap().n_cases,
            "{name}"
        );
        assert_eq!(record.settings, EvolveConfig::default(), "{name}");
        let programs = record
            .runs
            .iter()
            .map(|run| run.best_error.len() as u64 * 1000)
            .sum::<u64>();
        assert_eq!(record.depths().n_programs(), programs, "{name}");
        assert!(
            record
                .runs
                .iter()
                .all(|run| run.best_error.windows(2).all(|pair| pair[1] <= pair[0])),
            "{name}: elites"
        );
    }
}

#[test]
fn csv_has_every_cell_and_the_papers_values_where_given() {
    let text = stdout(&["stacks", "--format", "csv"]);
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("representation,problem,stack_limit,percent_programs,paper_percent,version")
    );
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 4 * (9 + 11));
    for row in &rows {
        let percent: f64 = row[3].parse().unwrap();
        assert!((0.0..=100.0).contains(&percent));
        assert!(!row[4].is_empty(), "{row:?}");
    }
    assert!(
        rows.iter()
            .any(|row| row[..3] == ["rpn", "sextic", "4"] && row[4] == "84.72")
    );
}

#[test]
fn a_chart_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("stacks.svg");
    stdout(&[
        "stacks",
        "--problem",
        "mux20",
        "--chart",
        chart.to_str().unwrap(),
    ]);
    assert!(
        std::fs::read_to_string(chart)
            .unwrap()
            .matches("<circle")
            .count()
            == 20
    );
}

#[test]
fn runs_can_be_made_now_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (record, settings) = (folder.path().join("r.json"), folder.path().join("s.json"));
    let small = EvolveConfig {
        population: 30,
        generations: 3,
        elitism: 2,
        ..EvolveConfig::default()
    };
    std::fs::write(&settings, serde_json::to_string(&small).unwrap()).unwrap();
    let text = stdout(&[
        "stacks",
        "--run",
        "--runs",
        "2",
        "--problem",
        "sextic",
        "--cases",
        "100",
        "--format",
        "csv",
        "--settings",
        settings.to_str().unwrap(),
        "--record",
        record.to_str().unwrap(),
    ]);
    assert_eq!(text.lines().count(), 1 + 9 + 11);
    let record = Record::parse(&std::fs::read_to_string(record).unwrap(), "r").unwrap();
    assert_eq!(
        (record.runs.len(), record.depths().n_programs()),
        (2, 2 * 3 * 30)
    );
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let refused = |arguments: &[&str], part: &str| {
        let output = warpstack(arguments).assert().code(2).get_output().clone();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            text.contains(part) && text.lines().count() == 1 && output.stdout.is_empty(),
            "{text}"
        );
    };
    refused(&["stacks", "--problem", "septic"], "did you mean sextic?");
    refused(
        &["stacks", "--problem", "mux6"],
        "--problem: given mux6; allowed: sextic, shuttle, kddcup, mux20",
    );
    refused(
        &["stacks", "--chart", "no/such/folder/c.svg"],
        "no/such/folder/c.svg",
    );
    refused(
        &[
            "stacks",
            "--run",
            "--problem",
            "shuttle",
            "--data",
            "no/such",
        ],
        "no/such/shuttle.trn",
    );
    refused(
        &["evolve", "--problem", "sextic", "--out", "no/such/c.corpus"],
        "no/such/c.corpus",
    );
    refused(
        &["langdon", "--problem", "sextic"],
        "--problem: given sextic; allowed: mux6",
    );
}
