//! Some vectors that stay in registers.
//!
//! Models: one vector, or two tiles side by side; operations on a tile are straight code, without a loop that a compiler might leave in
//! memory. Leaves out: which tile an interpreter takes. Units: vectors. Sources: none.

use super::element::{Element, by_definition};
use super::score::Sums;
use super::simd::{Simd, Vector};
use crate::gp::primitive::Primitive;
use crate::gp::problem::Score;

/// See the module text. Rows are as long as the tile, or empty where they are not read.
pub trait Tile<T: Element, S: Simd>: Copy {
    const N: usize;
    fn default(simd: S) -> Self;
    fn load(simd: S, row: &[Vector<T>]) -> Self;
    fn store(self, simd: S, row: &mut [Vector<T>]);
    /// The function of rows, operand number `at` being `accumulator`.
    fn apply(
        simd: S,
        function: Primitive,
        at: usize,
        accumulator: Self,
        rows: [&[Vector<T>]; 4],
    ) -> Self;
    /// The function of rows by its definition.
    fn define(simd: S, function: Primitive, rows: [&[Vector<T>]; 4]) -> Self;
    /// Adds the errors of the values.
    fn add_errors(self, simd: S, score: Score, expected: &[Vector<T>], sums: &mut Sums);
}

pub type Four<T, S> = Pair<Pair<One<T, S>>>;
pub type Eight<T, S> = Pair<Four<T, S>>;
pub type Sixteen<T, S> = Pair<Eight<T, S>>;

/// One vector.
pub struct One<T: Element, S: Simd>(T::V<S>);

/// Two tiles.
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
    fn store(self, simd: S, row: &mut [Vector<T>]) {
        T::store(simd, &mut row[0], self.0);
    }

    #[inline(always)]
    fn apply(
        simd: S,
        function: Primitive,
        at: usize,
        accumulator: Self,
        rows: [&[Vector<T>]; 4],
    ) -> Self {
        let mut operands = [accumulator.0; 4];
        let mut operand = 0;
        while operand < function.arity() {
            if operand != at {
                operands[operand] = T::load(simd, &rows[operand][0]);
            }
            operand += 1;
        }
        One(T::apply(simd, function, operands))
    }

    #[inline(always)]
    fn define(simd: S, function: Primitive, rows: [&[Vector<T>]; 4]) -> Self {
        let mut operands = [T::load(simd, &Vector::default()); 4];
        for (operand, row) in operands.iter_mut().zip(rows).take(function.arity()) {
            *operand = T::load(simd, &row[0]);
        }
        One(by_definition::<S, T>(simd, function, operands))
    }

    #[inline(always)]
    fn add_errors(self, simd: S, score: Score, expected: &[Vector<T>], sums: &mut Sums) {
        T::add_errors(simd, score, self.0, T::load(simd, &expected[0]), sums);
    }
}

/// The halves of rows that are read.
#[inline(always)]
fn halves<T>(rows: [&[Vector<T>]; 4], n: usize) -> [[&[Vector<T>]; 4]; 2] {
    let (mut low, mut high) = ([&[][..]; 4], [&[][..]; 4]);
    let mut operand = 0;
    while operand < 4 {
        let row = rows[operand];
        let split = if row.is_empty() { 0 } else { n };
        (low[operand], high[operand]) = row.split_at(split);
        operand += 1;
    }
    [low, high]
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
    fn store(self, simd: S, row: &mut [Vector<T>]) {
        let (low, high) = row.split_at_mut(R::N);
        self.0.store(simd, low);
        self.1.store(simd, high);
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
    fn define(simd: S, function: Primitive, rows: [&[Vector<T>]; 4]) -> Self {
        let [low, high] = halves(rows, R::N);
        Pair(
            R::define(simd, function, low),
            R::define(simd, function, high),
        )
    }

    #[inline(always)]
    fn add_errors(self, simd: S, score: Score, expected: &[Vector<T>], sums: &mut Sums) {
        let (low, high) = expected.split_at(R::N);
        self.0.add_errors(simd, score, low, sums);
        self.1.add_errors(simd, score, high, sums);
    }
}
