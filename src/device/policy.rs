//! Choices of a device that are rules, not numbers.
//!
//! Leaves out: behaviour, which the models implement.
//! Sources: given for each value in the device files.

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $text:literal, )+ }) => {
        $crate::util::names::named! {
            $(#[$doc])*
            #[derive(serde::Serialize)]
            pub enum $name ("choice") { $( $(#[$variant_doc])* #[serde(rename = $text)] $variant = $text, )+ }
        }

        impl $crate::device::table::FieldValue for $name {
            fn form() -> String {
                [$($text),+].join(", ")
            }
            fn of(value: &toml::Value) -> Option<Self> {
                Self::known(value.as_str()?)
            }
        }
    };
}
pub(super) use choice;

choice! {
    /// Policy by which a scheduler selects among ready warps.
    WarpPolicy {
        /// Selects the next ready warp after the last that issued.
        LooseRoundRobin = "loose_round_robin",
        /// Keeps the warp while it is ready, then selects the warp resident longest; within a block, the last one.
        GreedyThenOldest = "greedy_then_oldest",
        /// Keeps the warp while it is ready, then selects the next.
        GreedyThenNext = "greedy_then_next",
    }
}

choice! {
    /// Mechanism that delays an instruction until its operands are available.
    Dependencies {
        /// The hardware tracks the registers that loads write; the compiler's stall counts cover the rest (Kepler).
        Registers = "registers",
        /// The hardware tracks every register; the code carries no scheduling information (compute capability 1.x).
        AllRegisters = "all_registers",
        /// The compiler assigns one of six barriers to every result of unknown latency (Volta and later).
        Barriers = "barriers",
    }
}

choice! {
    /// Transactions of global and local memory for accesses by lanes that are executed one by one.
    Coalescing {
        /// Each 128-byte line or 32-byte sector touched, once (compute capability 2 and later).
        Lines = "lines",
        /// Per half-warp, one segment of 16 words if lane k accesses word k of it; otherwise 32 bytes per lane (compute
        /// capability 1.0 and 1.1).
        HalfWarpsInOrder = "half_warps_in_order",
        /// Per half-warp, the segments touched, or only the halves or quarters of them that are used (compute capability 1.2
        /// and 1.3).
        HalfWarpsBySegment = "half_warps_by_segment",
    }
}

choice! {
    /// Order in which the load/store unit and the shared cores serve the schedulers in a cycle.
    Arbitration {
        /// Always the first with a request.
        FixedOrder = "fixed_order",
        /// Each in turn.
        Rotating = "rotating",
    }
}

choice! {
    /// Pipe that executes the instructions of a class.
    Pipe {
        /// Cores shared by all schedulers: a number of warp instructions per cycle.
        Cores = "cores",
        /// A scheduler's own integer and logic unit.
        Alu = "alu",
        /// A scheduler's own multiply-add unit.
        Fma = "fma",
        /// A scheduler's own unit for shifts and bit fields.
        Shift = "shift",
        /// A scheduler's own integer multiplier.
        Multiply = "multiply",
        /// A scheduler's own unit for special functions.
        Special = "special",
        /// A scheduler's own address unit, which loads indexed constants.
        Address = "address",
        /// No pipe: the instruction takes an issue slot only.
        IssueOnly = "issue_only",
    }
}

choice! {
    /// Default division of the on-chip memory.
    DefaultSplit {
        /// The largest L1.
        LargestL1 = "largest_l1",
        /// The smallest shared memory that limits no block.
        LeastShared = "least_shared",
    }
}

choice! {
    /// Unit of register allocation.
    RegisterAllocation {
        /// Each warp, in one partition of the register file.
        Warp = "warp",
        /// Each block: the registers of all its warps, rounded up once (compute capability 1.x).
        Block = "block",
    }
}

choice! {
    /// Policy that selects the line to evict from a set.
    Replacement {
        /// The least recently used line.
        Lru = "lru",
        /// Any line, with equal probability.
        Random = "random",
        /// Rows within sets. A full row evicts one of its own lines; if the set is full but the row is not, the next row in
        /// round-robin order evicts one. In a row the lines hit last are protected and the others leave first in, first out; if
        /// all are being filled, the new line is not cached.
        Rows = "rows",
    }
}

choice! {
    /// Mapping of an address to a set number.
    IndexHash {
        /// The low bits of the line number.
        Linear = "linear",
        /// The low bits, each XORed with one bit of `index_hash_bits` (lowest first).
        Xor = "xor",
        /// Spread evenly, for any stride.
        Spread = "spread",
        /// Each bit of the line number flips the bits of the set number given by `set_bits`.
        Bits = "bits",
    }
}

choice! {
    /// Whether this project ever compared predictions for a device with measurements.
    Validated {
        /// Compared; the validation gives the errors.
        Here = "here",
        /// Never compared: the file holds only documents and published measurements.
        Never = "never",
    }
}
