//! Readers of preset values, and the conditions under which a value is read.
//!
//! `spec.rs` lists the readers of each field; this module defines readers, and lists the fields that are idle on a device
//! because another field disables their mechanism.

use super::{Dependencies, Device, IndexHash, Replacement};
use crate::util::names::named;
use serde::Serialize;

named! {
    /// Part of the program whose results depend on a value.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Reader ("reader") {
        /// The simulator.
        Sim = "simulator",
        /// The analytical model.
        Model = "analytical model",
        /// Computation of resident blocks, used by both engines.
        Occupancy = "occupancy",
        /// Time between launches, used by both engines.
        Host = "host",
        /// The simulator of VLIW machines.
        Vliw = "VLIW simulator",
    }
}

impl Reader {
    /// Tells whether a value read by this reader affects the predictions of `engine`.
    pub fn serves(self, engine: Reader) -> bool {
        self == engine || matches!(self, Reader::Occupancy | Reader::Host)
    }
}

/// Fields that take effect only for some values of another field.
#[derive(Debug)]
pub struct Condition {
    /// Affected fields, as `section.field`.
    pub fields: &'static [&'static str],
    /// Fields that decide whether they take effect.
    decided_by: &'static [&'static str],
    /// Reason why the affected fields are idle, for messages.
    pub because: &'static str,
    holds: fn(&Device) -> bool,
}

impl Condition {
    /// Tells whether `field` decides this condition.
    pub fn is_decided_by(&self, field: &str) -> bool {
        self.decided_by.contains(&field)
    }
}

const CONDITIONS: [Condition; 16] = [
    Condition {
        fields: &[
            "latency.alu_cycles",
            "latency.sfu_cycles",
            "latency.convert_cycles",
            "latency.predicate_cycles",
            "latency.special_register_cycles",
            // With register tracking, the target registers of constant loads are not tracked.
            "constant_cache.l1_latency_cycles",
        ],
        decided_by: &["issue.dependencies"],
        because: "issue.dependencies is registers",
        holds: |device| device.issue.dependencies != Dependencies::Registers,
    },
    Condition {
        fields: &["latency.load_pace_cycles"],
        decided_by: &["issue.dependencies"],
        because: "issue.dependencies is not barriers",
        holds: |device| device.issue.dependencies == Dependencies::Barriers,
    },
    Condition {
        fields: &[
            "l1.geometry",
            "l1.replacement",
            "l1.index_hash",
            "l1.index_hash_bits",
            "l1.set_bits",
            "l1.reserved_ways",
            "l1.row_bits",
            "l1.lines_per_row",
            "l1.protected_hits",
            "l1.hit_latency_cycles",
            "l1.write_back",
            "l1.fills_hold_lines",
            "l1.sector_bytes",
            "l1.fetch_on_write_miss",
        ],
        decided_by: &["l1.caches_local", "l1.caches_global_loads"],
        because: "nothing is looked up in an L1 (l1.caches_local, l1.caches_global_loads)",
        holds: |device| device.l1.caches_local || device.l1.caches_global_loads,
    },
    Condition {
        fields: &[
            "l2.bytes",
            "l2.usable_fraction",
            "l2.n_ways",
            "l2.line_bytes",
            "l2.replacement",
        ],
        decided_by: &["l2.is_present"],
        because: "l2.is_present is not true",
        holds: |device| device.l2.is_present,
    },
    Condition {
        fields: &["load_store.store_queue_lines"],
        decided_by: &["l1.write_back"],
        because: "l1.write_back is not false",
        holds: |device| !device.l1.write_back,
    },
    Condition {
        fields: &["l2.write_bytes_per_cycle"],
        decided_by: &["l1.write_back", "l2.request_bytes"],
        because: "lines written back wait for nothing (l1.write_back), and requests take no part of the port (l2.request_bytes)",
        holds: |device| !device.l1.write_back || device.l2.request_bytes > 0,
    },
    Condition {
        fields: &["l2.n_ports"],
        decided_by: &["l2.ingest_bytes_per_cycle"],
        because: "l2.ingest_bytes_per_cycle is 0",
        holds: |device| device.l2.ingest_bytes_per_cycle > 0.0,
    },
    Condition {
        fields: &["chip.smx_per_tpc"],
        decided_by: &["l2.n_ports", "l2.ingest_bytes_per_cycle"],
        because: "no ports to divide (l2.n_ports is 1, or l2.ingest_bytes_per_cycle is 0)",
        holds: |device| device.l2.n_ports > 1 && device.l2.ingest_bytes_per_cycle > 0.0,
    },
    Condition {
        fields: &["load_store.return_bytes_per_cycle"],
        decided_by: &["l1.caches_global_loads"],
        because: "no load passes the L1 by (l1.caches_global_loads)",
        holds: |device| !device.l1.caches_global_loads,
    },
    Condition {
        fields: &["l1.index_hash_bits"],
        decided_by: &["l1.index_hash"],
        because: "l1.index_hash is not xor",
        holds: |device| device.l1.index_hash == IndexHash::Xor,
    },
    Condition {
        fields: &["l1.set_bits"],
        decided_by: &["l1.index_hash"],
        because: "l1.index_hash is not bits",
        holds: |device| device.l1.index_hash == IndexHash::Bits,
    },
    Condition {
        fields: &["l1.row_bits", "l1.lines_per_row", "l1.protected_hits"],
        decided_by: &["l1.replacement"],
        because: "l1.replacement is not rows",
        holds: |device| device.l1.replacement == Replacement::Rows,
    },
    Condition {
        fields: &[
            "instruction_cache.l1_latency_cycles",
            "instruction_cache.l0_line_slots",
        ],
        decided_by: &["instruction_cache.l0_bytes"],
        because: "instruction_cache.l0_bytes is 0",
        holds: |device| device.instruction_cache.l0_bytes > 0,
    },
    Condition {
        fields: &["instruction_cache.n_l15"],
        decided_by: &["instruction_cache.l15_bytes_per_cycle"],
        because: "instruction_cache.l15_bytes_per_cycle is 0",
        holds: |device| device.instruction_cache.l15_bytes_per_cycle > 0,
    },
    Condition {
        fields: &["instruction_cache.cycles_per_instruction"],
        decided_by: &["instruction_cache.prefetches"],
        because: "instruction_cache.prefetches is not true",
        holds: |device| device.instruction_cache.prefetches,
    },
    Condition {
        fields: &[
            "dram.interleave_bytes",
            "dram.page_bytes",
            "dram.n_banks",
            "dram.n_partitions",
        ],
        decided_by: &["dram.activation_interval_ns"],
        because: "dram.activation_interval_ns is 0",
        holds: |device| device.dram.activation_interval_ns > 0.0,
    },
];

/// Condition that makes `section.field` idle on this device, if any.
pub fn idle(device: &Device, field: &str) -> Option<&'static Condition> {
    CONDITIONS
        .iter()
        .find(|condition| condition.fields.contains(&field) && !(condition.holds)(device))
}
