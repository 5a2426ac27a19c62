//! Kepler (sm_35) machine code: opcodes and control words.

pub mod control;
pub mod decode;
