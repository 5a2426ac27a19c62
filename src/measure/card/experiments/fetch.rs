//! Cycles of straight code and of handlers behind a jump table, by their size.

use super::{ROUNDS, block, span};
use crate::device::characterize::readings::Readings;
use crate::measure::error::GpuError;
use crate::measure::launch::probes::{LIST_VALUES, Probes, Shape};

/// Instructions of the straight code, and from one entry to the next, as `tools/regenerate-probes` writes them.
const STRAIGHT: u32 = 16384;
const ENTRY: u32 = 512;
/// Sizes of straight code that are timed, in instructions.
const SIZES: [u32; 13] = [
    512, 1024, 1536, 2048, 3072, 4096, 5120, 6144, 7168, 8192, 9216, 12288, 16384,
];
/// Branches of a loop.
const HOPS: [u32; 10] = [2, 4, 8, 12, 16, 24, 32, 48, 64, 96];
/// Handlers of 7 instructions, a probe for each number of them; of 23, in one probe.
const FEW: [u32; 10] = [2, 4, 6, 8, 10, 12, 16, 24, 32, 64];
const MANY: u32 = 682;
/// Handlers of 23 instructions that visits choose among.
const CHOICES: [u32; 14] = [
    2, 16, 32, 64, 74, 85, 106, 128, 170, 256, 341, 426, 512, MANY,
];
const VISITS: u32 = 4096;

/// Cycles per instruction of straight code and per visit of a handler, of one warp.
pub fn fetch(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    for round in 0..ROUNDS.min(3) {
        for size in SIZES {
            let rounds = (100_000 / size).max(4);
            let arguments = [rounds, (STRAIGHT - size) / ENTRY, 0, 0];
            let instructions = f64::from(rounds * size);
            let times = probes.run("straight", block(1), arguments, 2)?;
            readings.push("straight", size, 1, round, span(&times) / instructions);
        }
        for count in HOPS {
            let rounds = 20_000 / count;
            let times = probes.run(&format!("hops_{count}"), block(1), [rounds, 1, 0, 0], 2)?;
            readings.push("hops", count, 0, round, span(&times) / f64::from(rounds));
        }
        for count in FEW {
            for copies in [1, 2] {
                let cycles = visits(probes, (7, count, copies), at_random(count))?;
                readings.push("handlers", count, 70 + copies, round, cycles);
            }
        }
        for count in CHOICES {
            let cycles = visits(probes, (23, MANY, 1), at_random(count))?;
            readings.push("handlers", count, 231, round, cycles);
        }
        for handler in [0, 1] {
            let cycles = visits(probes, (7, 2, 1), || handler)?;
            readings.push("one_handler", handler, 0, round, cycles);
        }
    }
    Ok(())
}

/// Returns numbers below `count` in a random order, the same for every launch.
fn at_random(count: u32) -> impl FnMut() -> u32 {
    let mut state = 7u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(state) * u64::from(count)) >> 32) as u32
    }
}

/// Returns the cycles of a visit to one of `handlers` of `length` instructions, in code that is there in `copies`; `next` chooses.
fn visits(
    probes: &mut Probes,
    (length, handlers, copies): (u32, u32, u32),
    mut next: impl FnMut() -> u32,
) -> Result<f64, GpuError> {
    let order: Vec<u32> = (0..LIST_VALUES).map(|_| next()).collect();
    probes.set_list(&order)?;
    let shape = Shape {
        shared_bytes: 4 * LIST_VALUES as u32,
        ..block(1)
    };
    let times = probes.run(
        &format!("handlers_{length}_{handlers}_{copies}"),
        shape,
        [VISITS, 0, 0, 0],
        2,
    )?;
    Ok(span(&times) / f64::from(VISITS))
}
