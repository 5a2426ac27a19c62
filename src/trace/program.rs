//! A program as the words that lie in global memory.

/// One program, its end word included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProgramWords<'a> {
    /// Bit patterns of the words (`f32::to_bits` for kernels that keep programs as floats).
    pub words: &'a [u32],
    /// Index of every token's opcode word, in order; the last word, the end word, counts as one.
    pub token_starts: &'a [u32],
    /// Functions and terminals.
    pub nodes: u32,
}

impl ProgramWords<'_> {
    /// Whether a word is looked at by every dispatch: an opcode or the end word.
    pub fn is_opcode(&self, index: u32) -> bool {
        index as usize + 1 == self.words.len() || self.token_starts.binary_search(&index).is_ok()
    }

    pub fn word(&self, index: u32) -> Option<u32> {
        self.words.get(index as usize).copied()
    }
}
