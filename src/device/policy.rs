//! Choices that a device makes by a rule, not by a number.
//!
//! Leaves out: behaviour, which the models implement. Sources: named value by value in the device files.

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
    /// Choice of the ready warp that a scheduler issues from.
    WarpPolicy {
        /// The next warp after the last that issued.
        LooseRoundRobin = "loose_round_robin",
        /// The last warp issued while it is ready, else the longest resident; within a block, the last warp.
        GreedyThenOldest = "greedy_then_oldest",
        /// The last warp issued while it is ready, else the next.
        GreedyThenNext = "greedy_then_next",
    }
}

choice! {
    /// Mechanism that delays an instruction until its operands are ready.
    Dependencies {
        /// The hardware tracks the registers that loads write; the compiler's stall counts do the rest (Kepler).
        Registers = "registers",
        /// The hardware tracks every register; nothing is read from the code (compute capability 1.x).
        AllRegisters = "all_registers",
        /// The compiler names one of six barriers for every result whose time it does not know (Volta and later).
        Barriers = "barriers",
    }
}

choice! {
    /// Memory transferred by global and local accesses of lanes that are executed one by one.
    Coalescing {
        /// Every 128-byte line or 32-byte sector that is touched, once (compute capability 2 and later).
        Lines = "lines",
        /// One segment of 16 words per half-warp if lane k accesses word k of it; otherwise 32 bytes per lane (compute
        /// capability 1.0 and 1.1).
        HalfWarpsInOrder = "half_warps_in_order",
        /// The segments that each half-warp touches, reduced to the halves or quarters it uses (compute
        /// capability 1.2 and 1.3).
        HalfWarpsBySegment = "half_warps_by_segment",
    }
}

choice! {
    /// Order in which the load/store unit and the shared cores serve the schedulers of a cycle.
    Arbitration {
        /// Always the first that has something.
        FixedOrder = "fixed_order",
        /// Each in turn.
        Rotating = "rotating",
    }
}

choice! {
    /// Pipe that executes a class of instructions.
    Pipe {
        /// Cores that all schedulers share: a number of warp instructions a cycle.
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
        /// None: the instruction takes an issue slot only.
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
    /// Granularity of register allocation, in whole units.
    RegisterAllocation {
        /// Each warp, in one part of the register file.
        Warp = "warp",
        /// A block, all its warps and rounded up once (compute capability 1.x).
        Block = "block",
    }
}

choice! {
    /// Replacement policy of a set.
    Replacement {
        /// The least recently used line.
        Lru = "lru",
        /// Any line, with equal probability.
        Random = "random",
        /// Sets consist of rows. In a full row one of its own lines leaves; else, where the set is full, one of the next row of a hand
        /// that goes round them. Of a row, lines of the last hits stay, the others leave first in, first out; where all are being
        /// filled, a line is not kept.
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
        /// Evenly spread, whatever the stride.
        Spread = "spread",
        /// Each bit of the line number flips the bits of the set number given by `set_bits`.
        Bits = "bits",
    }
}

choice! {
    /// Whether predictions for a device were ever compared with measurements by the project that wrote its file.
    Validated {
        /// Compared; the validation lists the errors.
        Here = "here",
        /// Not compared: the values come from documents and published measurements only.
        Never = "never",
    }
}
