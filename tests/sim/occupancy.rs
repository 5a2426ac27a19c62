//! Does the occupancy calculation agree with NVIDIA's? Every row that `cuda_occupancy.h` 11.8 printed.

use warpstack::device::Preset;
use warpstack::device::occupancy::{BlockResources, Limiter, OccupancyError, OccupancyLimits};

/// Columns as `fixtures/devices/occupancy_vectors.csv` has them.
#[derive(serde::Deserialize)]
struct OccupancyVector {
    cc: u32,
    pref: String,
    regs: u32,
    threads: u32,
    smem_static_dyn: u32,
    active_blocks: u32,
    limit_flags: u32,
    lim_regs: u32,
    lim_smem: u32,
    lim_warps: u32,
    lim_blocks: u32,
    alloc_regs_warpish: u32,
    alloc_smem: u32,
}

fn cc30() -> OccupancyLimits {
    OccupancyLimits::of(&Preset::load("gtx670").unwrap().device)
}

/// Hopper: 32 blocks, 255 registers, 1 KiB reserved per block, carve-outs up to 228 KiB.
fn cc90() -> OccupancyLimits {
    OccupancyLimits {
        blocks_per_smx: 32,
        registers_per_thread: 255,
        shared_bytes_per_block: 227 * 1024,
        shared_unit_bytes: 128,
        shared_reserved_bytes_per_block: 1024,
        shared_sizes_bytes: [0, 8, 16, 32, 64, 100, 132, 164, 196, 228]
            .map(|kib| kib * 1024)
            .to_vec(),
        ..cc30()
    }
}

fn flag(limiter: Limiter) -> u32 {
    match limiter {
        Limiter::Warps => 1,
        Limiter::Registers => 2,
        Limiter::SharedMemory => 4,
        Limiter::Blocks => 8,
    }
}

#[test]
fn agrees_with_every_vector() {
    let (n_rows, n_refused) = agrees("occupancy_vectors.csv", |cc| match cc {
        30 => cc30(),
        90 => cc90(),
        _ => panic!("unknown compute capability {cc}"),
    });
    assert_eq!(n_rows, 4704);
    assert!(
        n_refused > 0,
        "some vectors hold blocks that cannot be resident"
    );
}

/// The limits are those of the presets: cards without measurements agree with NVIDIA's occupancy at least.
#[test]
fn presets_from_turing_to_ada_agree_with_every_vector() {
    let preset = |cc| match cc {
        75 => "t4",
        80 => "a100",
        86 => "rtx3090",
        89 => "rtx4090",
        _ => panic!("unknown compute capability {cc}"),
    };
    let (n_rows, _) = agrees("occupancy_vectors_75_89.csv", |cc| {
        OccupancyLimits::of(&Preset::load(preset(cc)).unwrap().device)
    });
    assert_eq!(n_rows, 2048);
}

/// Compares every row of a file; returns how many there are, and how many hold a block that cannot be resident.
fn agrees(file: &str, limits: impl Fn(u32) -> OccupancyLimits) -> (u32, u32) {
    let path = format!("fixtures/devices/{file}");
    let mut reader = csv::Reader::from_path(path).unwrap();
    let (mut n_rows, mut n_refused) = (0, 0);
    for row in reader.deserialize() {
        let row: OccupancyVector = row.unwrap();
        let limits = limits(row.cc);
        let sizes = &limits.shared_sizes_bytes;
        let preferred = match row.pref.as_str() {
            "preferShared" => sizes.last(),
            "preferL1" => sizes.first(),
            other => panic!("unknown kind of row {other:?}"),
        };
        let preferred_shared_bytes = *preferred.unwrap();
        let block = BlockResources {
            threads_per_block: row.threads,
            registers_per_thread: row.regs,
            shared_bytes_per_block: row.smem_static_dyn,
        };
        let what = format!("{block:?} on {} {}", row.cc, row.pref);
        n_rows += 1;
        let got = match limits.occupancy(block, preferred_shared_bytes) {
            Ok(got) => got,
            Err(OccupancyError::RegistersPerBlock { .. }) => {
                // NVIDIA's answer to a block that does not fit: no block, limited by registers.
                assert_eq!((row.active_blocks, row.lim_regs), (0, 0), "{what}");
                assert_eq!(row.limit_flags, 2, "{what}");
                n_refused += 1;
                continue;
            }
            Err(error) => panic!("{what}: {error}"),
        };
        assert!(row.active_blocks > 0, "{what}");
        assert_eq!(got.blocks, row.active_blocks, "{what}");
        assert_eq!(got.blocks_by_registers, row.lim_regs, "{what}");
        assert_eq!(
            got.blocks_by_shared.unwrap_or(i32::MAX as u32),
            row.lim_smem,
            "{what}"
        );
        assert_eq!(got.blocks_by_warps, row.lim_warps, "{what}");
        assert_eq!(limits.blocks_per_smx, row.lim_blocks, "{what}");
        let flags: u32 = got.limiters.iter().map(|limiter| flag(*limiter)).sum();
        assert_eq!(flags, row.limit_flags, "{what}");
        assert_eq!(
            got.allocated_registers_per_block, row.alloc_regs_warpish,
            "{what}"
        );
        assert_eq!(
            got.allocated_shared_bytes_per_block, row.alloc_smem,
            "{what}"
        );
    }
    (n_rows, n_refused)
}

fn block(threads: u32, registers: u32, shared: u32) -> BlockResources {
    BlockResources {
        threads_per_block: threads,
        registers_per_thread: registers,
        shared_bytes_per_block: shared,
    }
}

#[test]
fn steps_of_the_gtx670() {
    let warps = |threads, registers| {
        let occupancy = cc30()
            .occupancy(block(threads, registers, 0), 16384)
            .unwrap();
        occupancy.warps
    };
    assert_eq!(warps(32, 20), 16, "16 blocks of one warp");
    assert_eq!(warps(768, 20), 48, "two blocks of 24 warps");
    assert_eq!(warps(1024, 32), 64);
    assert_eq!(warps(1024, 33), 32, "past 32 registers only one block fits");
}

#[test]
fn a_block_that_needs_more_shared_memory_gets_the_largest_configuration() {
    let occupancy = cc30().occupancy(block(64, 20, 20_000), 16384).unwrap();
    assert_eq!(occupancy.shared_config_bytes, 49152);
    assert_eq!(occupancy.limiters, [Limiter::SharedMemory]);
}

#[test]
fn blocks_that_cannot_be_resident_are_errors() {
    let error = |block| cc30().occupancy(block, 16384).unwrap_err();
    assert_eq!(
        error(block(0, 20, 0)),
        OccupancyError::Threads {
            given: 0,
            most: 1024
        }
    );
    assert_eq!(
        error(block(1025, 20, 0)),
        OccupancyError::Threads {
            given: 1025,
            most: 1024
        }
    );
    assert_eq!(
        error(block(32, 64, 0)),
        OccupancyError::RegistersPerThread {
            given: 64,
            most: 63
        }
    );
    assert_eq!(
        error(block(32, 20, 49153)),
        OccupancyError::Shared {
            given: 49153,
            most: 49152
        }
    );
    let too_many = cc90().occupancy(block(1024, 255, 0), 0).unwrap_err();
    assert!(matches!(too_many, OccupancyError::RegistersPerBlock { .. }));
    let preference = cc30().occupancy(block(32, 20, 0), 1).unwrap_err();
    assert!(matches!(
        preference,
        OccupancyError::Preference { given: 1, .. }
    ));
}

/// A block may take every limit exactly, but not a byte or a thread more.
#[test]
fn the_largest_block_is_allowed_and_a_larger_one_is_not() {
    let limits = cc30();
    let largest = BlockResources {
        threads_per_block: limits.threads_per_block,
        registers_per_thread: 32,
        shared_bytes_per_block: limits.shared_bytes_per_block,
    };
    assert!(limits.check_block(largest).is_ok());
    let larger = [
        BlockResources {
            threads_per_block: limits.threads_per_block + 1,
            ..largest
        },
        BlockResources {
            registers_per_thread: limits.registers_per_thread + 1,
            ..largest
        },
        BlockResources {
            shared_bytes_per_block: limits.shared_bytes_per_block + 1,
            ..largest
        },
    ];
    for block in larger {
        assert!(limits.check_block(block).is_err(), "{block:?}");
    }
}
