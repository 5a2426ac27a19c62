//! Writes the populations that measurements run: `cargo run --release --example random_programs -- DIR [SEED]`.
//!
//! Random trees of every problem's function set, ramped in depth; those of fewer than 8 or more than 200 nodes are drawn
//! again. Seeded, so the same files come out.

use std::fmt::Write as _;
use std::{env, error::Error, fs, path::Path};

use warpstack::gp::evolve::config::{Init, InitMethod};
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::init::{Ingredients, initial};
use warpstack::gpu::lower::{function_codes, lower};
use warpstack::gpu::variant::{FunctionSet, KernelId};

const POPULATION: usize = 1000;
const DEFAULT_SEED: u64 = 11;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = env::args()
        .nth(1)
        .ok_or("usage: random_programs DIR [SEED]")?;
    let seed = env::args()
        .nth(2)
        .map_or(Ok(DEFAULT_SEED), |seed| seed.parse())?;
    for &problem in FunctionSet::ALL {
        let (n_inputs, constants) = match problem {
            FunctionSet::Sextic => (1, None),
            FunctionSet::Shuttle => (9, Some((-200.0, 200.0))),
            FunctionSet::Kddcup => (41, Some((-20_000.0, 20_000.0))),
            FunctionSet::Mux20 => (20, None),
        };
        let functions = function_codes(problem)
            .iter()
            .map(|&(primitive, _)| primitive)
            .collect();
        let ingredients = Ingredients {
            functions,
            n_inputs,
            constants,
            function_choice: warpstack::gp::evolve::config::FunctionChoice::Uniform,
        };
        let write = |name: String, min_depth| -> Result<(), Box<dyn Error>> {
            let text = population(problem, &ingredients, min_depth, seed)?;
            Ok(fs::write(Path::new(&directory).join(name), text)?)
        };
        write(format!("{problem}.txt"), 4)?;
        if problem == FunctionSet::Sextic {
            write(format!("{problem}-46.txt"), 6)?;
        }
    }
    Ok(())
}

fn population(
    problem: FunctionSet,
    ingredients: &Ingredients,
    min_depth: usize,
    seed: u64,
) -> Result<String, Box<dyn Error>> {
    let init = Init {
        method: InitMethod::Ramped,
        min_depth,
        max_depth: 8,
    };
    let mut dice = Dice::new(seed, problem as u64);
    let mut text = String::new();
    let (mut index, mut written, mut nodes) = (0, 0, 0);
    while written < POPULATION {
        let program = initial(ingredients, init, index, &mut dice);
        index += 1;
        let runs = lower(&program, KernelId::Rpn, problem).is_ok();
        if !(8..=200).contains(&program.0.len()) || !runs {
            continue;
        }
        nodes += program.0.len();
        written += 1;
        writeln!(text, "{program}")?;
    }
    eprintln!(
        "{problem}: {:.1} nodes on average",
        nodes as f64 / POPULATION as f64
    );
    Ok(text)
}
