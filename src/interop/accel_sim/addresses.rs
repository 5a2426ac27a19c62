//! The addresses of one access, in the three ways in which a line can list them.
//!
//! Models: `list_all` (one address per active lane), `base_stride` (a contiguous run of at least two lanes),
//! `base_delta` (each address from the one before). Units: bytes.
//! Sources: `inst_memadd_info_t` of Accel-Sim's `trace_parser.cc`, whose stride is an `int`.

use super::error::Fault;
use super::token::{self, decimal, hexadecimal};
use std::fmt::Write as _;

/// Form in which a writer lists addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressMode {
    /// One address per active lane.
    ListAll,
    /// Base and stride where that is valid, else base and differences.
    Compressed,
}

const LIST_ALL: u32 = 0;
const BASE_STRIDE: u32 = 1;
const BASE_DELTA: u32 = 2;

const DECIMAL: &str = "a whole decimal number in range";

/// Appends ` mode addresses` to a line.
pub fn write(out: &mut String, mode: AddressMode, mask: u32, addresses: &[u64]) {
    // Writing to a string cannot fail.
    let _ = match (mode, addresses.first()) {
        (AddressMode::ListAll, _) | (_, None) => {
            let _ = write!(out, " {LIST_ALL}");
            addresses
                .iter()
                .try_for_each(|address| write!(out, " {address:#018x}"))
        }
        (AddressMode::Compressed, Some(base)) => match stride(mask, addresses) {
            Some(stride) => write!(out, " {BASE_STRIDE} {base:#x} {stride}"),
            None => {
                let _ = write!(out, " {BASE_DELTA} {base:#x}");
                addresses
                    .windows(2)
                    .try_for_each(|pair| write!(out, " {}", pair[1].wrapping_sub(pair[0]) as i64))
            }
        },
    };
}

/// The one distance between neighbours, if the lanes are one run of at least two.
fn stride(mask: u32, addresses: &[u64]) -> Option<i32> {
    let difference = |pair: &[u64]| pair[1].wrapping_sub(pair[0]) as i64;
    let first = addresses.windows(2).next().map(difference)?;
    let even = addresses.windows(2).all(|pair| difference(pair) == first);
    i32::try_from(first)
        .ok()
        .filter(|_| is_contiguous(mask) && even)
}

/// Whether no lane is missing between two of the mask.
fn is_contiguous(mask: u32) -> bool {
    let run = mask >> mask.trailing_zeros().min(31);
    run & run.wrapping_add(1) == 0
}

/// Reads `mode addresses` for the lanes of `mask` into `out`.
pub fn parse<'a>(
    mut tokens: impl Iterator<Item = &'a str>,
    mask: u32,
    out: &mut Vec<u64>,
) -> Result<(), Fault> {
    out.clear();
    let active = mask.count_ones() as usize;
    let mode = token::next(&mut tokens, "address mode", "0, 1 or 2", decimal)?;
    if mode == LIST_ALL {
        for lane in 0..active {
            out.push(address(&mut tokens, lane, active)?);
        }
        return Ok(());
    }
    if mode == BASE_STRIDE && (active == 1 || !is_contiguous(mask)) {
        return Err(Fault::new(
            "address mode of this mask",
            "1 (base and stride)",
            "0 or 2; mode 1 needs one contiguous run of two or more lanes, or none",
        ));
    }
    // Base and stride are there for an empty mask, too: the instruction's guard switched it off.
    let mut last = address(&mut tokens, 0, active)?;
    let stride = match mode {
        BASE_STRIDE => Some(token::next(&mut tokens, "stride", DECIMAL, decimal::<i32>)?),
        BASE_DELTA => None,
        _ => return Err(Fault::new("address mode", mode.to_string(), "0, 1 or 2")),
    };
    for lane in 0..active {
        if lane > 0 {
            last = last.wrapping_add_signed(match stride {
                Some(stride) => i64::from(stride),
                None => token::next(&mut tokens, "address difference", DECIMAL, decimal)?,
            });
        }
        out.push(last);
    }
    Ok(())
}

fn address<'a>(
    tokens: &mut impl Iterator<Item = &'a str>,
    lane: usize,
    active: usize,
) -> Result<u64, Fault> {
    let Some(token) = tokens.next() else {
        return Err(Fault::new(
            "addresses of the active lanes",
            lane.to_string(),
            format!("{active}, one per bit of the mask"),
        ));
    };
    hexadecimal(token).ok_or_else(|| Fault::new("address", token, "a hexadecimal number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(mask: u32, addresses: &[u64]) -> String {
        let mut text = String::new();
        write(&mut text, AddressMode::Compressed, mask, addresses);
        text
    }

    fn parsed(text: &str, mask: u32) -> Result<Vec<u64>, Fault> {
        let mut addresses = vec![1, 2, 3];
        parse(text.split(' '), mask, &mut addresses)?;
        Ok(addresses)
    }

    #[test]
    fn a_run_of_lanes_becomes_base_and_stride() {
        assert_eq!(written(0b1110, &[16, 20, 24]), " 1 0x10 4");
        assert_eq!(written(0b11, &[64, 64]), " 1 0x40 0");
        assert_eq!(written(u32::MAX, &[0; 32]), " 1 0x0 0");
    }

    #[test]
    fn gaps_single_lanes_and_uneven_steps_become_differences() {
        assert_eq!(written(0b101, &[16, 20]), " 2 0x10 4");
        assert_eq!(written(0b100, &[16]), " 2 0x10");
        assert_eq!(written(0b111, &[16, 20, 12]), " 2 0x10 4 -8");
        assert_eq!(
            written(0b11, &[0, 1 << 40]),
            format!(" 2 0x0 {}", 1u64 << 40)
        );
    }

    #[test]
    fn an_empty_mask_lists_nothing() {
        assert_eq!(written(0, &[]), " 0");
        for text in ["0", "1 0x0 0", "2 0x0"] {
            assert_eq!(parsed(text, 0), Ok(vec![]), "{text}");
        }
    }

    #[test]
    fn missing_addresses_are_counted() {
        let fault = parsed("0 10 20", 0b111).unwrap_err();
        assert_eq!(
            (&*fault.given, &*fault.allowed),
            ("2", "3, one per bit of the mask")
        );
        let fault = parsed("1 10 4", 0b101).unwrap_err();
        assert!(fault.allowed.contains("contiguous"));
        assert!(parsed("1 10 4", 1).is_err());
        assert!(parsed("7 10", 1).is_err());
    }
}
