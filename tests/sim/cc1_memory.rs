//! Do blocks that are executed lane by lane have the memory traffic and the time of compute capability 1.x?

use warpstack::device::{Device, Preset};
use warpstack::isa::Arch;
use warpstack::isa::{Access, OpClass, Space};
use warpstack::launch::CarveOut;
use warpstack::launch::executed::ExecutedCode;
use warpstack::launch::memory_rules::MemoryRules;
use warpstack::launch::placement::{DivergentGrid, Placement};
use warpstack::launch::spread::Spread;
use warpstack::systems::langdon::experiment::Experiment;
use warpstack::systems::langdon::kernel::{block, load, shared_bytes};
use warpstack::systems::langdon::population;
use warpstack::trace::AddressKind;

fn device(name: &str) -> Device {
    Preset::load(name).unwrap().device
}

fn moved(name: &str, space: Space, lanes: &[(usize, u64)]) -> u32 {
    let access = Access {
        space,
        bytes_per_lane: 4,
        store: false,
    };
    match MemoryRules::new(&device(name)).spread(access, lanes) {
        Spread::One(_) => panic!("{name}: not in segments"),
        Spread::Parts(parts) => parts.iter().map(|part| 32 * u32::from(part.quarters)).sum(),
    }
}

fn lanes(n: usize, address: impl Fn(u64) -> u64) -> Vec<(usize, u64)> {
    (0..n).map(|lane| (lane, address(lane as u64))).collect()
}

#[test]
fn one_address_is_32_bytes_for_every_lane_or_every_half_warp() {
    assert_eq!(moved("g80", Space::Global, &lanes(32, |_| 4096)), 32 * 32);
    assert_eq!(moved("gtx285", Space::Global, &lanes(32, |_| 4096)), 2 * 32);
}

#[test]
fn a_store_of_one_lane_to_local_memory_moves_32_bytes() {
    for name in ["gtx285", "gtx295", "t10p"] {
        assert_eq!(moved(name, Space::Local, &[(17, 8)]), 32, "{name}");
    }
    // In order, though all alone: the segment of its half-warp.
    assert_eq!(moved("g80", Space::Local, &[(17, 8)]), 64);
}

#[test]
fn later_machines_serve_warps() {
    for (name, mask_sectors) in [("gtx670", 0), ("h200", 1)] {
        let expected = MemoryRules {
            mask_sectors,
            ..MemoryRules::LINES
        };
        assert_eq!(MemoryRules::new(&device(name)), expected, "{name}");
    }
}

fn executed(name: &str, threads_per_program: u32) -> ExecutedCode {
    let kernel = load(threads_per_program, Arch::Sm35).unwrap();
    let programs: Vec<_> = (0..64 / threads_per_program)
        .map(|index| population::initial(index, 3))
        .collect();
    let tests = population::tests(Experiment::MUX20, 64, 3);
    let block = block(&kernel, &programs, &tests, 64).unwrap();
    ExecutedCode::on(&device(name), &kernel, &[block.execute().unwrap()]).unwrap()
}

#[test]
fn the_code_of_these_chips_is_longer_and_its_accesses_are_as_many() {
    let accesses = |code: &ExecutedCode| {
        let ops = code.code.ops.iter();
        ops.filter(|op| op.address_kind != AddressKind::None)
            .count()
    };
    for threads_per_program in [1, 32] {
        let own = executed("gtx295", threads_per_program);
        let literal = executed("gtx670", threads_per_program);
        assert!(own.code.ops.len() > literal.code.ops.len());
        assert_eq!(accesses(&own), accesses(&literal), "{threads_per_program}");
    }
}

#[test]
fn constants_at_different_addresses_are_loaded_several_times() {
    let loads = |threads_per_program| {
        let code = executed("gtx295", threads_per_program);
        let ops = code.code.ops.iter();
        ops.filter(|op| op.class == OpClass::ConstantLoad).count()
    };
    let literal = executed("gtx670", 1);
    let once = literal
        .code
        .ops
        .iter()
        .filter(|op| op.class == OpClass::ConstantLoad)
        .count();
    assert!(loads(1) > once, "{} and {once}", loads(1));
}

/// Lanes read the programs' bytes at distances of 512 bytes, one transaction after the other at their delay.
#[test]
fn transactions_of_lanes_apart_follow_each_other_at_their_delay() {
    let kernel = load(1, Arch::Sm35).unwrap();
    let cycles = |delay: u32| {
        let mut device = device("gtx295");
        device.load_store.uncoalesced_cycles = delay;
        let grid = DivergentGrid {
            name: "submachine",
            kernel: &kernel,
            threads_per_block: 64,
            shared_bytes: shared_bytes(64),
            blocks: 1,
            data_bytes: 0,
            carve_out: CarveOut::Default,
        };
        let placement = Placement::of_divergent(&device, grid).unwrap();
        let sample = placement.sample(1, 1, None);
        let timed = placement.replayed(&sample, &executed("gtx295", 1));
        timed.unwrap().cycles
    };
    let executed = executed("gtx295", 1);
    let scattered = executed.code.ops.iter();
    let transactions: u32 = scattered
        .filter(|op| op.address_kind == AddressKind::Scattered && op.lines > 2)
        .filter(|op| {
            executed
                .code
                .parts(op)
                .any(|part| part.address_kind == AddressKind::Segment)
        })
        .map(|op| u32::from(op.lines))
        .sum();
    assert!(transactions > 1000);
    let slower = cycles(1000) - cycles(500);
    let expected = 500.0 * f64::from(transactions);
    assert!(
        (slower / expected - 1.0).abs() < 0.05,
        "{slower} instead of {expected}"
    );
}
