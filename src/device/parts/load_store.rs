//! The load/store unit and the shared memory.

use super::{CYCLES, require, section};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::ledger::Condition;
use crate::device::policy::{Arbitration, Coalescing};
use crate::device::table::ANY;
use crate::util::refused::Refused;

/// Requests beyond what all warps can have in flight.
const UNLIMITED_REQUESTS: u32 = 1 << 14;

section! {
    /// The load/store unit.
    load_store: LoadStore {
        /// Cycles of work that may queue before further memory instructions are held at issue.
        queue_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Stores of whole lines that may queue for the port to the L2 before the unit stops, if the L1 writes through.
        store_queue_lines: u32, "lines", (1.0, 4096.0), [Sim, Model] if WRITE_THROUGH;
        /// Rate at which stored lines and write-backs pass the unit.
        store_bytes_per_cycle: u32, "bytes/cycle/SMX", (1.0, 4096.0), [Sim, Model];
        /// Rate at which data from the L2 passes the unit on its way to registers; 0 if it has its own path.
        return_bytes_per_cycle: u32 = 0, "bytes/cycle/SMX", (0.0, 4096.0), [Sim, Model] if LOADS_PASS_BY;
        /// Rate at which lines from the L2 are written to the L1, in the unit's time; 0 if that takes none.
        fill_bytes_per_cycle: u32 = 0, "bytes/cycle/SMX", (0.0, 4096.0), [Sim, Model];
        /// Maximum number of outstanding L1 misses.
        l1_misses_in_flight: u32, "misses", (1.0, 4096.0), [Sim, Model];
        /// Maximum number of a warp's global loads in flight to the L2; each counts for the latency of an L2 hit.
        global_loads_in_flight_per_warp: u32, "loads", (1.0, 64.0), [Sim, Model];
        /// Arbitration between schedulers that make requests in one cycle.
        arbitration: Arbitration, "policy", ANY, [Sim];
        /// Transactions of global and local memory for lanes that are executed one by one.
        coalescing: Coalescing, "policy", ANY, [Sim];
        /// Interval between the transactions of an access, if lanes that are served together need more than one.
        uncoalesced_cycles: u32 = 0, "cycles", (0.0, 1000.0), [Sim];
    }
}

section! {
    /// Shared memory.
    shared: Shared {
        latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Load/store unit cycles of an access without bank conflicts.
        access_cycles: u32, "cycles", (1.0, 64.0), [Sim, Model];
        /// Number of banks: words delivered per pass, one from each.
        n_banks: u32, "banks", (16.0, 32.0), [Sim];
        /// Lanes among which bank conflicts count.
        lanes_together: u32, "lanes", (16.0, 32.0), [Sim];
    }
}

const WRITE_THROUGH: Condition = Condition {
    decided_by: &["l1.write_back"],
    because: "l1.write_back is not false",
    holds: |device| !device.l1.write_back,
};
const LOADS_PASS_BY: Condition = Condition {
    decided_by: &["l1.caches_global_loads"],
    because: "no load passes the L1 by (l1.caches_global_loads)",
    holds: |device| !device.l1.caches_global_loads,
};

/// Checks that a warp's shared accesses are served whole or in half-warps.
pub(super) fn check(device: &Device) -> Result<(), Refused> {
    let lanes = device.shared.lanes_together;
    require(
        [16, 32].contains(&lanes),
        "shared.lanes_together",
        lanes,
        "16 or 32",
    )
}

/// The unit's time, if it is unlimited, is the engines' own.
pub(super) fn idealize(device: &mut Device) {
    if device.ideals.has(Ideal::MemoryBandwidth) {
        device.load_store.l1_misses_in_flight = UNLIMITED_REQUESTS;
        device.load_store.global_loads_in_flight_per_warp = UNLIMITED_REQUESTS;
    }
    if device.ideals.has(Ideal::OnChipLatency) {
        device.shared.latency_cycles = 1;
    }
}
