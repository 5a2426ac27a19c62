//! Are the answers of the page those of the command line?

use serde_json::{Value, json};
use warpstack::study::Base;
use warpstack::{EngineKind, LaunchOptions, Predictor, Size};
use warpstack_wasm::answer;

fn ask(question: &Value) -> Value {
    serde_json::from_str(&answer(&question.to_string())).unwrap()
}

#[test]
fn a_changed_device_is_predicted_as_the_library_predicts_it() {
    let base = Base::load("h200").unwrap();
    let (smx, _) = base.key("smx").unwrap();
    let device = base.device(&[(&smx, "66")]).unwrap();
    let launch = LaunchOptions::of("lgp")
        .with(Size::Threads, 128)
        .with(Size::StackDim, 2);
    for (engine, kind) in [
        ("analytical", EngineKind::Analytical),
        ("simulator", EngineKind::Simulator),
    ] {
        let question = json!({
            "ask": "predict", "device": "h200", "changes": [["smx", "66"]], "engine": engine,
            "launch": { "kernel": "lgp", "threads_per_block": 128, "stack_dim": 2 },
        });
        let answer = &ask(&question)["answer"];
        let predictor = Predictor::new(device.clone()).with_engine(kind);
        let expected = predictor.predict(&launch).unwrap();
        assert_eq!(answer["gpops_billion"], expected.gpops_billion);
        // Nobody measured such a machine.
        assert_eq!(answer["support"], "outside");
    }
}

#[test]
fn programs_a_population_and_any_l1_are_taken() {
    let predicted = |programs: Value, l1: Value| {
        let question = json!({
            "ask": "predict", "device": "gtx670", "engine": "analytical", "programs": programs,
            "launch": { "kernel": "rpn", "problem": "sextic", "threads_per_block": 256, "stack_dim": 4, "l1_kib": l1 },
        });
        ask(&question)["answer"].clone()
    };
    let usual = predicted(json!({}), json!(48));
    assert_eq!(usual["support"], "validated");
    let more = predicted(json!({ "population": 4000 }), json!(48));
    assert_eq!(
        (&usual["blocks"], &more["blocks"]),
        (&json!(1000), &json!(4000))
    );
    let own = predicted(json!({ "list": ["X1 X1 *", "X1 0.5 +"] }), json!(48));
    assert_eq!(own["blocks"], 2);
    let large = predicted(json!({}), json!(128));
    assert!(large["gpops_billion"].as_f64() > usual["gpops_billion"].as_f64());
    assert_eq!(large["support"], "outside");
}

#[test]
fn gains_are_those_of_the_library_and_devices_describe_themselves() {
    let question = json!({
        "ask": "explain", "device": "gtx670", "engine": "analytical",
        "launch": { "kernel": "rpn", "problem": "sextic", "threads_per_block": 256, "stack_dim": 4 },
    });
    let gains = ask(&question)["answer"]["gains"].clone();
    let misses = gains
        .as_array()
        .unwrap()
        .iter()
        .find(|gain| gain["free"][0] == "l1-misses");
    assert!(misses.unwrap()["speedup"].as_f64().unwrap() > 1.3);
    let device = ask(&json!({ "ask": "device", "device": "gtx670", "fields": ["smx", "clock"] }));
    assert_eq!(device["answer"]["values"], json!([7.0, 980.0]));
    assert_eq!(device["answer"]["l1"], json!([16, 32, 48]));
}

#[test]
fn what_cannot_be_answered_is_refused_in_words() {
    let launch = json!({ "kernel": "rpn", "threads_per_block": 4096 });
    for (question, part) in [
        (json!({}), "ask"),
        (
            json!({ "ask": "device", "device": "gtx", "fields": [] }),
            "allowed: gtx670",
        ),
        (
            json!({ "ask": "device", "device": "gtx670", "fields": ["threads"] }),
            "a value of the device",
        ),
        (
            json!({ "ask": "predict", "device": "gtx670", "engine": "fast", "launch": launch }),
            "allowed: simulator, analytical",
        ),
        (
            json!({ "ask": "predict", "device": "gtx670", "engine": "analytical", "launch": launch }),
            "4096",
        ),
    ] {
        let answer = ask(&question);
        let refused = answer["refused"].as_str().unwrap();
        assert!(refused.contains(part), "{question}: {refused}");
    }
}
