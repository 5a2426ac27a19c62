//! Builds the library for browsers and compares its digits with this machine's: `cargo xtask wasm`.
//!
//! Needs the target `wasm32-unknown-unknown` (`rustup target add wasm32-unknown-unknown`), and node to compare. Asks both the same
//! questions: random launches on changed devices, by both engines.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Failure, in_repository};

const QUESTIONS: usize = 200;
/// The seed of the questions.
const SEED: u64 = 1;
/// Every tenth question is simulated.
const SIMULATED: usize = 10;

#[derive(clap::Args)]
pub struct Args {
    /// Folder to write warpstack.wasm into
    #[arg(default_value = "target/wasm")]
    out: PathBuf,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let module = build()?;
    fs::create_dir_all(&args.out)?;
    let path = args.out.join("warpstack.wasm");
    fs::copy(module, &path)?;
    println!("{}: {} bytes", path.display(), fs::metadata(&path)?.len());
    compare(&path)
}

fn build() -> Result<PathBuf, Failure> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--package", "warpstack-wasm", "--profile", "wasm"])
        .args(["--target", "wasm32-unknown-unknown"])
        .current_dir(in_repository(""))
        .status()?;
    match status.success() {
        true => Ok(in_repository(
            "target/wasm32-unknown-unknown/wasm/warpstack_wasm.wasm",
        )),
        false => Err("the library does not build for wasm32-unknown-unknown".into()),
    }
}

fn compare(module: &PathBuf) -> Result<(), Failure> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    // Many a kernel was not compiled for a device, or for so many cases per thread.
    let asked = (0..).map(|nth| question(nth, &mut rng));
    let answered = asked.filter_map(|question| {
        let answer = without_duration(&warpstack_wasm::answer(&question.to_string())).ok()?;
        answer.get("answer")?;
        Some((question, answer))
    });
    let (questions, expected): (Vec<Value>, Vec<Value>) = answered.take(QUESTIONS).unzip();
    let mut node = Command::new("node")
        .args(["--input-type=module", "--eval", ASK])
        .arg(module)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| {
            format!("node: {error}; the module is built, its digits are not compared")
        })?;
    let stdin = node.stdin.take().ok_or("node takes no input")?;
    serde_json::to_writer(stdin, &questions)?;
    let output = node.wait_with_output()?;
    let answers: Vec<String> = serde_json::from_slice(&output.stdout)?;
    for ((question, answer), here) in questions.iter().zip(&answers).zip(&expected) {
        let there = without_duration(answer)?;
        if there != *here {
            return Err(format!("{question}: {there} in WebAssembly, {here} here").into());
        }
    }
    println!("{} answers equal to the last digit", answers.len());
    Ok(())
}

/// An answer without the time that it took.
fn without_duration(text: &str) -> Result<Value, Failure> {
    let mut answer: Value = serde_json::from_str(text)?;
    if let Some(Value::Object(fields)) = answer.get_mut("answer") {
        fields.remove("wall_seconds");
    }
    Ok(answer)
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
    let ask = one(&["predict", "predict", "explain"]);
    let smx = rng.random_range(1..200);
    json!({
        "ask": ask, "device": device, "engine": engine,
        "changes": [["smx", smx.to_string()], ["clock", format!("{:.1}", rng.random_range(500.0..3000.0))]],
        "launch": {
            "kernel": kernel, "problem": problem,
            "threads_per_block": 32 * rng.random_range(1..=32), "stack_dim": rng.random_range(1..=4),
        },
    })
}

/// Asks a module all questions of the standard input.
const ASK: &str = r#"
import fs from "node:fs";
const { instance } = await WebAssembly.instantiate(fs.readFileSync(process.argv[1]), {});
const { memory, warpstack_new, warpstack_ask, warpstack_free } = instance.exports;
function ask(question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const at = warpstack_new(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const answer = warpstack_ask(at, bytes.length);
  const length = new DataView(memory.buffer).getUint32(answer, true);
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, length));
  warpstack_free(answer);
  return text;
}
process.stdout.write(JSON.stringify(JSON.parse(fs.readFileSync(0, "utf8")).map(ask)));
"#;
