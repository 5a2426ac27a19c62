//! Does the analytical model open as many pages of DRAM as the simulator's?

use warpstack::launch::spec::DramSpec;
use warpstack::model::dram::part_opened;
use warpstack::model::l2::Traffic;
use warpstack::sim::dram::Dram;

fn spec(open_pages: u32) -> DramSpec {
    DramSpec {
        bytes_per_cycle: 1e6,
        activation_cycles: 1.0,
        interleave_bytes: 256,
        n_partitions: 4,
        page_bytes: 2048,
        open_pages,
        queue_requests: 0,
    }
}

/// Lines of the stacks of `warps`, 1 KiB each, asked for at random; now and then a fitness case that comes once.
fn simulated(spec: &DramSpec, warps: u32, case_every: u32) -> f64 {
    let mut dram = Dram::new(spec);
    let (mut now, mut opened, mut accesses) = (0u64, 0, 0);
    let mut random = 0x9e37_79b9u32;
    for access in 0..60_000u32 {
        // xorshift32 (Marsaglia 2003).
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        let stack = access % case_every != 0;
        let address = if stack {
            0x4000_0000 + (random % warps) * 65_536 + 256 * (random >> 20 & 3)
        } else {
            8192 * access
        };
        now += 10;
        let start = dram.transfer(address, 128, now, now as f64);
        let next = dram.transfer(address, 128, now, now as f64);
        if stack {
            accesses += 1;
            opened += u32::from(next - start > 0.5);
        }
    }
    f64::from(opened) / f64::from(accesses)
}

#[test]
fn pages_are_opened_as_often_as_in_the_simulators_dram() {
    for (warps, open_pages, case_every) in [(64, 9, 3), (16, 9, 5), (4, 9, 4), (8, 18, 20)] {
        let spec = spec(open_pages);
        let cases = 1.0 / f64::from(case_every);
        let traffic = Traffic {
            warps: f64::from(warps),
            lines_per_warp: 8.0,
            ..Traffic::default()
        };
        let modelled = part_opened(&spec, &traffic, 1.0 - cases, cases);
        let simulated = simulated(&spec, warps, case_every);
        let points = 100.0 * (modelled - simulated);
        assert!(points.abs() < 4.0, "{warps} warps: {modelled} {simulated}");
    }
}
