//! Abstract machine of uniform execution: knowledge about every register.
//!
//! Models: three *probes* represent all threads of a block: lane 0 and lane 1 of warp 0 and lane 0 of warp 1; their differences
//! determine an access pattern. A value is control (known), the value of one program word that no decision has depended on yet,
//! or data. Data is a nominal number, computed only so that guards of slow paths evaluate as they do for ordinary numbers. A
//! control value may move with the *position* of the segment's token in the program: `stride` bits per word.
//! Leaves out: float data.
//! Units: raw bits.

use super::program::ProgramWords;
use crate::isa::cfg::LiveSet;
use crate::isa::operand::RZ;

/// Thread indices of the probes.
pub const PROBE_THREADS: [u32; 3] = [0, 1, 32];
/// Number of probes.
pub const PROBES: usize = PROBE_THREADS.len();
/// Nominal value of all data: inside every fast path of CUDA's math functions.
pub const NOMINAL: u32 = 0x3f40_0000; // 0.75

/// Reference to a program word, relative to a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordAt {
    /// Number of words after the segment's token.
    Ahead(i32),
    /// The program's first word: compilers fetch it before the case loop and keep it in a register.
    First,
}

/// Dependence of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Launch parameters, and program words that the path already depends on.
    Control,
    /// One program word.
    Word(WordAt),
    Data,
}

/// Origin of an unchanged program word, for the copy into shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    None,
    /// Word `index`, as stored in global memory.
    Raw(u32),
    /// Word `index`, converted from an integer to a float.
    AsFloat(u32),
}

impl Origin {
    /// Returns the bits of the word in a program, 0 if there is none.
    fn bits(self, program: &ProgramWords) -> u32 {
        let word = |index| program.word(index).unwrap_or(0);
        match self {
            Origin::None => 0,
            Origin::Raw(index) => word(index),
            Origin::AsFloat(index) => (word(index) as i32 as f32).to_bits(),
        }
    }
}

/// Content of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value {
    pub bits: [u32; PROBES],
    /// Growth of the bits per word of the token's position.
    pub stride: u32,
    pub tag: Tag,
    pub origin: Origin,
}

impl Value {
    pub const DATA: Value = Value {
        bits: [NOMINAL; PROBES],
        stride: 0,
        tag: Tag::Data,
        origin: Origin::None,
    };
    pub const ZERO: Value = Value {
        bits: [0; PROBES],
        stride: 0,
        tag: Tag::Control,
        origin: Origin::None,
    };

    pub fn control(bits: [u32; PROBES]) -> Self {
        Self { bits, ..Self::ZERO }
    }

    /// Tells whether the value is the program's first word itself.
    fn is_first_word(&self) -> bool {
        matches!(self.origin, Origin::Raw(0) | Origin::AsFloat(0))
            && matches!(self.tag, Tag::Control | Tag::Word(WordAt::First))
    }

    /// Tells whether a state must hold the value.
    fn is_known(&self) -> bool {
        matches!(self.tag, Tag::Control | Tag::Word(WordAt::First))
    }

    /// Expresses the value relative to a token `position` words further up.
    fn rebased(self, position: u32) -> Self {
        if self.tag == Tag::Word(WordAt::First) {
            return self;
        }
        let shift = self.stride.wrapping_mul(position);
        Self {
            bits: self.bits.map(|bits| bits.wrapping_sub(shift)),
            origin: Origin::None,
            ..self
        }
    }
}

/// A predicate, or the condition code, per probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flag {
    pub bits: [u8; PROBES],
    pub tag: Tag,
    /// Comparison of one program word with an immediate, if the flag is nothing else.
    pub test: Option<WordTest>,
}

/// A comparison of a program word with an immediate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WordTest {
    /// Index of the comparing instruction.
    pub instruction: u16,
    /// Converts the word from an integer to a float first.
    pub as_float: bool,
}

impl Flag {
    pub const DATA: Flag = Flag {
        bits: [0; PROBES],
        tag: Tag::Data,
        test: None,
    };
}

/// An entry of the reconvergence stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Frame {
    /// `SSY`: target of `.S`.
    Sync(u32),
    /// `PBK`: target of `BRK`.
    Break(u32),
    /// `PCNT`: target of `CONT`.
    Continue(u32),
    /// `CAL`: target of `RET`.
    Return(u32),
}

/// State of the machine between two instructions.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Index of the next instruction.
    pub pc: usize,
    pub registers: Vec<Value>,
    /// Predicates by number; number 7 is the condition code.
    pub predicates: [Flag; 16],
    pub frames: Vec<Frame>,
    /// Local memory that holds control values (spilled registers), by byte offset in the frame.
    pub local: Vec<(u32, Value)>,
}

impl Machine {
    /// Returns the machine before the first instruction.
    pub fn new() -> Self {
        Self {
            pc: 0,
            registers: vec![Value::DATA; 256],
            predicates: [Flag::DATA; 16],
            frames: Vec::new(),
            local: Vec::new(),
        }
    }

    pub fn register(&self, index: u8) -> Value {
        if index == RZ {
            Value::ZERO
        } else {
            self.registers[usize::from(index)]
        }
    }

    pub fn load_local(&self, offset_bytes: u32) -> Value {
        let cell = self
            .local
            .binary_search_by_key(&offset_bytes, |(offset, _)| *offset);
        cell.map_or(Value::DATA, |at| self.local[at].1)
    }

    /// Stores a value if it is control or the program's first word, and clears the slot otherwise.
    pub fn store_local(&mut self, offset_bytes: u32, value: Value) {
        let cell = self
            .local
            .binary_search_by_key(&offset_bytes, |(offset, _)| *offset);
        match (cell, value.is_known()) {
            (Ok(at), true) => self.local[at].1 = value,
            (Ok(at), false) => drop(self.local.remove(at)),
            (Err(at), true) => self.local.insert(at, (offset_bytes, value)),
            (Err(_), false) => {}
        }
    }

    /// Prepares the end of a segment: the program's first word becomes a value with a known origin only, so that programs with
    /// different first words reach the same states. Returns whether anything else depends on that word: then so does the path.
    pub fn abstract_first_word(&mut self, live: &LiveSet) -> bool {
        let mut depends = false;
        let registers = &mut self.registers;
        let mut let_go = |value: &mut Value| {
            if value.is_first_word() {
                value.tag = Tag::Word(WordAt::First);
                value.bits = [0; PROBES];
            } else if value.tag == Tag::Word(WordAt::First) {
                value.tag = Tag::Control;
                depends = true;
            }
        };
        for index in live.registers.all() {
            let_go(&mut registers[usize::from(index)]);
        }
        self.local.iter_mut().for_each(|(_, value)| let_go(value));
        for (at, flag) in self.predicates.iter_mut().enumerate() {
            if live.predicates >> at & 1 != 0 && flag.tag == Tag::Word(WordAt::First) {
                flag.tag = Tag::Control;
                depends = true;
            }
        }
        depends
    }

    /// Drops values that are dead or not control; positions are relative to the token at `position`.
    pub fn canonical(&self, live: &LiveSet, run: Run, position: Option<u32>) -> State {
        let rebase = |value: Value| match position {
            Some(position) => value.rebased(position),
            None if value.tag == Tag::Control => Value {
                stride: 0,
                origin: Origin::None,
                ..value
            },
            None => value,
        };
        let registers = live
            .registers
            .all()
            .map(|index| (index, self.registers[usize::from(index)]));
        let registers = registers.filter(|(_, value)| value.is_known());
        let flags = self.predicates.iter().enumerate();
        let flags =
            flags.filter(|(at, flag)| live.predicates >> at & 1 != 0 && flag.tag == Tag::Control);
        State {
            run,
            pc: self.pc as u32,
            at_fetch: position.is_some(),
            registers: registers
                .map(|(index, value)| (index, rebase(value)))
                .collect(),
            predicates: flags.map(|(at, flag)| (at as u8, flag.bits)).collect(),
            frames: self.frames.clone(),
            local: self
                .local
                .iter()
                .map(|&(offset, value)| (offset, rebase(value)))
                .collect(),
        }
    }

    /// Tells whether a live control value moves with the position.
    pub fn is_positional(&self, live: &LiveSet) -> bool {
        let moves = |value: &Value| value.tag == Tag::Control && value.stride != 0;
        live.registers
            .all()
            .any(|index| moves(&self.registers[usize::from(index)]))
            || self.local.iter().any(|(_, value)| moves(value))
    }

    /// Restores a machine from `state` at a token's position of `program`; everything else is data.
    pub fn restore(&mut self, state: &State, program: &ProgramWords, position: u32) {
        let back = position.wrapping_neg();
        let restored = |value: Value| match value.tag {
            Tag::Word(WordAt::First) => Value {
                bits: [value.origin.bits(program); PROBES],
                ..value
            },
            _ => value.rebased(back),
        };
        self.pc = state.pc as usize;
        self.registers.fill(Value::DATA);
        for &(index, value) in &state.registers {
            self.registers[usize::from(index)] = restored(value);
        }
        self.predicates = [Flag::DATA; 16];
        for &(at, bits) in &state.predicates {
            self.predicates[usize::from(at)] = Flag {
                bits,
                tag: Tag::Control,
                test: None,
            };
        }
        self.frames.clone_from(&state.frames);
        self.local.clear();
        self.local.extend(
            state
                .local
                .iter()
                .map(|&(offset, value)| (offset, restored(value))),
        );
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

/// Number of iterations of the case loop in the launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Run {
    /// None: a block that has no fitness cases.
    Empty,
    /// One.
    Single,
    /// Three: the first, a steady one, the last.
    Triple,
}

/// Everything that determines further execution besides the program's words: the machine at a segment's start without dead or
/// unknown values, relative to the token's position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub run: Run,
    pub pc: u32,
    /// Whether the first instruction fetches an opcode word, from which positions are counted.
    pub at_fetch: bool,
    pub registers: Vec<(u8, Value)>,
    pub predicates: Vec<(u8, [u8; PROBES])>,
    pub frames: Vec<Frame>,
    pub local: Vec<(u32, Value)>,
}

impl State {
    /// Returns the state before a kernel's first instruction.
    pub fn entry(run: Run) -> Self {
        Self {
            run,
            pc: 0,
            at_fetch: false,
            registers: Vec::new(),
            predicates: Vec::new(),
            frames: Vec::new(),
            local: Vec::new(),
        }
    }
}
