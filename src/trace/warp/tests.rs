//! Tests of whole warps, through the disassembler's text.

use super::{BlockPlace, LANES, Warp};
use crate::trace::alu::tests::hopper_kernel;
use crate::trace::launch::ConstantMemory;
use crate::trace::memory::BlockMemory;
use std::array;

/// Executes Hopper instructions in one warp of `n_threads`, then returns R0 of every lane.
fn lanes(instructions: &[&str], n_threads: u32) -> [u32; LANES] {
    lanes_of_block(instructions, BlockPlace::row(n_threads), 8)
}

/// Executes Hopper instructions in a block's first warp, in a kernel of `registers`, then returns R0 of every lane.
fn lanes_of_block(instructions: &[&str], place: BlockPlace, registers: u32) -> [u32; LANES] {
    let kernel = hopper_kernel(&[instructions, &["EXIT"]].concat(), registers);
    let constants = ConstantMemory::default();
    let mut memory = BlockMemory::new(Vec::new(), Vec::new(), Vec::new(), 32);
    let mut warp = Warp::new(&kernel, &constants, place, 0);
    warp.run(&mut memory, 100).unwrap();
    warp.registers[0]
}

/// As CUDA's `__shfl_sync` functions: `c` holds 32 less the width in bits 8 to 12, and the last lane of a segment.
#[test]
fn shuffles_stay_in_their_segments() {
    let shuffled = |text: &str| lanes(&["S2R R1, SR_LANEID", text], 32);
    let up = shuffled("SHFL.UP PT, R0, R1, 0x1, 0x1800");
    assert_eq!(
        up,
        array::from_fn(|lane| (lane - usize::from(lane % 8 > 0)) as u32)
    );
    let down = shuffled("SHFL.DOWN PT, R0, R1, 0x3, 0x181f");
    assert_eq!(
        down,
        array::from_fn(|lane| (lane + if lane % 8 < 5 { 3 } else { 0 }) as u32)
    );
    let one = shuffled("SHFL.IDX PT, R0, R1, 0x12, 0x101f");
    assert_eq!(one, array::from_fn(|lane| (lane & 16 | 2) as u32));
    let butterfly = shuffled("SHFL.BFLY PT, R0, R1, 0x10, 0x1f");
    assert_eq!(butterfly, array::from_fn(|lane| (lane ^ 16) as u32));
}

#[test]
fn a_shuffle_tells_whether_its_lane_was_within_bounds() {
    let inside = lanes(
        &[
            "S2R R1, SR_LANEID",
            "SHFL.DOWN P0, R2, R1, 0x1, 0x1f",
            "SEL R0, R1, RZ, P0",
        ],
        32,
    );
    assert_eq!(inside[30..], [30, 0]);
}

/// Measured: a lane that does not take part gives 0.
#[test]
fn inactive_lanes_give_nothing_to_a_shuffle() {
    let text = ["S2R R1, SR_LANEID", "SHFL.BFLY PT, R0, R1, 0x4, 0x1f"];
    assert_eq!(lanes(&text, 6)[..6], [4, 5, 0, 0, 0, 1]);
}

#[test]
fn addresses_are_scaled() {
    let loaded = lanes(
        &[
            "S2R R1, SR_LANEID",
            "IMAD R2, R1, 0x10, RZ",
            "STS [R2+0x40], R1",
            "LDS R0, [R1.X16+0x40]",
        ],
        32,
    );
    assert_eq!(loaded, array::from_fn(|lane| lane as u32));
}

#[test]
fn threads_and_blocks_have_indices_in_three_dimensions() {
    let place = BlockPlace {
        threads: [4, 3, 5],
        index: [7, 8, 9],
    };
    let read = |name: &str| lanes_of_block(&[&format!("S2R R0, {name}")], place, 8);
    assert_eq!(read("SR_TID.X"), array::from_fn(|thread| thread as u32 % 4));
    assert_eq!(
        read("SR_TID.Y"),
        array::from_fn(|thread| thread as u32 / 4 % 3)
    );
    assert_eq!(
        read("SR_TID.Z"),
        array::from_fn(|thread| thread as u32 / 12)
    );
    assert_eq!(read("SR_CTAID.Y"), [8; LANES]);
    assert_eq!(read("SR_CTAID.Z"), [9; LANES]);
}

/// Uniform registers follow the kernel's own: R192 and UR0 are two registers.
#[test]
fn uniform_registers_are_other_registers_than_those_of_lanes() {
    let text = ["MOV R192, 0x5", "UMOV UR0, 0x3", "IADD3 R0, R192, UR0, RZ"];
    assert_eq!(lanes_of_block(&text, BlockPlace::row(32), 200), [8; LANES]);
}
