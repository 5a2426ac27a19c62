//! Control bits of Volta and later: bits 105 to 125 of the 128-bit instruction.
//!
//! Models: stall count (bits 105-108), yield (109, active when 0), write and read scoreboard (110-112, 113-115, 7 for none),
//! mask of scoreboards to wait for (116-121).
//! Leaves out: operand reuse (122-125).
//! Units: cycles.
//! Sources: Jia et al. 2018, "Dissecting the Volta GPU architecture via microbenchmarking", section 2.1; ptxas 11.8's output.

use crate::isa::Barriers;
use crate::isa::instruction::Control;

/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: u8 = 16;

/// Decodes the control information in the upper half of an instruction.
pub fn decode(upper: u64) -> Control {
    let bits = upper >> 41;
    let scoreboard = |at: u32| Some((bits >> at & 7) as u8).filter(|&index| index != 7);
    Control {
        stall_cycles: (bits & 0xf) as u8,
        dual_with_next: false,
        barriers: Barriers {
            yields: bits >> 4 & 1 == 0,
            write: scoreboard(5),
            read: scoreboard(8),
            wait_mask: (bits >> 11 & 0x3f) as u8,
        },
    }
}

/// Returns the target of a `BRA` from its encoding, as nvdisasm omits labels in code that it reaches only through an indirect
/// branch. The offset from the next instruction is in words of 4 bytes; bits 16 to 23 are its low part, bits 34 to 63 its high
/// part.
pub fn branch_target(pc_bytes: u32, encoding: u64) -> u32 {
    let words = (encoding as i64 >> 34) << 8 | (encoding >> 16 & 0xff) as i64;
    (i64::from(pc_bytes) + i64::from(INSTRUCTION_BYTES) + 4 * words) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `LDC R1, c[0x0][0x28]` at the start of a kernel: raises scoreboard 0, eight cycles.
    #[test]
    fn a_load_raises_a_scoreboard() {
        let control = decode(0x000e_3000_0000_0800);
        assert_eq!(control.stall_cycles, 8);
        let barriers = control.barriers;
        assert_eq!(
            (barriers.write, barriers.read, barriers.wait_mask),
            (Some(0), None, 0)
        );
    }

    /// The following `IADD3 R1, R1, -0xc8, RZ` waits for scoreboard 0.
    #[test]
    fn its_use_waits() {
        let control = decode(0x001f_c400_07ff_e0ff);
        assert_eq!(control.stall_cycles, 2);
        assert_eq!(control.barriers.wait_mask, 1);
        assert_eq!(control.barriers.write, None);
    }

    /// `STL [R5+-0x4], R8` raises scoreboard 1 until its operands are read.
    #[test]
    fn a_store_raises_a_read_scoreboard() {
        let barriers = decode(0x0023_e200_0010_0800).barriers;
        assert_eq!(
            (barriers.write, barriers.read, barriers.wait_mask),
            (None, Some(1), 2)
        );
    }

    /// All six scoreboards of the mask, each by its bit, and the yield, which is active when its bit is 0.
    #[test]
    fn every_bit_of_the_mask_and_the_yield() {
        let none = 0x7e0;
        for board in 0..Barriers::N {
            let control = decode((none | 1 << (11 + board)) << 41);
            assert_eq!(control.barriers.wait_mask, 1 << board);
            assert!(control.barriers.exist());
            let raises =
                |at: u64| decode((none & !(7 << at) | u64::from(board) << at) << 41).barriers;
            assert_eq!((raises(5).write, raises(5).read), (Some(board), None));
            assert_eq!((raises(8).write, raises(8).read), (None, Some(board)));
        }
        assert!(decode(none << 41).barriers.yields);
        assert!(!decode((none | 1 << 4) << 41).barriers.yields);
        // There is no seventh scoreboard.
        assert!(!decode((none & !(1 << 5)) << 41).barriers.exist());
    }

    /// Branches whose labels are printed: forward, far forward, backward.
    #[test]
    fn branch_targets() {
        assert_eq!(branch_target(0x60, 0x0000_0000_003c_8947), 0x160);
        assert_eq!(branch_target(0x280, 0x0000_0004_0048_8947), 0x7b0);
        assert_eq!(branch_target(0x150, 0xffff_fffc_00d8_0947), 0xc0);
    }
}
