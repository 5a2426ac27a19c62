//! The interpreter: its machine code, the encoding of programs, its blocks.
//!
//! Models: `systems/cuda/submachine.cu`. Leaves out: time. Units: bytes, words of 32 Boolean cases.
//! Sources: Langdon 2010, Figure 4 and section 6 (15 stack levels of 4 bytes for each thread).

use super::THREADS_PER_PROGRAM;
use super::experiment::Experiment;
use crate::gp::interpret::reference::value_u32;
use crate::gp::primitive::Primitive;
use crate::gp::program::{Rpn, Token};
use crate::isa::{Arch, Kernel};
use crate::launch::prediction::PredictError;
use crate::systems::blocks::{self, BlockLaunch};
use crate::trace::memory::BlockMemory;

/// Stack levels of a thread.
pub const STACK_LEVELS: u32 = 15;

const END: u8 = 0;
const FIRST_INPUT: u16 = 8;
const INPUT_D5: u16 = 16;
/// Number of inputs with patterns in constant memory.
const PATTERNS: u16 = 5;
const MOST_INPUTS: u16 = 37;

/// Bytes of the patterns in constant memory, which a program there follows.
const CONSTANT_PROGRAM_OFFSET: u32 = 32;
/// Threads per program of the variant with its program in constant memory.
const CONSTANT_PROGRAM_THREADS: u32 = 64;

/// Tests of a program: words of 32 cases.
#[derive(Debug, Clone)]
pub struct Tests {
    pub experiment: Experiment,
    /// Bits of the inputs from the sixth on, one word per test.
    pub numbers: Vec<u32>,
    pub expected: Vec<u32>,
}

/// Returns the name of the files of the kernel for a number of threads per program.
pub fn stem(threads_per_program: u32, arch: Arch) -> String {
    format!("submachine/{arch}-p{threads_per_program}")
}

/// Loads the kernel compiled for a number of threads per program.
pub fn load(threads_per_program: u32, arch: Arch) -> Result<Kernel, PredictError> {
    if !THREADS_PER_PROGRAM.contains(&threads_per_program) {
        let allowed = THREADS_PER_PROGRAM.map(|n| n.to_string()).join(", ");
        return Err(PredictError::refused(
            "threads per program",
            threads_per_program,
            allowed,
        ));
    }
    blocks::load(&stem(threads_per_program, arch))
}

/// Loads the variant for one program in constant memory.
pub fn load_constant(arch: Arch) -> Result<Kernel, PredictError> {
    blocks::load(&format!(
        "{}-constant",
        stem(CONSTANT_PROGRAM_THREADS, arch)
    ))
}

/// Returns the shared memory of a block, which holds the stacks of its threads.
pub fn shared_bytes(threads_per_block: u32) -> u32 {
    4 * STACK_LEVELS * threads_per_block
}

/// Returns a block of `threads` on as many programs as fit. Its results are the programs' numbers of wrong cases.
pub fn block<'a>(
    kernel: &'a Kernel,
    programs: &[Rpn],
    tests: &Tests,
    threads: u32,
) -> Result<BlockLaunch<'a>, PredictError> {
    let program_bytes = tests.experiment.program_bytes;
    let bytes = table(programs, program_bytes)?;
    let (words, _) = bytes.as_chunks::<4>();
    let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let (inputs, expected) = (tests.numbers.clone(), tests.expected.clone());
    let memory = BlockMemory::new(words, inputs, expected, programs.len() as u32);
    let numbers = vec![program_bytes, tests.numbers.len() as u32];
    Ok(BlockLaunch::first(kernel, threads, numbers, memory))
}

/// Returns a block whose threads all run one program in constant memory.
pub fn constant_block<'a>(
    kernel: &'a Kernel,
    program: &Rpn,
    tests: &Tests,
    threads: u32,
) -> Result<BlockLaunch<'a>, PredictError> {
    let one = std::slice::from_ref(program);
    let nodes = table(one, tests.experiment.program_bytes)?;
    Ok(BlockLaunch {
        constants: (
            CONSTANT_PROGRAM_OFFSET,
            nodes.into_iter().map(u32::from).collect(),
        ),
        ..block(kernel, one, tests, threads)?
    })
}

/// Returns programs in memory, one after the other at equal distances.
pub fn table(programs: &[Rpn], program_bytes: u32) -> Result<Vec<u8>, PredictError> {
    let mut bytes = Vec::with_capacity(programs.len() * program_bytes as usize);
    for program in programs {
        let end = bytes.len() + program_bytes as usize;
        bytes.extend(encode(program)?);
        if bytes.len() > end {
            return Err(PredictError::refused(
                "nodes of a program",
                program.0.len().to_string(),
                format!("at most {}", program_bytes - 1),
            ));
        }
        bytes.resize(end, END);
    }
    Ok(bytes)
}

/// Encodes a program for the kernel: one byte per node, and the end.
pub fn encode(program: &Rpn) -> Result<Vec<u8>, PredictError> {
    program.0.iter().map(byte).chain([Ok(END)]).collect()
}

fn byte(token: &Token) -> Result<u8, PredictError> {
    Ok(match *token {
        Token::Input(input) if input < PATTERNS => (FIRST_INPUT + input) as u8,
        Token::Input(input) if input < MOST_INPUTS => (INPUT_D5 + input - PATTERNS) as u8,
        Token::Apply(Primitive::And) => 1,
        Token::Apply(Primitive::Or) => 2,
        Token::Apply(Primitive::Nand) => 3,
        Token::Apply(Primitive::Nor) => 4,
        other => {
            return Err(PredictError::refused(
                "node of a program",
                format!("{other:?}"),
                "the inputs X1 to X37, AND, OR, NAND, NOR",
            ));
        }
    })
}

/// Returns the number of wrong cases of a program, by the reference interpreter.
pub fn wrong(program: &Rpn, tests: &Tests) -> u32 {
    let words: Vec<u64> = tests.numbers.iter().map(|&word| word.into()).collect();
    let cases = tests.experiment.mux.cases(&words);
    let of_word = |at: usize| {
        let inputs: Vec<u32> = cases.inputs.iter().map(|row| row[at]).collect();
        (value_u32(program, &inputs) ^ cases.expected[at]).count_ones()
    };
    (0..words.len()).map(of_word).sum()
}
