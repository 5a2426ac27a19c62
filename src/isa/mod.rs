//! Machine code, parsed: instructions, control words, control-flow graph. Independent of GP.
//!
//! * [`text`]: splitting of the disassembler's output; [`operand`]: its operands.
//! * [`op`]: operations of instructions; [`instruction`]: one instruction; [`kernel`]: a whole kernel.
//! * [`kepler`], [`hopper`]: opcodes and control information of sm_35 and of sm_75 to sm_90; [`meaning`]: their common result.
//! * [`encoding`]: consistency of an instruction's text with its encoding.
//! * [`cfg`]: control-flow graph, and liveness.
//! * [`nv50`]: translation of sm_35 code to that of compute capability 1.x.

mod arch;
pub mod cfg;
mod decoder;
pub mod encoding;
pub mod error;
mod family;
pub mod half;
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
    /// Execution resource of an instruction; throughputs per class are in the device preset.
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

/// Memory space accessed by an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    Local,
    Shared,
    Global,
}

/// Properties of one static instruction that determine its timing, independent of the parser's detail. One per instruction of a
/// kernel; the trace refers to them by index.
#[derive(Debug, Clone, PartialEq)]
pub struct TimingOp {
    pub class: OpClass,
    /// Memory space, bytes per lane (1, 4, 8 or 16), and direction (`store`).
    pub access: Option<Access>,
    /// Registers read (RZ excluded), vector operands expanded. Includes address registers.
    pub reads: Vec<u8>,
    /// Registers written (RZ excluded), vector operands expanded.
    pub writes: Vec<u8>,
    /// Predicates read (guard included) and written, as bit masks of P0..P6 (bit 7: the CC flag).
    pub pred_reads: u8,
    pub pred_writes: u8,
    /// Compiler's stall count: minimum cycles until the warp's next instruction issues.
    pub stall_cycles: u8,
    /// Whether the compiler paired this instruction with the next one.
    pub dual_with_next: bool,
    /// Byte offset in the kernel's code (instruction fetch).
    pub pc_bytes: u32,
    /// Whether it is a branch, call, return or exit that may redirect the warp's fetch.
    pub redirects: bool,
    /// Whether the target of the branch comes from a register.
    pub indirect: bool,
    /// Hopper's compiler-set scoreboards; none on Kepler.
    pub barriers: Barriers,
}

/// Scoreboards assigned by the compiler (Volta and later): six counters that an instruction of variable latency raises and
/// later instructions wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Barriers {
    /// Scoreboard released when the instruction's results are written.
    pub write: Option<u8>,
    /// Scoreboard released when its operands have been read.
    pub read: Option<u8>,
    /// Scoreboards, by bit, that must be free before the instruction issues.
    pub wait_mask: u8,
    /// Whether the scheduler may prefer another warp next.
    pub yields: bool,
}

impl Barriers {
    /// Number of scoreboards.
    pub const N: u8 = 6;

    /// Tells whether all named scoreboards exist.
    pub fn exist(&self) -> bool {
        let exists = |board: Option<u8>| board.is_none_or(|board| board < Barriers::N);
        exists(self.write) && exists(self.read) && self.wait_mask >> Barriers::N == 0
    }
}

/// Memory access of one static instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub space: Space,
    pub bytes_per_lane: u8,
    pub store: bool,
}
