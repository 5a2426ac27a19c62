//! Pairs of launches that differ in one thing: the predicted ratio of their speeds beside the measured one.
//!
//! Models: all pairs of launches of one problem and one population whose options differ in a single field. The sign counts where
//! the measured speeds differ by more than [`CLEAR_PERCENT`]. The slope is that of the regression of predicted on measured
//! logarithms of the ratios, through the origin. Its interval is a bootstrap that draws whole populations.
//! Leaves out: pairs that differ in two fields. Units: ratios of speeds; percent.

use super::compare::Compared;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Measured difference from which a sign counts.
pub const CLEAR_PERCENT: f64 = 5.0;

/// Draws of the bootstrap, and their seed.
const N_DRAWS: usize = 1000;
const SEED: u64 = 1;

/// Quantiles of a 90 % interval.
const INTERVAL: [f64; 2] = [0.05, 0.95];

/// Options of a launch, as far as pairs differ in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub kernel: String,
    pub stack_dim: u32,
    pub stack_registers: u32,
    pub threads: u32,
    pub case_blocks: u32,
    pub l1_kib: u32,
}

/// A launch that was predicted and measured.
#[derive(Debug, Clone)]
pub struct Observed {
    pub problem: String,
    /// Name of the programs that ran: pairs share them, and the bootstrap draws them whole.
    pub population: String,
    pub options: Options,
    /// Speeds in any unit, larger is faster.
    pub predicted: f64,
    pub measured: f64,
}

impl Observed {
    /// Returns the measured cells of the paper's tables.
    pub fn of_paper(cells: &[Compared]) -> Vec<Observed> {
        let observed = |one: &Compared| {
            let options = one.cell.options();
            Some(Observed {
                problem: one.cell.problem.clone(),
                population: one.cell.problem.clone(),
                options: Options {
                    kernel: options.kernel.clone(),
                    stack_dim: options.stack_dim?,
                    stack_registers: options.stack_registers?,
                    threads: options.threads_per_block?,
                    case_blocks: 1,
                    l1_kib: options.l1_kib?,
                },
                predicted: one.predicted_gpops_billion,
                measured: one.measured?.gpops_billion,
            })
        };
        cells.iter().filter_map(observed).collect()
    }

    /// Returns the thing that two launches differ in; `None` if it is none or more than one.
    fn difference(&self, other: &Observed) -> Option<String> {
        if self.problem != other.problem || self.population != other.population {
            return None;
        }
        let (a, b) = (&self.options, &other.options);
        let dims = [a.stack_dim.min(b.stack_dim), a.stack_dim.max(b.stack_dim)];
        let differences = [
            (a.threads != b.threads).then(|| "threads per block".to_owned()),
            (a.l1_kib != b.l1_kib).then(|| "size of the L1".to_owned()),
            (a.case_blocks != b.case_blocks).then(|| "case blocks".to_owned()),
            (a.stack_registers != b.stack_registers)
                .then(|| "stack levels in registers".to_owned()),
            (dims[0] != dims[1]).then(|| dimension(&a.kernel, dims)),
            (a.kernel != b.kernel).then(|| encoding(&a.kernel, &b.kernel, dims[0])),
        ];
        let mut differences = differences.into_iter().flatten();
        let first = differences.next()?;
        differences.next().is_none().then_some(first)
    }
}

/// Name of a difference of the second dimension alone.
fn dimension(kernel: &str, [smaller, _]: [u32; 2]) -> String {
    match (kernel, smaller) {
        ("lgp-vector", _) => "vector width".to_owned(),
        ("rpn" | "lgp", 1) => format!("one case per thread or several, {kernel}"),
        _ => "cases per thread".to_owned(),
    }
}

/// Name of a difference of the kernel alone.
fn encoding(a: &str, b: &str, stack_dim: u32) -> String {
    let (first, second) = if a < b { (a, b) } else { (b, a) };
    match stack_dim {
        1 => format!("{first} or {second}, one case per thread"),
        _ => format!("{first} or {second}"),
    }
}

/// Sums over the pairs of one population.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    n: usize,
    error_percent: f64,
    n_clear: usize,
    n_right: usize,
    predicted_by_measured: f64,
    measured_by_measured: f64,
}

impl Sums {
    fn of_pair(predicted: f64, measured: f64) -> Sums {
        let is_clear = 100.0 * (measured.abs().exp() - 1.0) > CLEAR_PERCENT;
        Sums {
            n: 1,
            error_percent: 100.0 * ((predicted - measured).abs().exp() - 1.0),
            n_clear: usize::from(is_clear),
            n_right: usize::from(is_clear && predicted.signum() == measured.signum()),
            predicted_by_measured: predicted * measured,
            measured_by_measured: measured * measured,
        }
    }

    fn add(&mut self, other: &Sums) {
        self.n += other.n;
        self.error_percent += other.error_percent;
        self.n_clear += other.n_clear;
        self.n_right += other.n_right;
        self.predicted_by_measured += other.predicted_by_measured;
        self.measured_by_measured += other.measured_by_measured;
    }

    fn slope(&self) -> Option<f64> {
        (self.measured_by_measured > 0.0)
            .then(|| self.predicted_by_measured / self.measured_by_measured)
    }
}

/// Figures over all pairs of a kind, of one problem or of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    pub differ_in: String,
    /// `None`: all problems together.
    pub problem: Option<String>,
    pub n_pairs: usize,
    /// Mean of the predicted ratio over the measured one, or its inverse where that is larger, less one.
    pub mean_error_percent: f64,
    /// Pairs whose measured speeds differ by more than [`CLEAR_PERCENT`].
    pub n_clear: usize,
    /// Share of these whose predicted speeds differ the same way; `None` without such pairs.
    pub sign_right_percent: Option<f64>,
    pub slope: Option<f64>,
    /// 90 % interval of the slope; `None` with fewer than two populations.
    pub slope_interval: Option<[f64; 2]>,
}

impl Contrast {
    fn of(differ_in: &str, problem: Option<&str>, populations: &[Sums]) -> Contrast {
        let mut all = Sums::default();
        populations.iter().for_each(|one| all.add(one));
        Contrast {
            differ_in: differ_in.to_owned(),
            problem: problem.map(str::to_owned),
            n_pairs: all.n,
            mean_error_percent: all.error_percent / all.n.max(1) as f64,
            n_clear: all.n_clear,
            sign_right_percent: (all.n_clear > 0)
                .then(|| 100.0 * all.n_right as f64 / all.n_clear as f64),
            slope: all.slope(),
            slope_interval: slope_interval(populations),
        }
    }
}

/// Returns the 90 % interval of the slope over draws of populations, with replacement.
fn slope_interval(populations: &[Sums]) -> Option<[f64; 2]> {
    if populations.len() < 2 {
        return None;
    }
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let draw = |_| {
        let mut drawn = Sums::default();
        for _ in populations {
            drawn.add(&populations[random.random_range(0..populations.len())]);
        }
        drawn.slope()
    };
    let mut slopes: Vec<f64> = (0..N_DRAWS).filter_map(draw).collect();
    slopes.sort_by(f64::total_cmp);
    let last = slopes.len().checked_sub(1)?;
    Some(INTERVAL.map(|quantile| slopes[(quantile * last as f64).round() as usize]))
}

/// The contrasts of all kinds: all problems together, then each problem. Kinds are in alphabetical order.
pub fn contrasts(launches: &[Observed]) -> Vec<Contrast> {
    // By kind, problem and population.
    let mut sums: BTreeMap<String, BTreeMap<(&str, &str), Sums>> = BTreeMap::new();
    for (at, one) in launches.iter().enumerate() {
        for other in &launches[at + 1..] {
            let Some(kind) = one.difference(other) else {
                continue;
            };
            let [predicted, measured] = [
                one.predicted / other.predicted,
                one.measured / other.measured,
            ];
            let place = (one.problem.as_str(), one.population.as_str());
            let sums = sums.entry(kind).or_default().entry(place).or_default();
            sums.add(&Sums::of_pair(predicted.ln(), measured.ln()));
        }
    }
    let of_kind = |(kind, populations): (&String, &BTreeMap<(&str, &str), Sums>)| {
        let all: Vec<Sums> = populations.values().copied().collect();
        let mut found = vec![Contrast::of(kind, None, &all)];
        let mut problems: Vec<&str> = populations.keys().map(|(problem, _)| *problem).collect();
        problems.dedup();
        for problem in problems {
            let own = populations.iter().filter(|((of, _), _)| *of == problem);
            let own: Vec<Sums> = own.map(|(_, sums)| *sums).collect();
            found.push(Contrast::of(kind, Some(problem), &own));
        }
        found
    };
    sums.iter().flat_map(of_kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::cells::PROBLEMS;
    use crate::validate::{Cell, Measured, Table, cells};

    /// Every cell of the paper, its predicted speed the measured one to a power.
    fn observed(power: f64) -> Vec<Observed> {
        let of_table = |table: Table| {
            let measured = Measured::of_paper(table).unwrap();
            let of_problem = |problem: &&str| cells(table, problem);
            let all: Vec<Cell> = PROBLEMS.iter().flat_map(of_problem).collect();
            all.into_iter().map(move |cell| {
                let measured = measured.get(&cell);
                Compared {
                    split: cell.split(),
                    predicted_gpops_billion: measured.unwrap().gpops_billion.powf(power),
                    measured,
                    cell,
                }
            })
        };
        Observed::of_paper(
            &Table::ALL
                .into_iter()
                .flat_map(of_table)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn the_papers_cells_make_the_pairs_that_differ_in_one_thing() {
        let found = contrasts(&observed(1.0));
        let pairs = |kind: &str| {
            let own = found
                .iter()
                .find(|one| one.differ_in == kind && one.problem.is_none());
            own.unwrap_or_else(|| panic!("{kind}")).n_pairs
        };
        // Counted by hand from the tables' sizes.
        for (kind, n) in [
            ("threads per block", 4412),
            ("cases per thread", 880),
            ("one case per thread or several, rpn", 160),
            ("one case per thread or several, lgp", 160),
            ("lgp or rpn, one case per thread", 96),
            ("lgp or rpn", 220),
            ("size of the L1", 192),
            ("stack levels in registers", 264),
            ("vector width", 132),
        ] {
            assert_eq!(pairs(kind), n, "{kind}");
        }
    }

    #[test]
    fn equal_speeds_have_no_error_and_a_power_is_a_slope() {
        for one in contrasts(&observed(1.0)) {
            assert!(one.mean_error_percent < 1e-9, "{one:?}");
            assert_eq!(one.sign_right_percent.unwrap_or(100.0), 100.0, "{one:?}");
        }
        for one in contrasts(&observed(0.5)) {
            let interval = one.slope_interval.unwrap_or([0.5, 0.5]);
            for slope in interval.into_iter().chain(one.slope) {
                assert!((slope - 0.5).abs() < 1e-9, "{one:?}");
            }
        }
        let wrong = contrasts(&observed(-1.0));
        assert!(
            wrong
                .iter()
                .all(|one| one.sign_right_percent.unwrap_or(0.0) == 0.0)
        );
    }

    #[test]
    fn populations_are_not_compared_with_one_another() {
        let mut two: Vec<Observed> = observed(1.0).into_iter().take(2).collect();
        assert_eq!(contrasts(&two).len(), 2, "all and the problem");
        two[1].population = "another".to_owned();
        assert_eq!(contrasts(&two), []);
    }
}
