//! Destination of the values of programs.
//!
//! Models: comparing the values with the expected ones, or keeping them. Leaves out: the order in which an interpreter delivers
//! them.
//! Units: vectors of the chunk. Sources: none.

use super::cases::{SEGMENT, TILE};
use super::element::Element;
use super::score::Sums;
use super::simd::{LANES, Simd, Vector};
use super::tile::Tile;
use crate::gp::problem::Score;

/// Destination of the values: summed errors, or the values themselves.
pub enum Output<'a, T> {
    Errors(Errors<'a, T>),
    /// Values of the only program.
    Values(Vec<Vector<T>>),
}

/// Errors of the programs on a chunk.
pub struct Errors<'a, T> {
    score: Score,
    expected: &'a [Vector<T>],
    n_elements: usize,
    /// Sums of each program in turn, one for each segment.
    sums: Vec<Sums>,
    n_segments: usize,
}

impl<'a, T: Element> Errors<'a, T> {
    /// Prepares sums for a chunk with `n_elements` elements of cases.
    pub fn new(
        score: Score,
        expected: &'a [Vector<T>],
        n_elements: usize,
        n_programs: usize,
    ) -> Self {
        let n_segments = expected.len().div_ceil(SEGMENT);
        Errors {
            score,
            expected,
            n_elements,
            sums: vec![Sums::default(); n_programs * n_segments],
            n_segments,
        }
    }

    /// Returns the errors of every output, segment after segment, and the number of segments.
    pub fn totals(&self) -> (Vec<f64>, usize) {
        let totals = self.sums.iter().map(|sums| sums.total(self.score));
        (totals.collect(), self.n_segments)
    }

    /// Adds the errors of a tile, if all of its vectors are cases and the score has a fast sum; returns whether it did.
    #[inline(always)]
    fn add_tile<S: Simd, R: Tile<T, S>>(
        &mut self,
        simd: S,
        program: usize,
        at: usize,
        tile: R,
    ) -> bool {
        if (at + R::N) * LANES > self.n_elements {
            return false;
        }
        let expected = &self.expected[at..at + R::N];
        let sums = &mut self.sums[program * self.n_segments + at / SEGMENT];
        let mut local = *sums;
        match self.score {
            Score::MeanSquaredError => {
                tile.add_errors(simd, Score::MeanSquaredError, expected, &mut local);
            }
            Score::WrongBits => tile.add_errors(simd, Score::WrongBits, expected, &mut local),
            Score::WrongClasses | Score::WrongSigns => return false,
        }
        *sums = local;
        true
    }

    /// Adds the errors of a program from vector `at` of the chunk on.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, program: usize, at: usize, row: &[Vector<T>]) {
        let full = (self.n_elements / LANES).saturating_sub(at).min(row.len());
        let mut done = 0;
        while done < full {
            let segment = (at + done) / SEGMENT;
            let end = full.min((segment + 1) * SEGMENT - at);
            let sums = &mut self.sums[program * self.n_segments + segment];
            let expected = &self.expected[at + done..at + end];
            add_full(simd, self.score, &row[done..end], expected, sums);
            done = end;
        }
        let n_cases = self.n_elements % LANES;
        let at = at + full;
        if full < row.len() && n_cases > 0 && at * LANES < self.n_elements {
            // The padding of the expected values is 0.
            let mut kept = row[full];
            kept.0[n_cases..].fill(T::default());
            let sums = &mut self.sums[program * self.n_segments + at / SEGMENT];
            let expected = &self.expected[at..at + 1];
            add_full(simd, self.score, &[kept], expected, sums);
        }
    }
}

#[inline(always)]
fn add_full<T: Element, S: Simd>(
    simd: S,
    score: Score,
    row: &[Vector<T>],
    expected: &[Vector<T>],
    sums: &mut Sums,
) {
    let mut local = *sums;
    let expected = &expected[..row.len()];
    for i in 0..row.len() {
        let (value, expected) = (T::load(simd, &row[i]), T::load(simd, &expected[i]));
        T::add_errors(simd, score, value, expected, &mut local);
    }
    *sums = local;
}

impl<T: Element> Output<'_, T> {
    /// Takes the values of a program on the tile that begins at vector `at` of the chunk. Tiles lie within segments.
    #[inline(always)]
    pub fn take_tile<S: Simd, R: Tile<T, S>>(
        &mut self,
        simd: S,
        program: usize,
        at: usize,
        tile: R,
    ) {
        if let Output::Errors(errors) = self
            && errors.add_tile(simd, program, at, tile)
        {
            return;
        }
        let mut row = [Vector::default(); TILE];
        tile.store(&mut row[..R::N]);
        self.take(simd, program, at, &row[..R::N]);
    }

    /// Takes the values of a program from vector `at` of the chunk on.
    pub fn take<S: Simd>(&mut self, simd: S, program: usize, at: usize, row: &[Vector<T>]) {
        simd.vectorize(
            #[inline(always)]
            || match self {
                Output::Values(values) => values[at..at + row.len()].copy_from_slice(row),
                Output::Errors(errors) => errors.add(simd, program, at, row),
            },
        );
    }
}
