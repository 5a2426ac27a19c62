//! Time of a launch at the ceilings of the chip.
//!
//! Models: the largest of the times that issue slots, the L1, the L2's ports and device memory take at their full rates.
//! Leaves out: latency, occupancy, uneven blocks. Units: milliseconds. Sources: the preset; counts of the analytical model.

use super::predictions::Counts;
use crate::device::Device;

/// Returns the time at the highest ceiling.
pub fn milliseconds(device: &Device, counts: &Counts) -> f64 {
    let chip = &device.chip;
    let n_smx = f64::from(chip.n_smx);
    let issued = f64::from(device.issue.instructions_per_cycle);
    let l2 = (device.l2.port_bytes_per_cycle * n_smx).max(1.0);
    let cycles = [
        counts.warp_instructions / (issued * n_smx),
        counts.l1_lines / n_smx,
        counts.l2_bytes / l2,
    ];
    let on_chip = cycles.into_iter().fold(0.0, f64::max) / (1e3 * chip.clock_mhz);
    let memory = counts.dram_bytes / (1e6 * device.dram.bandwidth_gb_per_s);
    on_chip.max(memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    #[test]
    fn the_highest_ceiling_decides() {
        let device = Preset::load("h200").unwrap().device;
        let rate = f64::from(device.issue.instructions_per_cycle * device.chip.n_smx);
        let counts = Counts {
            warp_instructions: rate * 1e3 * device.chip.clock_mhz,
            ..Counts::default()
        };
        assert!((milliseconds(&device, &counts) - 1.0).abs() < 1e-9);
        let memory = Counts {
            dram_bytes: 2e6 * device.dram.bandwidth_gb_per_s,
            ..counts
        };
        assert!((milliseconds(&device, &memory) - 2.0).abs() < 1e-9);
    }
}
