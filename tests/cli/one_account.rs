//! Do `explain`, the view by instructions and `whatif` give one account of a launch, and does it say what it rests on?

use super::program::{json, stdout};

/// Launches with different first bottlenecks, on the paper's card and on a large one.
const LAUNCHES: [&str; 4] = [
    "--stack-dim 4 --threads 256 --l1 48",
    "--kernel lgp --problem kddcup --threads 64",
    "--device h200",
    "--device h200 --kernel lgp --threads 512 --population 8448",
];

#[test]
fn every_view_names_the_part_that_explain_names() {
    for launch in LAUNCHES {
        let explained = &json(&format!("explain {launch}"))["rows"][0];
        let sentence = explained["bottleneck"].as_str().unwrap();
        let listing = json(&format!("explain {launch} --per-instruction"));
        assert_eq!(listing["bottleneck"], explained["bottleneck"], "{launch}");
        let listing = stdout(&format!("explain {launch} --per-instruction"));
        assert_eq!(listing.lines().nth(1), sentence_start(sentence), "{launch}");
        // The carve-out that the device has by itself.
        let line = format!("whatif {launch} --vary case-blocks=1 --why");
        let study = &json(&line)["rows"][0];
        let part = study["gains_most"].as_str().unwrap();
        let named = sentence.split(':').next().unwrap();
        assert_eq!(named.to_lowercase(), part.to_lowercase(), "{launch}");
        let gains = explained["gains"].as_array().unwrap();
        let alone = gains
            .iter()
            .filter(|gain| gain["free"].as_array().unwrap().len() == 1);
        let most = alone.map(|gain| gain["speedup"].as_f64().unwrap());
        let most = 100.0 * (most.fold(0.0, f64::max) - 1.0);
        assert!(
            (study["gain_percent"].as_f64().unwrap() - most).abs() < 1e-9,
            "{launch}"
        );
    }
}

/// The first of the lines that a sentence is wrapped to.
fn sentence_start(sentence: &str) -> Option<&str> {
    let ends = sentence.match_indices(' ').map(|(at, _)| at);
    let last = ends.filter(|at| *at <= 80).max()?;
    Some(&sentence[..last])
}

#[test]
fn cycles_stand_beside_the_gain_without_what_they_are_charged_to() {
    let explained = &json("explain --stack-dim 4")["rows"][0];
    let cycles = explained["cycles"].as_array().unwrap();
    let misses = cycles
        .iter()
        .find(|share| share["name"] == "long scoreboard: stack, L2");
    let without = &misses.unwrap()["without"];
    assert_eq!(without["free"][0], "l1-misses");
    assert!(without["speedup"].as_f64().unwrap() > 1.3);
    let issuing = &cycles[0]["without"];
    assert_eq!(issuing["free"][0], "issue-slots");
}

#[test]
fn a_small_grid_says_how_many_programs_would_fill_it() {
    let small = stdout("explain --engine analytical --device h200");
    assert!(
        small.contains("1000 blocks take fewer than the 1056 places"),
        "{small}"
    );
    assert!(small.contains("--population\n    8448"), "{small}");
    let large = stdout("explain --engine analytical --device h200 --population 8448");
    assert!(!large.contains("A larger population"), "{large}");
}

#[test]
fn an_answer_names_the_assumed_values_that_it_rests_on() {
    let line =
        "explain --engine analytical --device rtx4090 --arch sm_90 --problem kddcup --stack-dim 4";
    let assumed = &json(line)["rows"][0]["assumed"];
    assert_eq!(assumed[0]["field"], "l2.port_bytes_per_cycle");
    let percent = assumed[0]["percent"].as_f64().unwrap();
    assert!(percent > 3.0, "{percent}");
    assert!(stdout(line).contains("rests on assumed values"));
    // Where nothing that matters is assumed, nothing is said.
    assert!(!stdout("explain --engine analytical --device h200").contains("assumed values"));
}

#[test]
fn advice_mentions_faster_kernels_that_only_other_code_has() {
    let advice = json("advise --engine analytical --device rtx4090 --problem mux20");
    let other = &advice["elsewhere"][0];
    assert_eq!(
        (&other["kernel"], &other["arch"]),
        (&"accumulator".into(), &"sm_90".into())
    );
    let best = advice["launches"][0]["gpops_billion"].as_f64();
    assert!(other["gpops_billion"].as_f64() > best, "{other}");
    // No code of another format runs on a Kepler.
    let paper = json("advise --engine analytical");
    assert_eq!(paper["elsewhere"], serde_json::json!([]));
}
