//! Boolean multiplexers.
//!
//! Models: k address bits and 2^k data bits; the output is the data bit that the address names. 32 cases per word.
//! Leaves out: Robilliard's short-circuit evaluation of And, Or and If, which gives the same results.
//! Units: error is the number of wrong cases.
//! Sources: Chitty (2D stack) section 4.2 (20), Langdon 2010 table 1 (20 and 37), Robilliard et al. 2008 section 4 (6, 11).

use super::{CaseSource, Cases, Dataset, Definition, Problem, ProblemId, Score};
use crate::gp::evolve::dice::Dice;
use crate::gp::primitive::Primitive::{And, If, Nand, Nor, Not, Or};

/// A multiplexer of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiplexer {
    pub id: ProblemId,
    pub address_bits: u32,
}

pub const MUX20: Definition = Definition {
    name: "mux20",
    aliases: &["20mux", "20multiplexer", "multiplexer20"],
    functions: &[And, Or, Nand, Nor],
    constants: None,
    n_inputs: 20,
    n_cases: 1 << 20,
    cases: CaseSource::Defined(|seed, n| Multiplexer::MUX20.dataset(seed, n)),
    score: Score::WrongBits,
    solved_error: 0.0,
    kernels: Some(ProblemId::Mux20),
};

pub const MUX37: Definition = Definition {
    name: "mux37",
    aliases: &["37mux"],
    n_inputs: 37,
    // Langdon's sample: 2^37 cases are too many to hold.
    n_cases: 8192,
    cases: CaseSource::Drawn(|seed, n| Multiplexer::MUX37.dataset(seed, n)),
    ..MUX20
};

pub const MUX6: Definition = Definition {
    name: "mux6",
    aliases: &["6mux"],
    functions: &[And, Or, Not, If],
    n_inputs: 6,
    n_cases: 64,
    cases: CaseSource::Defined(|seed, n| Multiplexer::MUX6.dataset(seed, n)),
    kernels: None,
    ..MUX20
};

pub const MUX11: Definition = Definition {
    name: "mux11",
    aliases: &["11mux"],
    n_inputs: 11,
    n_cases: 2048,
    cases: CaseSource::Defined(|seed, n| Multiplexer::MUX11.dataset(seed, n)),
    ..MUX6
};

impl Multiplexer {
    pub const MUX6: Self = Multiplexer::of(ProblemId::Mux6, 2);
    pub const MUX11: Self = Multiplexer::of(ProblemId::Mux11, 3);
    pub const MUX20: Self = Multiplexer::of(ProblemId::Mux20, 4);
    pub const MUX37: Self = Multiplexer::of(ProblemId::Mux37, 5);

    const fn of(id: ProblemId, address_bits: u32) -> Self {
        Multiplexer { id, address_bits }
    }

    /// Returns the number of address and data bits.
    pub const fn n_inputs(self) -> u32 {
        self.address_bits + (1 << self.address_bits)
    }

    /// Returns the number of words that hold every case.
    pub fn n_words(self) -> u64 {
        1 << self.n_inputs().saturating_sub(5)
    }

    /// Returns the problem on at most `n_cases` cases; `None`: all cases, or Langdon's sample for the 37-multiplexer.
    pub fn problem(self, case_seed: u64, n_cases: Option<usize>) -> Problem {
        let definition = self.id.definition();
        definition.with(self.dataset(case_seed, n_cases.unwrap_or(definition.n_cases)))
    }

    /// Returns all cases, or at least `n_cases` of them in random words. Words are drawn with replacement, but collisions among
    /// 2^15 or more words are rare and harmless.
    fn dataset(self, case_seed: u64, n_cases: usize) -> Dataset {
        let n_words = n_cases.div_ceil(32);
        let words: Vec<u64> = if (n_words as u64) < self.n_words() {
            self.sample(&mut Dice::new(case_seed, 0), n_words)
        } else {
            (0..self.n_words()).collect()
        };
        Dataset::Word(self.cases(&words))
    }

    /// Draws random word numbers.
    pub fn sample(self, dice: &mut Dice, n_words: usize) -> Vec<u64> {
        let half = |dice: &mut Dice| dice.below(1 << 16) as u64;
        (0..n_words)
            .map(|_| (half(dice) << 16 | half(dice)) % self.n_words())
            .collect()
    }

    /// Returns the cases of these words, the first address bit lowest.
    pub fn cases(self, words: &[u64]) -> Cases<u32> {
        Cases::of_words(self.n_inputs(), words, |bits| self.output(bits))
    }

    fn output(self, bits: &[u32]) -> u32 {
        let (address, data) = bits.split_at(self.address_bits as usize);
        let selects = |number: usize| {
            let line = |(bit, &word): (usize, &u32)| match (number >> bit) & 1 {
                1 => word,
                _ => !word,
            };
            let lines = address.iter().enumerate().map(line);
            lines.fold(u32::MAX, |all, line| all & line)
        };
        let named = data.iter().enumerate();
        named.fold(0, |out, (number, word)| out | (selects(number) & word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::interpret::evaluate;

    #[test]
    fn expected_bits_are_the_addressed_data_bits() {
        let mux = Multiplexer::MUX11;
        let cases = mux.cases(&(0..mux.n_words()).collect::<Vec<_>>());
        for case in 0..2048u32 {
            let address = case & 7;
            let want = (case >> (3 + address)) & 1;
            assert_eq!(
                (cases.expected[(case / 32) as usize] >> (case % 32)) & 1,
                want,
                "case {case}"
            );
        }
    }

    #[test]
    fn sizes_are_the_papers() {
        assert_eq!(Multiplexer::MUX20.problem(1, None).n_cases(), 1 << 20);
        assert_eq!(Multiplexer::MUX20.problem(1, Some(2048)).n_cases(), 2048);
        assert_eq!(Multiplexer::MUX37.problem(1, None).n_cases(), 8192);
        assert_eq!(
            (
                Multiplexer::MUX6.n_inputs(),
                Multiplexer::MUX11.n_inputs(),
                Multiplexer::MUX20.n_inputs(),
                Multiplexer::MUX37.n_inputs()
            ),
            (6, 11, 20, 37)
        );
    }

    #[test]
    fn a_hand_written_solution_of_the_six_multiplexer_has_no_error() {
        // Inputs: A0 = X1, A1 = X2, D0..D3 = X3..X6.
        let solution = "X2 X1 X6 X5 IF X1 X4 X3 IF IF".parse().unwrap();
        let wrong = "X1 X4 X3 IF".parse().unwrap();
        let errors = evaluate([&solution, &wrong], &Multiplexer::MUX6.problem(1, None)).unwrap();
        assert_eq!(errors, [0.0, 16.0]);
    }
}
