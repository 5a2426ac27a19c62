//! Relations between the values of a device file that single ranges cannot express.
//!
//! Leaves out: whether a value is true of the hardware. Units: as in `spec.rs`.

use super::{Device, Pipe, Replacement};
use crate::isa::OpClass;
use crate::util::refused::Refused;

/// The first relation that does not hold, if any.
pub(super) fn check(device: &Device) -> Result<(), Refused> {
    check_identity(device)?;
    check_powers_of_two(device)?;
    check_splits(device)?;
    check_lanes(device)?;
    check_rows(device)?;
    check_l2(device)?;
    check_l2_writes(device)?;
    check_code(device)?;
    check_pipes(device)
}

/// Lines of a cache, and of all ways of all its sets, that a simulation keeps in memory.
const MOST_LINES: u64 = 1 << 22;

/// Refuses names of several words, and malformed compute capabilities.
fn check_identity(device: &Device) -> Result<(), Refused> {
    let name = &device.name;
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let allowed = "one word, as it is called on the command line";
        return Err(Refused::field("device.name", format!("{name:?}"), allowed));
    }
    let digits =
        |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
    match device.compute_capability.split_once('.') {
        Some((major, minor)) if digits(major) && digits(minor) => Ok(()),
        _ => Err(Refused::field(
            "device.compute_capability",
            format!("{:?}", device.compute_capability),
            "as NVIDIA counts, like \"3.0\"",
        )),
    }
}

/// Refuses line sizes that are not powers of two, because address bits select the place in a line.
fn check_powers_of_two(device: &Device) -> Result<(), Refused> {
    let sizes = [
        ("l1.line_bytes", device.l1.line_bytes),
        ("l1.sector_bytes", device.l1.sector_bytes),
        ("l2.line_bytes", device.l2.line_bytes),
        (
            "instruction_cache.line_bytes",
            device.instruction_cache.line_bytes,
        ),
    ];
    match sizes.iter().find(|(_, bytes)| !bytes.is_power_of_two()) {
        Some((field, given)) => Err(Refused::field(field, given, "a power of two")),
        None => Ok(()),
    }
}

/// Refuses an L2 ingest rate that is too low for the number of multiprocessors; 0 is unlimited.
fn check_l2_writes(device: &Device) -> Result<(), Refused> {
    const LEAST_SHARE: f64 = 0.01;
    let (all, n_smx) = (device.l2.ingest_bytes_per_cycle, device.chip.n_smx);
    let least = LEAST_SHARE * f64::from(n_smx);
    if all > 0.0 && all < least {
        let allowed = format!("0, or at least {least} with a chip.n_smx of {n_smx}");
        return Err(Refused::field("l2.ingest_bytes_per_cycle", all, allowed));
    }
    Ok(())
}

/// Refuses an L2 whose simulation would not fit the host's memory.
fn check_l2(device: &Device) -> Result<(), Refused> {
    let (bytes, line_bytes) = (u64::from(device.l2.bytes), u64::from(device.l2.line_bytes));
    if bytes > MOST_LINES * line_bytes {
        let most = MOST_LINES * line_bytes;
        let allowed = format!("at most {most} with an l2.line_bytes of {line_bytes}");
        return Err(Refused::field("l2.bytes", bytes, allowed));
    }
    Ok(())
}

/// Ways of the instruction caches' sets.
pub const CODE_WAYS: u32 = 4;

/// Every level of the code holds a set of lines, and a group its instructions.
fn check_code(device: &Device) -> Result<(), Refused> {
    let code = &device.instruction_cache;
    let (line, set) = (code.line_bytes, CODE_WAYS * code.line_bytes);
    let levels = [
        ("instruction_cache.l1_bytes", code.l1_bytes),
        ("instruction_cache.l15_bytes", code.l15_bytes),
    ];
    if let Some((field, given)) = levels.iter().find(|(_, bytes)| *bytes < set) {
        let allowed =
            format!("at least {CODE_WAYS} lines of instruction_cache.line_bytes, {set} bytes");
        return Err(Refused::field(field, given, allowed));
    }
    if (1..line).contains(&code.l0_bytes) {
        let allowed =
            format!("0, or at least a line of instruction_cache.line_bytes, {line} bytes");
        return Err(Refused::field(
            "instruction_cache.l0_bytes",
            code.l0_bytes,
            allowed,
        ));
    }
    let least = SHORTEST_INSTRUCTION_BYTES * code.instructions_per_group;
    if code.group_bytes < least {
        let allowed = format!(
            "at least {least}: instructions_per_group of {SHORTEST_INSTRUCTION_BYTES} bytes"
        );
        return Err(Refused::field(
            "instruction_cache.group_bytes",
            code.group_bytes,
            allowed,
        ));
    }
    let levels = code.cycles_per_instruction.len();
    match levels {
        4 => Ok(()),
        _ => Err(Refused::field(
            "instruction_cache.cycles_per_instruction",
            format!("{levels} values"),
            "4 values (L1, L1.5, L2, DRAM)",
        )),
    }
}

/// Compute capability 1.x has instructions of half a word's length.
const SHORTEST_INSTRUCTION_BYTES: u32 = 4;

/// Most cycles that one instruction occupies a scheduler's pipe: the range of a byte.
const LONGEST_INTERVAL_CYCLES: f64 = 255.0;

/// Refuses shared cores that start less than one warp per cycle, and intervals of a scheduler's pipe beyond the counter's range.
fn check_pipes(device: &Device) -> Result<(), Refused> {
    let lanes_of_warp = f64::from(device.limits.warp_lanes);
    let n_schedulers = device.issue.n_schedulers;
    for class in OpClass::ALL {
        let Some((pipe, lanes)) = device.pipe(class) else {
            continue;
        };
        let least = match pipe {
            Pipe::IssueOnly => continue,
            Pipe::Cores => lanes_of_warp,
            // Rounded up, so that what is said to be allowed is.
            _ => thousandths_up(lanes_of_warp * f64::from(n_schedulers) / LONGEST_INTERVAL_CYCLES),
        };
        // All classes on the cores together start as many as single precision alone.
        let rates = [
            (class, lanes),
            (OpClass::Fp32, device.throughput.fp32_lanes_per_cycle),
        ];
        let rates = if pipe == Pipe::Cores {
            &rates[..]
        } else {
            &rates[..1]
        };
        for (of, lanes) in rates {
            if *lanes < least {
                return Err(Refused::field(
                    &format!("throughput.{}_lanes_per_cycle", class_field(*of)),
                    lanes,
                    format!(
                        "at least {least} with pipes.{} = {} and issue.n_schedulers = {n_schedulers}",
                        class_field(class),
                        pipe.name()
                    ),
                ));
            }
        }
    }
    Ok(())
}

fn thousandths_up(value: f64) -> f64 {
    (1000.0 * value).ceil() / 1000.0
}

/// Name of a class in the sections `pipes` and `throughput`.
fn class_field(class: OpClass) -> &'static str {
    match class {
        OpClass::Fp32 => "fp32",
        OpClass::IntAdd => "int_add",
        OpClass::Logic => "logic",
        OpClass::Compare => "compare",
        OpClass::IntMul => "int_mul",
        OpClass::Shift => "shift",
        OpClass::Bitfield => "bitfield",
        OpClass::Sfu => "sfu",
        OpClass::Convert => "convert",
        OpClass::SpecialRegister => "special_register",
        OpClass::ConstantLoad => "constant_load",
        OpClass::Memory | OpClass::Control | OpClass::Barrier | OpClass::Nop => "",
    }
}

/// Rows are the L1's, and reserved ways leave one.
fn check_rows(device: &Device) -> Result<(), Refused> {
    if device.l2.replacement == Replacement::Rows {
        let allowed = "lru or random: rows are of the L1";
        return Err(Refused::field("l2.replacement", "rows", allowed));
    }
    let l1 = &device.l1;
    let ways = l1.geometry.iter().map(|geometry| geometry.n_ways).min();
    if let Some(ways) = ways.filter(|&ways| l1.reserved_ways >= ways) {
        return Err(Refused::field(
            "l1.reserved_ways",
            l1.reserved_ways,
            format!("fewer than the {ways} ways of l1.geometry"),
        ));
    }
    let sets = l1.geometry.iter().map(|geometry| geometry.n_sets).max();
    let rows = l1.row_bits.iter().copied().max().unwrap_or(0) + 1;
    let lines = u64::from(rows.next_power_of_two()) * u64::from(l1.lines_per_row);
    let lines = lines * u64::from(sets.unwrap_or(1));
    if l1.replacement == Replacement::Rows && lines > MOST_LINES {
        return Err(Refused::field(
            "l1.row_bits",
            format!("rows of l1.lines_per_row in the sets of l1.geometry for {lines} lines"),
            format!("at most {MOST_LINES}"),
        ));
    }
    Ok(())
}

/// A warp is served at once, or a half-warp after the other.
fn check_lanes(device: &Device) -> Result<(), Refused> {
    let fields = [
        ("shared.lanes_together", device.shared.lanes_together, 16),
        (
            "constant_cache.lanes_together",
            device.constant_cache.lanes_together,
            0,
        ),
    ];
    for (field, given, least) in fields {
        if ![least, 16, 32].contains(&given) {
            let allowed = if least == 0 {
                "0, 16 or 32"
            } else {
                "16 or 32"
            };
            return Err(Refused::field(field, given, allowed));
        }
    }
    Ok(())
}

fn check_splits(device: &Device) -> Result<(), Refused> {
    let l1 = &device.l1;
    if l1.splits.is_empty() {
        return Err(Refused::field("l1.splits", "no split", "at least one"));
    }
    for split in &l1.splits {
        if device.l1_geometry(split.l1_bytes).is_none() {
            let given = format!("no entry for an L1 of {} bytes", split.l1_bytes);
            let allowed = "one entry for each L1 size of l1.splits";
            return Err(Refused::field("l1.geometry", given, allowed));
        }
    }
    for geometry in &l1.geometry {
        let product =
            u64::from(geometry.n_sets) * u64::from(geometry.n_ways) * u64::from(l1.line_bytes);
        if product != u64::from(geometry.bytes) || !geometry.n_sets.is_power_of_two() {
            let given = format!(
                "{} sets x {} ways x {} bytes for {} bytes",
                geometry.n_sets, geometry.n_ways, l1.line_bytes, geometry.bytes
            );
            let allowed = "sets x ways x line equal to the size, sets a power of two";
            return Err(Refused::field("l1.geometry", given, allowed));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    fn refused_of(change: impl Fn(&mut Device)) -> Option<Refused> {
        let mut device = Preset::load("gtx670").unwrap().device;
        change(&mut device);
        check(&device).err()
    }

    #[test]
    fn a_compute_capability_is_two_numbers_of_at_most_two_digits() {
        let refused =
            |text: &str| refused_of(|device| device.compute_capability = text.into()).is_some();
        assert!(!refused("3.0") && !refused("12.1"));
        for text in ["123.0", "3.123", "3.", ".0", "a.0", "3.x", "30", "3.0.1"] {
            assert!(refused(text), "{text}");
        }
    }

    #[test]
    fn lanes_that_are_served_together_are_half_warps_or_warps() {
        let shared = |lanes| refused_of(|device| device.shared.lanes_together = lanes);
        let constant = |lanes| refused_of(|device| device.constant_cache.lanes_together = lanes);
        assert!(shared(16).is_none() && shared(32).is_none());
        assert!(constant(0).is_none() && constant(16).is_none());
        assert_eq!(shared(0).expect("no lanes").allowed, "16 or 32");
        assert_eq!(constant(8).expect("a quarter").allowed, "0, 16 or 32");
    }

    /// The least rate in the message is accepted, and nothing lower: 4 schedulers' warps in 255 cycles, rounded up.
    #[test]
    fn the_least_rate_of_a_pipe_is_the_one_that_is_told() {
        let refused = |lanes| refused_of(|device| device.throughput.sfu_lanes_per_cycle = lanes);
        let told = refused(0.1).expect("far too slow");
        assert!(
            told.allowed.starts_with("at least 0.502 with"),
            "{}",
            told.allowed
        );
        assert!(refused(0.502).is_none());
        assert!(refused(0.501).is_some());
        assert_eq!((thousandths_up(2.0), thousandths_up(2.0001)), (2.0, 2.001));
    }
}
