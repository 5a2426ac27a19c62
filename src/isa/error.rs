//! Errors in SASS files.

use thiserror::Error;

/// Error in a SASS text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IsaError {
    #[error("{file}:{line}: unknown opcode `{opcode}` for {arch}")]
    UnknownOpcode {
        file: String,
        line: usize,
        opcode: String,
        arch: String,
    },
    #[error("{file}:{line}: operand `{operand}` of `{instruction}`: {why}")]
    Operand {
        file: String,
        line: usize,
        instruction: String,
        operand: String,
        why: String,
    },
    #[error("{file}:{line}: `{text}`: {why}")]
    Syntax {
        file: String,
        line: usize,
        text: String,
        why: &'static str,
    },
    #[error("{file}:{line}: `{text}`: its encoding {encoding:#018x} is that of {encoded}")]
    Encoding {
        file: String,
        line: usize,
        text: String,
        encoding: u64,
        encoded: String,
    },
    #[error(
        "{kernel}+{pc_bytes:#x}: `{text}`: reconvergence points are set in more orders than can be followed; allowed: points that are left again, as compilers write them"
    )]
    Reconvergence {
        kernel: String,
        pc_bytes: u32,
        text: String,
    },
    #[error("{file}: no {what} found; expected the output of `nvdisasm -hex` for one kernel")]
    Missing { file: String, what: &'static str },
    #[error(
        "{file}: EIATTR_FRAME_SIZE: given {given} bytes of local memory per thread; allowed: at most {allowed}"
    )]
    Frame {
        file: String,
        given: u32,
        allowed: u32,
    },
    #[error("{file}: architecture `{given}` is not supported; allowed: {allowed}")]
    Architecture {
        file: String,
        given: String,
        allowed: &'static str,
    },
}
