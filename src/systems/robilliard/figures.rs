//! Figures of section 4, predicted: speedups of evaluation and of whole runs, and breakdowns of the time.
//!
//! Units: in the quantities' names. The bounds of a band follow from the ranges of the host's assumed values (`host`), not from
//! the kernel's.

use super::host::{HOST, Host, Trees, band};
use super::kernel::Scheme;
use super::predict::{RobilliardLayout, RobilliardSpeed, predict};
use super::problem::{Benchmark, ProblemId};
use super::published::Published;
use super::runs::Run;
use super::{GENERATIONS, POPULATIONS, USUAL_THREADS};
use crate::launch::prediction::PredictError;
use crate::systems::figure::Figure;
use crate::systems::machine::Machine;
use crate::util::band::Band;

/// Population for which the other layouts are predicted and measured.
const COMPARED: u32 = 2500;

/// Returns every layout that is predicted.
pub fn layouts() -> Vec<RobilliardLayout> {
    let of_benchmark = |benchmark: Benchmark| {
        let layout = move |scheme, population| RobilliardLayout {
            scheme,
            benchmark,
            threads_per_block: USUAL_THREADS,
            population,
        };
        let paper = POPULATIONS.map(|population| layout(Scheme::BlockGp, population));
        let others = [Scheme::BlockGpShared, Scheme::ThreadGp];
        let others = others.map(|scheme| layout(scheme, COMPARED));
        paper.into_iter().chain(others)
    };
    Benchmark::ALL.into_iter().flat_map(of_benchmark).collect()
}

/// Trees and kernel time of a benchmark with one population.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    benchmark: Benchmark,
    trees: Trees,
    /// Kernel time of a generation, in milliseconds.
    kernel: f64,
}

impl Outcome {
    fn evaluation(&self, host: &Host) -> f64 {
        host.cpu_evaluation(self.trees) / host.gpu_evaluation(self.trees, self.kernel).total()
    }

    /// Returns the breeding time of a generation over its evaluation time on the GPU.
    fn breeding_share(&self, host: &Host) -> f64 {
        host.breeding(self.trees) / host.gpu_evaluation(self.trees, self.kernel).total()
    }

    fn whole_run(&self, host: &Host) -> f64 {
        let of_run = |evaluation: f64| {
            host.start_ms + f64::from(GENERATIONS) * (evaluation + host.breeding(self.trees))
        };
        let gpu = host.gpu_evaluation(self.trees, self.kernel).total();
        of_run(host.cpu_evaluation(self.trees)) / (of_run(gpu) + host.context_ms)
    }
}

/// Predicts the paper's figures; `name` is the device's name in the configurations.
pub fn figures(name: &str, on: Machine, seed: u64) -> Result<Vec<Figure>, PredictError> {
    let (mut figures, mut outcomes) = (Vec::new(), Vec::new());
    for benchmark in Benchmark::ALL {
        let runs = Run::of(benchmark, &POPULATIONS, seed)?;
        for layout in layouts()
            .into_iter()
            .filter(|one| one.benchmark == benchmark)
        {
            let run = runs.iter().find(|run| run.population == layout.population);
            let Some(run) = run else { continue };
            let speed = predict(on, layout, &run.generations())?;
            figures.extend(of_kernel(name, &speed));
            if layout.scheme == Scheme::BlockGp {
                outcomes.push(Outcome {
                    benchmark,
                    trees: run.trees()?,
                    kernel: speed.kernel_milliseconds,
                });
            }
        }
    }
    figures.extend(
        outcomes
            .iter()
            .flat_map(|outcome| of_outcome(name, outcome)),
    );
    figures.extend(breeding_overtakes(name, &outcomes));
    figures.extend(sizes(name, &outcomes));
    figures.extend(extremes(name, &outcomes));
    figures.extend(HOST.entries.iter().map(|assumed| {
        let (low, high) = assumed.ends();
        let (name, unit) = (&assumed.field, &assumed.unit);
        let place = format!("{name} in {unit}, {low} to {high}");
        Figure::new(
            "assumed",
            place,
            "value",
            assumed.number().unwrap_or(f64::NAN),
        )
    }));
    Ok(figures)
}

fn of_kernel(name: &str, speed: &RobilliardSpeed) -> [Figure; 3] {
    let figure = |quantity, predicted: f64| {
        Figure::new(
            "kernel",
            format!("{name}, {}", speed.layout),
            quantity,
            predicted,
        )
    };
    let microseconds = 1e3 * speed.kernel_milliseconds;
    let millions = speed.warp_instructions / 1e6;
    [
        figure("kernel of a generation (us)", microseconds),
        figure("speed (billion GPop/s)", speed.gpops_billion),
        figure("warp instructions of a generation (millions)", millions),
    ]
}

/// Returns the paper's figure of a benchmark.
fn experiment(benchmark: Benchmark) -> &'static str {
    match benchmark.function_set() {
        ProblemId::Regression => "figure 3",
        ProblemId::Multiplexer => "figure 4",
        ProblemId::Spirals => "figure 5",
    }
}

fn of_outcome(name: &str, outcome: &Outcome) -> Vec<Figure> {
    let Outcome {
        benchmark, trees, ..
    } = *outcome;
    let host = Host::default();
    let gpu = host.gpu_evaluation(trees, outcome.kernel);
    let place = format!("{name}, {benchmark}, population {}", trees.population);
    let figure = |(quantity, predicted): (_, Band)| {
        Figure::new(experiment(benchmark), &place, quantity, predicted)
    };
    let speedups = [
        ("evaluation speedup", band(|host| outcome.evaluation(host))),
        (
            "speedup of whole runs",
            band(|host| outcome.whole_run(host)),
        ),
    ];
    let parts = [
        ("mean tree size (nodes)", trees.nodes),
        ("nodes evaluated for a case", trees.evaluated),
        (
            "CPU evaluation of a generation (ms)",
            host.cpu_evaluation(trees),
        ),
        (
            "GPU evaluation: compaction and translation (ms)",
            gpu.translation,
        ),
        ("GPU evaluation: transfers (ms)", gpu.transfers),
        ("GPU evaluation: kernel and launch (ms)", gpu.kernel),
        ("breeding of a generation (ms)", host.breeding(trees)),
    ];
    let parts = parts.map(|(quantity, value)| (quantity, value.into()));
    speedups.into_iter().chain(parts).map(figure).collect()
}

/// Returns the figures of Figure 6, for every number of cases: breeding beside evaluation, and the intersection of the two lines,
/// if it is between the paper's populations.
fn breeding_overtakes(name: &str, outcomes: &[Outcome]) -> Vec<Figure> {
    let is_regression = |one: &&Benchmark| one.function_set() == ProblemId::Regression;
    let of_cases = |benchmark: &Benchmark| {
        let own = outcomes.iter().filter(|one| one.benchmark == *benchmark);
        let own: Vec<&Outcome> = own.collect();
        let place = format!("{name}, {benchmark}");
        let figure =
            |quantity, predicted: Band| Figure::new("figure 6", &place, quantity, predicted);
        const SHARE: &str = "breeding over evaluation at population 12500 (ratio of times)";
        const MET: &str = "population at which breeding takes as long as evaluation";
        let share = |last: &&Outcome| figure(SHARE, band(|host| last.breeding_share(host)));
        let points = own.iter().map(|one| {
            let share = one.breeding_share(&Host::default());
            (one.trees.population.ln(), share.ln())
        });
        let met = crossing(&points.collect::<Vec<_>>());
        let met = met.map(|population| figure(MET, population.exp().into()));
        own.last()
            .map(share)
            .into_iter()
            .chain(met)
            .collect::<Vec<_>>()
    };
    Benchmark::ALL
        .iter()
        .filter(is_regression)
        .flat_map(of_cases)
        .collect()
}

/// Returns the place at which a line through points rises above 0.
fn crossing(points: &[(f64, f64)]) -> Option<f64> {
    let found = points
        .windows(2)
        .find(|pair| pair[0].1 < 0.0 && pair[1].1 >= 0.0)?;
    let [(x0, y0), (x1, y1)] = [found[0], found[1]];
    Some(x0 - y0 * (x1 - x0) / (y1 - y0))
}

/// Returns mean sizes of the trees, over the settings of each problem.
fn sizes(name: &str, outcomes: &[Outcome]) -> Vec<Figure> {
    let of_set = |(&function_set, [smallest, largest]): (&ProblemId, [Published; 2])| {
        let own = outcomes
            .iter()
            .filter(|one| one.benchmark.function_set() == function_set);
        let sizes: Vec<f64> = own.map(|one| one.trees.nodes).collect();
        let place = format!("{name}, {}", function_set.name());
        let figure = |id: Published, quantity, predicted: f64| {
            Figure::new("section 4", &place, quantity, predicted).of(id.on(name))
        };
        [
            figure(smallest, "smallest mean tree size (nodes)", least(&sizes)),
            figure(largest, "largest mean tree size (nodes)", most(&sizes)),
        ]
    };
    let ids = [
        [Published::SmallestRegression, Published::LargestRegression],
        [
            Published::SmallestMultiplexer,
            Published::LargestMultiplexer,
        ],
        [Published::SmallestSpirals, Published::LargestSpirals],
    ];
    ProblemId::ALL.iter().zip(ids).flat_map(of_set).collect()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Returns the figures of section 5: "from 8 times to 80 times for 5 out of 6 benchmarks", "no speedup on the multiplexer-6".
fn extremes(name: &str, outcomes: &[Outcome]) -> Vec<Figure> {
    let host = Host::default();
    let speedups = |is_mux6: bool| -> Vec<f64> {
        let own = outcomes
            .iter()
            .filter(|one| (one.benchmark == Benchmark::Mux6) == is_mux6);
        own.map(|one| one.evaluation(&host)).collect()
    };
    let (others, mux6) = (speedups(false), speedups(true));
    const LOWEST: &str = "lowest evaluation speedup";
    const HIGHEST: &str = "highest evaluation speedup";
    const FIVE: &str = "five benchmarks";
    let figure = |id: Published, benchmarks, quantity, predicted: f64| {
        let place = format!("{name}, {benchmarks}");
        Figure::new("section 5", place, quantity, predicted).of(id.on(name))
    };
    vec![
        figure(Published::LowestOfFive, FIVE, LOWEST, least(&others)),
        figure(Published::HighestOfFive, FIVE, HIGHEST, most(&others)),
        figure(Published::HighestOfMux6, "mux6", HIGHEST, most(&mux6)),
    ]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::published::DEVICE;
    use super::*;

    /// Returns the figures that have ids, from made-up predictions.
    pub fn made_up() -> Vec<Figure> {
        let trees = Trees {
            population: 100.0,
            nodes: 50.0,
            words: 60.0,
            evaluated: 50.0,
            functions: 10.0,
            cases: 64.0,
        };
        let outcomes = Benchmark::ALL.map(|benchmark| Outcome {
            benchmark,
            trees,
            kernel: 1.0,
        });
        [sizes(DEVICE, &outcomes), extremes(DEVICE, &outcomes)].concat()
    }

    #[test]
    fn lines_meet_where_they_cross() {
        assert_eq!(crossing(&[(0.0, -2.0), (1.0, -1.0), (3.0, 1.0)]), Some(2.0));
        assert_eq!(crossing(&[(0.0, -2.0), (1.0, -1.0)]), None);
    }

    #[test]
    fn more_than_ten_layouts_of_every_scheme_and_benchmark() {
        let all = layouts();
        assert_eq!(all.len(), 36);
        for scheme in Scheme::ALL {
            for benchmark in Benchmark::ALL {
                let found = all
                    .iter()
                    .any(|one| (one.scheme, one.benchmark) == (scheme, benchmark));
                assert!(found);
            }
        }
    }
}
