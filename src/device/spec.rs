//! The fields of a device preset: name, type, unit, allowed range and who reads it, each stated once.
//!
//! Adding a field takes two lines: one here, one in each file under `fixtures/devices/`. What nothing reads is kept in
//! the files' sections `reference.*`, and not here. `tests/model/ledger.rs` holds the readers against predictions.
//! Every section becomes a plain struct for the models, and a field of [`Device`].
//! Units: in the field names where there is one; the unit text is checked against the file.

use super::cache::{CacheGeometry, OnChipSplit};
use super::ideal::Ideals;
use super::ledger::Reader;
use super::policy::{
    Arbitration, Coalescing, DefaultSplit, Dependencies, IndexHash, Pipe, RegisterAllocation,
    Replacement, Validated, WarpPolicy,
};
use super::table::{ANY, Entry, Field, FieldValue, get};
use crate::util::refused::Refused;
use serde::Serialize;

macro_rules! device {
    ($(
        $(#[$doc:meta])* $section:ident: $name:ident {
            $( $(#[$field_doc:meta])* $field:ident: $ty:ty, $unit:literal, $allowed:expr, [$($reader:ident),+]; )*
        }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Serialize)]
            pub struct $name { $( $(#[$field_doc])* pub $field: $ty, )* }
        )*

        /// The numbers of one GPU.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub struct Device {
            /// The name on the command line: `gtx670`.
            pub name: String,
            /// The name on the box.
            pub title: String,
            /// As NVIDIA counts: `3.0`.
            pub compute_capability: String,
            /// The committed machine code that runs on it: `sm_35`.
            pub code: String,
            /// Whether its predictions were ever compared with measurements; not a number of the machine.
            #[serde(skip)]
            pub validated: Validated,
            $( $(#[$doc])* pub $section: $name, )*
            /// The idealized parts of the machine; none of a real one.
            #[serde(skip)]
            #[doc(hidden)]
            pub ideals: Ideals,
        }

        /// Every field of every section.
        pub(super) const FIELDS: &[Field] = &[$($(
            Field {
                section: stringify!($section),
                name: stringify!($field),
                unit: $unit,
                allowed: $allowed,
                readers: &[$(Reader::$reader),+],
                title: "",
                form: <$ty as FieldValue>::form,
            },
        )*)*];

        impl Device {
            /// A device without a name.
            pub(super) fn read(entries: &[Entry]) -> Result<Device, Refused> {
                Ok(Device {
                    name: String::new(),
                    title: String::new(),
                    compute_capability: String::new(),
                    code: String::new(),
                    validated: Validated::Never,
                    $( $section: $name { $(
                        $field: get(entries, stringify!($section), stringify!($field))?,
                    )* }, )*
                    ideals: Ideals::default(),
                })
            }
        }
    };
}

/// Range of sizes of on-chip memory.
const ON_CHIP: (f64, f64) = (1.0, 16_777_216.0);
/// Range of sizes of an L2.
const OFF_CHIP: (f64, f64) = (1.0, 1_073_741_824.0);
/// Range of sizes of code that is at hand.
const CODE: (f64, f64) = (1.0, 1_048_576.0);
/// Range of latencies in cycles.
const CYCLES: (f64, f64) = (0.0, 100_000.0);
/// Range of rates per cycle.
const RATE: (f64, f64) = (0.01, 1e6);
/// Range of times on the host.
const HOST_TIME: (f64, f64) = (0.0, 1e6);
/// Range of fractions.
const FRACTION: (f64, f64) = (0.01, 1.0);

device! {
    /// The chip as a whole.
    chip: Chip {
        n_smx: u32, "SMX", (1.0, 1024.0), [Sim, Model];
        /// The clock that predictions are made for.
        clock_mhz: f64, "MHz", (1.0, 10_000.0), [Sim, Model];
        /// Time between the events before and after a grid of one empty block.
        grid_cycles: u32, "cycles", (0.0, 1_000_000.0), [Sim, Model];
        /// Delay from the end of a block to the first instruction of the next in its slot.
        block_cycles: u32, "cycles", CYCLES, [Sim, Model];
    }

    /// Capacities of one SMX, and the granularities of allocation.
    limits: Limits {
        warp_lanes: u32, "lanes", (32.0, 32.0), [Occupancy];
        threads_per_block: u32, "threads", (32.0, 1024.0), [Occupancy];
        warps_per_smx: u32, "warps", (1.0, 64.0), [Occupancy];
        blocks_per_smx: u32, "blocks", (1.0, 64.0), [Occupancy];
        registers_per_smx: u32, "registers", (1.0, 16_777_216.0), [Occupancy];
        registers_per_thread: u32, "registers", (1.0, 255.0), [Occupancy];
        /// Whether a warp or a block gets its registers together.
        register_allocation: RegisterAllocation, "policy", ANY, [Occupancy];
        /// Registers are given in multiples of this.
        register_unit: u32, "registers", (1.0, 65_536.0), [Occupancy];
        /// The register file is split among the schedulers; a warp's registers lie in one part.
        n_register_partitions: u32, "partitions", (1.0, 16.0), [Occupancy];
        /// Warps per block are rounded up to this when asking whether a block fits at all.
        warp_granularity: u32, "warps", (1.0, 64.0), [Occupancy];
        shared_bytes_per_block: u32, "bytes", ON_CHIP, [Occupancy];
        shared_unit_bytes: u32, "bytes", ON_CHIP, [Occupancy];
        /// Shared memory that the system takes from every block.
        shared_reserved_bytes_per_block: u32, "bytes", (0.0, 65_536.0), [Occupancy];
    }

    /// Warp schedulers and the pace of issue.
    issue: Issue {
        n_schedulers: u32, "schedulers", (1.0, 8.0), [Sim, Model];
        /// First warps of blocks go to all schedulers in turn, where they would otherwise all go to the same.
        first_warps_in_turn: bool, "yes/no", ANY, [Sim];
        /// Independent instructions of one warp that a scheduler may issue in one cycle.
        n_dispatch: u32, "instructions", (1.0, 2.0), [Sim, Model];
        warp_policy: WarpPolicy, "policy", ANY, [Sim, Model];
        dependencies: Dependencies, "policy", ANY, [Sim, Model];
        /// Cycles that an instruction takes of its scheduler.
        interval_cycles: u32, "cycles", (1.0, 64.0), [Sim, Model];
        /// Issue slots that a branch occupies, taken or not.
        branch_issue_slots: u32, "slots", (1.0, 16.0), [Sim, Model];
        /// Full-rate instructions that start in a cycle, over all schedulers.
        full_rate_per_cycle: u32, "instructions/cycle/SMX", (1.0, 64.0), [Sim, Model];
        /// Banks of a warp's registers; a register of each can be read in a cycle. 0: no instruction waits for its operands.
        n_register_banks: u32, "banks", (0.0, 64.0), [Sim, Model];
        /// Every further 128-byte line of a memory instruction takes an issue slot.
        replays_take_issue_slots: bool, "yes/no", ANY, [Sim, Model];
    }

    /// The load/store unit.
    load_store: LoadStore {
        /// Cycles of work that may queue before further memory instructions are held at issue.
        queue_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Stores of whole lines that may wait for the port to the L2 before the unit stops, where the L1 writes through.
        store_queue_lines: u32, "lines", (1.0, 4096.0), [Sim, Model];
        /// Stored lines and lines written back pass the unit at this rate.
        store_bytes_per_cycle: u32, "bytes/cycle/SMX", (1.0, 4096.0), [Sim, Model];
        /// Rate at which data from the L2 passes the unit; 0 if it has a path of its own.
        return_bytes_per_cycle: u32, "bytes/cycle/SMX", (0.0, 4096.0), [Sim, Model];
        /// L1 misses that may be in flight from the L2 at once.
        l1_misses_in_flight: u32, "misses", (1.0, 4096.0), [Sim, Model];
        /// Global loads that one warp may have in flight to the L2: each counts for the latency of an L2 hit.
        global_loads_in_flight_per_warp: u32, "loads", (1.0, 64.0), [Sim, Model];
        /// Arbitration among schedulers that ask in the same cycle.
        arbitration: Arbitration, "policy", ANY, [Sim];
        /// Coalescing of global and local accesses, if lanes are executed one by one.
        coalescing: Coalescing, "policy", ANY, [Sim, Model];
        /// Cycles between transactions of an access, if lanes that are served together need more than one.
        uncoalesced_cycles: u32, "cycles", (0.0, 1000.0), [Sim, Model];
    }

    /// Latencies from issue to the result's use, for all but memory accesses.
    latency: Latency {
        alu_cycles: u32, "cycles", CYCLES, [Sim, Model];
        sfu_cycles: u32, "cycles", CYCLES, [Sim, Model];
        convert_cycles: u32, "cycles", CYCLES, [Sim, Model];
        predicate_cycles: u32, "cycles", CYCLES, [Sim, Model];
        special_register_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Delay from a taken branch to the warp's next issue; 0 if the compiler's stall count covers it.
        taken_branch_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// A load waits at least this long by the compiler's own schedule.
        load_pace_cycles: u32, "cycles", CYCLES, [Sim, Model];
    }

    /// Pipe that executes each class of instruction. Classes of one pipe wait for each other.
    pipes: Pipes {
        fp32: Pipe, "pipe", ANY, [Sim, Model];
        int_add: Pipe, "pipe", ANY, [Sim, Model];
        logic: Pipe, "pipe", ANY, [Sim, Model];
        compare: Pipe, "pipe", ANY, [Sim, Model];
        int_mul: Pipe, "pipe", ANY, [Sim, Model];
        shift: Pipe, "pipe", ANY, [Sim, Model];
        bitfield: Pipe, "pipe", ANY, [Sim, Model];
        sfu: Pipe, "pipe", ANY, [Sim, Model];
        convert: Pipe, "pipe", ANY, [Sim, Model];
        special_register: Pipe, "pipe", ANY, [Sim, Model];
        constant_load: Pipe, "pipe", ANY, [Sim, Model];
    }

    /// Results per cycle and SMX by class of instruction.
    throughput: Throughput {
        fp32_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        int_add_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        logic_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        compare_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        int_mul_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        shift_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        bitfield_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        sfu_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        convert_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        special_register_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        constant_load_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
    }

    /// Shared memory.
    shared: Shared {
        latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Cycles of the load/store unit that an access without bank conflicts takes.
        access_cycles: u32, "cycles", (1.0, 64.0), [Sim, Model];
        /// Words that it gives in a turn, each of a bank of its own.
        n_banks: u32, "banks", (16.0, 32.0), [Sim, Model];
        /// Lanes whose conflicts count together.
        lanes_together: u32, "lanes", (16.0, 32.0), [Sim, Model];
    }

    /// The first-level data cache, which shares its memory with the shared memory.
    l1: L1 {
        line_bytes: u32, "bytes", (32.0, 256.0), [Sim, Model];
        /// The ways of dividing the on-chip memory.
        splits: Vec<OnChipSplit>, "bytes", ON_CHIP, [Occupancy];
        /// The division of a launch that does not ask for one.
        default_split: DefaultSplit, "policy", ANY, [Occupancy];
        /// Sets and ways for each L1 size of `splits`.
        geometry: Vec<CacheGeometry>, "sets x ways", (1.0, 1e7), [Sim, Model];
        replacement: Replacement, "policy", ANY, [Sim, Model];
        index_hash: IndexHash, "function", ANY, [Sim, Model];
        /// Address bits that the index hash folds into the low bits of the set number.
        index_hash_bits: Vec<u32>, "address bits", (0.0, 31.0), [Sim, Model];
        /// XOR masks of the set number, one per bit of the line number, lowest bit first.
        set_bits: Vec<u32>, "set bits", (0.0, 65535.0), [Sim, Model];
        /// Ways of every set that hold no line.
        reserved_ways: u32, "ways", (0.0, 1e6), [Sim, Model];
        /// XOR masks of the row number, one per bit of the line number; a set has as many rows as the masks need.
        row_bits: Vec<u32>, "row bits", (0.0, 4095.0), [Sim];
        lines_per_row: u32, "lines", (1.0, 64.0), [Sim];
        /// Hits of a row, the last ones, whose lines stay.
        protected_hits: u32, "hits", (0.0, 4.0), [Sim];
        /// Whether the L1 caches local memory; otherwise local accesses bypass it.
        caches_local: bool, "yes/no", ANY, [Sim, Model];
        caches_global_loads: bool, "yes/no", ANY, [Sim, Model];
        write_back: bool, "yes/no", ANY, [Sim, Model];
        fills_hold_lines: bool, "yes/no", ANY, [Sim];
        /// Bytes of a line that a miss fetches at least.
        sector_bytes: u32, "bytes", (32.0, 128.0), [Sim, Model];
        fetch_on_write_miss: bool, "yes/no", ANY, [Sim, Model];
        hit_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
    }

    /// Spacing of the local memories of threads: a stack and a gap.
    local: Local {
        /// The stack of a kernel with a smaller frame.
        least_stack_bytes: u32, "bytes", (0.0, 1e6), [Sim, Model];
        gap_bytes: u32, "bytes", (0.0, 1e6), [Sim, Model];
    }

    /// The second-level cache, shared by all SMX.
    l2: L2 {
        /// Whether there is an L2; otherwise every line comes from device memory, through the same ports and request sizes.
        is_present: bool, "yes/no", ANY, [Sim, Model];
        bytes: u32, "bytes", OFF_CHIP, [Sim, Model];
        /// Fraction of the L2 that holds a launch's data.
        usable_fraction: f64, "fraction", FRACTION, [Sim, Model];
        n_ways: u32, "ways", (1.0, 64.0), [Sim, Model];
        line_bytes: u32, "bytes", (32.0, 256.0), [Sim, Model];
        replacement: Replacement, "policy", ANY, [Sim, Model];
        hit_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Width of an SMX's port to the L2.
        port_bytes_per_cycle: f64, "bytes/cycle/SMX", RATE, [Sim, Model];
        /// The part of the port's width that measurements reach.
        port_efficiency: f64, "fraction", FRACTION, [Sim, Model];
        /// Write-port bytes of the request for a line.
        request_bytes: u32, "bytes", (0.0, 128.0), [Sim, Model];
        /// Write-port bytes that a store costs in addition to its sectors of 32 bytes, if it writes only parts of one.
        mask_bytes: u32, "bytes", (0.0, 128.0), [Sim, Model];
        /// Width of an SMX's port for writes.
        write_bytes_per_cycle: f64, "bytes/cycle/SMX", RATE, [Sim, Model];
        /// Rate at which the L2 ingests from all SMXs together; 0: limited only by their ports.
        ingest_bytes_per_cycle: f64, "bytes/cycle", (0.0, 1e6), [Sim, Model];
    }

    /// Device memory.
    dram: Dram {
        bandwidth_gb_per_s: f64, "GB/s", RATE, [Sim, Model];
        /// The part of the bandwidth that measurements reach.
        efficiency: f64, "fraction", FRACTION, [Sim, Model];
        latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Memory controllers, each with its own banks.
        n_partitions: u32, "partitions", (1.0, 1024.0), [Sim, Model];
        /// Banks of a partition: each holds one row open.
        n_banks: u32, "banks", (1.0, 1024.0), [Sim, Model];
        /// Neighbouring bytes that lie in one partition.
        interleave_bytes: u32, "bytes", (32.0, 65_536.0), [Sim, Model];
        /// Bytes of one partition that are open together: a page of a bank.
        page_bytes: u32, "bytes", (32.0, 65_536.0), [Sim, Model];
        /// Least time between two activations of rows in one partition.
        activation_interval_ns: f64, "ns", (0.0, 1000.0), [Sim, Model];
        /// Requests to a partition that the controller reorders, those with an open page first (FR-FCFS); 0: in order.
        queue_requests: u32, "requests", (0.0, 1024.0), [Sim, Model];
    }

    /// Instruction fetch.
    instruction_cache: InstructionCache {
        /// Instruction buffer of each scheduler, before its first-level cache, including the line fetched ahead; 0: none.
        l0_bytes: u32, "bytes", (0.0, 65_536.0), [Sim, Model];
        /// Issue slots that each line from the first level costs the scheduler.
        l0_line_slots: f64, "slots", (0.0, 4.0), [Sim];
        /// Latency of a jump to a line that only the first level holds.
        l1_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        l1_bytes: u32, "bytes", CODE, [Sim, Model];
        /// First-level caches of an SMX; neighbouring schedulers share one where there are fewer than schedulers.
        n_l1: u32, "caches", (1.0, 16.0), [Sim];
        l15_bytes: u32, "bytes", CODE, [Sim, Model];
        /// Issue interval of one warp running code that is resident in L1, L1.5, L2, DRAM.
        cycles_per_instruction: Vec<f64>, "cycles/instruction", (0.1, 1000.0), [Sim, Model];
        /// A control word precedes every group of this many instructions.
        instructions_per_group: u32, "instructions", (1.0, 64.0), [Sim, Model];
        group_bytes: u32, "bytes", (8.0, 1024.0), [Sim, Model];
        line_bytes: u32, "bytes", (8.0, 1024.0), [Sim, Model];
        /// Whether the next line is prefetched while a line runs: straight code then runs at `cycles_per_instruction`.
        prefetches: bool, "yes/no", ANY, [Sim, Model];
        l15_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Bandwidth of the second level to all first-level caches of an SMX together; 0: unlimited.
        l15_bytes_per_cycle: u32, "bytes/cycle/SMX", (0.0, 4096.0), [Sim];
        l2_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
    }

    /// Constant memory.
    constant_cache: ConstantCache {
        l1_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Lanes of which one address is served at a time; 0 where repetitions are not counted.
        lanes_together: u32, "lanes", (0.0, 32.0), [Sim, Model];
    }

    /// The host: costs of a generation besides its kernel. All zero if measured times are those of kernels alone.
    host: Host {
        /// Delay from the call to the kernel's start plus that from its end to the caller's return.
        launch_microseconds: f64, "us", HOST_TIME, [Host];
        /// Cost of a transfer besides its bytes.
        copy_microseconds: f64, "us", HOST_TIME, [Host];
        upload_ns_per_byte: f64, "ns/byte", HOST_TIME, [Host];
        download_ns_per_byte: f64, "ns/byte", HOST_TIME, [Host];
        /// Adding up the threads' sums of a program.
        sum_ns_per_value: f64, "ns/value", HOST_TIME, [Host];
        /// Selection, crossover, mutation and lowering to the kernel's words.
        breeding_ns_per_node: f64, "ns/node", HOST_TIME, [Host];
    }
}
