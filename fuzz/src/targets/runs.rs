//! Corpora, and the states from which campaigns resume.

use super::text;
use std::path::Path;
use std::sync::LazyLock;
use warpstack::gp::campaign::{Campaign, Plan};
use warpstack::gp::corpus::Corpus;
use warpstack::gp::evolve::{EvolveConfig, EvolveError};
use warpstack::gp::problem::{self, Problem, ProblemId};

static PROBLEM: LazyLock<Problem> =
    LazyLock::new(|| problem::by_name("sextic", Some(16)).expect("a problem without files"));

fn plan() -> Plan {
    Plan {
        problem: "sextic".into(),
        evaluated_cases: 16,
        seed: 1,
        runs: 2,
        per_generation: 2,
        settings: EvolveConfig {
            population: 6,
            generations: 4,
            elitism: 1,
            max_size: 60,
            ..EvolveConfig::default()
        },
    }
}

/// Returns the state of a campaign that is stopped after `generations`.
fn stopped_after(generations: usize) -> Campaign {
    let mut campaign = Campaign::new(plan());
    let _ = campaign.run(&PROBLEM, |state| {
        match state.generations_seen() < generations {
            true => Ok(()),
            false => Err(Stopped),
        }
    });
    campaign
}

struct Stopped;

impl From<EvolveError> for Stopped {
    fn from(_: EvolveError) -> Self {
        Stopped
    }
}

pub fn checkpoint_seeds() -> Vec<Vec<u8>> {
    let states = [1, 3, 6, 100].map(|n| stopped_after(n).checkpoint());
    states
        .into_iter()
        .filter_map(Result::ok)
        .map(String::into_bytes)
        .collect()
}

/// Resumes from a checkpoint; an accepted one runs to its end.
pub fn checkpoint(bytes: &[u8]) {
    let text = text(bytes);
    let _ = Campaign::joined(&[text.to_string()], &["fuzz".to_owned()]);
    if let Ok(mut campaign) = Campaign::from_checkpoint(&text, "fuzz", &plan(), None)
        && campaign
            .run(&PROBLEM, |_| Ok::<(), EvolveError>(()))
            .is_ok()
    {
        assert_eq!(campaign.finished().len(), 2);
    }
}

pub fn corpus_seeds() -> Vec<Vec<u8>> {
    vec![
        stopped_after(100)
            .corpus("fuzz".into())
            .to_text()
            .into_bytes(),
    ]
}

/// Reads a corpus; an accepted one is written as it was read.
pub fn corpus(bytes: &[u8]) {
    let path = Path::new("fuzz.corpus");
    if let Ok(corpus) = Corpus::parse(&text(bytes), path) {
        let _ = corpus.rpn_depths();
        let described = ProblemId::Sextic.definition();
        let _ = corpus.check_against(path, described.functions, described.n_inputs);
        let written = corpus.to_text();
        let again = Corpus::parse(&written, path).expect("what is written is read");
        assert_eq!(again.to_text(), written);
    }
}
