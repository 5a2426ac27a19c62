//! What a token of Robilliard's interpreter takes where every block runs the same few tokens: predicted as measured in
//! `fixtures/measured/h200/token_latency.csv`, cycles of a warp per program word.
//!
//! `cargo xtask token-latency fixtures/devices/h200.toml`

use super::Failure;
use serde::Deserialize;
use warpstack::device::{Device, Preset};
use warpstack::launch::divergent::Timing;
use warpstack::launch::executed::{ExecutedBlock, ExecutedCode, Offsets};
use warpstack::launch::grid::{Grid, Launch};
use warpstack::predictor::{CodeChoice, executed_architecture};
use warpstack::systems::robilliard::kernel::{Interpreter, Scheme};
use warpstack::systems::robilliard::problem::{CaseTable, FunctionSet};
use warpstack::systems::robilliard::program::Opcode;

const MEASURED: &str = include_str!("../../fixtures/measured/h200/token_latency.csv");

#[derive(clap::Args)]
pub struct Args {
    /// Device, by name or preset file
    device: String,
}

#[derive(Debug, Deserialize)]
struct Row {
    functions: String,
    tokens: String,
    blocks: u32,
    threads: u32,
    cycles_per_word: f64,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let device = Preset::load(&args.device)?.device;
    println!("functions,tokens,blocks,threads,measured,predicted,error_percent");
    for row in csv::Reader::from_reader(MEASURED.as_bytes()).deserialize() {
        let row: Row = row?;
        let predicted = cycles_per_word(&device, &row)?;
        println!(
            "{},{},{},{},{:.1},{predicted:.1},{:+.1}",
            row.functions,
            row.tokens,
            row.blocks,
            row.threads,
            row.cycles_per_word,
            100.0 * (predicted / row.cycles_per_word - 1.0)
        );
    }
    Ok(())
}

fn cycles_per_word(device: &Device, row: &Row) -> Result<f64, Failure> {
    let named = FunctionSet::ALL.into_iter();
    let set = named.clone().find(|set| set.name() == row.functions);
    let Some(set) = set else {
        let allowed: Vec<_> = named.map(FunctionSet::name).collect();
        let (given, allowed) = (&row.functions, allowed.join(", "));
        return Err(format!("function set: given {given}; allowed: {allowed}").into());
    };
    let arch = executed_architecture(device, &CodeChoice::default())?;
    let interpreter = Interpreter::load(Scheme::BlockGp, set, arch)?;
    let words = words(&row.tokens)?;
    let launch = Launch {
        name: "robilliard",
        kernel: &interpreter.kernel,
        threads_per_block: row.threads,
        shared_bytes: 4 * row.threads,
        blocks: row.blocks,
        data_bytes: 0,
        carve_out: warpstack::launch::CarveOut::Default,
    };
    let grid = Grid::place(device, launch)?;
    let sample = grid.sample(16, 1);
    let numbers = sample.blocks();
    let cycles = |runs: u32| -> Result<f64, Failure> {
        let value = match (set, row.tokens.contains("jump_or")) {
            (FunctionSet::Multiplexer, true) => 0,
            (FunctionSet::Multiplexer, false) => 1,
            _ => 1f32.to_bits(),
        };
        let n = (runs * row.threads) as usize;
        let cases = CaseTable {
            inputs: vec![value; n],
            expected: vec![0; n],
        };
        let run = interpreter.execute(std::slice::from_ref(&words), &cases, row.threads)?;
        let block = ExecutedBlock {
            nodes: vec![1; run.warps.len()],
            warps: run.warps,
            offsets: Offsets::default(),
        };
        let blocks = vec![block; numbers.len()];
        let code = ExecutedCode::on(device, &interpreter.kernel, &blocks)?;
        Ok(grid.timed(Timing::Simulated, &sample, &code)?.cycles)
    };
    let n = words.len() as f64 - 1.0;
    Ok((cycles(6)? - cycles(2)?) / 4.0 / n)
}

/// `x*60`, or `x (x add)*100`: words of a program, with its end.
fn words(tokens: &str) -> Result<Vec<u32>, Failure> {
    let mut words = Vec::new();
    for part in tokens.split(" + ") {
        let (group, times) = part.split_once('*').unwrap_or((part, "1"));
        let group = group.trim_matches(['(', ')']).split(' ');
        let group = group.map(word).collect::<Result<Vec<_>, _>>()?.concat();
        words.extend(group.repeat(times.parse()?));
    }
    words.push(Opcode::Return as u32);
    Ok(words)
}

fn word(token: &str) -> Result<Vec<u32>, Failure> {
    let opcode = match token {
        "constant" => return Ok(vec![Opcode::Constant as u32, 1f32.to_bits()]),
        "x" => Opcode::InputX,
        "add" => Opcode::Add,
        "sub" => Opcode::Sub,
        "mul" => Opcode::Mul,
        "div" => Opcode::Div,
        "sin" => Opcode::Sine,
        "cos" => Opcode::Cosine,
        "exp" => Opcode::Exponential,
        "log" => Opcode::Logarithm,
        "input" => Opcode::Input,
        "not" => Opcode::Not,
        "jump_and" => Opcode::JumpAnd,
        "jump_or" => Opcode::JumpOr,
        other => return Err(format!("token: given {other}; allowed: those of this file").into()),
    };
    Ok(vec![opcode as u32])
}
