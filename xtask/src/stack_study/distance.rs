//! How far the programs of some runs are from the paper's percentages.

use super::Failure;
use serde::{Deserialize, Serialize};
use warpstack::gp::depth_profile::DepthProfile;
use warpstack::gp::evolve::{EvolveConfig, Run};
use warpstack::gp::problem::Problem;
use warpstack::validate::stack_tables::distance_to_paper;

/// Runs whose programs grow beyond this mean size are given up: the paper's are far smaller, and they cost much time.
const MAX_MEAN_NODES: usize = 120;
/// The error of a run that was given up, in points.
const GIVEN_UP: f64 = 99.0;

/// What the runs of one problem gave. Errors are mean absolute differences to the paper's percentages, in points, over
/// both tables.
#[derive(Clone, Serialize, Deserialize)]
pub struct ProblemOutcome {
    pub problem: String,
    /// Of the programs of all runs together.
    pub error: f64,
    /// Of each run alone.
    pub of_runs: Vec<f64>,
    pub solved_runs: u64,
    /// Mean size of all programs.
    pub mean_nodes: f64,
    pub depths: DepthProfile,
}

impl ProblemOutcome {
    /// Both outcomes as one.
    pub fn merged(mut self, other: &ProblemOutcome) -> Result<Self, Failure> {
        let (a, b) = (self.depths.n_programs(), other.depths.n_programs());
        self.mean_nodes =
            (self.mean_nodes * a as f64 + other.mean_nodes * b as f64) / (a + b).max(1) as f64;
        self.depths.merge(&other.depths);
        self.of_runs.extend(&other.of_runs);
        self.solved_runs += other.solved_runs;
        self.error = match self.error.max(other.error) {
            GIVEN_UP => GIVEN_UP,
            _ => error(&self.problem, &self.depths)?,
        };
        Ok(self)
    }
}

/// Runs the problem once for each seed.
pub fn of(
    problem: &Problem,
    config: &EvolveConfig,
    seeds: std::ops::Range<u64>,
) -> Result<ProblemOutcome, Failure> {
    let mut all: Option<ProblemOutcome> = None;
    for seed in seeds {
        let one = of_run(problem, config, seed)?;
        let merged = match all {
            None => one,
            Some(all) => all.merged(&one)?,
        };
        if merged.error == GIVEN_UP {
            return Ok(merged);
        }
        all = Some(merged);
    }
    all.ok_or_else(|| "no runs".into())
}

fn of_run(problem: &Problem, config: &EvolveConfig, seed: u64) -> Result<ProblemOutcome, Failure> {
    let mut depths = DepthProfile::default();
    let mut run = Run::start(problem, config, seed)?;
    let (mut solved, mut nodes, mut given_up) = (false, 0, false);
    while let Some(generation) = run.next_generation()? {
        let programs = &generation.population.programs;
        let n: usize = programs.iter().map(|p| p.n_nodes()).sum();
        nodes += n;
        solved |= generation.solved;
        depths.merge(&DepthProfile::of(programs));
        if n > MAX_MEAN_NODES * programs.len() {
            given_up = true;
            break;
        }
    }
    let error = match given_up {
        true => GIVEN_UP,
        false => error(problem.name, &depths)?,
    };
    Ok(ProblemOutcome {
        problem: problem.name.to_owned(),
        error,
        of_runs: vec![error],
        solved_runs: u64::from(solved),
        mean_nodes: nodes as f64 / depths.n_programs().max(1) as f64,
        depths,
    })
}

fn error(problem: &str, depths: &DepthProfile) -> Result<f64, Failure> {
    let distance = distance_to_paper(problem, depths)?;
    distance.ok_or_else(|| format!("the paper's values of {problem} are not at hand").into())
}
