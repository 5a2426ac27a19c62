//! Machine code of Hopper (sm_90) and of Turing, Ampere and Ada (sm_75 to sm_89): opcodes, and the control bits of every
//! instruction.

pub mod control;
pub mod decode;
pub mod unprinted;
