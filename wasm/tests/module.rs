//! Has the committed module the digits of this machine, in a browser?
//!
//! Asks the thread of the explorer's page 200 random questions about changed devices, a tenth of them for the simulator. Skipped where
//! there is no Chromium. A module that is older than the model fails: `cargo xtask wasm` makes it anew.

#[path = "../../tests/pages/driver.rs"]
#[allow(dead_code)]
mod driver;

use driver::Tab;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use warpstack::util::seven_bits::seven_bits;

const MODULE: &[u8] = include_bytes!("../../assets/warpstack.wasm.gz");
const WORKER: &str = include_str!("../../src/report/explore/worker.js");
const QUESTIONS: usize = 200;
const SEED: u64 = 1;
/// Every tenth question is simulated.
const SIMULATED: usize = 10;

#[test]
fn the_module_has_the_digits_of_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>module</title><script type=\"text/plain\" id=\"worker\">{WORKER}</script>\
         <script type=\"text/plain\" id=\"module\">{}</script>",
        seven_bits(MODULE)
    );
    std::fs::write(&page, text).unwrap();
    let Some(mut tab) = Tab::open(&format!("file://{}", page.display()), 800) else {
        return;
    };
    let (questions, expected) = questions();
    tab.run(START);
    for (questions, expected) in questions.chunks(20).zip(expected.chunks(20)) {
        let answers = tab.run(&format!("return ask({});", json!(questions)));
        for ((question, there), here) in questions
            .iter()
            .zip(answers.as_array().unwrap())
            .zip(expected)
        {
            let there = without_duration(there.as_str().unwrap());
            assert_eq!(
                there, *here,
                "{question}: the module, then this machine; `cargo xtask wasm` makes it anew"
            );
        }
    }
}

/// Starts the thread, and defines a function that asks it questions in turn.
const START: &str = "
    while (!document.getElementById('module')) await new Promise((done) => setTimeout(done, 20));
    const source = new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' });
    const worker = new Worker(URL.createObjectURL(source));
    const told = () => new Promise((done) => { worker.onmessage = ({ data }) => done(data); });
    worker.postMessage({ module: document.getElementById('module').textContent });
    await told();
    window.ask = async (questions) => {
        const answers = [];
        for (const question of questions) {
            worker.postMessage({ id: 0, question: JSON.stringify(question) });
            answers.push((await told()).text);
        }
        return answers;
    };";

/// Questions that have an answer, and the answers of this machine.
fn questions() -> (Vec<Value>, Vec<Value>) {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    // Many a kernel was not compiled for a device, or for so many cases per thread.
    let asked = (0..).map(|nth| question(nth, &mut rng));
    let answered = asked.filter_map(|question| {
        let answer = without_duration(&warpstack_wasm::answer(&question.to_string()));
        answer.get("answer")?;
        Some((question, answer))
    });
    answered.take(QUESTIONS).unzip()
}

/// An answer without the time that it took.
fn without_duration(text: &str) -> Value {
    let mut answer: Value = serde_json::from_str(text).unwrap();
    if let Some(Value::Object(fields)) = answer.get_mut("answer") {
        fields.remove("wall_seconds");
    }
    answer
}

fn question(nth: usize, rng: &mut ChaCha8Rng) -> Value {
    let mut one = |of: &[&str]| (*of.choose(rng).unwrap_or(&"")).to_owned();
    let device = one(&["gtx670", "gtx670", "h200", "h100", "t4", "a100", "rtx4090"]);
    let kernel = one(&["rpn", "lgp", "lgp-registers", "accumulator"]);
    let problem = one(&["sextic", "shuttle", "kddcup", "mux20"]);
    let engine = match nth % SIMULATED {
        0 => "simulator",
        _ => "analytical",
    };
    let ask = match engine {
        "simulator" => "predict".to_owned(),
        _ => one(&["predict", "predict", "explain", "watch"]),
    };
    let smx = rng.random_range(1..200);
    let from = rng.random_range(0..20_000);
    json!({
        "ask": ask, "device": device, "engine": engine, "from": from, "until": from + 200,
        "changes": [["smx", smx.to_string()], ["clock", format!("{:.1}", rng.random_range(500.0..3000.0))]],
        "launch": {
            "kernel": kernel, "problem": problem,
            "threads_per_block": 32 * rng.random_range(1..=32), "stack_dim": rng.random_range(1..=4),
        },
    })
}
