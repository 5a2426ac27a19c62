//! Errors of tracing a kernel.

use crate::isa::IsaError;
use thiserror::Error;

/// A kernel or program that cannot be executed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TraceError {
    #[error(transparent)]
    Isa(Box<IsaError>),
    #[error("{kernel}+{pc_bytes:#x}: `{text}`: {why}")]
    Instruction {
        kernel: String,
        pc_bytes: u32,
        text: String,
        why: String,
    },
    #[error("{kernel}: {instructions} instructions executed without an end; allowed: {limit}")]
    Endless {
        kernel: String,
        instructions: u64,
        limit: u64,
    },
    #[error(
        "{kernel}: does not end with its program; allowed: {parts} arrivals at the case loop, {limit} segments of code from one to the next"
    )]
    NoEnd {
        kernel: String,
        parts: usize,
        limit: usize,
    },
    #[error("{kernel}: {given} instructions executed for one program; allowed: {allowed}")]
    Budget {
        kernel: String,
        given: u64,
        allowed: u64,
    },
    #[error("{kernel}: {why}")]
    Kernel { kernel: String, why: String },
    #[error("{kernel}: the case loop ran {given} times where {expected} were asked for")]
    Iterations {
        kernel: String,
        given: usize,
        expected: usize,
    },
    #[error("{kernel}: {given} instructions; allowed: {allowed}")]
    TooLong {
        kernel: String,
        given: usize,
        allowed: usize,
    },
    #[error("{name} is {given}; allowed: {allowed}")]
    Input {
        name: &'static str,
        given: String,
        allowed: String,
    },
}

impl From<IsaError> for TraceError {
    fn from(error: IsaError) -> Self {
        TraceError::Isa(Box::new(error))
    }
}
