//! Values that the driver reports of a card.

use super::{Found, Rule, rounded};
use crate::device::Kind;
use crate::device::characterize::readings::Readings;
use toml::Value;

pub const RULES: &[Rule] = &[
    ("chip.n_smx", |r| count(r, "multiprocessors")),
    ("limits.warp_lanes", |r| count(r, "warp_lanes")),
    ("limits.threads_per_block", |r| {
        count(r, "threads_per_block")
    }),
    ("limits.warps_per_smx", |r| {
        let threads = r.fact("threads_per_multiprocessor")?;
        let lanes = r.fact("warp_lanes").filter(|lanes| *lanes > 0.0)?;
        Some(reported((threads / lanes) as i64))
    }),
    ("limits.blocks_per_smx", |r| {
        count(r, "blocks_per_multiprocessor")
    }),
    ("limits.registers_per_smx", |r| {
        count(r, "registers_per_multiprocessor")
    }),
    ("limits.shared_bytes_per_block", |r| {
        count(r, "shared_bytes_per_block")
    }),
    ("limits.shared_unit_bytes", shared_unit),
    ("limits.shared_reserved_bytes_per_block", |r| {
        count(r, "reserved_shared_bytes")
    }),
    ("l2.bytes", |r| count(r, "l2_bytes")),
    ("dram.bandwidth_gb_per_s", |r| {
        let gb_per_s = rounded(bandwidth(r)?, 0);
        let source =
            "twice the memory's clock times the width of its bus, as the driver reports them";
        Some(derived(gb_per_s, source))
    }),
    ("dram.n_partitions", |r| {
        let channels = (r.fact("memory_bus_bits")? / CHANNEL_BITS) as i64;
        let source = "a channel for 64 bits of the bus, whose width the driver reports";
        Some(derived(channels.max(1), source))
    }),
];

/// Width of a channel of the memory: a pseudo channel of HBM2, as the A100 has; no reading tells it.
const CHANNEL_BITS: f64 = 64.0;

/// Returns the bandwidth of the memory in GB/s: it transfers twice in a clock.
pub fn bandwidth(readings: &Readings) -> Option<f64> {
    let khz = readings.fact("memory_clock_khz")?;
    let bits = readings.fact("memory_bus_bits")?;
    Some(khz * 2.0 * bits / 8.0 / 1e6)
}

fn reported(value: impl Into<Value>) -> Found {
    Found {
        value: value.into(),
        kind: Kind::Documented,
        source: "reported by the driver".into(),
    }
}

fn derived(value: impl Into<Value>, source: &str) -> Found {
    Found {
        value: value.into(),
        kind: Kind::Derived,
        source: source.into(),
    }
}

fn count(readings: &Readings, name: &str) -> Option<Found> {
    readings.fact(name).map(|value| reported(value as i64))
}

/// Compute capability 7.x allocates shared memory in units of 256 bytes, later ones in units of 128.
fn shared_unit(readings: &Readings) -> Option<Found> {
    let bytes = match readings.fact("compute_capability")? {
        before if before < 80.0 => 256,
        _ => 128,
    };
    Some(Found {
        source: "NVIDIA cuda_occupancy.h 11.8".into(),
        ..reported(bytes)
    })
}
