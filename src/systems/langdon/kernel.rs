//! The interpreter: its machine code, the encoding of programs, the execution of blocks.
//!
//! Models: `systems/cuda/submachine.cu`. Leaves out: time. Units: bytes, words of 32 Boolean cases.
//! Sources: Langdon 2010, Figure 4 and section 6 (15 stack levels of 4 bytes for each thread).

use super::experiment::Experiment;
use crate::gp::interpret::reference::value_u32;
use crate::gp::primitive::Primitive;
use crate::gp::program::{Rpn, Token};
use crate::isa::Arch;
use crate::isa::Kernel;
use crate::launch::prediction::PredictError;
use crate::systems::chitty::embedded::listing;
use crate::trace::launch::KernelLaunch;
use crate::trace::memory::BlockMemory;
use crate::trace::{WarpPath, execute_block};

/// Stack levels of a thread.
pub const STACK_LEVELS: u32 = 15;

const END: u8 = 0;
const FIRST_INPUT: u16 = 8;
const INPUT_D5: u16 = 16;
/// Number of inputs with patterns in constant memory.
const PATTERNS: u16 = 5;
const MOST_INPUTS: u16 = 37;

/// Bank of the kernel's constants: the patterns, followed by the program in the variant that keeps it there.
const CONSTANTS_BANK: usize = 3;
const CONSTANT_PROGRAM_OFFSET: u32 = 32;
/// Threads per program of the variant with its program in constant memory.
const CONSTANT_PROGRAM_THREADS: u32 = 64;

/// The kernel compiled for a number of threads per program.
#[derive(Debug)]
pub struct Submachine {
    pub kernel: Kernel,
    pub threads_per_program: u32,
    /// Whether all threads run the one program in constant memory.
    in_constant: bool,
}

/// Tests of a program: words of 32 cases.
#[derive(Debug, Clone)]
pub struct Tests {
    pub experiment: Experiment,
    /// Bits of the inputs from the sixth on, one word per test.
    pub numbers: Vec<u32>,
    pub expected: Vec<u32>,
}

/// Execution of a block, and its results.
#[derive(Debug, Clone)]
pub struct BlockRun {
    pub warps: Vec<WarpPath>,
    /// Number of wrong cases of each of its programs.
    pub wrong: Vec<u32>,
}

impl Submachine {
    pub fn load(threads_per_program: u32, arch: Arch) -> Result<Self, PredictError> {
        let allowed = || super::THREADS_PER_PROGRAM.map(|n| n.to_string()).join(", ");
        if !super::THREADS_PER_PROGRAM.contains(&threads_per_program) {
            return Err(PredictError::refused(
                "threads per program",
                threads_per_program,
                allowed(),
            ));
        }
        Ok(Submachine {
            kernel: kernel(&format!("{arch}-p{threads_per_program}"))?,
            threads_per_program,
            in_constant: false,
        })
    }

    /// Loads the variant for one program in constant memory.
    pub fn with_constant_program(arch: Arch) -> Result<Self, PredictError> {
        let threads_per_program = CONSTANT_PROGRAM_THREADS;
        Ok(Submachine {
            kernel: kernel(&format!("{arch}-p{threads_per_program}-constant"))?,
            threads_per_program,
            in_constant: true,
        })
    }

    /// Returns the shared memory of a block, which holds the stacks of its threads.
    pub fn shared_bytes(threads_per_block: u32) -> u32 {
        4 * STACK_LEVELS * threads_per_block
    }

    /// Executes a block of `threads` on as many programs as fit.
    pub fn execute(
        &self,
        programs: &[Rpn],
        tests: &Tests,
        threads: u32,
    ) -> Result<BlockRun, PredictError> {
        let program_bytes = tests.experiment.program_bytes;
        let bytes = table(programs, program_bytes)?;
        let launch = self.launch(threads, tests);
        let mut constants = launch.constants(&self.kernel, launch.cases);
        if self.in_constant {
            let mut offset = CONSTANT_PROGRAM_OFFSET;
            for &node in &bytes {
                constants.write(CONSTANTS_BANK, offset, node.into());
                offset += 4;
            }
        }
        let (words, _) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let (numbers, expected) = (tests.numbers.clone(), tests.expected.clone());
        let mut memory = BlockMemory::new(words, numbers, expected, threads);
        let warps = execute_block(&self.kernel, &constants, threads, &mut memory);
        Ok(BlockRun {
            warps: warps.map_err(PredictError::other)?,
            wrong: memory.results[..programs.len()].to_vec(),
        })
    }

    fn launch(&self, threads_per_block: u32, tests: &Tests) -> KernelLaunch {
        KernelLaunch {
            cases_per_iteration: self.threads_per_program,
            max_program_words: tests.experiment.program_bytes,
            ..KernelLaunch::block_gp(threads_per_block, 1, tests.numbers.len() as u32)
        }
    }
}

fn kernel(stem: &str) -> Result<Kernel, PredictError> {
    let file = format!("submachine/{stem}.sass");
    let code = listing(&file).map_err(PredictError::other)?;
    Kernel::parse(&code, &file).map_err(PredictError::other)
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
