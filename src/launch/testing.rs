//! A multiprocessor with round numbers, and hand-written code for it: the bench that unit and fidelity
//! tests run on. Not a device: every value is chosen so that expected cycles can be worked out by hand.

use super::code::ReplayCode;
use super::geometry::Geometry;
use super::spec::{Arbitration, Pipe, Replacement, SetIndex, SmxSpec, WarpPolicy};
use crate::device::{IndexHash, Preset};
use crate::isa::{Access, OpClass, Space, TimingOp};
use crate::trace::{AddressKind, ProgramTrace, SegmentId, SegmentPool, TraceOp};

/// The round-number multiprocessor: alone with an L2 and a DRAM, of Kepler's shape.
pub fn spec() -> SmxSpec {
    let mut device = Preset::load("gtx670").expect("a preset").device;
    let chip = &mut device.chip;
    (chip.n_smx, chip.clock_mhz) = (1, 1000.0);
    let issue = &mut device.issue;
    issue.warp_policy = WarpPolicy::LooseRoundRobin;
    issue.instructions_per_cycle = u32::from(u8::MAX);
    (issue.n_register_banks, issue.replays_take_issue_slots) = (0, false);
    let (pipes, lanes) = (&mut device.pipes, &mut device.throughput);
    (pipes.special_register, pipes.constant_load) = (Pipe::IssueOnly, Pipe::IssueOnly);
    for full_rate in [
        &mut lanes.fp32_lanes_per_cycle,
        &mut lanes.int_add_lanes_per_cycle,
        &mut lanes.logic_lanes_per_cycle,
        &mut lanes.compare_lanes_per_cycle,
    ] {
        *full_rate = 192.0;
    }
    device.latency.barrier_cycles = 0;
    lanes.barrier_lanes_per_cycle = f64::INFINITY;
    let unit = &mut device.load_store;
    (unit.queue_cycles, unit.store_bytes_per_cycle) = (8, 128);
    (unit.return_bytes_per_cycle, unit.fill_bytes_per_cycle) = (0, 0);
    (
        unit.l1_misses_in_flight,
        unit.global_loads_in_flight_per_warp,
    ) = (64, 8);
    unit.arbitration = Arbitration::FixedOrder;
    let l1 = &mut device.l1;
    (l1.replacement, l1.index_hash) = (Replacement::Lru, IndexHash::Linear);
    l1.fetch_on_write_miss = true;
    let l2 = &mut device.l2;
    (l2.bytes, l2.usable_fraction) = (128 * 1024, 1.0);
    (l2.replacement, l2.port_efficiency) = (Replacement::Lru, 1.0);
    let dram = &mut device.dram;
    (dram.bandwidth_gb_per_s, dram.efficiency) = (16.0, 1.0);
    dram.activation_interval_ns = 0.0;
    let code = &mut device.instruction_cache;
    (code.instructions_per_group, code.group_bytes) = (1, 16);
    (code.line_bytes, code.prefetches) = (64, false);
    (code.l15_latency_cycles, code.l2_latency_cycles) = (20, 50);
    let mut spec = SmxSpec::new(&device, 16 * 1024).expect("a valid device");
    spec.l2.index = SetIndex::Linear;
    spec.dram.open_pages = 1;
    spec
}

/// Returns the round-number multiprocessor after `change`.
pub fn spec_with(change: impl FnOnce(&mut SmxSpec)) -> SmxSpec {
    let mut spec = spec();
    change(&mut spec);
    spec
}

/// An arithmetic instruction.
pub fn alu(class: OpClass, stall_cycles: u8) -> TimingOp {
    TimingOp {
        class,
        access: None,
        reads: vec![],
        writes: vec![],
        pred_reads: 0,
        pred_writes: 0,
        stall_cycles,
        dual_with_next: false,
        pc_bytes: 0,
        redirects: false,
        indirect: false,
        barriers: crate::isa::Barriers::default(),
    }
}

/// An arithmetic instruction that issues together with the next one.
pub fn paired(class: OpClass) -> TimingOp {
    TimingOp {
        dual_with_next: true,
        ..alu(class, 0)
    }
}

/// A load of `bytes_per_lane` into register 10.
pub fn load(space: Space, bytes_per_lane: u8) -> TimingOp {
    load_to(10, space, bytes_per_lane)
}

/// A load of `bytes_per_lane` into `register`.
pub fn load_to(register: u8, space: Space, bytes_per_lane: u8) -> TimingOp {
    TimingOp {
        access: Some(Access {
            space,
            bytes_per_lane,
            store: false,
        }),
        writes: vec![register],
        ..alu(OpClass::Memory, 1)
    }
}

/// A store of `bytes_per_lane`.
pub fn store(space: Space, bytes_per_lane: u8) -> TimingOp {
    TimingOp {
        access: Some(Access {
            space,
            bytes_per_lane,
            store: true,
        }),
        ..alu(OpClass::Memory, 1)
    }
}

/// An instruction that reads register 10.
pub fn use_of_load() -> TimingOp {
    TimingOp {
        reads: vec![10],
        ..alu(OpClass::Fp32, 1)
    }
}

/// A program whose every token executes all of `timing` once; memory operands at local word `i`.
pub fn looped(timing: &[TimingOp]) -> ReplayCode {
    let ops = timing
        .iter()
        .enumerate()
        .map(|(i, op)| trace_op(i, op))
        .collect::<Vec<_>>();
    let pool = SegmentPool {
        starts: vec![0, ops.len() as u32],
        others_end: None,
        ops,
    };
    let token = vec![SegmentId(0)];
    let program = ProgramTrace {
        prologue: vec![],
        only: token.clone(),
        first: token.clone(),
        steady: token.clone(),
        last: token,
        nodes: 1,
        assumptions: 0,
    };
    ReplayCode::new(timing, &pool, &[program])
}

fn trace_op(index: usize, op: &TimingOp) -> TraceOp {
    let address_kind = match op.access {
        None => AddressKind::None,
        Some(access) => match access.space {
            Space::Local => AddressKind::Local,
            Space::Shared => AddressKind::Uniform,
            Space::Global => AddressKind::PerCase,
        },
    };
    TraceOp {
        inst: index as u16,
        address_kind,
        warp_lines: 1,
        address: 4 * index as u32,
    }
}

/// Returns looped code with every instruction at its own address, 16 bytes apart.
pub fn placed(timing: &[TimingOp]) -> ReplayCode {
    let mut code = looped(timing);
    for (op, n) in code.ops.iter_mut().zip(0..) {
        op.pc_bytes = 16 * n;
    }
    code
}

/// One multiprocessor, and one block of one warp with one pass over the fitness cases.
pub fn geometry() -> Geometry {
    Geometry {
        threads_per_block: 32,
        stack_dim: 1,
        fitness_cases: 32,
        programs: 1,
        case_blocks: 1,
        resident_blocks: 1,
        n_smx: 1,
        local_stride_bytes: 4096,
    }
}
