//! A token of a few instructions on the multiprocessor of round numbers, worked out by hand.

use super::*;
use crate::isa::{OpClass, Space, TimingOp};
use crate::launch::cause::Cause;
use crate::launch::testing::{self, alu, load, looped, spec, store, use_of_load};

/// 35 cycles for the stack and 200 for the fitness case, each with the instruction that uses it.
const ALONE_CYCLES: f64 = 237.0;

fn loads() -> Vec<TimingOp> {
    vec![
        load(Space::Local, 4),
        use_of_load(),
        load(Space::Global, 4),
        use_of_load(),
    ]
}

/// One block of the only program, which reads one row.
pub(super) fn inputs(code: &ReplayCode) -> Inputs<'_> {
    Inputs {
        code,
        prologues: &[(0, 1.0)],
        empty_block: None,
        sample: &[0],
        rows_per_program: &[1],
        rows: 1,
        stack_dim: 1,
    }
}

/// Single-warp blocks, whose stacks lie in neighbouring sets.
fn geometry(blocks: u32, iterations: u32) -> Geometry {
    Geometry {
        fitness_cases: 32 * iterations,
        programs: 1000,
        resident_blocks: blocks,
        local_stride_bytes: 4096 + 128,
        ..testing::geometry()
    }
}

fn solved(spec: &SmxSpec, code: &ReplayCode, geometry: Geometry) -> Steady {
    let point = Point {
        spec,
        geometry,
        partial_residencies: &[],
    };
    Solver::new(&point, &Analysis::new(&inputs(code))).solve(geometry.resident_blocks)
}

fn near(found: f64, expected: f64) {
    assert!(
        (found / expected - 1.0).abs() < 1e-4,
        "{found} for {expected}"
    );
}

#[test]
fn a_warp_alone_takes_its_path() {
    let steady = solved(&spec(), &looped(&loads()), geometry(1, 1));
    near(1.0 / steady.tokens_per_cycle, ALONE_CYCLES);
    // Four schedulers: idle cycles are the two loads' waits, a cycle of each hidden behind its own issue.
    let idle = 4.0 * ALONE_CYCLES - 4.0;
    near(steady.cpi_stack[Cause::Issued as usize], 4.0);
    near(steady.cpi_stack[Cause::L1Hit as usize], idle * 34.0 / 233.0);
    near(
        steady.cpi_stack[Cause::Global as usize],
        idle * 199.0 / 233.0,
    );
    near(steady.cpi_stack.iter().sum(), 4.0 * ALONE_CYCLES);
}

/// A prologue of the same instructions, and 100 cycles before a block starts: a tenth of them for each of ten iterations.
#[test]
fn a_token_has_its_part_of_the_prologue() {
    let mut code = looped(&loads());
    code.programs[0].prologue = code.programs[0].steady.clone();
    let mut spec = spec();
    spec.device.chip.block_cycles = 100;
    let steady = solved(&spec, &code, geometry(1, 10));
    near(1.0 / steady.tokens_per_cycle, 1.1 * ALONE_CYCLES + 10.0);
    let stack = steady.cpi_stack;
    near(stack[Cause::Issued as usize], 4.4);
    let waits = |cause: Cause| stack[cause as usize] / stack[Cause::L1Hit as usize];
    near(waits(Cause::Global), 199.0 / 34.0);
    near(waits(Cause::Wait), 10.0 / (1.1 * 34.0));
}

/// The unit passes 128 bytes of a fitness case in 16 cycles: 64 warps queue for it.
#[test]
fn a_wait_for_the_unit_is_no_part_of_the_latencies_behind_it() {
    let mut spec = spec();
    spec.device.load_store.return_bytes_per_cycle = 8;
    let steady = solved(&spec, &looped(&loads()), geometry(64, 1));
    near(steady.tokens_per_cycle * steady.time.cycles(), 64.0);
    let (time, stack) = (steady.time, steady.cpi_stack);
    let unit = time.unit_wait_cycles;
    assert!(
        steady.tokens_per_cycle > 0.9 / 17.0 && unit > 200.0,
        "{steady:?}"
    );
    let waits = |cause: Cause| stack[cause as usize] / stack[Cause::LoadStoreUnit as usize];
    near(
        waits(Cause::Global),
        (time.latencies.global_cycles - unit - 1.0) / (2.0 * unit),
    );
    near(waits(Cause::L1Hit), 34.0 / (2.0 * unit));
    near(stack.iter().sum(), 4.0 / steady.tokens_per_cycle);
}

/// Each line takes the write port for four cycles; a warp waits for nothing else.
#[test]
fn what_stores_wait_for_is_the_unit() {
    let mut spec = spec();
    spec.device.l1.write_back = false;
    let steady = solved(&spec, &looped(&[store(Space::Local, 4)]), geometry(64, 1));
    assert!(
        (0.24..=0.25).contains(&steady.tokens_per_cycle),
        "{steady:?}"
    );
    let idle = 4.0 / steady.tokens_per_cycle - 1.0;
    assert!(
        steady.cpi_stack[Cause::LoadStoreUnit as usize] > 0.95 * idle,
        "{steady:?}"
    );
}

#[test]
fn more_than_four_instructions_a_cycle_do_not_issue() {
    let steady = solved(
        &spec(),
        &looped(&vec![alu(OpClass::Nop, 1); 10]),
        geometry(64, 1),
    );
    // 16 warps of each scheduler for ten slots of a token.
    assert!(
        (0.38..=0.4).contains(&steady.tokens_per_cycle),
        "{steady:?}"
    );
    assert!(steady.time.issue_wait_cycles > 140.0);
    near(steady.cpi_stack.iter().sum(), 4.0 / steady.tokens_per_cycle);
}

/// With one line per warp, an L1 of four lines and an L2 of sixteen, nearly all lines come from the DRAM, neighbours together.
#[test]
fn what_no_cache_holds_is_missing_with_its_neighbours() {
    let mut spec = spec();
    (spec.l1.sets, spec.l2.sets) = (1, 1);
    let mut ops = vec![store(Space::Local, 4), load(Space::Local, 4), use_of_load()];
    ops.extend(vec![alu(OpClass::Fp32, 1); 29]);
    let mut code = looped(&ops);
    code.ops[1].address = code.ops[0].address;
    let traffic = solved(&spec, &code, geometry(64, 1)).traffic;
    near(traffic.store_misses, 1.0);
    assert!(traffic.fill_l2_hit < 0.5, "{traffic:?}");
    assert!((0.5..=1.0).contains(&traffic.paired_l2_miss), "{traffic:?}");
    near(traffic.warps, 64.0);
    spec.device.l1.write_back = false;
    assert_eq!(
        solved(&spec, &code, geometry(64, 1)).traffic.write_backs,
        0.0
    );
}

/// The second of two loads of a row follows half an iteration after the first; the first follows a whole iteration after the
/// previous one, with all other accesses in between.
#[test]
fn a_row_that_is_read_twice_is_looked_up_in_the_l2_again() {
    let mut spec = spec();
    spec.l2.sets = 1;
    let mut ops = loads();
    ops.extend([load(Space::Global, 4), use_of_load()]);
    let found = solved(&spec, &looped(&ops), geometry(1, 32)).traffic;
    let time = found.survival_log2.exp2();
    let hit = |after: f64| 1.0 - (-time / after).exp();
    // 32 lines of cases, one of them loaded in six instructions.
    near(found.case_l2_hit, 0.5 * (hit(3.0) + hit(6.0 * 32.0)));
    assert!(hit(3.0) > 0.99 && hit(192.0) < 0.7, "{found:?}");
}

#[test]
fn what_is_sent_are_stored_bytes_and_requests() {
    let mut spec = spec();
    spec.device.l2.request_bytes = 32;
    let code = looped(&[
        store(Space::Local, 4),
        store(Space::Global, 4),
        load(Space::Global, 4),
    ]);
    let traffic = Traffic {
        load_misses: 0.25,
        store_misses: 0.5,
        write_backs: 0.5,
        ..Traffic::default()
    };
    let analysis = Analysis::new(&inputs(&code));
    let sent = |spec: &SmxSpec| {
        let point = Point {
            spec,
            geometry: geometry(1, 1),
            partial_residencies: &[],
        };
        sent_bytes(&point, &analysis, &traffic)
    };
    // Half a line and a line; requests for three quarters of a line and a line.
    assert_eq!(sent(&spec), 192.0 + 1.75 * 32.0);
    spec.device.l1.write_back = false;
    spec.device.l1.fetch_on_write_miss = false;
    assert_eq!(sent(&spec), 256.0 + 1.25 * 32.0);
}
