//! Instructions that nvdisasm 11.8 omits from its text, printing only their encoding.
//!
//! Models: VIMNMX (minimum or maximum of two integers), which replaces IMNMX on sm_90.
//! Leaves out: all others, which are errors.
//! Sources: the encodings in sm_90 code compared with IMNMX.U32 of the same source on sm_35; field positions as in the printed
//! instructions (predicate at bits 87 to 90); signedness at bit 72, which all 132 signed ones seen in other
//! people's kernels have set.

/// Returns the text of an instruction from its encoding; `None` if unknown.
pub fn text(lower: u64, upper: u64) -> Option<String> {
    let register = |at: u32| match lower >> at & 0xff {
        0xff => "RZ".to_owned(),
        index => format!("R{index}"),
    };
    let second = match lower & 0xfff {
        0x848 => format!("{:#x}", (lower >> 32) as u32),
        0x248 => register(32),
        _ => return None,
    };
    let predicate = |index: u64, negate: u64| {
        let name = if index == 7 {
            "PT".to_owned()
        } else {
            format!("P{index}")
        };
        if negate != 0 {
            format!("!{name}")
        } else {
            name
        }
    };
    let guard = match (lower >> 12 & 7, lower >> 15 & 1) {
        (7, 0) => String::new(),
        (index, negate) => format!("@{} ", predicate(index, negate)),
    };
    let signedness = if upper >> 8 & 1 == 0 { ".U32" } else { "" };
    let choice = predicate(upper >> 23 & 7, upper >> 26 & 1);
    let (target, first) = (register(16), register(24));
    Some(format!(
        "{guard}VIMNMX{signedness} {target}, {first}, {second}, {choice}"
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_clamp_of_a_jump_table() {
        let text = super::text(0x0000_0002_0e02_7848, 0x000f_ca00_03fe_0000).unwrap();
        assert_eq!(text, "VIMNMX.U32 R2, R14, 0x2, PT");
        assert_eq!(super::text(0x0000_0002_0e02_7849, 0), None);
    }

    #[test]
    fn guard_sign_registers_and_choice() {
        let text = |lower, upper| super::text(lower, upper).unwrap();
        let all = text(0x0000_0005_ff02_b248, 0x000f_ca00_057e_0100);
        assert_eq!(all, "@!P3 VIMNMX R2, RZ, R5, !P2");
        let negated = text(0x0000_0005_ff02_f248, 0x000f_ca00_07fe_0000);
        assert_eq!(negated, "@!PT VIMNMX.U32 R2, RZ, R5, !PT");
        let guarded = text(0x0000_00ff_0e02_0248, 0x000f_ca00_007e_0000);
        assert_eq!(guarded, "@P0 VIMNMX.U32 R2, R14, RZ, P0");
    }
}
