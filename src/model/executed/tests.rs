//! Warps of a few instructions on the multiprocessor of round numbers, worked out by hand.

use super::*;
use crate::isa::{OpClass, Space, TimingOp};
use crate::launch::cause::Cause;
use crate::launch::code::Part;
use crate::launch::spec::{BarrierTiming, DependenceTracking, DramSpec, N_CLASSES};
use crate::launch::testing::{alu, geometry, load, load_to, placed, spec, store, use_of_load};
use crate::trace::AddressKind;
use walk::{DRAM, ISSUE, PAGES, PIPES, READ_PORT, Service, UNIT, WRITE_PORT};

fn alone(spec: &SmxSpec, code: &ReplayCode) -> Alone {
    let modelled = Modelled::new(spec, code, &geometry(), &[0], 1);
    modelled.warps.into_iter().next().expect("one warp")
}

/// Builds stalls from cycles by cause.
fn stalls(causes: &[(Cause, f64)]) -> [f64; N_CAUSES] {
    let mut stalls = [0.0; N_CAUSES];
    for (cause, cycles) in causes {
        stalls[*cause as usize] = *cycles;
    }
    stalls
}

fn service(cycles: f64, squares: f64, waits: f64) -> Service {
    Service {
        cycles,
        squares,
        waits,
    }
}

/// A line of 128 bytes is 8 cycles of the DRAM at 16 bytes a cycle, 4 of the read port at 32; the latency is 200 cycles to the
/// L2 and 100 more to the DRAM.
#[test]
fn the_first_load_comes_from_the_dram_and_the_next_from_the_l1() {
    let mut code = placed(&[load(Space::Local, 4), use_of_load()]);
    let first = alone(&spec(), &code);
    // Loaded at 0, the last part 7 cycles later, there at 307; the use issues then and takes one cycle.
    assert_eq!(first.cycles, 308.0);
    assert_eq!(first.stalls, stalls(&[(Cause::Dram, 306.0)]));
    assert_eq!(first.services[UNIT], service(1.0, 1.0, 1.0));
    assert_eq!(first.services[READ_PORT], service(4.0, 16.0, 1.0));
    assert_eq!(first.services[WRITE_PORT], service(0.0, 0.0, 0.0));
    assert_eq!(first.services[DRAM], service(8.0, 64.0, 1.0));
    assert_eq!(first.services[ISSUE], service(2.0, 2.0, 2.0));
    assert_eq!(first.memory_instructions, 1.0);
    let traffic = Traffic {
        load_lines: 1.0,
        l2_lines: 1.0,
        read_bytes: 128.0,
        dram_read_bytes: 128.0,
        ..Traffic::default()
    };
    assert_eq!(first.traffic, traffic);

    code = placed(&[
        load(Space::Local, 4),
        use_of_load(),
        load(Space::Local, 4),
        use_of_load(),
    ]);
    code.ops[2].address = code.ops[0].address;
    let both = alone(&spec(), &code);
    // 35 cycles from the L1, and one for the last use.
    assert_eq!(both.cycles, 308.0 + 35.0 + 1.0);
    let waits = [(Cause::Dram, 306.0), (Cause::L1Hit, 34.0)];
    assert_eq!(both.stalls, stalls(&waits));
    assert_eq!(both.services[UNIT], service(2.0, 2.0, 2.0));
    assert_eq!(both.services[READ_PORT], service(4.0, 16.0, 1.0));
    assert_eq!(
        (both.traffic.load_lines, both.traffic.load_hits),
        (2.0, 1.0)
    );
    assert_eq!(both.traffic.l2_lines, 1.0);
}

/// Two loads by one static instruction, whose lines hit with probability one half.
#[test]
fn a_load_takes_the_mean_of_what_its_instruction_finds() {
    let once = [load(Space::Local, 4), use_of_load()];
    let mut code = placed(&[once.clone(), once].concat());
    code.ops[2].address = code.ops[0].address;
    code.ops[2].pc_bytes = code.ops[0].pc_bytes;
    let warp = alone(&spec(), &code);
    // 4 cycles of the DRAM and half of the way from 35 to 300, and one for the use.
    assert_eq!(warp.cycles, 2.0 * (3.0 + 167.5 + 1.0));
    assert_eq!(warp.stalls, stalls(&[(Cause::L1Hit, 2.0 * 169.5)]));
    assert_eq!(warp.services[READ_PORT], service(4.0, 8.0, 1.0));
    assert_eq!((warp.traffic.load_hits, warp.traffic.l2_lines), (1.0, 1.0));
    assert_eq!(
        (warp.traffic.read_bytes, warp.traffic.dram_read_bytes),
        (128.0, 128.0)
    );
}

#[test]
fn loads_follow_each_other_at_the_pace_of_the_slowest() {
    let mut of_second = use_of_load();
    of_second.reads = vec![11];
    let ops = [
        load(Space::Local, 4),
        load_to(11, Space::Local, 4),
        of_second,
    ];
    // The second starts when the DRAM is done with the first.
    assert_eq!(alone(&spec(), &placed(&ops)).cycles, 8.0 + 307.0 + 1.0);
}

#[test]
fn operands_are_read_in_the_units_turn() {
    let spec = SmxSpec {
        dependences: DependenceTracking::Barriers(BarrierTiming {
            result_cycles: [4; N_CLASSES],
            operand_cycles: 20,
        }),
        ..spec()
    };
    let mut code = placed(&[
        alu(OpClass::Nop, 1),
        store(Space::Local, 4),
        alu(OpClass::Nop, 1),
    ]);
    for op in &mut code.ops {
        (op.registers, op.result_targets) = (0, 0);
    }
    assert_eq!(alone(&spec, &code).cycles, 3.0, "nothing is awaited");
    code.ops[1].read_targets = 1;
    code.ops[2].registers = 1;
    let warp = alone(&spec, &code);
    // Stored at 1: a cycle in, one out, 20 to read the operands.
    assert_eq!(warp.cycles, 1.0 + 2.0 + 20.0 + 1.0);
    assert_eq!(warp.stalls, stalls(&[(Cause::LoadStoreUnit, 21.0)]));
}

/// Awaiting arithmetic works alike with an operand scoreboard and a result scoreboard.
#[test]
fn arithmetic_is_awaited_by_either_scoreboard() {
    let spec = SmxSpec {
        dependences: DependenceTracking::Barriers(BarrierTiming {
            result_cycles: [12; N_CLASSES],
            operand_cycles: 20,
        }),
        ..spec()
    };
    let mut code = placed(&[alu(OpClass::Sfu, 1), alu(OpClass::Fp32, 1)]);
    let mut cycles = |result: u64, read: u8| {
        (code.ops[0].result_targets, code.ops[0].read_targets) = (result, read);
        code.ops[1].registers = 3;
        let warp = alone(&spec, &code);
        assert_eq!(warp.cycles - 2.0, warp.stalls.iter().sum::<f64>());
        warp.cycles
    };
    assert_eq!(cycles(0, 0), 2.0, "nothing is awaited");
    assert_eq!(cycles(1, 0), 13.0);
    assert_eq!(cycles(0, 2), 13.0);
}

#[test]
fn requests_for_lines_take_of_the_write_port_where_they_have_a_size() {
    let mut spec = spec();
    spec.l2_request_bytes = 16;
    spec.fill_bytes_per_cycle = 64;
    let warp = alone(&spec, &placed(&[load(Space::Local, 4), use_of_load()]));
    assert_eq!(warp.services[WRITE_PORT], service(0.5, 0.25, 1.0));
    // One line in, and 128 bytes back at 64 a cycle.
    assert_eq!(warp.services[UNIT], service(3.0, 9.0, 1.0));
}

#[test]
fn a_machine_without_caches_loads_everything_from_the_dram() {
    let mut spec = spec();
    (spec.l1_caches_local, spec.has_l2) = (false, false);
    let mut code = placed(&[load(Space::Local, 4), load(Space::Local, 4)]);
    code.ops[1].address = code.ops[0].address;
    let warp = alone(&spec, &code);
    assert_eq!(warp.traffic.dram_read_bytes, 256.0);
    assert_eq!((warp.traffic.l2_hits, warp.traffic.load_hits), (0.0, 0.0));
    let stored = alone(&spec, &placed(&[store(Space::Local, 4)]));
    assert_eq!(stored.traffic.dram_written_bytes, 128.0);
    assert_eq!(stored.services[DRAM].cycles, 8.0);
    assert_eq!(stored.services[UNIT].cycles, 1.0);
}

#[test]
fn a_stored_line_goes_to_the_l2_at_once_or_when_another_takes_its_place() {
    let code = placed(&[store(Space::Local, 4)]);
    let mut spec = spec();
    spec.store_cycles_per_line = 3;
    let back = alone(&spec, &code);
    // In and out again.
    assert_eq!(back.services[UNIT], service(6.0, 36.0, 0.0));
    assert_eq!(back.services[WRITE_PORT], service(4.0, 16.0, 0.0));
    assert_eq!(
        (back.traffic.store_lines, back.traffic.store_hits),
        (1.0, 0.0)
    );
    assert_eq!(
        (back.traffic.written_bytes, back.traffic.dram_written_bytes),
        (128.0, 0.0)
    );

    let mut twice = placed(&[store(Space::Local, 4), store(Space::Local, 4)]);
    twice.ops[1].address = twice.ops[0].address;
    let back = alone(&spec, &twice);
    assert_eq!(
        (back.traffic.store_hits, back.traffic.written_bytes),
        (1.0, 128.0)
    );
    spec.l1_write_through = true;
    let through = alone(&spec, &twice);
    assert_eq!(through.services[UNIT], service(6.0, 18.0, 0.0));
    assert_eq!(
        (through.traffic.store_hits, through.traffic.written_bytes),
        (1.0, 256.0)
    );
    // A global store is written whatever the L1 does.
    let global = alone(&spec, &placed(&[store(Space::Global, 8)]));
    assert_eq!(global.traffic.written_bytes, 256.0);
    assert_eq!(global.services[UNIT], service(6.0, 36.0, 0.0));
}

#[test]
fn a_global_load_of_data_that_the_host_just_wrote_comes_from_the_l2() {
    let mut spec = spec();
    spec.l2_holds_data = true;
    let warp = alone(&spec, &placed(&[load(Space::Global, 4), use_of_load()]));
    // 4 cycles of the read port, 200 to the L2.
    assert_eq!(warp.cycles, 3.0 + 200.0 + 1.0);
    assert_eq!(warp.stalls, stalls(&[(Cause::Global, 202.0)]));
    assert_eq!(warp.services[DRAM], service(0.0, 0.0, 0.0));
    assert_eq!(warp.services[READ_PORT], service(4.0, 16.0, 1.0));
    assert_eq!((warp.traffic.l2_lines, warp.traffic.l2_hits), (1.0, 1.0));

    // With a limit of one global load per warp, a second one waits until the first is back.
    spec.global_loads_in_flight_per_warp = 1;
    let two = [load_to(10, Space::Global, 4), load_to(11, Space::Global, 4)];
    let warp = alone(&spec, &placed(&two));
    assert_eq!(warp.cycles, 200.0 + 1.0);
    assert_eq!(warp.stalls, stalls(&[(Cause::Global, 199.0)]));
    assert_eq!(warp.memory_instructions, 2.0);

    spec.l1_caches_global_loads = true;
    let mut again = placed(&two);
    again.ops[1].address = again.ops[0].address;
    let warp = alone(&spec, &again);
    assert_eq!(
        (warp.services[READ_PORT].cycles, warp.traffic.read_bytes),
        (4.0, 128.0)
    );
    assert_eq!(warp.services[UNIT], service(2.0, 2.0, 0.0));
}

#[test]
fn shared_memory_has_a_latency_and_takes_the_unit() {
    let mut spec = spec();
    spec.shared_access_cycles = 5;
    let warp = alone(&spec, &placed(&[load(Space::Shared, 4), use_of_load()]));
    assert_eq!(warp.cycles, 4.0 + 26.0 + 1.0);
    assert_eq!(warp.stalls, stalls(&[(Cause::Shared, 29.0)]));
    assert_eq!(warp.services[UNIT], service(5.0, 25.0, 1.0));
    spec.unit_is_unlimited = true;
    let warp = alone(&spec, &placed(&[load(Space::Shared, 4), use_of_load()]));
    assert_eq!((warp.cycles, warp.services[UNIT].cycles), (27.0, 0.0));
}

#[test]
fn stall_counts_and_branches_are_told_apart() {
    let branch = TimingOp {
        redirects: true,
        indirect: false,
        ..alu(OpClass::Control, 7)
    };
    let code = placed(&[alu(OpClass::Fp32, 5), branch, alu(OpClass::Sfu, 1)]);
    let warp = alone(&spec(), &code);
    assert_eq!(warp.cycles, 13.0);
    let waits = [(Cause::Wait, 4.0), (Cause::Branch, 6.0)];
    assert_eq!(warp.stalls, stalls(&waits));
    // Six of the four schedulers' warps start a cycle on the cores; a special function takes its pipe four cycles.
    let cores = warp.services[PIPES];
    assert!(
        (cores.cycles - 4.0 / 6.0).abs() < 1e-12 && cores.waits == 1.0,
        "{cores:?}"
    );
    let special = &warp.services[PIPES + 1..UNIT];
    let taken: Vec<_> = special.iter().filter(|pipe| pipe.waits > 0.0).collect();
    assert_eq!(taken, [&service(4.0, 16.0, 1.0)]);
}

/// Four lanes' sectors in three pages, as hand-made parts.
fn scattered() -> ReplayCode {
    let mut code = placed(&[load(Space::Global, 4), use_of_load()]);
    code.ops[0].address_kind = AddressKind::Scattered;
    code.ops[0].address = 0;
    let part = |address: u32| Part {
        kind: AddressKind::Segment,
        address,
        quarters: 1,
    };
    let parts = [0, 128, 256, 512].map(part);
    code.with_scattered(parts.to_vec(), &[0, 4])
}

fn queued(spec: SmxSpec) -> SmxSpec {
    SmxSpec {
        dram: DramSpec {
            queue_requests: 2,
            activation_cycles: 10.0,
            ..spec.dram
        },
        uncoalesced_cycles: 5,
        ..spec
    }
}

#[test]
fn lanes_that_are_no_neighbours_take_the_unit_and_open_pages_one_by_one() {
    let warp = alone(&queued(spec()), &scattered());
    // A cycle and five for each part; 32 bytes of each.
    assert_eq!(warp.services[UNIT], service(24.0, 576.0, 1.0));
    assert_eq!(warp.services[READ_PORT], service(4.0, 16.0, 1.0));
    assert_eq!(warp.services[DRAM], service(8.0, 64.0, 1.0));
    // Each of three pages is open if one of the last two requests needed it: 1 - (2/3)^2.
    let opened = 3.0 * (4.0 / 9.0) * 10.0;
    let pages = warp.services[PAGES];
    assert!((pages.cycles - opened).abs() < 1e-9, "{pages:?}");
    assert_eq!(warp.traffic.dram_read_bytes, 128.0);
    // The unit is the slowest: 23 cycles to the last part.
    assert_eq!(warp.cycles, 23.0 + 300.0 + 1.0);
}

#[test]
fn neighbours_share_the_page_that_they_open() {
    let warp = alone(&queued(spec()), &placed(&[load(Space::Local, 4)]));
    // Half of the 256 bytes that lie in one partition; the queue's other request is for the same page.
    assert_eq!(warp.services[PAGES].cycles, 0.0);
    let two = [load_to(10, Space::Local, 4), load_to(11, Space::Local, 4)];
    let mut code = placed(&two);
    code.ops[1].address = 8;
    let warp = alone(&queued(spec()), &code);
    // Two pages: with (1/2)^2 neither request of the queue is for this one.
    assert_eq!(warp.services[PAGES].cycles, 2.0 * 0.5 * 0.25 * 10.0);
}

/// A warp's stack follows that of the one before: word 16 of the first and the first word of the second share a page.
#[test]
fn pages_of_a_block_are_those_of_all_its_warps() {
    let spec = queued(spec());
    let mut code = placed(&[load(Space::Local, 4)]);
    let mut second = code.ops[0];
    code.ops[0].address = 64;
    second.address = 0;
    code.ops.push(second);
    code.segments.push((1, 2));
    code.lists.push(code.segments.len() as u32 - 1);
    let mut program = code.programs[0].clone();
    let list = code.lists.len() as u32;
    program.only = list - 1..list;
    code.programs.push(program);
    let asked = |stride: u32| {
        let geometry = Geometry {
            threads_per_block: 64,
            local_stride_bytes: stride,
            ..geometry()
        };
        pages::asked_for(&code, &spec, &geometry, &[0], 1)
    };
    assert_eq!(asked(2048), 1.0, "one page");
    assert_eq!(asked(8192), 1.0 - 0.25, "two pages");
    let without = SmxSpec {
        dram: DramSpec {
            queue_requests: 0,
            ..spec.dram.clone()
        },
        ..spec.clone()
    };
    assert_eq!(pages::asked_for(&code, &without, &geometry(), &[0], 1), 0.0);
}

/// A warp of `cycles` alone that occupies the load/store unit for `part` of them in one-cycle requests and waits for the DRAM
/// as long.
fn warp(cycles: f64, part: f64) -> Alone {
    let taken = cycles * part;
    let mut services = [Service::default(); walk::N_SERVERS];
    services[UNIT] = service(taken, taken, taken);
    services[ISSUE] = service(0.4 * cycles, 0.4 * cycles, 0.0);
    Alone {
        cycles,
        stalls: stalls(&[(Cause::Dram, 0.6 * cycles)]),
        services,
        memory_instructions: taken,
        traffic: Traffic::default(),
    }
}

fn ran(warps: &[Alone], places: usize) -> Ran {
    let blocks: Vec<&[Alone]> = warps.chunks(1).collect();
    sharing::run(&spec(), &blocks, places)
}

fn near(found: f64, expected: f64) {
    assert!(
        (found / expected - 1.0).abs() < 1e-5,
        "{found} for {expected}"
    );
}

/// Slowdown of two warps that take a fifth of the unit each: `s = 1 + 0.02 / (s - 0.2)`.
const SLOWDOWN_OF_TWO: f64 = 1.024_264_068_711_928_5;

#[test]
fn blocks_one_after_the_other_take_the_sum_and_leave_three_schedulers_empty() {
    let three = [warp(100.0, 0.2), warp(100.0, 0.2), warp(100.0, 0.2)];
    let ran = ran(&three, 1);
    near(ran.cycles, 300.0);
    near(ran.stack[Cause::NoWarp as usize], 900.0);
    near(ran.stack[Cause::Issued as usize], 120.0);
    near(ran.stack[Cause::Dram as usize], 180.0);
}

#[test]
fn two_together_wait_for_each_other_until_one_ends() {
    near(
        ran(&[warp(100.0, 0.2), warp(100.0, 0.2)], 2).cycles,
        100.0 * SLOWDOWN_OF_TWO,
    );
    let uneven = [warp(100.0, 0.2), warp(50.0, 0.2)];
    near(ran(&uneven, 2).cycles, 50.0 * SLOWDOWN_OF_TWO + 50.0);
    // A third takes the place of the first that ends.
    let three = [warp(100.0, 0.2), warp(50.0, 0.2), warp(50.0, 0.2)];
    let ran = ran(&three, 2);
    near(ran.cycles, 100.0 * SLOWDOWN_OF_TWO);
    near(ran.stack.iter().sum(), 400.0 * SLOWDOWN_OF_TWO);
    // Waits for the unit, in addition to each warp's own waits for the DRAM.
    let waits = 100.0 * 2.0 * (SLOWDOWN_OF_TWO - 1.0);
    let of_both = ran.stack[Cause::LoadStoreUnit as usize] / ran.stack[Cause::Dram as usize];
    near(of_both, waits / 120.0);
}

#[test]
fn a_unit_that_is_always_taken_says_how_long_ten_take() {
    let ten: Vec<Alone> = (0..10).map(|_| warp(100.0, 0.5)).collect();
    near(ran(&ten, 10).cycles, 500.0);
}

#[test]
fn what_nobody_waits_for_holds_up_issue_once_it_is_behind_the_queue() {
    let mut one = warp(100.0, 0.2);
    one.services[UNIT].squares = 2000.0;
    one.services[UNIT].waits = 0.0;
    let unit_wait = |slowdown: f64| 50.0 * 0.2 / (slowdown - 0.2);
    // Two warps with 0.4 memory instructions a cycle, each 8 cycles less than the wait, but at most while the unit works for the other.
    let mut slowdown = 1.0f64;
    for _ in 0..200 {
        let waiting = (0.4 * (unit_wait(slowdown) - 8.0).max(0.0)).min(2.0 * 0.2);
        slowdown = 0.5 * (slowdown + 1.0 + waiting / 2.0);
    }
    near(ran(&[one.clone(), one], 2).cycles, 100.0 * slowdown);
}

#[test]
fn what_nobody_waits_for_costs_nothing_within_the_queue() {
    let mut one = warp(100.0, 0.2);
    one.services[UNIT].waits = 0.0;
    near(ran(&[one.clone(), one], 2).cycles, 100.0);
}

#[test]
fn a_scheduler_with_warps_is_never_empty() {
    let six: Vec<Alone> = (0..6).map(|_| warp(100.0, 0.01)).collect();
    let blocks: Vec<&[Alone]> = six.chunks(1).collect();
    for ran in [ran(&six, 6), sharing::steady(&spec(), &blocks, 6)] {
        assert_eq!(ran.stack[Cause::NoWarp as usize], 0.0);
    }
}

#[test]
fn a_multiprocessor_that_is_kept_full_takes_each_place_as_long_as_its_blocks() {
    let four: Vec<Alone> = (0..4).map(|_| warp(100.0, 0.2)).collect();
    let blocks: Vec<&[Alone]> = four.chunks(1).collect();
    let ran = sharing::steady(&spec(), &blocks, 2);
    near(ran.cycles, 200.0 * SLOWDOWN_OF_TWO);
    near(ran.stack[Cause::Issued as usize], 160.0);
    near(ran.stack[Cause::NoWarp as usize], 400.0 * SLOWDOWN_OF_TWO);
    let waits = 200.0 * 2.0 * (SLOWDOWN_OF_TWO - 1.0);
    let of_both = ran.stack[Cause::LoadStoreUnit as usize] / ran.stack[Cause::Dram as usize];
    near(of_both, waits / 240.0);
}
