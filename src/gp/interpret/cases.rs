//! Fitness cases laid out for vectors.
//!
//! Models: a chunk of the cases, copied so that every column begins on a cache line and ends with a whole vector.
//! Leaves out: values on the padding that fills the last vector; they are computed and ignored.
//! Units: vectors of 16 elements; chunks are whole segments of 4096 elements, and each segment's errors are summed separately.

use super::simd::{LANES, Vector};
use crate::gp::problem::Cases;

/// Vectors of a segment.
pub const SEGMENT: usize = 256;

/// Vectors of a tile; chunks are padded to whole tiles.
pub const TILE: usize = 16;

/// A run of consecutive cases.
#[derive(Debug, Clone)]
pub struct Chunk<T> {
    pub inputs: Columns<T>,
    pub expected: Vec<Vector<T>>,
    /// Elements that are cases, without padding.
    pub n_elements: usize,
}

/// Inputs of a chunk, column after column, followed by an interpreter's own rows.
#[derive(Debug, Clone)]
pub struct Columns<T> {
    vectors: Vec<Vector<T>>,
    n_inputs: usize,
    /// Vectors from a column to the next.
    pub stride: usize,
    /// Vectors of a column.
    pub n_vectors: usize,
}

impl<T> Default for Chunk<T> {
    fn default() -> Self {
        Chunk {
            inputs: Columns {
                vectors: Vec::new(),
                n_inputs: 0,
                stride: 0,
                n_vectors: 0,
            },
            expected: Vec::new(),
            n_elements: 0,
        }
    }
}

impl<T: Copy + Default> Chunk<T> {
    /// Copies up to `n_vectors` vectors of cases, from vector `first` on.
    pub fn fill(&mut self, cases: &Cases<T>, first: usize, n_vectors: usize) {
        let start = first * LANES;
        let end = cases.expected.len().min(start + n_vectors * LANES);
        self.n_elements = end - start;
        let n_vectors = self.n_elements.div_ceil(LANES).next_multiple_of(TILE);
        self.expected.resize(n_vectors, Vector::default());
        copy(&cases.expected[start..end], &mut self.expected);
        let inputs = cases.inputs.iter().map(|input| &input[start..end]);
        self.inputs.fill(inputs, n_vectors);
    }
}

impl<T: Copy + Default> Columns<T> {
    fn fill<'a>(&mut self, inputs: impl ExactSizeIterator<Item = &'a [T]>, n_vectors: usize)
    where
        T: 'a,
    {
        (self.n_inputs, self.n_vectors) = (inputs.len(), n_vectors);
        self.stride = stride(n_vectors);
        self.vectors.resize(self.len(), Vector::default());
        for (column, input) in self.vectors.chunks_exact_mut(self.stride).zip(inputs) {
            copy(input, column);
        }
    }

    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Returns the number of vectors of all columns.
    pub fn len(&self) -> usize {
        self.n_inputs * self.stride
    }

    /// Returns the column of input `index`.
    #[inline(always)]
    pub fn column(&self, index: usize) -> &[Vector<T>] {
        &self.vectors[index * self.stride..][..self.n_vectors]
    }

    /// Returns all columns, followed by `n` vectors for the interpreter's own rows.
    #[inline(always)]
    pub fn with_rows(&mut self, n: usize) -> &mut [Vector<T>] {
        let len = self.len() + n;
        self.vectors.resize(len, Vector::default());
        &mut self.vectors
    }
}

/// Vectors from a column to the next: a multiple of the L1's sets plus one tile, so that the same cases of different columns map
/// to different sets.
fn stride(n_vectors: usize) -> usize {
    const SETS: usize = 64;
    n_vectors.saturating_sub(TILE).next_multiple_of(SETS) + TILE
}

fn copy<T: Copy + Default>(from: &[T], to: &mut [Vector<T>]) {
    for (from, to) in from.chunks(LANES).zip(to) {
        *to = Vector::default();
        to.0[..from.len()].copy_from_slice(from);
    }
}
