//! The benchmarks: three problems with the paper's fitness cases, as the kernels read them.
//!
//! Models: the sextic polynomial with ephemeral constants on 64, 256 and 1,024 cases, the multiplexers of 6 and 11 inputs on all of
//! theirs, the intertwined spirals. A case's error: absolute difference, wrong bit, wrong sign.
//! Leaves out: the cases that the paper drew. Units: fitness cases. Sources: Robilliard et al. 2008, section 4; for the absolute
//! difference and the random cases of the sextic ECJ's regression problem.

use crate::gp::problem::multiplexer::Multiplexer;
use crate::gp::problem::{CASE_SEED, Cases, Dataset, Problem, Score, sextic, spirals};
use crate::launch::prediction::PredictError;
use crate::util::names::named;
use std::fmt;

named! {
    /// Function set that a kernel was compiled for.
    pub enum ProblemId ("function set") {
        Regression = "regression",
        Multiplexer = "multiplexer",
        Spirals = "spirals",
    }
}

impl ProblemId {
    /// Tells whether its programs jump over nodes, depending on their inputs.
    pub fn jumps(self) -> bool {
        self != ProblemId::Regression
    }
}

/// One of the paper's benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Benchmark {
    Regression { cases: u32 },
    Mux6,
    Mux11,
    Spirals,
}

impl Benchmark {
    pub const ALL: [Self; 6] = [
        Benchmark::Regression { cases: 64 },
        Benchmark::Regression { cases: 256 },
        Benchmark::Regression { cases: 1024 },
        Benchmark::Mux6,
        Benchmark::Mux11,
        Benchmark::Spirals,
    ];

    /// Returns the benchmark with this name.
    pub fn named(name: &str) -> Result<Self, PredictError> {
        let found = Self::ALL.into_iter().find(|one| one.to_string() == name);
        found.ok_or_else(|| {
            PredictError::refused(
                "problem of the paper's kernels",
                name,
                Self::ALL.map(|one| one.to_string()).join(", "),
            )
        })
    }

    pub fn function_set(self) -> ProblemId {
        match self {
            Benchmark::Regression { .. } => ProblemId::Regression,
            Benchmark::Mux6 | Benchmark::Mux11 => ProblemId::Multiplexer,
            Benchmark::Spirals => ProblemId::Spirals,
        }
    }

    /// Returns the mean size of the trees over the generations of a run: the middle of the range given in section 4, an input.
    pub fn mean_nodes(self) -> f64 {
        match self.function_set() {
            ProblemId::Regression => f64::midpoint(30.0, 66.0),
            ProblemId::Multiplexer => f64::midpoint(112.0, 157.0),
            ProblemId::Spirals => f64::midpoint(119.0, 208.0),
        }
    }

    /// Returns the problem for evolution.
    pub fn problem(self) -> Problem {
        match self {
            Benchmark::Regression { cases } => {
                sextic::WITH_CONSTANTS.with(sextic::cases(CASE_SEED, cases as usize))
            }
            Benchmark::Mux6 => Multiplexer::MUX6.problem(CASE_SEED, None),
            Benchmark::Mux11 => Multiplexer::MUX11.problem(CASE_SEED, None),
            Benchmark::Spirals => spirals::SPIRALS.with(spirals::cases()),
        }
    }

    /// Returns the fitness cases in the kernels' format.
    pub fn case_words(self) -> CaseTable {
        let problem = self.problem();
        let (inputs, expected) = match &problem.dataset {
            Dataset::Float(cases) => rows(cases, |column| {
                column.iter().map(|value| value.to_bits()).collect()
            }),
            Dataset::Word(cases) => rows(cases, unpacked),
        };
        CaseTable {
            inputs: inputs.concat(),
            expected,
        }
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Benchmark::Regression { cases } => write!(f, "regression-{cases}"),
            Benchmark::Mux6 => f.write_str("mux6"),
            Benchmark::Mux11 => f.write_str("mux11"),
            Benchmark::Spirals => f.write_str("spirals"),
        }
    }
}

fn rows<T>(cases: &Cases<T>, words: impl Fn(&[T]) -> Vec<u32>) -> (Vec<Vec<u32>>, Vec<u32>) {
    (
        cases.inputs.iter().map(|row| words(row)).collect(),
        words(&cases.expected),
    )
}

/// Unpacks words of 32 Boolean cases into one word per case.
fn unpacked(column: &[u32]) -> Vec<u32> {
    let bits = |word: &u32| {
        let word = *word;
        (0..32).map(move |bit| word >> bit & 1)
    };
    column.iter().flat_map(bits).collect()
}

/// Fitness cases in memory: a row for each input, one word per case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseTable {
    pub inputs: Vec<u32>,
    pub expected: Vec<u32>,
}

/// Golden ratio, whose multiples modulo 1 are evenly distributed (Knuth, The Art of Computer Programming 3, section 6.4).
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_8;

impl CaseTable {
    pub fn len(&self) -> usize {
        self.expected.len()
    }

    pub fn is_empty(&self) -> bool {
        self.expected.is_empty()
    }

    /// Returns `n` of the cases, spread evenly over all of them, in runs of `run` neighbours. Each run is at a different place of
    /// its part, because equal steps through the multiplexer's cases, which count up in binary, would always give the same low
    /// bits.
    pub fn sampled(&self, n: usize, run: usize) -> CaseTable {
        let runs = (n / run.max(1)).max(1);
        let all = (self.len() / run.max(1)).max(1);
        let starts = (0..runs).map(|nth| {
            let part = nth * all / runs..((nth + 1) * all / runs).max(nth * all / runs + 1);
            let place = (nth as f64 * GOLDEN_RATIO).fract() * part.len() as f64;
            (part.start + place as usize) * run
        });
        let places: Vec<usize> = starts
            .flat_map(|start| start..(start + run).min(self.len()))
            .take(n)
            .collect();
        let pick = |row: &[u32]| -> Vec<u32> { places.iter().map(|&at| row[at]).collect() };
        CaseTable {
            inputs: self.inputs.chunks(self.len()).flat_map(pick).collect(),
            expected: pick(&self.expected),
        }
    }

    /// Returns the words of one case, input by input.
    pub fn case(&self, at: usize) -> Vec<u32> {
        let rows = self.inputs.chunks(self.len());
        rows.map(|row| row[at]).collect()
    }
}

/// Returns the error of one case, as added up by the kernels.
pub fn case_error(function_set: ProblemId, value: f64, expected: f64) -> f64 {
    match function_set {
        ProblemId::Regression => (value - expected).abs(),
        ProblemId::Multiplexer => f64::from(u8::from(value != expected)),
        ProblemId::Spirals => Score::WrongSigns.case_error(value, expected),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_the_multiplexers_cases_has_every_input_both_ways() {
        let all = Benchmark::Mux11.case_words();
        for (n, run) in [(16, 1), (64, 1), (16 * 32, 32)] {
            let some = all.sampled(n, run);
            assert_eq!(some.len(), n);
            let inputs = all.inputs.len() / all.len();
            for input in 0..inputs {
                let set = (0..n).filter(|&at| some.case(at)[input] != 0).count();
                let part = set as f64 / n as f64;
                assert!((0.2..=0.8).contains(&part), "{n} by {run}, {input}: {part}");
            }
        }
        assert_eq!(all.sampled(all.len(), 1).expected, all.expected);
    }
}
