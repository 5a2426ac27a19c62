//! Fitness cases laid out for vectors.
//!
//! Models: a chunk of the cases, copied so that every column begins on a cache line and ends with a whole vector.
//! Leaves out: the values of programs on the cases that fill the last vector; they are computed and not looked at.
//! Units: vectors of 16 elements; chunks are whole segments of 4096 elements, whose errors are summed by themselves.
//! Sources: none.

use super::simd::{LANES, Vector};
use crate::gp::problem::Cases;

/// Vectors of a segment.
pub const SEGMENT: usize = 256;

/// Chunks are filled up to whole tiles of this many vectors.
pub const TILE: usize = 16;

/// Vectors from a column to the next: by a tile more than the 64 sets that an L1 has, or some of them, so that the same cases of the columns
/// lie on other sets.
fn stride(n_vectors: usize) -> usize {
    const SETS: usize = 64;
    n_vectors.saturating_sub(TILE).next_multiple_of(SETS) + TILE
}

/// Some of the cases, in order.
#[derive(Debug, Clone)]
pub struct Chunk<T> {
    /// Column after column, each of `n_vectors`, `stride` apart.
    inputs: Vec<Vector<T>>,
    stride: usize,
    pub expected: Vec<Vector<T>>,
    pub n_vectors: usize,
    /// Those that are cases.
    pub n_elements: usize,
}

impl<T> Default for Chunk<T> {
    fn default() -> Self {
        Chunk {
            inputs: Vec::new(),
            stride: 0,
            expected: Vec::new(),
            n_vectors: 0,
            n_elements: 0,
        }
    }
}

impl<T: Copy + Default> Chunk<T> {
    /// Takes over `n_vectors` from vector `first` on, as far as there are cases.
    pub fn fill(&mut self, cases: &Cases<T>, first: usize, n_vectors: usize) {
        let start = first * LANES;
        let end = cases.expected.len().min(start + n_vectors * LANES);
        self.n_elements = end - start;
        self.n_vectors = self.n_elements.div_ceil(LANES).next_multiple_of(TILE);
        let n_inputs = cases.inputs.len();
        self.stride = stride(self.n_vectors);
        self.inputs
            .resize(n_inputs * self.stride, Vector::default());
        self.expected.resize(self.n_vectors, Vector::default());
        copy(&cases.expected[start..end], &mut self.expected);
        if self.n_vectors > 0 {
            let columns = self.inputs.chunks_exact_mut(self.stride);
            for (column, input) in columns.zip(&cases.inputs) {
                copy(&input[start..end], column);
            }
        }
    }

    pub fn n_inputs(&self) -> usize {
        self.inputs.len() / self.stride.max(1)
    }

    /// From a column to the next.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Input `index`.
    #[inline(always)]
    pub fn input(&self, index: usize) -> &[Vector<T>] {
        &self.inputs[index * self.stride..][..self.n_vectors]
    }

    /// All columns, one after the other.
    #[inline(always)]
    pub fn inputs(&self) -> &[Vector<T>] {
        &self.inputs
    }
}

fn copy<T: Copy + Default>(from: &[T], to: &mut [Vector<T>]) {
    for (from, to) in from.chunks(LANES).zip(to) {
        *to = Vector::default();
        to.0[..from.len()].copy_from_slice(from);
    }
}
