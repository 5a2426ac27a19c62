//! Readers of a preset's values, and the conditions under which fields are idle.
//!
//! Models: the kinds of readers, and the fields that are idle on a device because another field disables their mechanism.
//! Leaves out: the readers of each field, which `spec.rs` lists.

use super::{Dependencies, Device, IndexHash, Replacement};
use crate::util::names::named;
use serde::Serialize;

named! {
    /// A part of the program whose results depend on a value.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Reader ("reader") {
        /// The simulator.
        Sim = "simulator",
        /// The analytical model.
        Model = "analytical model",
        /// The number of resident blocks, whichever engine predicts.
        Occupancy = "occupancy",
        /// The time between launches, whichever engine predicts.
        Host = "host",
        /// The simulator of VLIW machines.
        Vliw = "VLIW simulator",
        /// The model of CPU cores.
        Cpu = "CPU model",
    }
}

impl Reader {
    /// Whether a value that this reads shows in the predictions of `engine`.
    pub fn serves(self, engine: Reader) -> bool {
        self == engine || matches!(self, Reader::Occupancy | Reader::Host)
    }
}

/// Fields that act only under a condition on another field.
#[derive(Debug)]
pub struct Condition {
    /// `section.field`.
    pub fields: &'static [&'static str],
    /// The fields that decide.
    decided_by: &'static [&'static str],
    /// Reason why the fields are idle when the condition fails.
    pub because: &'static str,
    holds: fn(&Device) -> bool,
}

impl Condition {
    /// Whether `field` is one of the deciding fields.
    pub fn is_decided_by(&self, field: &str) -> bool {
        self.decided_by.contains(&field)
    }
}

const CONDITIONS: [Condition; 12] = [
    Condition {
        fields: &[
            "latency.alu_cycles",
            "latency.sfu_cycles",
            "latency.convert_cycles",
            "latency.predicate_cycles",
            "latency.special_register_cycles",
            // Where registers are tracked, those that a load of a constant writes are not.
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

/// Returns the condition under which `section.field` is idle on this device, if any.
pub fn idle(device: &Device, field: &str) -> Option<&'static Condition> {
    CONDITIONS
        .iter()
        .find(|condition| condition.fields.contains(&field) && !(condition.holds)(device))
}
