//! A program as the words in global memory.

use super::error::TraceError;

/// One program, including its end word.
#[derive(Debug, Clone)]
pub struct ProgramWords {
    /// Bit patterns of the words (`f32::to_bits` for kernels that keep programs as floats).
    words: Vec<u32>,
    /// Whether each word is examined by every dispatch: an opcode or the end word.
    opcode: Vec<bool>,
    /// Functions and terminals.
    nodes: u32,
}

impl ProgramWords {
    /// Builds a program from the bits of its words. `token_starts` are the indices of the opcode words; the last word, the end
    /// word, counts as one.
    pub fn new(words: Vec<u32>, token_starts: &[u32], nodes: u32) -> Result<Self, TraceError> {
        let mut opcode = vec![false; words.len()];
        for &start in token_starts {
            let place = opcode
                .get_mut(start as usize)
                .ok_or_else(|| TraceError::Input {
                    name: "token start",
                    given: start.to_string(),
                    allowed: format!("below the {} words of the program", words.len()),
                })?;
            *place = true;
        }
        match opcode.last_mut() {
            Some(end) => *end = true,
            None => {
                return Err(TraceError::Input {
                    name: "program length",
                    given: "0 words".to_owned(),
                    allowed: "at least the end word".to_owned(),
                });
            }
        }
        Ok(Self {
            words,
            opcode,
            nodes,
        })
    }

    /// Builds a program from float words.
    pub fn of_floats(words: &[f32], token_starts: &[u32], nodes: u32) -> Result<Self, TraceError> {
        let bits = words.iter().map(|word| word.to_bits()).collect();
        Self::new(bits, token_starts, nodes)
    }

    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub fn word(&self, index: u32) -> Option<u32> {
        self.words.get(index as usize).copied()
    }

    /// Number of functions and terminals.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Returns the role of a word: 0 for an operand, 1 for an opcode, 2 beyond the end.
    pub fn role(&self, index: u32) -> u32 {
        match self.opcode.get(index as usize) {
            Some(&opcode) => opcode.into(),
            None => 2,
        }
    }
}
