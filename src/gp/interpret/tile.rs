//! Tiles of vectors that stay in registers.
//!
//! Models: one vector, or two tiles side by side; operations on a tile are straight-line code, without a loop that a compiler
//! might leave in memory. Leaves out: the tile an interpreter uses. Units: vectors. Sources: none.

use super::element::Element;
use super::score::Sums;
use super::simd::{Simd, Vector};
use crate::gp::primitive::Primitive;
use crate::gp::problem::Score;

/// A tile of vectors in registers. Rows are as long as the tile, or empty if they are not read.
pub trait Tile<T: Element, S: Simd>: Copy {
    const N: usize;
    fn default(simd: S) -> Self;
    fn load(simd: S, row: &[Vector<T>]) -> Self;
    fn store(self, row: &mut [Vector<T>]);
    /// Applies the function to rows; operand number `at` is `accumulator`.
    fn apply(
        simd: S,
        function: Primitive,
        at: usize,
        accumulator: Self,
        rows: [&[Vector<T>]; 4],
    ) -> Self;
    /// Adds the errors of the values.
    fn add_errors(self, simd: S, score: Score, expected: &[Vector<T>], sums: &mut Sums);
}

pub type Four<T, S> = Pair<Pair<One<T, S>>>;
pub type Eight<T, S> = Pair<Four<T, S>>;
pub type Sixteen<T, S> = Pair<Eight<T, S>>;

/// A tile of one vector.
pub struct One<T: Element, S: Simd>(T::V<S>);

/// A tile of two tiles.
#[derive(Clone, Copy)]
pub struct Pair<R>(R, R);

impl<T: Element, S: Simd> Clone for One<T, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element, S: Simd> Copy for One<T, S> {}

impl<T: Element, S: Simd> Tile<T, S> for One<T, S> {
    const N: usize = 1;

    #[inline(always)]
    fn default(simd: S) -> Self {
        One(T::load(simd, &Vector::default()))
    }

    #[inline(always)]
    fn load(simd: S, row: &[Vector<T>]) -> Self {
        One(T::load(simd, &row[0]))
    }

    #[inline(always)]
    fn store(self, row: &mut [Vector<T>]) {
        T::store(&mut row[0], self.0);
    }

    #[inline(always)]
    fn apply(
        simd: S,
        function: Primitive,
        at: usize,
        accumulator: Self,
        rows: [&[Vector<T>]; 4],
    ) -> Self {
        let [a, b, c, d] = rows;
        let operands = [
            operand(simd, function, 0, at, accumulator, a),
            operand(simd, function, 1, at, accumulator, b),
            operand(simd, function, 2, at, accumulator, c),
            operand(simd, function, 3, at, accumulator, d),
        ];
        One(T::apply(simd, function, operands))
    }

    #[inline(always)]
    fn add_errors(self, simd: S, score: Score, expected: &[Vector<T>], sums: &mut Sums) {
        T::add_errors(simd, score, self.0, T::load(simd, &expected[0]), sums);
    }
}

/// Loads an operand of a function; beyond the arity it is arbitrary.
#[inline(always)]
fn operand<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    position: usize,
    at: usize,
    accumulator: One<T, S>,
    row: &[Vector<T>],
) -> T::V<S> {
    if position < function.arity() && position != at {
        T::load(simd, &row[0])
    } else {
        accumulator.0
    }
}

/// Splits rows into halves. Unrolled: with a loop here, thousands of loops in one function take the compiler a minute.
#[inline(always)]
fn halves<T>(rows: [&[Vector<T>]; 4], n: usize) -> [[&[Vector<T>]; 4]; 2] {
    let [a, b, c, d] = rows;
    let (a, b, c, d) = (half(a, n), half(b, n), half(c, n), half(d, n));
    [[a.0, b.0, c.0, d.0], [a.1, b.1, c.1, d.1]]
}

#[inline(always)]
fn half<T>(row: &[Vector<T>], n: usize) -> (&[Vector<T>], &[Vector<T>]) {
    row.split_at(if row.is_empty() { 0 } else { n })
}

impl<T: Element, S: Simd, R: Tile<T, S>> Tile<T, S> for Pair<R> {
    const N: usize = 2 * R::N;

    #[inline(always)]
    fn default(simd: S) -> Self {
        Pair(R::default(simd), R::default(simd))
    }

    #[inline(always)]
    fn load(simd: S, row: &[Vector<T>]) -> Self {
        let (low, high) = row.split_at(R::N);
        Pair(R::load(simd, low), R::load(simd, high))
    }

    #[inline(always)]
    fn store(self, row: &mut [Vector<T>]) {
        let (low, high) = row.split_at_mut(R::N);
        self.0.store(low);
        self.1.store(high);
    }

    #[inline(always)]
    fn apply(
        simd: S,
        function: Primitive,
        at: usize,
        accumulator: Self,
        rows: [&[Vector<T>]; 4],
    ) -> Self {
        let [low, high] = halves(rows, R::N);
        Pair(
            R::apply(simd, function, at, accumulator.0, low),
            R::apply(simd, function, at, accumulator.1, high),
        )
    }

    #[inline(always)]
    fn add_errors(self, simd: S, score: Score, expected: &[Vector<T>], sums: &mut Sums) {
        let (low, high) = expected.split_at(R::N);
        self.0.add_errors(simd, score, low, sums);
        self.1.add_errors(simd, score, high, sums);
    }
}
