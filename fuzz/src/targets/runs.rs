//! Corpora.

use super::text;
use std::path::Path;
use warpstack::gp::campaign::{Campaign, Plan};
use warpstack::gp::corpus::Corpus;
use warpstack::gp::evolve::{EvolveConfig, EvolveError};
use warpstack::gp::problem;

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

pub fn corpus_seeds() -> Vec<Vec<u8>> {
    let problem = problem::by_name("sextic", Some(16)).expect("a problem without files");
    let unwatched = || Ok::<(), EvolveError>(());
    let campaign =
        Campaign::run(plan(), &problem, unwatched).expect("settings within their ranges");
    vec![campaign.corpus("fuzz".into()).to_text().into_bytes()]
}

/// Reads a corpus; an accepted one is written as it was read.
pub fn corpus(bytes: &[u8]) {
    let path = Path::new("fuzz.corpus");
    if let Ok(corpus) = Corpus::parse(&text(bytes), path) {
        let written = corpus.to_text();
        let again = Corpus::parse(&written, path).expect("what is written is read");
        assert_eq!(again.to_text(), written);
    }
}
