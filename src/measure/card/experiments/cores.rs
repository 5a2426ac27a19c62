//! Clock under load, latencies and throughputs of instructions, branches, barriers.

use super::{ROUNDS, block, blocks_of, fact, span};
use crate::device::characterize::readings::Readings;
use crate::measure::error::GpuError;
use crate::measure::launch::probes::Probes;

/// Classes of instructions with a chain and a wide probe.
const CLASSES: [&str; 8] = [
    "fp32", "int_mul", "logic", "shift", "compare", "bitfield", "sfu", "convert",
];
/// Instructions of a round of a chain; a wide probe has four times as many.
const PER_ROUND: f64 = 64.0;
/// Instructions of loops.
const LOOPS: [u32; 6] = [4, 8, 12, 16, 32, 64];
/// Launches before the clock is read, of about 10 ms each.
const WARM_UPS: u32 = 40;

/// MHz of a multiprocessor while all of them work.
pub fn clock(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let n = fact(readings, "multiprocessors") as u32;
    for round in 0..WARM_UPS + ROUNDS {
        let times = probes.run("load", blocks_of(n, 1024), [20_000, 0, 0, 0], 2)?;
        if let (Some(round), &[cycles, nanoseconds]) = (round.checked_sub(WARM_UPS), &times[..]) {
            let mhz = 1e3 * cycles as f64 / nanoseconds as f64;
            readings.push("clock_mhz", 0, 0, round, mhz);
        }
    }
    Ok(())
}

/// Cycles of a dependent instruction, lanes per cycle, cycles of a loop, of a barrier by warps.
pub fn arithmetic(probes: &mut Probes, readings: &mut Readings) -> Result<(), GpuError> {
    let rounds = 200;
    let done = PER_ROUND * f64::from(rounds);
    for round in 0..ROUNDS {
        for class in CLASSES {
            let chain = probes.run(&format!("chain_{class}"), block(1), [rounds, 1, 1, 0], 2)?;
            readings.push(&format!("chain.{class}"), 0, 0, round, span(&chain) / done);
            let wide = probes.run(&format!("wide_{class}"), block(32), [rounds, 1, 1, 0], 64)?;
            let lanes = 4.0 * 1024.0 * done / span(&wide);
            readings.push(&format!("wide.{class}"), 0, 0, round, lanes);
        }
        for length in LOOPS {
            let times = probes.run(&format!("loop_{length}"), block(1), [4000, 1, 0, 0], 2)?;
            readings.push("loop", length, 0, round, span(&times) / 4000.0);
        }
        for chase in ["chase_shared", "chase_constant"] {
            let times = probes.run(chase, block(1), [rounds, 0, 0, 0], 2)?;
            readings.push(chase, 0, 0, round, span(&times) / done);
        }
        for warps in [1, 2, 4, 8, 16, 32] {
            let times = probes.run("barrier", block(warps), [rounds, 0, 0, 0], 2)?;
            let cycles = span(&times) / done;
            readings.push("barrier", warps, 0, round, cycles);
        }
    }
    Ok(())
}
