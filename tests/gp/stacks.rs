//! Tables 5 and 6: the committed records, those of new runs, and what is printed of them.

use crate::program::{refuses, stdout};
use warpstack::gp::evolve::EvolveConfig;
use warpstack::gp::problem::ProblemId;
use warpstack::gp::record::Record;

#[test]
fn committed_records_hold_enough_runs_on_all_cases_with_one_setting() {
    for (name, runs) in [
        ("sextic", 25),
        ("shuttle", 25),
        ("mux20", 25),
        ("kddcup", 5),
    ] {
        let path = format!("fixtures/runs/{name}.json");
        let record = Record::parse(&std::fs::read_to_string(&path).unwrap(), &path).unwrap();
        assert!(record.runs.len() >= runs, "{name}");
        let all = name.parse::<ProblemId>().unwrap().definition().n_cases;
        assert_eq!(record.evaluated_cases, all, "{name}");
        assert_eq!(record.settings, EvolveConfig::default(), "{name}");
        let generations = record.runs.iter().map(|run| run.best_error.len() as u64);
        let programs = 1000 * generations.sum::<u64>();
        assert_eq!(record.depths().n_programs(), programs, "{name}");
        let mut runs = record.runs.iter();
        let elites = runs.all(|run| run.best_error.is_sorted_by(|a, b| b <= a));
        assert!(elites, "{name}");
    }
}

#[test]
fn csv_has_every_cell_and_the_papers_values_where_given() {
    let text = stdout("reproduce --table 5,6 --format csv");
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
    stdout(&format!(
        "reproduce --table 5,6 --problem mux20 --chart {}",
        chart.display()
    ));
    let drawn = std::fs::read_to_string(chart).unwrap();
    // Ours and the paper's, and a sample of each in the legends of both tables.
    assert_eq!(drawn.matches("<circle").count(), 20 + 20 + 4);
}

#[test]
fn runs_can_be_recorded_and_tabulated() {
    let folder = tempfile::tempdir().unwrap();
    let (record, settings) = (folder.path().join("r.json"), folder.path().join("s.json"));
    let small = EvolveConfig {
        population: 30,
        generations: 3,
        elitism: 2,
        ..EvolveConfig::default()
    };
    std::fs::write(&settings, serde_json::to_string(&small).unwrap()).unwrap();
    stdout(&format!(
        "evolve --runs 2 --problem sextic --cases 100 --settings {} --record {}",
        settings.display(),
        record.display()
    ));
    let text = stdout(&format!(
        "reproduce --table 5,6 --format csv --record {}",
        record.display()
    ));
    assert_eq!(text.lines().count(), 1 + 9 + 11);
    let record = Record::parse(&std::fs::read_to_string(record).unwrap(), "r").unwrap();
    assert_eq!(
        (record.runs.len(), record.depths().n_programs()),
        (2, 2 * 3 * 30)
    );
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    refuses(&[
        (
            "reproduce --table 5,6 --problem septic",
            "did you mean sextic?",
        ),
        (
            "reproduce --table 5,6 --problem mux6",
            "--problem: given mux6; allowed: sextic, shuttle, kddcup, mux20",
        ),
        (
            "reproduce --table 5,6 --chart no/such/folder/c.svg",
            "no/such/folder/c.svg",
        ),
        (
            "evolve --problem shuttle --data no/such",
            "no/such/shuttle.trn",
        ),
        ("reproduce --table 3,5", "3,5|not both"),
        ("reproduce --table 6 --device h200", "--device"),
        ("reproduce --table 3 --record r.json", "--record|5,6"),
        (
            "evolve --problem sextic --out no/such/c.corpus",
            "no/such/c.corpus",
        ),
    ]);
}
