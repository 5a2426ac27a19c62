//! Does every comparison of two launches in the README and the book agree with the paper's measured values, or admit a miss?
//!
//! A page marks a comparison with a comment: `<!-- compare: LAUNCH => LAUNCH; predicted +A %; measured +B % -->`, at its end
//! `; missed` where prediction and measurement disagree about the winner, or by more than a factor of two about the size. A launch is
//! `problem=..,kernel=..,threads=..,stack-dim=..`, with `stack-registers` and `l1` where they matter. Predictions are the analytical model's.

use super::pages;
use std::path::PathBuf;
use std::sync::LazyLock;
use warpstack::Preset;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::systems::options::LaunchOptions;
use warpstack::validate::known::{Agreement, Known, agrees};

/// Tolerance of a stated prediction, in points; stated measured values must be exact.
const POINTS: f64 = 1.0;

struct Compared {
    place: String,
    launches: [LaunchOptions; 2],
    predicted: f64,
    measured: f64,
    is_missed: bool,
}

fn launch(text: &str) -> LaunchOptions {
    let mut options = LaunchOptions {
        stack_dim: Some(1),
        stack_registers: Some(0),
        l1_kib: Some(48),
        ..LaunchOptions::of("rpn")
    };
    for pair in text.split(',') {
        let (name, value) = pair.split_once('=').unwrap_or_else(|| panic!("{text}"));
        let number = || Some(value.parse().unwrap_or_else(|_| panic!("{text}")));
        match name.trim() {
            "problem" => options.problem = Some(value.to_owned()),
            "kernel" => options.kernel = value.to_owned(),
            "threads" => options.threads_per_block = number(),
            "stack-dim" => options.stack_dim = number(),
            "stack-registers" => {
                options.stack_registers = number();
                // The paper's only size with levels in registers.
                options.stack_dim = Some(4);
            }
            "l1" => options.l1_kib = number(),
            other => panic!("{text}: {other}"),
        }
    }
    options
}

fn compared(page: &PathBuf) -> Vec<Compared> {
    let text = std::fs::read_to_string(page).unwrap();
    let comments = text.split("<!-- compare: ").skip(1);
    let one = |comment: &str| {
        let comment = comment.split(" -->").next().unwrap();
        let place = format!("{}: {comment}", page.display());
        let parts: Vec<&str> = comment.split(';').map(str::trim).collect();
        let percent = |part: &str, name: &str| -> f64 {
            let number = part
                .strip_prefix(name)
                .and_then(|rest| rest.strip_suffix('%'));
            let number = number.and_then(|rest| rest.trim().parse().ok());
            number.unwrap_or_else(|| panic!("{place}: {part}"))
        };
        let (first, second) = parts[0].split_once(" => ").unwrap();
        Compared {
            launches: [launch(first), launch(second)],
            predicted: percent(parts[1], "predicted"),
            measured: percent(parts[2], "measured"),
            is_missed: parts.get(3) == Some(&"missed"),
            place,
        }
    };
    comments.map(one).collect()
}

fn gain([first, second]: [f64; 2]) -> f64 {
    100.0 * (second / first - 1.0)
}

/// Returns the error of a comparison, if it has one.
fn wrong(one: &Compared, known: &Known) -> Option<String> {
    static MODEL: LazyLock<Predictor> = LazyLock::new(|| {
        let settings = Settings {
            kind: Kind::Analytical,
            ..Settings::default()
        };
        Predictor::with_settings(Preset::load("gtx670").unwrap().device, settings)
    });
    let speed = |launch: &LaunchOptions| MODEL.predict(launch).unwrap().gpops_billion;
    let measured = |launch: &LaunchOptions| known.of_launch(launch).map(|one| one.gpops_billion);
    let [Some(first), Some(second)] = [0, 1].map(|at| measured(&one.launches[at])) else {
        return Some(format!("{}: no measured value", one.place));
    };
    let was = gain([first, second]);
    let is = gain([0, 1].map(|at| speed(&one.launches[at])));
    let agrees = agrees(is, was) == Agreement::Yes;
    let right = (one.predicted - is).abs() <= POINTS
        && (one.measured - was).abs() <= 0.5
        && agrees != one.is_missed;
    let says = format!("{}: {is:+.1} % predicted, {was:+.1} % measured", one.place);
    (!right).then_some(says)
}

#[test]
fn every_comparison_has_the_measured_sign_and_size_or_says_that_it_is_missed() {
    let known = Known::of_paper().unwrap();
    let pages = pages().into_iter().chain([PathBuf::from("README.md")]);
    let all: Vec<Compared> = pages.flat_map(|page| compared(&page)).collect();
    assert!(all.len() > 30, "{}", all.len());
    let wrong: Vec<String> = all.iter().filter_map(|one| wrong(one, &known)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
