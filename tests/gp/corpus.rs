//! The committed corpora load, fit their problems and can be weighted to the paper's percentages.

use std::path::{Path, PathBuf};
use warpstack::gp::corpus::{Corpus, Statistics};
use warpstack::gp::problem::{self, ProblemId};
use warpstack::gp::stack_depth::rpn_stack_depth;
use warpstack::gp::weights::{Margin, weights_for_margins};

fn fixture(name: &str) -> PathBuf {
    Path::new("fixtures").join(name)
}

fn table_5(problem: &str) -> Vec<(usize, f64)> {
    let mut reader = csv::Reader::from_path(fixture("papers/table5.csv")).unwrap();
    let rows = reader
        .records()
        .map(|row| row.unwrap())
        .filter(|row| &row[0] == problem);
    rows.map(|row| (row[1].parse().unwrap(), row[2].parse().unwrap()))
        .collect()
}

#[test]
fn sextic_corpus_is_brought_to_the_papers_percentages_with_moderate_weights() {
    let corpus = Corpus::load(&fixture("corpus/sextic.corpus")).unwrap();
    let depths = corpus
        .entries
        .iter()
        .map(|one| rpn_stack_depth(&one.program));
    let depths: Vec<usize> = depths.collect();
    let percentages = table_5("sextic");
    let margin = Margin {
        depths: &depths,
        percentages: &percentages,
    };
    let weights = weights_for_margins(&[margin], vec![1.0; depths.len()]).unwrap();
    let total: f64 = weights.weights.iter().sum();
    for &(limit, percent) in &percentages {
        let within: f64 = depths
            .iter()
            .zip(&weights.weights)
            .filter(|(d, _)| **d <= limit)
            .map(|(_, w)| w)
            .sum();
        assert!(
            (100.0 * within / total - percent).abs() < 1e-6,
            "limit {limit}"
        );
    }
    assert!(weights.merged.is_empty(), "{:?}", weights.merged);
    assert!(weights.largest < 3.0, "largest weight {}", weights.largest);
}

#[test]
fn all_corpora_fit_their_problems_and_eight_mebibytes() {
    let mut bytes = 0;
    let mut problems = Vec::new();
    for file in std::fs::read_dir(fixture("corpus")).unwrap() {
        let path = file.unwrap().path();
        bytes += std::fs::metadata(&path).unwrap().len();
        if !path.display().to_string().ends_with(".corpus") {
            continue;
        }
        let corpus = Corpus::load(&path).unwrap();
        let problem = corpus
            .header
            .problem
            .parse::<ProblemId>()
            .unwrap()
            .definition();
        for entry in &corpus.entries {
            let fits = entry
                .program
                .check_against(problem.functions, problem.n_inputs);
            assert_eq!(fits, Ok(()), "{}", path.display());
        }
        let (header, name) = (&corpus.header, path.display());
        assert_eq!(header.evaluated_cases, problem.n_cases, "{name}");
        let counted = Statistics::of(&corpus.entries, header.statistics.solved_runs);
        assert_eq!(counted, header.statistics, "{name}");
        let runs: std::collections::BTreeSet<u32> = corpus.entries.iter().map(|e| e.run).collect();
        let (kept, all) = (runs.len() as u32, header.runs);
        let nearest = header.command.contains("--nearest");
        assert!(kept == all || nearest && kept < all, "{name}");
        problems.push(problem.name);
    }
    assert!(
        problem::PAPER
            .iter()
            .all(|id| problems.contains(&id.name())),
        "{problems:?}"
    );
    assert!(bytes < 8 << 20, "{bytes} bytes");
}
