//! The addresses of one access, in the three ways in which a line can list them.
//!
//! Models: `list_all` (one address per active lane), `base_stride` (a contiguous run of at least two lanes),
//! `base_delta` (each address from the one before). Units: bytes.
//! Sources: `inst_memadd_info_t` of Accel-Sim's `trace_parser.cc`, whose stride is an `int`.

use super::error::Fault;
use std::fmt::Write as _;

/// How a writer lists addresses.
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
    let run = mask >> mask.trailing_zeros().min(31);
    let contiguous = run & run.wrapping_add(1) == 0;
    let difference = |pair: &[u64]| pair[1].wrapping_sub(pair[0]) as i64;
    let first = addresses.windows(2).next().map(difference)?;
    let even = addresses.windows(2).all(|pair| difference(pair) == first);
    i32::try_from(first).ok().filter(|_| contiguous && even)
}

/// Reads `mode addresses` for the lanes of `mask`.
pub fn parse<'a>(mut tokens: impl Iterator<Item = &'a str>, mask: u32) -> Result<Vec<u64>, Fault> {
    let active = mask.count_ones() as usize;
    let mode = tokens.next().unwrap_or("nothing");
    match mode {
        "0" => list_all(&mut tokens, active),
        "1" => {
            let run = mask >> mask.trailing_zeros().min(31);
            if active < 2 || run & run.wrapping_add(1) != 0 {
                return Err(Fault::new(
                    "address mode of this mask",
                    "1 (base and stride)",
                    "0 or 2; mode 1 needs one contiguous run of two or more lanes",
                ));
            }
            let base = address(&mut tokens, 0, active)?;
            let stride: i32 = number(&mut tokens, "stride")?;
            Ok((0..active as i64)
                .map(|lane| base.wrapping_add_signed(lane * i64::from(stride)))
                .collect())
        }
        "2" => base_delta(&mut tokens, active),
        _ => Err(Fault::new("address mode", mode, "0, 1 or 2")),
    }
}

fn list_all<'a>(
    tokens: &mut impl Iterator<Item = &'a str>,
    active: usize,
) -> Result<Vec<u64>, Fault> {
    (0..active)
        .map(|lane| address(tokens, lane, active))
        .collect()
}

fn base_delta<'a>(
    tokens: &mut impl Iterator<Item = &'a str>,
    active: usize,
) -> Result<Vec<u64>, Fault> {
    if active == 0 {
        return Err(Fault::new(
            "address mode of an empty mask",
            "2 (base and differences)",
            "0",
        ));
    }
    let mut addresses = vec![address(tokens, 0, active)?];
    for lane in 1..active {
        let difference: i64 = number(tokens, "address difference")?;
        addresses.push(addresses[lane - 1].wrapping_add_signed(difference));
    }
    Ok(addresses)
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
    let digits = token.strip_prefix("0x").unwrap_or(token);
    u64::from_str_radix(digits, 16)
        .map_err(|_| Fault::new("address", token, "a hexadecimal number"))
}

fn number<'a, T: std::str::FromStr>(
    tokens: &mut impl Iterator<Item = &'a str>,
    what: &str,
) -> Result<T, Fault> {
    let token = tokens.next().unwrap_or("nothing");
    token
        .parse()
        .map_err(|_| Fault::new(what, token, "a whole decimal number in range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(mask: u32, addresses: &[u64]) -> String {
        let mut text = String::new();
        write(&mut text, AddressMode::Compressed, mask, addresses);
        text
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
        assert_eq!(parse(["0"].into_iter(), 0), Ok(vec![]));
    }

    #[test]
    fn missing_addresses_are_counted() {
        let fault = parse("0 10 20".split(' '), 0b111).unwrap_err();
        assert_eq!(
            (&*fault.given, &*fault.allowed),
            ("2", "3, one per bit of the mask")
        );
        let fault = parse("1 10 4".split(' '), 0b101).unwrap_err();
        assert!(fault.allowed.contains("contiguous"));
        assert!(parse("7 10".split(' '), 1).is_err());
    }
}
