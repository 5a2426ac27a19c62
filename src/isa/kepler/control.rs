//! Kepler's control words: the compiler's static schedule.
//!
//! Models: one 64-bit word with top bits 000010 (bits 63 to 58) before every seven instructions; the field of the i-th
//! instruction after it is `(word >> (2 + 8 i)) & 0xff`. 0x04: issued together with the next instruction. 0x20 | n: the warp's
//! next instruction follows n + 1 cycles later. 0x00: no information, 32 cycles. 0xc2 marks TEXDEPBAR, which waits for the
//! outstanding load itself.
//! Leaves out: the meaning of bits 6 and 7 elsewhere (not emitted for these kernels).
//! Units: cycles.
//! Sources: envytools and Mesa's Kepler scheduler for the format; ptxas 11.8's own output for the + 1 (a dependent FADD follows
//! after 0x28, its 9-cycle latency).

use crate::isa::instruction::Control;

/// Number of instructions governed by one control word.
const INSTRUCTIONS_PER_WORD: u8 = 7;

/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: u8 = 8;
/// Bytes of a control word.
pub const WORD_BYTES: u32 = 8;
/// Interval of control words in the code.
pub const WORD_INTERVAL_BYTES: u32 = 64;

/// Tells whether a 64-bit word is a control word.
pub fn is_control_word(word: u64) -> bool {
    word >> 58 == 0x02
}

/// Returns the control field of the instruction at `place` (0 to 6) after the word.
pub fn field(word: u64, place: u8) -> u8 {
    (word >> (2 + 8 * u32::from(place))) as u8
}

/// Decodes the schedule of the instruction at `place` after a control word.
pub fn of_instruction(word: u64, place: u8) -> Option<Control> {
    if place >= INSTRUCTIONS_PER_WORD {
        // The endless loop that pads the code may take the place of a control word.
        return decode(0);
    }
    decode(field(word, place)).filter(|_| is_control_word(word))
}

/// Decodes a control field; `None` if it is unknown.
pub fn decode(field: u8) -> Option<Control> {
    let stall_cycles = match field {
        0x00 => 32,
        0x04 => {
            return Some(Control {
                stall_cycles: 0,
                dual_with_next: true,
                ..Control::default()
            });
        }
        0x20..=0x3f => (field & 0x1f) + 1,
        0xc2 => 1,
        _ => return None,
    };
    Some(Control {
        stall_cycles,
        ..Control::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `0x08a08c90108c10c0`, the first word of a kernel: MOV, MOV + IADD32I, MOV, S2R + ISETP, ISETP.
    #[test]
    fn a_word_checked_by_hand() {
        let fields: Vec<u8> = (0..7)
            .map(|place| field(0x08a0_8c90_108c_10c0, place))
            .collect();
        assert_eq!(fields, [0x30, 0x04, 0x23, 0x04, 0x24, 0x23, 0x28]);
        let stalls: Vec<_> = fields
            .iter()
            .map(|&f| decode(f).unwrap().stall_cycles)
            .collect();
        assert_eq!(stalls, [17, 0, 4, 0, 5, 4, 9]);
    }

    #[test]
    fn fields_cross_byte_boundaries() {
        assert_eq!(field(0x0880_10b3_0880_a0c4, 3), 0xc2);
        assert_eq!(decode(0xc2).unwrap().stall_cycles, 1);
    }

    #[test]
    fn longest_waits_and_unknown_fields() {
        assert_eq!(decode(0x3f).unwrap().stall_cycles, 32);
        assert_eq!(decode(0x00).unwrap().stall_cycles, 32);
        assert_eq!(decode(0x44), None);
    }

    #[test]
    fn only_the_top_bits_mark_a_control_word() {
        assert!(is_control_word(0x0880_0000_0000_0000));
        // 0xc2 on the seventh instruction reaches into the top byte.
        assert!(is_control_word(0x0b08_80a0_c480_ac9c));
        assert_eq!(field(0x0b08_80a0_c480_ac9c, 6), 0xc2);
        assert!(!is_control_word(0x1880_0000_0000_0000));
    }
}
