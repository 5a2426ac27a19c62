//! The fields of a device preset: name, type, unit, allowed range and readers, each declared once.
//!
//! Adding a field takes two lines: one here, one in each file under `fixtures/devices/`. Values that nothing reads are kept in
//! the files' sections `reference.*`, and not here. `tests/model/ledger.rs` checks the readers against predictions. Every
//! section becomes a plain struct for the models, and a field of [`Device`].
//!
//! Units: in the field names where there is one; the unit text is checked against the file.

use super::cache::{CacheGeometry, OnChipSplit};
use super::ideal::Ideals;
use super::ledger::Reader;
use super::policy::{
    Arbitration, Coalescing, DefaultSplit, Dependencies, IndexHash, Pipe, RegisterAllocation,
    Replacement, Validated, WarpPolicy,
};
use super::table::{ANY, Entry, Field, get};
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

        /// Numbers that describe one GPU.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub struct Device {
            /// Name on the command line: `gtx670`.
            pub name: String,
            /// Product name.
            pub title: String,
            /// Compute capability in NVIDIA's notation: `3.0`.
            pub compute_capability: String,
            /// Committed machine code that runs on the device: `sm_35`.
            pub code: String,
            /// Whether its predictions were ever compared with measurements; no property of the machine.
            #[serde(skip)]
            pub validated: Validated,
            $( $(#[$doc])* pub $section: $name, )*
            /// Idealized parts of the machine; none for a real one.
            #[serde(skip)]
            #[doc(hidden)]
            pub ideals: Ideals,
        }

        /// All fields of all sections.
        pub(super) const FIELDS: &[Field] = &[$($(
            Field {
                section: stringify!($section),
                name: stringify!($field),
                unit: $unit,
                allowed: $allowed,
                readers: &[$(Reader::$reader),+],
            },
        )*)*];

        impl Device {
            /// Reads a device without its name.
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
/// Range of sizes of instruction caches.
const CODE: (f64, f64) = (1.0, 1_048_576.0);
/// Range of latencies in cycles.
const CYCLES: (f64, f64) = (0.0, 100_000.0);
/// Range of rates per cycle.
const RATE: (f64, f64) = (0.01, 1e6);
/// Range of host times.
const HOST_TIME: (f64, f64) = (0.0, 1e6);
/// Range of fractions.
const FRACTION: (f64, f64) = (0.01, 1.0);

device! {
    /// The chip as a whole.
    chip: Chip {
        n_smx: u32, "SMX", (1.0, 1024.0), [Sim, Model];
        /// Multiprocessors of a TPC, which send to the L2 through the same port.
        smx_per_tpc: u32, "SMX", (1.0, 8.0), [Sim, Model];
        /// Clock for which predictions are made.
        clock_mhz: f64, "MHz", (1.0, 10_000.0), [Sim, Model];
        /// Cycles from the event before a grid of one empty block to the event after it.
        grid_cycles: u32, "cycles", (0.0, 1_000_000.0), [Sim, Model];
        /// Cycles from the end of a block to the first instruction of the next one in its slot.
        block_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Least cycles between the starts of two blocks, of all multiprocessors together; 0 if it is not limiting.
        block_interval_cycles: f64, "cycles", (0.0, 1000.0), [Sim, Model];
    }

    /// Capacity of one SMX, and the granularities of allocation.
    limits: Limits {
        warp_lanes: u32, "lanes", (32.0, 32.0), [Occupancy];
        threads_per_block: u32, "threads", (32.0, 1024.0), [Occupancy];
        warps_per_smx: u32, "warps", (1.0, 64.0), [Occupancy];
        blocks_per_smx: u32, "blocks", (1.0, 64.0), [Occupancy];
        registers_per_smx: u32, "registers", (1.0, 16_777_216.0), [Occupancy];
        registers_per_thread: u32, "registers", (1.0, 255.0), [Occupancy];
        /// Unit of register allocation: warp or block.
        register_allocation: RegisterAllocation, "policy", ANY, [Occupancy];
        /// Granularity of register allocation.
        register_unit: u32, "registers", (1.0, 65_536.0), [Occupancy];
        /// Partitions of the register file, shared among the schedulers; a warp's registers lie in one partition.
        n_register_partitions: u32, "partitions", (1.0, 16.0), [Occupancy];
        /// Granularity to which warps per block are rounded up when checking whether a block fits at all.
        warp_granularity: u32, "warps", (1.0, 64.0), [Occupancy];
        shared_bytes_per_block: u32, "bytes", ON_CHIP, [Occupancy];
        shared_unit_bytes: u32, "bytes", ON_CHIP, [Occupancy];
        /// Shared memory reserved by the system for every block.
        shared_reserved_bytes_per_block: u32, "bytes", (0.0, 65_536.0), [Occupancy];
    }

    /// Warp schedulers and the rate of issue.
    issue: Issue {
        n_schedulers: u32, "schedulers", (1.0, 8.0), [Sim, Model];
        /// Assigns the first warps of blocks to the schedulers in turn, where they would otherwise all share one.
        first_warps_in_turn: bool, "yes/no", ANY, [Sim];
        /// Maximum number of independent instructions of one warp that a scheduler issues in one cycle.
        n_dispatch: u32, "instructions", (1.0, 2.0), [Sim, Model];
        warp_policy: WarpPolicy, "policy", ANY, [Sim, Model];
        dependencies: Dependencies, "policy", ANY, [Sim, Model];
        /// Cycles for which an instruction occupies its scheduler.
        interval_cycles: u32, "cycles", (1.0, 64.0), [Sim, Model];
        /// Issue slots that a branch occupies, taken or not.
        branch_issue_slots: u32, "slots", (1.0, 16.0), [Sim, Model];
        /// Instructions issued per cycle, over all schedulers.
        instructions_per_cycle: u32, "instructions/cycle/SMX", (1.0, 64.0), [Sim, Model];
        /// Banks of a warp's registers; one register of each can be read per cycle. 0: instructions never wait for operands.
        n_register_banks: u32, "banks", (0.0, 64.0), [Sim, Model];
        /// Charges an issue slot for every further 128-byte line of a memory instruction.
        replays_take_issue_slots: bool, "yes/no", ANY, [Sim, Model];
    }

    /// The load/store unit.
    load_store: LoadStore {
        /// Cycles of work that may queue before further memory instructions are held at issue.
        queue_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Stores of whole lines that may queue for the port to the L2 before the unit stops, if the L1 writes through.
        store_queue_lines: u32, "lines", (1.0, 4096.0), [Sim, Model];
        /// Rate at which stored lines and write-backs pass the unit.
        store_bytes_per_cycle: u32, "bytes/cycle/SMX", (1.0, 4096.0), [Sim, Model];
        /// Rate at which data from the L2 passes the unit on its way to registers; 0 if it has its own path.
        return_bytes_per_cycle: u32, "bytes/cycle/SMX", (0.0, 4096.0), [Sim, Model];
        /// Rate at which lines from the L2 are written to the L1, in the unit's time; 0 if that takes none.
        fill_bytes_per_cycle: u32, "bytes/cycle/SMX", (0.0, 4096.0), [Sim, Model];
        /// Maximum number of outstanding L1 misses.
        l1_misses_in_flight: u32, "misses", (1.0, 4096.0), [Sim, Model];
        /// Maximum number of a warp's global loads in flight to the L2; each counts for the latency of an L2 hit.
        global_loads_in_flight_per_warp: u32, "loads", (1.0, 64.0), [Sim, Model];
        /// Arbitration between schedulers that make requests in one cycle.
        arbitration: Arbitration, "policy", ANY, [Sim];
        /// Transactions of global and local memory for lanes that are executed one by one.
        coalescing: Coalescing, "policy", ANY, [Sim];
        /// Interval between the transactions of an access, if lanes that are served together need more than one.
        uncoalesced_cycles: u32, "cycles", (0.0, 1000.0), [Sim];
    }

    /// Latencies from issue to use of the result, other than memory.
    latency: Latency {
        alu_cycles: u32, "cycles", CYCLES, [Sim, Model];
        sfu_cycles: u32, "cycles", CYCLES, [Sim, Model];
        convert_cycles: u32, "cycles", CYCLES, [Sim, Model];
        predicate_cycles: u32, "cycles", CYCLES, [Sim, Model];
        special_register_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Cycles from a taken branch to the warp's next issue; 0 if the compiler's stall count covers it.
        taken_branch_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Cycles from a branch to an address in a register to the warp's next issue, its code in the first level of the instruction cache.
        indirect_branch_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Cycles from the arrival of a block's last warp at a barrier to the next issue of its warps.
        barrier_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Minimum wait for a load in the compiler's own schedule.
        load_pace_cycles: u32, "cycles", CYCLES, [Sim, Model];
    }

    /// Pipe of each instruction class. Classes on one pipe compete for it.
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

    /// Results per cycle and SMX by instruction class.
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
        /// Lanes that arrive at barriers in a cycle, of all warps of a multiprocessor.
        barrier_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
    }

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

    /// First-level data cache, which shares its memory with the shared memory.
    l1: L1 {
        line_bytes: u32, "bytes", (32.0, 256.0), [Sim, Model];
        /// Possible divisions of the on-chip memory.
        splits: Vec<OnChipSplit>, "bytes", ON_CHIP, [Occupancy];
        /// Default division for a launch.
        default_split: DefaultSplit, "policy", ANY, [Occupancy];
        /// Sets and ways for each L1 size of `splits`.
        geometry: Vec<CacheGeometry>, "sets x ways", (1.0, 1e7), [Sim, Model];
        replacement: Replacement, "policy", ANY, [Sim, Model];
        index_hash: IndexHash, "function", ANY, [Sim, Model];
        /// Address bits that the index hash folds into the low bits of the set number.
        index_hash_bits: Vec<u32>, "address bits", (0.0, 31.0), [Sim, Model];
        /// Bits of the set number flipped by each bit of the line number, lowest first.
        set_bits: Vec<u32>, "set bits", (0.0, 65535.0), [Sim, Model];
        /// Ways of every set that hold no line.
        reserved_ways: u32, "ways", (0.0, 1e6), [Sim, Model];
        /// Bits of the row number flipped by each bit of the line number; they determine the number of rows in a set.
        row_bits: Vec<u32>, "row bits", (0.0, 4095.0), [Sim];
        lines_per_row: u32, "lines", (1.0, 64.0), [Sim];
        /// Number of most recent hits in a row whose lines are protected.
        protected_hits: u32, "hits", (0.0, 4.0), [Sim];
        /// Caches local memory; otherwise its accesses bypass the L1.
        caches_local: bool, "yes/no", ANY, [Sim, Model];
        caches_global_loads: bool, "yes/no", ANY, [Sim, Model];
        write_back: bool, "yes/no", ANY, [Sim, Model];
        fills_hold_lines: bool, "yes/no", ANY, [Sim];
        /// Minimum bytes of a line fetched by a miss.
        sector_bytes: u32, "bytes", (32.0, 128.0), [Sim];
        fetch_on_write_miss: bool, "yes/no", ANY, [Sim, Model];
        hit_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
    }

    /// Spacing of threads' local memories: a stack and a gap.
    local: Local {
        /// Minimum stack size, used for kernels with a smaller frame.
        least_stack_bytes: u32, "bytes", (0.0, 1e6), [Sim, Model];
        gap_bytes: u32, "bytes", (0.0, 1e6), [Sim, Model];
    }

    /// Second-level cache, shared by all SMX.
    l2: L2 {
        /// Presence of an L2. Without it every line comes from device memory, and ports and request sizes refer to the memory.
        is_present: bool, "yes/no", ANY, [Sim, Model];
        bytes: u32, "bytes", OFF_CHIP, [Sim, Model];
        /// Fraction available to a launch's data.
        usable_fraction: f64, "fraction", FRACTION, [Sim, Model];
        n_ways: u32, "ways", (1.0, 64.0), [Sim, Model];
        line_bytes: u32, "bytes", (32.0, 256.0), [Sim, Model];
        replacement: Replacement, "policy", ANY, [Sim, Model];
        hit_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Width of an SMX's port to the L2.
        port_bytes_per_cycle: f64, "bytes/cycle/SMX", RATE, [Sim, Model];
        /// Fraction of the port's width that measurements reach.
        port_efficiency: f64, "fraction", FRACTION, [Sim, Model];
        /// Bytes of the write port that a request for a line occupies.
        request_bytes: u32, "bytes", (0.0, 128.0), [Sim, Model];
        /// Bytes of the write port that a partial store occupies in addition to its 32-byte sectors.
        mask_bytes: u32, "bytes", (0.0, 128.0), [Sim];
        /// Width of an SMX's write port.
        write_bytes_per_cycle: f64, "bytes/cycle/SMX", RATE, [Sim, Model];
        /// Ports through which the SMXs send to the L2; the TPCs take them in turn.
        n_ports: u32, "ports", (1.0, 1024.0), [Sim, Model];
        /// Bytes per cycle that all ports together pass to the L2; 0: unlimited.
        ingest_bytes_per_cycle: f64, "bytes/cycle", (0.0, 1e6), [Sim, Model];
    }

    /// Device memory.
    dram: Dram {
        bandwidth_gb_per_s: f64, "GB/s", RATE, [Sim, Model];
        /// Fraction of the bandwidth that measurements reach.
        efficiency: f64, "fraction", FRACTION, [Sim, Model];
        latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Memory controllers, each with its own banks.
        n_partitions: u32, "partitions", (1.0, 1024.0), [Sim, Model];
        /// Banks of a partition: each holds one row open.
        n_banks: u32, "banks", (1.0, 1024.0), [Sim, Model];
        /// Consecutive bytes in one partition.
        interleave_bytes: u32, "bytes", (32.0, 65_536.0), [Sim, Model];
        /// Bytes of one partition that are open together: a page of a bank.
        page_bytes: u32, "bytes", (32.0, 65_536.0), [Sim, Model];
        /// Minimum time between two row activations in one partition.
        activation_interval_ns: f64, "ns", (0.0, 1000.0), [Sim, Model];
        /// Requests in a partition's queue, from which the controller serves open pages first (FR-FCFS); 0: first come, first
        /// served.
        queue_requests: u32, "requests", (0.0, 1024.0), [Sim, Model];
    }

    /// Instruction fetch.
    instruction_cache: InstructionCache {
        /// Size of each scheduler's own cache before the first level, including the prefetched next line; 0: none.
        l0_bytes: u32, "bytes", (0.0, 65_536.0), [Sim, Model];
        /// Issue slots that each line loaded into it from the first level occupies.
        l0_line_slots: f64, "slots", (0.0, 4.0), [Sim];
        /// Latency of a jump to a line that is in the first level but not in the scheduler's own cache.
        l1_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        l1_bytes: u32, "bytes", CODE, [Sim, Model];
        /// First-level caches of an SMX; neighbouring schedulers share one if there are fewer caches than schedulers.
        n_l1: u32, "caches", (1.0, 16.0), [Sim];
        l15_bytes: u32, "bytes", CODE, [Sim, Model];
        /// Issue interval of one warp running code that is resident in L1, L1.5, L2, DRAM.
        cycles_per_instruction: Vec<f64>, "cycles/instruction", (0.1, 1000.0), [Sim, Model];
        /// Instructions per group; a control word precedes each group.
        instructions_per_group: u32, "instructions", (1.0, 64.0), [Sim, Model];
        group_bytes: u32, "bytes", (8.0, 1024.0), [Sim, Model];
        line_bytes: u32, "bytes", (8.0, 1024.0), [Sim, Model];
        /// Prefetches the next line while a line runs: straight code then reaches `cycles_per_instruction`.
        prefetches: bool, "yes/no", ANY, [Sim, Model];
        l15_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Lines that the first level requests ahead of one that it lacks.
        prefetch_lines: u32, "lines", (0.0, 64.0), [Sim, Model];
        /// Most lines in flight to the first level; 0: unlimited.
        lines_in_flight: u32, "lines", (0.0, 1024.0), [Sim];
        /// Second-level caches of the chip, which the multiprocessors share.
        n_l15: u32, "caches", (1.0, 1024.0), [Sim, Model];
        /// Bytes per cycle that each of them supplies; 0: unlimited.
        l15_bytes_per_cycle: u32, "bytes/cycle", (0.0, 4096.0), [Sim, Model];
        l2_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
    }

    /// Constant memory.
    constant_cache: ConstantCache {
        l1_latency_cycles: u32, "cycles", CYCLES, [Sim, Model];
        /// Lanes among which one address is served at a time; 0 if repetitions are not counted.
        lanes_together: u32, "lanes", (0.0, 32.0), [Sim];
    }

    /// Host computer: cost of a generation besides its kernel. All zero if measured times cover kernels alone.
    host: Host {
        /// Time from the call to the kernel's start, plus the time from its end to the caller's notification.
        launch_microseconds: f64, "us", HOST_TIME, [Host];
        /// Cost of a transfer besides its bytes.
        copy_microseconds: f64, "us", HOST_TIME, [Host];
        upload_ns_per_byte: f64, "ns/byte", HOST_TIME, [Host];
        download_ns_per_byte: f64, "ns/byte", HOST_TIME, [Host];
        /// Cost of adding up the threads' sums of a program.
        sum_ns_per_value: f64, "ns/value", HOST_TIME, [Host];
        /// Cost of selection, crossover, mutation and lowering to the kernel's words.
        breeding_ns_per_node: f64, "ns/node", HOST_TIME, [Host];
    }
}
