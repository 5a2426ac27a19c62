//! First-level data cache, which shares its memory with the shared memory: splits, sets, ways, rows.

use super::{CYCLES, MOST_LINES, ON_CHIP, check_power_of_two, require, section};
use crate::device::Device;
use crate::device::cache::{BitFlips, CacheSpec, RowSpec, SetIndex, XorBits};
use crate::device::ideal::Ideal;
use crate::device::ledger::Condition;
use crate::device::policy::{DefaultSplit, IndexHash, Replacement};
use crate::device::table::{ANY, FieldValue, record};
use crate::util::refused::Refused;
use serde::Serialize;

section! {
    /// First-level data cache, which shares its memory with the shared memory.
    l1: L1 {
        line_bytes: u32, "bytes", (32.0, 256.0), [Sim, Model];
        /// Possible divisions of the on-chip memory.
        splits: Vec<OnChipSplit>, "bytes", ON_CHIP, [Occupancy];
        /// Default division for a launch.
        default_split: DefaultSplit, "policy", ANY, [Occupancy];
        /// Sets and ways for each L1 size of `splits`.
        geometry: Vec<CacheGeometry>, "sets x ways", (1.0, 1e7), [Sim, Model] if LOOKED_UP;
        replacement: Replacement, "policy", ANY, [Sim, Model] if LOOKED_UP;
        index_hash: IndexHash, "function", ANY, [Sim, Model] if LOOKED_UP;
        /// Address bits that the index hash folds into the low bits of the set number.
        index_hash_bits: Vec<u32>, "address bits", (0.0, 31.0), [Sim, Model] if LOOKED_UP, XOR;
        /// Bits of the set number flipped by each bit of the line number, lowest first.
        set_bits: Vec<u32>, "set bits", (0.0, 65535.0), [Sim, Model] if LOOKED_UP, BITS;
        /// Ways of every set that hold no line.
        reserved_ways: u32 = 0, "ways", (0.0, 1e6), [Sim, Model] if LOOKED_UP;
        /// Bits of the row number flipped by each bit of the line number; they determine the number of rows in a set.
        row_bits: Vec<u32>, "row bits", (0.0, 4095.0), [Sim] if LOOKED_UP, ROWS;
        lines_per_row: u32, "lines", (1.0, 64.0), [Sim] if LOOKED_UP, ROWS;
        /// Number of most recent hits in a row whose lines are protected.
        protected_hits: u32 = 0, "hits", (0.0, 4.0), [Sim] if LOOKED_UP, ROWS;
        /// Caches local memory; otherwise its accesses bypass the L1.
        caches_local: bool, "yes/no", ANY, [Sim, Model];
        caches_global_loads: bool, "yes/no", ANY, [Sim, Model];
        write_back: bool, "yes/no", ANY, [Sim, Model] if LOOKED_UP;
        fills_hold_lines: bool = false, "yes/no", ANY, [Sim] if LOOKED_UP;
        /// Minimum bytes of a line fetched by a miss.
        sector_bytes: u32, "bytes", (32.0, 128.0), [Sim] if LOOKED_UP;
        fetch_on_write_miss: bool, "yes/no", ANY, [Sim, Model] if LOOKED_UP;
        hit_latency_cycles: u32, "cycles", CYCLES, [Sim, Model] if LOOKED_UP;
    }
}

const LOOKED_UP: Condition = Condition {
    decided_by: &["l1.caches_local", "l1.caches_global_loads"],
    because: "nothing is looked up in an L1 (l1.caches_local, l1.caches_global_loads)",
    holds: |device| device.l1.caches_local || device.l1.caches_global_loads,
};
const XOR: Condition = Condition {
    decided_by: &["l1.index_hash"],
    because: "l1.index_hash is not xor",
    holds: |device| device.l1.index_hash == IndexHash::Xor,
};
const BITS: Condition = Condition {
    decided_by: &["l1.index_hash"],
    because: "l1.index_hash is not bits",
    holds: |device| device.l1.index_hash == IndexHash::Bits,
};
const ROWS: Condition = Condition {
    decided_by: &["l1.replacement"],
    because: "l1.replacement is not rows",
    holds: |device| device.l1.replacement == Replacement::Rows,
};

/// Division of an SMX's on-chip memory into shared memory and L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OnChipSplit {
    pub shared_bytes: u32,
    pub l1_bytes: u32,
}

/// Sets and ways of a cache of `bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CacheGeometry {
    pub bytes: u32,
    pub n_sets: u32,
    pub n_ways: u32,
}

impl FieldValue for OnChipSplit {
    fn form() -> String {
        "{ shared_bytes, l1_bytes }".into()
    }
    fn of(value: &toml::Value) -> Option<Self> {
        let [shared_bytes, l1_bytes] = record(value, ["shared_bytes", "l1_bytes"])?;
        Some(OnChipSplit {
            shared_bytes,
            l1_bytes,
        })
    }
}

impl FieldValue for CacheGeometry {
    fn form() -> String {
        "{ bytes, n_sets, n_ways }".into()
    }
    fn of(value: &toml::Value) -> Option<Self> {
        let [bytes, n_sets, n_ways] = record(value, ["bytes", "n_sets", "n_ways"])?;
        Some(CacheGeometry {
            bytes,
            n_sets,
            n_ways,
        })
    }
}

pub(super) fn check(device: &Device) -> Result<(), Refused> {
    check_power_of_two("l1.line_bytes", device.l1.line_bytes)?;
    check_power_of_two("l1.sector_bytes", device.l1.sector_bytes)?;
    check_splits(device)?;
    check_rows(device)
}

fn check_splits(device: &Device) -> Result<(), Refused> {
    let l1 = &device.l1;
    require(
        !l1.splits.is_empty(),
        "l1.splits",
        "no split",
        "at least one",
    )?;
    for split in &l1.splits {
        let given = format_args!("no entry for an L1 of {} bytes", split.l1_bytes);
        let allowed = "one entry for each L1 size of l1.splits";
        let is_there = device.l1_geometry(split.l1_bytes).is_some();
        require(is_there, "l1.geometry", given, allowed)?;
    }
    for &CacheGeometry {
        bytes,
        n_sets,
        n_ways,
    } in &l1.geometry
    {
        let line = l1.line_bytes;
        let product = u64::from(n_sets) * u64::from(n_ways) * u64::from(line);
        let holds = product == u64::from(bytes) && n_sets.is_power_of_two();
        let given = format_args!("{n_sets} sets x {n_ways} ways x {line} bytes for {bytes} bytes");
        let allowed = "sets x ways x line equal to the size, sets a power of two";
        require(holds, "l1.geometry", given, allowed)?;
    }
    Ok(())
}

/// Checks that reserved ways leave at least one way, and that rows fit in the host's memory.
fn check_rows(device: &Device) -> Result<(), Refused> {
    let l1 = &device.l1;
    if let Some(ways) = l1.geometry.iter().map(|geometry| geometry.n_ways).min() {
        let allowed = format_args!("fewer than the {ways} ways of l1.geometry");
        require(
            l1.reserved_ways < ways,
            "l1.reserved_ways",
            l1.reserved_ways,
            allowed,
        )?;
    }
    let sets = l1.geometry.iter().map(|geometry| geometry.n_sets).max();
    let rows = l1.row_bits.iter().copied().max().unwrap_or(0) + 1;
    let lines = u64::from(rows.next_power_of_two()) * u64::from(l1.lines_per_row);
    let lines = lines * u64::from(sets.unwrap_or(1));
    let fits = l1.replacement != Replacement::Rows || lines <= MOST_LINES;
    let given =
        format_args!("rows of l1.lines_per_row in the sets of l1.geometry for {lines} lines");
    require(
        fits,
        "l1.row_bits",
        given,
        format_args!("at most {MOST_LINES}"),
    )
}

/// Hits of an L1 without misses are the engines' own.
pub(super) fn idealize(device: &mut Device) {
    if device.ideals.has(Ideal::OnChipLatency) {
        device.l1.hit_latency_cycles = 1;
    }
}

impl Device {
    /// Sets and ways of an L1 of `l1_bytes`; `None` if the device has no such size.
    pub fn l1_geometry(&self, l1_bytes: u32) -> Option<CacheGeometry> {
        self.l1
            .geometry
            .iter()
            .copied()
            .find(|geometry| geometry.bytes == l1_bytes)
    }

    /// Split that leaves `l1_bytes` to the L1; `None` if the device has no such size.
    pub fn split_for_l1(&self, l1_bytes: u32) -> Option<OnChipSplit> {
        self.l1
            .splits
            .iter()
            .copied()
            .find(|split| split.l1_bytes == l1_bytes)
    }

    /// Default L1 size of a launch; `None`: as much as the blocks leave.
    pub fn default_l1_bytes(&self) -> Option<u32> {
        let sizes = self.l1.splits.iter().map(|split| split.l1_bytes);
        match self.l1.default_split {
            DefaultSplit::LargestL1 => sizes.max(),
            DefaultSplit::LeastShared => None,
        }
    }
}

/// Returns the L1 of `l1_bytes` with its sets and rows.
pub fn resolved(device: &Device, l1_bytes: u32) -> Result<CacheSpec, Refused> {
    let geometry = device.l1_geometry(l1_bytes).ok_or_else(|| {
        let sizes = device.l1.geometry.iter().map(|g| g.bytes.to_string());
        let allowed = sizes.collect::<Vec<_>>().join(", ");
        let place = format_args!("L1 bytes of {}", device.name);
        Refused::new(place, l1_bytes, allowed)
    })?;
    let l1 = &device.l1;
    Ok(CacheSpec {
        reserved_ways: l1.reserved_ways,
        sector_bytes: l1.sector_bytes.min(l1.line_bytes),
        replacement: l1.replacement,
        index: index(device, geometry.n_sets)?,
        fills_hold_lines: l1.fills_hold_lines,
        rows: rows(device)?,
        ..CacheSpec::new(geometry.n_sets, geometry.n_ways, l1.line_bytes)
    })
}

/// Reads the index function of the device's L1 with `sets` sets.
fn index(device: &Device, sets: u32) -> Result<SetIndex, Refused> {
    let l1 = &device.l1;
    Ok(match l1.index_hash {
        IndexHash::Linear => SetIndex::Linear,
        IndexHash::Spread => SetIndex::Spread,
        IndexHash::Bits => {
            let flips = BitFlips::new(&l1.set_bits, sets);
            SetIndex::Bits(flips.ok_or_else(|| too_many(device, "l1.set_bits", &l1.set_bits))?)
        }
        IndexHash::Xor => {
            let bits = XorBits::new(&l1.index_hash_bits, l1.line_bytes);
            let allowed = "up to 8 address bits, above those within a line and below 32";
            let given = &l1.index_hash_bits;
            SetIndex::Xor(
                bits.ok_or_else(|| bad_bits(device, "l1.index_hash_bits", given, allowed))?,
            )
        }
    })
}

/// Reads the rows of the device's L1, if it has them.
fn rows(device: &Device) -> Result<Option<RowSpec>, Refused> {
    let l1 = &device.l1;
    if l1.replacement != Replacement::Rows {
        return Ok(None);
    }
    let last = l1.row_bits.iter().copied().max().unwrap_or(0);
    let rows_per_set = (last + 1).next_power_of_two();
    let index = BitFlips::new(&l1.row_bits, rows_per_set);
    Ok(Some(RowSpec {
        rows_per_set,
        lines_per_row: l1.lines_per_row,
        index: index.ok_or_else(|| too_many(device, "l1.row_bits", &l1.row_bits))?,
        protected_hits: l1.protected_hits,
    }))
}

fn too_many(device: &Device, what: &str, given: &[u32]) -> Refused {
    let allowed = "up to 25 values, of set_bits each below the number of sets";
    bad_bits(device, what, given, allowed)
}

fn bad_bits(device: &Device, what: &str, given: &[u32], allowed: &str) -> Refused {
    let place = format_args!("{what} of {}", device.name);
    Refused::new(place, format_args!("{given:?}"), allowed)
}
