//! Even parity of six bits: the example of `docs/how-to/problem.md`, compiled for tests only.
//!
//! Models: the output is true where an even number of the inputs is true.
//! Units: error is the number of wrong cases.
//! Sources: Koza 1992 chapter 20, with his functions.

use super::{CaseSource, Cases, Dataset, Definition, ProblemId, Score};
use crate::gp::primitive::Primitive::{And, Nand, Nor, Or};

pub const PARITY6: Definition = Definition {
    name: "parity6",
    aliases: &["6parity", "even6parity"],
    functions: &[And, Or, Nand, Nor],
    constants: None,
    n_inputs: 6,
    n_cases: 64,
    cases: CaseSource::Defined(|_seed, n_cases| cases(n_cases)),
    score: Score::WrongBits,
    solved_error: 0.0,
    // The functions and the score are those of the 20-multiplexer, and so its machine code runs this problem.
    kernels: Some(ProblemId::Mux20),
};

fn cases(n_cases: usize) -> Dataset {
    let words: Vec<u64> = (0..n_cases.div_ceil(32).min(2) as u64).collect();
    let even = |bits: &[u32]| !bits.iter().fold(0, |odd, bit| odd ^ bit);
    Dataset::Word(Cases::of_words(6, &words, even))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::interpret::evaluate;

    #[test]
    fn half_of_the_cases_are_even() {
        let problem = PARITY6.with(cases(64));
        let never = "X1 X1 X1 NAND AND".parse().unwrap();
        let first_is_false = "X1 X1 NAND".parse().unwrap();
        let errors = evaluate([&never, &first_is_false], &problem).unwrap();
        assert_eq!(errors, [32.0, 32.0]);
    }
}
