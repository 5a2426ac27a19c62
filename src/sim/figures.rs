//! Counters of the simulator as figures of a prediction.
//!
//! Units: in field names.

use super::observe::Counters;
use crate::predict::{CpiEntry, MemoryTraffic};

/// The CPI stack of a window in display order, empty causes left out.
pub fn cpi_entries(counters: &Counters) -> Vec<CpiEntry> {
    CpiEntry::stack(|cause| counters.cpi_stack[cause as usize])
}

/// Memory traffic of a window.
pub fn traffic(counters: &Counters) -> MemoryTraffic {
    let percent = |part: u64, whole: u64| {
        if whole == 0 {
            0.0
        } else {
            100.0 * part as f64 / whole as f64
        }
    };
    MemoryTraffic {
        warp_nodes: counters.tokens().round() as u64,
        l1_load_lines: counters.l1_load_lines,
        l1_store_lines: counters.l1_store_lines,
        l1_load_hit_percent: percent(counters.l1_load_hits, counters.l1_load_lines),
        l1_store_hit_percent: percent(counters.l1_store_hits, counters.l1_store_lines),
        l2_read_bytes: counters.l2_read_bytes,
        l2_write_bytes: counters.l2_write_bytes,
        l2_hit_percent: percent(counters.l2_hits, counters.l2_lines),
        dram_read_bytes: counters.dram_read_bytes,
        dram_write_bytes: counters.dram_write_bytes,
    }
}
