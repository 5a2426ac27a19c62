//! Machine code, parsed: instructions, control words, control-flow graph. Knows no GP.
//!
//! * [`text`]: the disassembler's output, split; [`operand`]: its operands.
//! * [`op`]: what an instruction computes; [`instruction`]: one instruction; [`kernel`]: all of them.
//! * [`kepler`], [`hopper`]: opcodes and control information of sm_35 and of sm_75 to sm_90; [`meaning`]: what both give.
//! * [`encoding`]: whether an instruction's text says what its encoding does.
//! * [`cfg`]: the control-flow graph, and what is live.
//! * [`nv50`]: sm_35 code translated to that of compute capability 1.x.

mod arch;
pub mod cfg;
mod decoder;
pub mod encoding;
pub mod error;
mod family;
pub mod hopper;
pub mod instruction;
pub mod jump_table;
pub mod kepler;
pub mod kernel;
pub mod meaning;
pub mod nv50;
pub mod op;
pub mod operand;
mod operands;
mod reconvergence;
mod registers;
pub mod text;

pub use arch::Arch;
pub use decoder::GLOBAL_DATA_ADDRESS;
pub use error::IsaError;
pub use family::Family;
pub use instruction::Instruction;
pub use kernel::{Kernel, Parameter, SourceLine};

use crate::util::names::listed;

listed! {
    /// The execution resource that an instruction needs; throughputs per class are in the device preset.
    pub enum OpClass {
        /// FADD FMUL FFMA FMNMX and other full-rate single precision.
        Fp32,
        /// IADD, ISUB, ISCADD, IMNMX.
        IntAdd,
        /// LOP, PRMT, MOV, MOV32I, S2R-free register moves.
        Logic,
        /// ISETP FSETP PSETP ISET FSET SEL ICMP FCMP: the compare port.
        Compare,
        /// IMUL IMAD.
        IntMul,
        /// SHL SHR SHF.
        Shift,
        /// BFE BFI POPC FLO.
        Bitfield,
        /// MUFU and RRO.
        Sfu,
        /// I2F F2I F2F I2I.
        Convert,
        /// S2R.
        SpecialRegister,
        /// LDL STL LDS STS LD ST LDG and other LSU work.
        Memory,
        /// LDC.
        ConstantLoad,
        /// BRA BRX SSY PBK BRK CAL RET EXIT NOP.S and other control flow.
        Control,
        /// BAR.
        Barrier,
        /// NOP.
        Nop,
    }
}

/// The memory an instruction accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    Local,
    Shared,
    Global,
}

/// Properties of one static instruction that its timing depends on, independent of the parser's detail.
/// One per instruction of a kernel; the trace refers to them by index.
#[derive(Debug, Clone, PartialEq)]
pub struct TimingOp {
    pub class: OpClass,
    /// Memory space and bytes per lane (1, 4, 8 or 16), with `store` telling the direction.
    pub access: Option<Access>,
    /// Registers read (RZ excluded), vector operands expanded. Includes address registers.
    pub reads: Vec<u8>,
    /// Registers written (RZ excluded), vector operands expanded.
    pub writes: Vec<u8>,
    /// Predicates read (guard included) and written, as bit masks of P0..P6 (bit 7: the CC flag).
    pub pred_reads: u8,
    pub pred_writes: u8,
    /// The compiler's stall count: the warp's next instruction issues at least this many cycles later.
    pub stall_cycles: u8,
    /// The compiler marked this instruction to be issued together with the next one.
    pub dual_with_next: bool,
    /// Byte offset in the kernel's code (instruction fetch).
    pub pc_bytes: u32,
    /// A branch, call, return or exit that may redirect the warp's fetch.
    pub redirects: bool,
    /// Hopper's compiler-set scoreboards; none on Kepler.
    pub barriers: Barriers,
}

/// Scoreboards that the compiler assigns (Volta and later): six counters that an instruction of
/// variable latency raises and later instructions wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Barriers {
    /// Released when the instruction's results are written.
    pub write: Option<u8>,
    /// Released when its operands have been read.
    pub read: Option<u8>,
    /// Scoreboards, by bit, that must be free before the instruction issues.
    pub wait_mask: u8,
    /// The scheduler may prefer another warp next.
    pub yields: bool,
}

impl Barriers {
    /// Scoreboards that there are.
    pub const N: u8 = 6;

    /// Whether all that are named exist.
    pub fn exist(&self) -> bool {
        let exists = |board: Option<u8>| board.is_none_or(|board| board < Barriers::N);
        exists(self.write) && exists(self.read) && self.wait_mask >> Barriers::N == 0
    }
}

/// A memory access of one static instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub space: Space,
    pub bytes_per_lane: u8,
    pub store: bool,
}
