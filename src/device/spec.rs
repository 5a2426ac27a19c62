//! The fields of a device preset: name, type, unit and allowed range, each stated once.
//!
//! Adding a field takes two lines: one here, one in each file under `fixtures/devices/`.
//! Every section becomes a plain struct for the models, and a struct of [`Quantity`] for the file.
//! Units: in the field names where there is one; the unit text is checked against the file.

use super::cache::{CacheGeometry, OnChipSplit};
use super::policy::{
    Arbitration, DefaultSplit, Dependencies, IndexHash, Pipe, Replacement, WarpPolicy,
};
use super::quantity::{ANY, Entry, FieldError, Quantity};
use serde::{Deserialize, Serialize};

macro_rules! section {
    ($(#[$doc:meta])* $name:ident, $file:ident, $section:literal {
        $( $(#[$field_doc:meta])* $field:ident: $ty:ty, $unit:literal, $allowed:expr; )*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub struct $name { $( $(#[$field_doc])* pub $field: $ty, )* }

        #[derive(Debug, Clone, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $file { $( $field: Quantity<$ty>, )* }

        impl $file {
            pub(super) fn plain(self, entries: &mut Vec<Entry>) -> Result<$name, FieldError> {
                Ok($name { $(
                    $field: self.$field.check($section, stringify!($field), $unit, $allowed, entries)?,
                )* })
            }
        }
    };
}

/// Range of sizes in bytes.
const SIZE: (f64, f64) = (1.0, 1.1e12);
/// Range of latencies in cycles.
const CYCLES: (f64, f64) = (0.0, 100_000.0);
/// Range of rates per cycle.
const RATE: (f64, f64) = (0.01, 1e6);
/// Range of times on the host.
const HOST_TIME: (f64, f64) = (0.0, 1e6);
/// Range of counts.
const COUNT: (f64, f64) = (1.0, 1e9);
/// Range of fractions.
const FRACTION: (f64, f64) = (0.01, 1.0);

section! {
    /// The chip as a whole.
    Chip, ChipFile, "chip" {
        n_smx: u32, "SMX", (1.0, 1024.0);
        n_gpc: u32, "GPC", (1.0, 1024.0);
        cores_per_smx: u32, "cores", (1.0, 4096.0);
        base_clock_mhz: f64, "MHz", (1.0, 10_000.0);
        boost_clock_mhz: f64, "MHz", (1.0, 10_000.0);
        /// The clock that predictions are made for.
        clock_mhz: f64, "MHz", (1.0, 10_000.0);
        memory_bytes: u64, "bytes", SIZE;
        constant_bank_bytes: u32, "bytes", SIZE;
    }
}

section! {
    /// What fits into one SMX, and the granularities of allocation.
    Limits, LimitsFile, "limits" {
        warp_lanes: u32, "lanes", (32.0, 32.0);
        threads_per_block: u32, "threads", (32.0, 1024.0);
        threads_per_smx: u32, "threads", (32.0, 4096.0);
        warps_per_smx: u32, "warps", (1.0, 128.0);
        blocks_per_smx: u32, "blocks", (1.0, 64.0);
        registers_per_smx: u32, "registers", COUNT;
        registers_per_thread: u32, "registers", (1.0, 255.0);
        /// Registers are given to a warp in multiples of this.
        register_unit: u32, "registers", COUNT;
        /// The register file is split among the schedulers; a warp's registers lie in one part.
        n_register_partitions: u32, "partitions", (1.0, 16.0);
        /// Warps per block are rounded up to this when asking whether a block fits at all.
        warp_granularity: u32, "warps", (1.0, 64.0);
        shared_bytes_per_block: u32, "bytes", SIZE;
        shared_unit_bytes: u32, "bytes", SIZE;
        /// Shared memory that the system takes from every block.
        shared_reserved_bytes_per_block: u32, "bytes", (0.0, 65_536.0);
        local_bytes_per_thread: u32, "bytes", SIZE;
        instructions_per_kernel: u32, "instructions", COUNT;
    }
}

section! {
    /// Warp schedulers and the pace of issue.
    Issue, IssueFile, "issue" {
        n_schedulers: u32, "schedulers", (1.0, 16.0);
        /// Independent instructions of one warp that a scheduler may issue in one cycle.
        n_dispatch: u32, "instructions", (1.0, 2.0);
        /// Least distance of two slow-pipe instructions (SFU, multiply, shift) of one warp.
        slow_pipe_spacing_cycles: u32, "cycles", CYCLES;
        /// Least distance of two memory instructions of one warp.
        memory_spacing_cycles: u32, "cycles", CYCLES;
        /// Least distance of a memory instruction from a store before it in the same warp.
        after_store_spacing_cycles: u32, "cycles", CYCLES;
        warp_policy: WarpPolicy, "policy", ANY;
        dependencies: Dependencies, "policy", ANY;
        /// Issue slots that a branch occupies, taken or not.
        branch_issue_slots: u32, "slots", (1.0, 16.0);
        /// Full-rate instructions that start in a cycle, over all schedulers.
        full_rate_per_cycle: u32, "instructions/cycle/SMX", (1.0, 64.0);
        /// Banks of a warp's registers; a register of each can be read in a cycle. 0: no instruction waits for its operands.
        n_register_banks: u32, "banks", (0.0, 64.0);
        /// Every further 128-byte line of a memory instruction takes an issue slot.
        replays_take_issue_slots: bool, "yes/no", ANY;
    }
}

section! {
    /// The load/store unit.
    LoadStore, LoadStoreFile, "load_store" {
        /// Cycles of work that may queue before further memory instructions are held at issue.
        queue_cycles: u32, "cycles", CYCLES;
        /// Stores of whole lines that may wait for the port to the L2 before the unit stops, where the L1 writes through.
        store_queue_lines: u32, "lines", (1.0, 4096.0);
        /// Stored lines and lines written back pass the unit at this rate.
        store_bytes_per_cycle: u32, "bytes/cycle/SMX", (1.0, 4096.0);
        /// What comes from the L2 passes the unit at this rate; 0 where it has a way of its own.
        return_bytes_per_cycle: u32, "bytes/cycle/SMX", (0.0, 4096.0);
        /// L1 misses that may be on their way from the L2 together.
        l1_misses_in_flight: u32, "misses", (1.0, 4096.0);
        /// Global loads that one warp may have on their way to the L2: each counts for the latency of an L2 hit.
        global_loads_in_flight_per_warp: u32, "loads", (1.0, 64.0);
        /// Who comes first where several schedulers ask in one cycle.
        arbitration: Arbitration, "policy", ANY;
    }
}

section! {
    /// From issue to the result's use, for what is not memory.
    Latency, LatencyFile, "latency" {
        alu_cycles: u32, "cycles", CYCLES;
        sfu_cycles: u32, "cycles", CYCLES;
        convert_cycles: u32, "cycles", CYCLES;
        predicate_cycles: u32, "cycles", CYCLES;
        carry_cycles: u32, "cycles", CYCLES;
        fp64_cycles: u32, "cycles", CYCLES;
        shuffle_cycles: u32, "cycles", CYCLES;
        special_register_cycles: u32, "cycles", CYCLES;
        /// From a taken branch to the warp's next issue; 0 where the compiler's stall count says it.
        taken_branch_cycles: u32, "cycles", CYCLES;
        /// A load waits at least this long by the compiler's own schedule.
        load_pace_cycles: u32, "cycles", CYCLES;
    }
}

section! {
    /// Where each class of instruction executes. Classes of one pipe wait for each other.
    Pipes, PipesFile, "pipes" {
        fp32: Pipe, "pipe", ANY;
        int_add: Pipe, "pipe", ANY;
        logic: Pipe, "pipe", ANY;
        compare: Pipe, "pipe", ANY;
        int_mul: Pipe, "pipe", ANY;
        shift: Pipe, "pipe", ANY;
        bitfield: Pipe, "pipe", ANY;
        sfu: Pipe, "pipe", ANY;
        convert: Pipe, "pipe", ANY;
        special_register: Pipe, "pipe", ANY;
        constant_load: Pipe, "pipe", ANY;
    }
}

section! {
    /// Results per cycle and SMX by class of instruction.
    Throughput, ThroughputFile, "throughput" {
        fp32_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        fp64_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        int_add_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        logic_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        compare_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        int_mul_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        shift_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        bitfield_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        sfu_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        convert_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        convert_narrow_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        convert_64bit_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        shuffle_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        special_register_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        load_store_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        constant_load_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        /// Branches and other control flow, and NOP.
        control_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE;
        barrier_threads_per_cycle: f64, "lanes/cycle/SMX", RATE;
    }
}

section! {
    /// Shared memory.
    Shared, SharedFile, "shared" {
        n_banks: u32, "banks", (1.0, 256.0);
        bank_bytes: u32, "bytes", (4.0, 8.0);
        bytes_per_cycle: u32, "bytes/cycle/SMX", RATE;
        latency_cycles: u32, "cycles", CYCLES;
    }
}

section! {
    /// The first-level data cache, which shares its memory with the shared memory.
    L1, L1File, "l1" {
        line_bytes: u32, "bytes", (32.0, 256.0);
        /// The ways of dividing the on-chip memory.
        splits: Vec<OnChipSplit>, "bytes", SIZE;
        /// The division of a launch that does not ask for one.
        default_split: DefaultSplit, "policy", ANY;
        /// Sets and ways for each L1 size of `splits`.
        geometry: Vec<CacheGeometry>, "sets x ways", (1.0, 1e7);
        replacement: Replacement, "policy", ANY;
        index_hash: IndexHash, "function", ANY;
        /// Address bits that the index hash folds into the low bits of the set number.
        index_hash_bits: Vec<u32>, "address bits", (0.0, 63.0);
        caches_global_loads: bool, "yes/no", ANY;
        write_back: bool, "yes/no", ANY;
        write_allocate: bool, "yes/no", ANY;
        fills_hold_lines: bool, "yes/no", ANY;
        fetch_on_write_miss: bool, "yes/no", ANY;
        hit_latency_cycles: u32, "cycles", CYCLES;
        lines_per_cycle: f64, "lines/cycle/SMX", RATE;
    }
}

section! {
    /// Local memory: how thread frames become addresses.
    Local, LocalFile, "local" {
        /// Consecutive words of this size belong to consecutive lanes.
        interleave_bytes: u32, "bytes", (1.0, 128.0);
        /// Frames belong to resident warp slots; this many per SMX.
        warp_slots_per_smx: u32, "warps", (1.0, 128.0);
        smx_rounding_bytes: u32, "bytes", SIZE;
        total_rounding_bytes: u32, "bytes", SIZE;
    }
}

section! {
    /// The second-level cache, shared by all SMX.
    L2, L2File, "l2" {
        bytes: u32, "bytes", SIZE;
        /// Part of it that holds a launch's data.
        usable_fraction: f64, "fraction", FRACTION;
        n_slices: u32, "slices", (1.0, 256.0);
        n_ways: u32, "ways", (1.0, 64.0);
        line_bytes: u32, "bytes", (32.0, 256.0);
        sector_bytes: u32, "bytes", (32.0, 256.0);
        replacement: Replacement, "policy", ANY;
        write_back: bool, "yes/no", ANY;
        hit_latency_cycles: u32, "cycles", CYCLES;
        /// Width of an SMX's port to the L2.
        port_bytes_per_cycle: f64, "bytes/cycle/SMX", RATE;
        /// The part of the port's width that measurements reach.
        port_efficiency: f64, "fraction", FRACTION;
        /// What the request for a line takes of the port for writes.
        request_bytes: u32, "bytes", (0.0, 128.0);
        /// Width of an SMX's port for writes.
        write_bytes_per_cycle: f64, "bytes/cycle/SMX", RATE;
    }
}

section! {
    /// Device memory.
    Dram, DramFile, "dram" {
        bandwidth_gb_per_s: f64, "GB/s", RATE;
        /// The part of the bandwidth that measurements reach.
        efficiency: f64, "fraction", FRACTION;
        latency_cycles: u32, "cycles", CYCLES;
        bus_bits: u32, "bits", (8.0, 65_536.0);
        /// Memory controllers, each with its own banks.
        n_partitions: u32, "partitions", (1.0, 1024.0);
        /// Banks of a partition: each holds one row open.
        n_banks: u32, "banks", (1.0, 1024.0);
        /// Neighbouring bytes that lie in one partition.
        interleave_bytes: u32, "bytes", (32.0, 65_536.0);
        /// Bytes of one partition that are open together: a page of a bank.
        page_bytes: u32, "bytes", (32.0, 65_536.0);
        /// Least time between two activations of rows in one partition.
        activation_interval_ns: f64, "ns", (0.0, 1000.0);
    }
}

section! {
    /// Instruction fetch.
    InstructionCache, InstructionCacheFile, "instruction_cache" {
        l1_bytes: u32, "bytes", SIZE;
        /// First-level caches of an SMX; neighbouring schedulers share one where there are fewer than schedulers.
        n_l1: u32, "caches", (1.0, 16.0);
        l15_bytes: u32, "bytes", SIZE;
        /// Issue interval of one warp running code that is resident in L1, L1.5, L2, DRAM.
        cycles_per_instruction: Vec<f64>, "cycles/instruction", (0.1, 1000.0);
        /// A control word precedes every group of this many instructions.
        instructions_per_group: u32, "instructions", (1.0, 64.0);
        group_bytes: u32, "bytes", (8.0, 1024.0);
        line_bytes: u32, "bytes", (8.0, 1024.0);
        /// The next line is on its way while a line runs: straight code is then as fast as `cycles_per_instruction` says.
        prefetches: bool, "yes/no", ANY;
        l15_latency_cycles: u32, "cycles", CYCLES;
        l2_latency_cycles: u32, "cycles", CYCLES;
    }
}

section! {
    /// Constant memory.
    ConstantCache, ConstantCacheFile, "constant_cache" {
        l1_bytes: u32, "bytes", SIZE;
        l1_line_bytes: u32, "bytes", SIZE;
        l1_ways: u32, "ways", (1.0, 64.0);
        l15_bytes: u32, "bytes", SIZE;
        l15_line_bytes: u32, "bytes", SIZE;
        /// A constant named as an instruction's operand, on a hit.
        operand_cycles: u32, "cycles", CYCLES;
        l1_latency_cycles: u32, "cycles", CYCLES;
        l15_latency_cycles: u32, "cycles", CYCLES;
        l2_latency_cycles: u32, "cycles", CYCLES;
    }
}

section! {
    /// Address translation.
    Tlb, TlbFile, "tlb" {
        l1_reach_bytes: u64, "bytes", SIZE;
        l1_entry_bytes: u64, "bytes", SIZE;
        l2_reach_bytes: u64, "bytes", SIZE;
        l2_entry_bytes: u64, "bytes", SIZE;
    }
}

section! {
    /// `__syncthreads`.
    Barrier, BarrierFile, "barrier" {
        /// From the last warp's arrival to the release.
        latency_cycles: u32, "cycles", CYCLES;
    }
}

section! {
    /// The computer that the card is in: what a generation costs besides its kernel. All zero where measured times are
    /// those of kernels alone.
    Host, HostFile, "host" {
        /// From the call to the kernel's start, and from its end to the caller's knowing.
        launch_microseconds: f64, "us", HOST_TIME;
        /// Cost of a transfer besides its bytes.
        copy_microseconds: f64, "us", HOST_TIME;
        upload_ns_per_byte: f64, "ns/byte", HOST_TIME;
        download_ns_per_byte: f64, "ns/byte", HOST_TIME;
        /// Adding up the threads' sums of a program.
        sum_ns_per_value: f64, "ns/value", HOST_TIME;
        /// Selection, crossover, mutation and lowering to the kernel's words.
        breeding_ns_per_node: f64, "ns/node", HOST_TIME;
    }
}
