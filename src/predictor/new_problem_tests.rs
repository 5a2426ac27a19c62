//! Does a new problem need one file? The one of `docs/how-to/problem.md`, from evolution to machine code and predictions.

use super::*;
use crate::device::Preset;
use crate::gp::campaign::{Campaign, Plan};
use crate::gp::corpus::Corpus;
use crate::gp::evolve::{EvolveConfig, EvolveError};
use crate::gp::interpret::{ALL, Options, evaluate};
use crate::gp::program::Rpn;
use crate::gp::workload::Workload;
use crate::isa::Arch;
use crate::systems::chitty::find::smallest;
use crate::systems::chitty::variant::{KernelId, Variant};
#[cfg(feature = "cli")]
use crate::systems::options::LaunchOptions;

const NEW: ProblemId = ProblemId::Parity6;

fn workload() -> Workload {
    Workload::new(NEW, None, 1).unwrap()
}

/// The programs of a short run.
fn corpus() -> Corpus {
    let plan = Plan {
        problem: NEW.name().to_owned(),
        evaluated_cases: 64,
        seed: 1,
        runs: 1,
        per_generation: 10,
        settings: EvolveConfig {
            population: 100,
            generations: 10,
            elitism: 1,
            ..EvolveConfig::default()
        },
    };
    let unwatched = || Ok::<(), EvolveError>(());
    let campaign = Campaign::run(plan, &workload().problem, unwatched).unwrap();
    campaign.corpus(String::new())
}

#[test]
fn it_is_evolved_and_all_interpreters_agree_on_the_programs() {
    let (corpus, problem) = (corpus(), workload().problem);
    let programs: Vec<&Rpn> = corpus.entries.iter().map(|one| &one.program).collect();
    let errors = evaluate(programs.iter().copied(), &problem).unwrap();
    // A program that ignores an input is wrong on half of the 64 cases.
    assert!(!errors.is_empty() && errors.iter().all(|&error| error <= 64.0));
    for interpreter in ALL {
        let found = interpreter.errors(&programs, &problem, Options::best());
        assert_eq!(found.unwrap(), errors, "{}", interpreter.name());
    }
}

#[test]
fn machine_code_with_its_functions_computes_it() {
    let texts = ["X1 X2 NAND X3 AND", "X6 X5 OR X4 X1 NOR NAND", "X2"];
    let programs = texts.map(|text| text.parse().unwrap());
    let kernels = Variant::all().unwrap().into_iter();
    let kernels: Vec<Variant> = kernels
        .filter(|one| one.problem == ProblemId::Mux20)
        .collect();
    assert!(kernels.len() > 40, "{}", kernels.len());
    for variant in kernels {
        let code = Variant {
            problem: NEW,
            ..variant
        };
        let compared = conformance::compare(&code.into(), &programs).unwrap();
        assert_eq!(compared.differs, None, "{variant}");
    }
}

#[cfg(feature = "cli")]
#[test]
fn both_models_predict_it_from_a_corpus() {
    let device = Preset::load("h200").unwrap().device;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, corpus().to_text().as_bytes()).unwrap();
    for name in ["rpn", "lgp", "lgp-registers", "accumulator"] {
        let options = LaunchOptions {
            problem: Some(NEW.name().into()),
            threads_per_block: Some(64),
            case_blocks: Some(1),
            ..LaunchOptions::of(name)
        };
        for kind in [Kind::Simulator, Kind::Analytical] {
            let settings = Settings {
                kind,
                corpus: Some(file.path().to_owned()),
                ..Settings::default()
            };
            let engine = Predictor::with_settings(device.clone(), settings);
            let predicted = engine.predict(&options).unwrap();
            assert!(predicted.gpops_billion > 0.0, "{name}");
        }
    }
}

#[test]
fn problems_without_kernels_or_corpus_are_refused_with_those_that_have_them() {
    let device = Preset::load("gtx670").unwrap().device;
    let predictor = Predictor::new(device);
    assert_eq!(
        predictor.population("mux6").unwrap_err().to_string(),
        "problem mux6: no corpus in the program; allowed: with --programs FILE or --corpus FILE, or one of sextic, shuttle, kddcup, mux20"
    );
    let error = smallest(KernelId::Rpn, ProblemId::Mux6, Arch::Sm35).unwrap_err();
    assert_eq!(
        error.to_string(),
        "problem: given mux6, whose functions no kernel has; allowed: sextic, shuttle, kddcup, mux20, mux37, sextic-constants, parity6"
    );
}
