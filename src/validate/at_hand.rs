//! Programs of measured launches, found by their digest.
//!
//! Models: populations that are committed as text or drawn anew from their seed. Leaves out: files of the user.
//! Units: programs. Sources: `fixtures/measured/programs/`; the seeds in `fixtures/measured/series.csv`.

use crate::gp::problem::ProblemId;
use crate::gp::program::Rpn;
use crate::gp::program_file;
use crate::gp::workload::{WorkloadError, programs_digest};
use crate::systems::chitty::random_programs::{LEAST_DEPTH, LONGER_DEPTH, random_programs};

/// Seeds of `cargo xtask random-programs`: the committed programs, the H100's first rows, sets 1, 2, 4 and 5 of the H200.
const SEEDS: [u64; 6] = [11, 91, 20_261_121, 424_242, 20_261_124, 20_261_125];

/// Program of a seed that launches of copies run, and the step between the programs that launches of a hundred run.
const COPIED: usize = 500;
const STEP: usize = 10;

macro_rules! text {
    ($problem:ident, $file:literal) => {
        (
            ProblemId::$problem,
            $file,
            include_str!(concat!("../../fixtures/measured/programs/", $file)),
        )
    };
}

/// Evolved programs, and one that fills launches by itself.
const TEXTS: [(ProblemId, &str, &str); 5] = [
    text!(Sextic, "fresh/1-sextic-evolved.txt"),
    text!(Sextic, "fresh/2-sextic-evolved.txt"),
    text!(Sextic, "sextic-174.txt"),
    text!(Shuttle, "fresh/2-shuttle-evolved.txt"),
    text!(Mux20, "fresh/1-mux20-evolved.txt"),
];

/// Returns the programs of the launch of `n` programs with this digest, in the order of the blocks; a launch of more repeats them.
/// `None` if they are not at hand.
pub fn find(problem: ProblemId, n: usize, digest: &str) -> Result<Option<Vec<Rpn>>, WorkloadError> {
    if digest.is_empty() {
        return Ok(None);
    }
    for (_, file, text) in TEXTS.iter().filter(|(of, _, _)| *of == problem) {
        let list = program_file::parse(text, file, None)?;
        if let Ok(programs) = matching(&list, n, digest) {
            return Ok(Some(programs));
        }
    }
    let drawn = SEEDS.iter().flat_map(|&seed| drawn(problem, seed));
    let mut drawn = drawn.filter_map(|list| matching(&list, n, digest).ok());
    Ok(drawn.next())
}

/// Returns the populations that measurements made of a seed.
fn drawn(problem: ProblemId, seed: u64) -> Vec<Vec<Rpn>> {
    let whole = random_programs(problem, LEAST_DEPTH, seed);
    let copies = vec![whole[COPIED].clone()];
    let some = whole.iter().step_by(STEP);
    let some = some.flat_map(|program| vec![program.clone(); STEP]);
    let mut lists = vec![some.collect(), copies, whole];
    if problem == ProblemId::Sextic {
        lists.push(random_programs(problem, LONGER_DEPTH, seed));
    }
    lists
}

/// Returns the list that, repeated to `n_blocks`, has the digest: as it is, or whole and with the longest first. Else its own digest.
pub(super) fn matching(list: &[Rpn], n_blocks: usize, expected: &str) -> Result<Vec<Rpn>, String> {
    let repeated: Vec<Rpn> = list.iter().cloned().cycle().take(n_blocks).collect();
    let found = programs_digest(&repeated);
    if expected.is_empty() || found == expected {
        return Ok(list.to_vec());
    }
    let mut longest_first = repeated;
    longest_first.sort_by_key(|program| std::cmp::Reverse(program.0.len()));
    match programs_digest(&longest_first) == expected {
        true => Ok(longest_first),
        false => Err(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_their_digest() {
        for (problem, n, digest) in [
            (ProblemId::Sextic, 600, "3bb5f9917e03"),
            (ProblemId::Shuttle, 1000, "b30de904cb0b"),
            (ProblemId::Mux20, 900, "0305b7e28863"),
            (ProblemId::Mux20, 1000, "c51cb4f88f68"),
            (ProblemId::Sextic, 1000, "d6849b2d4da6"),
        ] {
            assert!(find(problem, n, digest).unwrap().is_some(), "{digest}");
        }
        assert!(
            find(ProblemId::Sextic, 1000, "000000000000")
                .unwrap()
                .is_none()
        );
        assert!(find(ProblemId::Sextic, 1000, "").unwrap().is_none());
    }
}
