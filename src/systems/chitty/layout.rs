//! Programs and fitness cases as the buffers that a kernel reads.
//!
//! Models: one row of `maxprogsize` words per program; one row of fitness cases per input, padded with copies of the first case
//! to a whole number of passes of a block (threads times cases per thread).
//! Leaves out: the transfer to a device (`launch`).
//! Units: words of 32 bits (floats as their bits).
//! Sources: Chitty 2016, Listings 1 and 2 (`progs[blockIdx.x * maxprogsize + i]`, `inputs[input * NumCases + i]`).

use super::encode::encode;
use super::lower::LowerError;
use super::variant::Variant;
use crate::gp::problem::{Cases, Dataset};
use crate::gp::program::Rpn;

/// A population in a kernel's encoding.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramTable {
    pub words: Vec<u32>,
    /// The kernel's `maxprogsize`: words of the longest program, its end word included.
    pub row_words: u32,
    pub n_programs: u32,
    /// Functions and terminals of all programs.
    pub nodes: u64,
}

impl ProgramTable {
    pub fn new(programs: &[Rpn], variant: &Variant) -> Result<Self, LowerError> {
        let rows = programs
            .iter()
            .map(|program| Ok(encode(program, variant)?.words))
            .collect::<Result<Vec<_>, LowerError>>()?;
        let row_words = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut words = vec![0u32; row_words * rows.len()];
        for (padded, row) in words.chunks_exact_mut(row_words.max(1)).zip(&rows) {
            padded[..row.len()].copy_from_slice(row);
        }
        let nodes = programs.iter().map(|program| program.0.len() as u64);
        Ok(Self {
            words,
            row_words: row_words as u32,
            n_programs: rows.len() as u32,
            nodes: nodes.sum(),
        })
    }

    /// Returns the dynamic shared memory of a block.
    pub fn shared_bytes(&self) -> u32 {
        4 * self.row_words
    }
}

/// Fitness cases in a kernel's layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseTable {
    /// Input words, a row of `pitch` elements per variable.
    pub inputs: Vec<u32>,
    pub expected: Vec<u32>,
    /// Elements that are fitness cases.
    pub n_elements: usize,
    /// Elements of a row: the kernel's `numcases`.
    pub pitch: usize,
}

impl CaseTable {
    /// Pads to a multiple of `elements_per_pass`, the block size times the cases per thread.
    pub fn new(dataset: &Dataset, elements_per_pass: usize) -> Self {
        match dataset {
            Dataset::Float(cases) => Self::of(cases, elements_per_pass, f32::to_bits),
            Dataset::Word(cases) => Self::of(cases, elements_per_pass, |word| word),
        }
    }

    fn of<T: Copy>(cases: &Cases<T>, elements_per_pass: usize, bits: impl Fn(T) -> u32) -> Self {
        let n_elements = cases.expected.len();
        let pitch = n_elements.next_multiple_of(elements_per_pass.max(1));
        let padded = |column: &[T]| {
            let first = column.first().map_or(0, |&value| bits(value));
            let mut row: Vec<u32> = column.iter().map(|&value| bits(value)).collect();
            row.resize(pitch, first);
            row
        };
        Self {
            inputs: cases
                .inputs
                .iter()
                .flat_map(|column| padded(column))
                .collect(),
            expected: padded(&cases.expected),
            n_elements,
            pitch,
        }
    }

    /// Returns the number of copies of the first case in the padding.
    pub fn n_padding(&self) -> usize {
        self.pitch - self.n_elements
    }
}
