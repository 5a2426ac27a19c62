//! Hopper (sm_90) machine code: opcodes and the control bits of every instruction.

pub mod control;
pub mod decode;
pub mod unprinted;
