//! The best speeds that were measured on an H200, kernel by kernel: the paper's ladder on a later chip.
//!
//! Leaves out: predictions for that chip. Units: billions of GPop/s.
//! Source: `fixtures/measured/h200/runs.csv`; accurate math, the population of the paper (1000).

use serde::Deserialize;

const RUNS: &str = include_str!("../../fixtures/measured/h200/runs.csv");
/// Programs of a launch, as in the paper's Table 2.
const POPULATION: u32 = 1000;

#[derive(Debug, Clone, Deserialize)]
struct Run {
    problem: String,
    population: u32,
    kernel: String,
    stack_dim: u32,
    stack_registers: u32,
    math: String,
    #[serde(rename = "threads")]
    threads_per_block: u32,
    gpops_billion: f64,
    min_ms: f64,
    max_ms: f64,
    median_ms: f64,
}

/// The best configuration of one kernel on one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Rung {
    pub kernel: String,
    /// One-dimensional stacks and two-dimensional ones apart.
    pub two_dimensional: bool,
    pub problem: String,
    pub gpops_billion: f64,
    /// (largest - least time) / median, of that configuration.
    pub spread_percent: f64,
    pub stack_dim: u32,
    pub stack_registers: u32,
    pub threads_per_block: u32,
}

/// Every kernel's best, in the order of the file's kernels and problems.
pub fn h200_ladder() -> Result<Vec<Rung>, csv::Error> {
    let runs = csv::Reader::from_reader(RUNS.as_bytes())
        .into_deserialize::<Run>()
        .collect::<Result<Vec<_>, _>>()?;
    let mut rungs: Vec<Rung> = Vec::new();
    let usual = |run: &Run| run.population == POPULATION && run.math == "accurate";
    for run in runs.into_iter().filter(usual) {
        let rung = rung(run);
        let same = |other: &&mut Rung| {
            (&other.kernel, other.two_dimensional, &other.problem)
                == (&rung.kernel, rung.two_dimensional, &rung.problem)
        };
        match rungs.iter_mut().find(same) {
            Some(best) if best.gpops_billion < rung.gpops_billion => *best = rung,
            Some(_) => {}
            None => rungs.push(rung),
        }
    }
    Ok(rungs)
}

fn rung(run: Run) -> Rung {
    Rung {
        kernel: run.kernel,
        two_dimensional: run.stack_dim > 1,
        problem: run.problem,
        gpops_billion: run.gpops_billion,
        spread_percent: 100.0 * (run.max_ms - run.min_ms) / run.median_ms,
        stack_dim: run.stack_dim,
        stack_registers: run.stack_registers,
        threads_per_block: run.threads_per_block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_is_that_of_the_measurements_readme() {
        let rungs = h200_ladder().unwrap();
        let best = |kernel: &str, two_dimensional, problem: &str| {
            let found = rungs.iter().find(|rung| {
                (
                    rung.kernel.as_str(),
                    rung.two_dimensional,
                    rung.problem.as_str(),
                ) == (kernel, two_dimensional, problem)
            });
            found.map(|rung| rung.gpops_billion.round())
        };
        assert_eq!(best("rpn", false, "sextic"), Some(624.0));
        assert_eq!(best("lgp", true, "sextic"), Some(1224.0));
        assert_eq!(best("lgp-registers", true, "mux20"), Some(62_705.0));
    }
}
