//! Writes the populations that measurements run: `cargo xtask random-programs DIR [SEED]`.
//!
//! Random trees of every problem's function set, ramped in depth; those of fewer than 8 or more than 200 nodes are drawn
//! again. Seeded, so the same files come out.

use std::fmt::Write as _;
use std::{fs, path::PathBuf};

use super::Failure;

use warpstack::gp::evolve::config::{Init, InitMethod};
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::init::{Ingredients, initial};
use warpstack::gp::problem::{PAPER, ProblemId};
use warpstack::systems::chitty::kernel_id::Lowering;
use warpstack::systems::chitty::lower::{function_codes, lower};

const POPULATION: usize = 1000;

#[derive(clap::Args)]
pub struct Args {
    /// Folder to write to
    directory: PathBuf,
    /// Seed of the programs; 11 makes the committed ones
    #[arg(default_value_t = 11)]
    seed: u64,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let Args { directory, seed } = args;
    fs::create_dir_all(&directory)?;
    for problem in PAPER {
        let definition = problem.definition();
        let functions = function_codes(problem)
            .iter()
            .map(|&(primitive, _)| primitive)
            .collect();
        let ingredients = Ingredients {
            functions,
            n_inputs: definition.n_inputs,
            constants: definition.constants,
            function_choice: warpstack::gp::evolve::config::FunctionChoice::Uniform,
        };
        let write = |name: String, min_depth| -> Result<(), Failure> {
            let text = population(problem, &ingredients, min_depth, seed)?;
            Ok(fs::write(directory.join(name), text)?)
        };
        write(format!("{problem}.txt"), 4)?;
        if problem == ProblemId::Sextic {
            write(format!("{problem}-46.txt"), 6)?;
        }
    }
    Ok(())
}

fn population(
    problem: ProblemId,
    ingredients: &Ingredients,
    min_depth: usize,
    seed: u64,
) -> Result<String, Failure> {
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
        let runs = lower(&program, Lowering::Postfix, problem).is_ok();
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
