//! Path conditions of a segment on the program, and the tags that determine when to evaluate them.

use super::Executor;
use crate::isa::Kernel;
use crate::isa::operand::{PT, Place, Predicate, RZ};
use crate::trace::alu::{self, Inputs};
use crate::trace::error::TraceError;
use crate::trace::program::ProgramWords;
use crate::trace::state::{PROBES, Tag, Value, WordAt, WordTest};

/// Property of the program that a segment's path depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathCondition {
    /// Bits of a word.
    Word(WordAt),
    /// Role of a word, counted from the segment's token: operand (0), opcode (1) or beyond the end (2).
    Role(i32),
    /// Outcome of comparing a word with an immediate (see [`WordTest`]).
    Test(WordAt, WordTest),
    /// Position of the token in the program.
    Position,
}

impl PathCondition {
    /// Evaluates the condition for a program whose current token is at `position`.
    pub fn ask(self, kernel: &Kernel, program: &ProgramWords, position: u32) -> u32 {
        let word = |at: WordAt| {
            let index = match at {
                WordAt::Ahead(offset) => position.wrapping_add_signed(offset),
                WordAt::First => 0,
            };
            program.word(index).unwrap_or(0)
        };
        match self {
            PathCondition::Word(at) => word(at),
            PathCondition::Role(offset) => program.role(position.wrapping_add_signed(offset)),
            PathCondition::Test(at, test) => test.outcome(kernel, word(at)),
            PathCondition::Position => position,
        }
    }
}

impl WordTest {
    /// Returns all flags that the comparison sets, as one number.
    fn outcome(self, kernel: &Kernel, word: u32) -> u32 {
        let bits = if self.as_float {
            (word as i32 as f32).to_bits()
        } else {
            word
        };
        let instruction = &kernel.instructions[usize::from(self.instruction)];
        let mut inputs = Inputs {
            predicates: [true; 3],
            ..Inputs::default()
        };
        for (input, source) in inputs.sources.iter_mut().zip(&instruction.sources) {
            *input = match source.place {
                Place::Imm(bits) => u64::from(bits),
                Place::Reg(RZ) => 0,
                _ => u64::from(bits),
            };
        }
        let outputs = alu::execute(instruction, &inputs).unwrap_or_default();
        let [result, complement] = outputs.predicates.map(u32::from);
        u32::from(outputs.cc) | result << 8 | complement << 9
    }
}

/// Value of a predicate with its dependence.
#[derive(Clone, Copy)]
pub struct Truth {
    pub bits: [bool; PROBES],
    pub tag: Tag,
    pub test: Option<WordTest>,
}

impl Executor<'_> {
    pub(super) fn position(&self) -> u32 {
        self.fetch.unwrap_or(0)
    }

    fn ask(&mut self, condition: PathCondition) -> u32 {
        if !self.path_conditions.contains(&condition) {
            self.path_conditions.push(condition);
        }
        condition.ask(self.environment.kernel, self.program, self.position())
    }

    fn offset(&self, index: u32) -> i32 {
        index.wrapping_sub(self.position()) as i32
    }

    /// Returns the word at `index` relative to this segment's token.
    pub(super) fn ahead(&self, index: u32) -> WordAt {
        WordAt::Ahead(self.offset(index))
    }

    pub(super) fn ask_word(&mut self, word: WordAt) {
        self.ask(PathCondition::Word(word));
    }

    /// Returns the role of a word: 0 for an operand, 1 for an opcode, 2 beyond the end.
    pub(super) fn role(&mut self, index: u32) -> u32 {
        if self.fetch == Some(index) {
            1
        } else {
            self.ask(PathCondition::Role(self.offset(index)))
        }
    }

    /// Records that the path depends on the token's position.
    pub(super) fn ask_position(&mut self) {
        if self.fetch.is_some() {
            self.ask(PathCondition::Position);
        }
    }

    fn asked(&self, word: WordAt) -> bool {
        self.path_conditions.contains(&PathCondition::Word(word))
    }

    /// Returns control for a word that the path already depends on.
    pub(super) fn settle(&self, tag: Tag) -> Tag {
        match tag {
            Tag::Word(word) if self.asked(word) => Tag::Control,
            tag => tag,
        }
    }

    pub(super) fn join(&mut self, a: Tag, b: Tag) -> Tag {
        match (self.settle(a), self.settle(b)) {
            (Tag::Control, tag) | (tag, Tag::Control) => tag,
            (Tag::Data, _) | (_, Tag::Data) => Tag::Data,
            (Tag::Word(a), Tag::Word(b)) if a == b => Tag::Word(a),
            (Tag::Word(a), Tag::Word(b)) => {
                self.ask_word(b);
                Tag::Word(a)
            }
        }
    }

    pub(super) fn truth(&self, predicate: Predicate) -> Truth {
        if predicate.index == PT {
            return Truth {
                bits: [!predicate.negate; PROBES],
                tag: Tag::Control,
                test: None,
            };
        }
        let flag = self.machine.predicates[usize::from(predicate.index)];
        Truth {
            bits: flag.bits.map(|bit| (bit != 0) != predicate.negate),
            tag: flag.tag,
            test: flag.test,
        }
    }

    /// Makes the path depend on a truth value and returns it. Lane 0 leads.
    pub(super) fn decide(&mut self, truth: Truth) -> bool {
        match (self.settle(truth.tag), truth.test) {
            (Tag::Control, _) => {}
            (Tag::Word(word), Some(test)) => {
                self.ask(PathCondition::Test(word, test));
            }
            (Tag::Word(word), None) => self.ask_word(word),
            (Tag::Data, _) => self.assumptions += 1,
        }
        truth.bits[0]
    }

    /// Makes the path depend on a value.
    pub(super) fn known(&mut self, value: Value, why: &str) -> Result<(), TraceError> {
        match self.settle(value.tag) {
            Tag::Control => Ok(()),
            Tag::Word(word) => {
                self.ask_word(word);
                Ok(())
            }
            Tag::Data => Err(self.fail(why)),
        }
    }
}
