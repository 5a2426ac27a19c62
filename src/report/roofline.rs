//! A launch under the ceilings of its device: warp instructions per second over warp instructions per byte, at each memory.
//!
//! Models: the instruction roofline. The issue slots bound the rate of any launch; a memory bounds that of a launch that moves many bytes per
//! instruction. All counts are predicted; nothing is profiled.
//! Leaves out: latency and occupancy, which keep launches below all ceilings.
//! Units: billions of warp instructions per second; warp instructions per byte; GB/s.
//! Sources: Ding and Williams, An Instruction Roofline Model for GPUs, PMBS 2019; the preset.

use super::chart::roofline::{Ceiling, Dot, Roofline};
use crate::device::Device;
use crate::launch::prediction::Prediction;

/// A memory with a ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    L1,
    L2Loads,
    L2Stores,
    Dram,
}

impl Memory {
    pub const ALL: [Memory; 4] = [Memory::L1, Memory::L2Loads, Memory::L2Stores, Memory::Dram];

    fn name(self) -> &'static str {
        match self {
            Memory::L1 => "L1",
            Memory::L2Loads => "L2, loads",
            Memory::L2Stores => "L2, stores",
            Memory::Dram => "device memory",
        }
    }

    /// Returns the GB/s that the memory passes at most.
    fn gb_per_s(self, device: &Device) -> f64 {
        let (chip, l2) = (&device.chip, &device.l2);
        let n_smx = f64::from(chip.n_smx);
        let of_chip = |bytes_per_cycle: f64| bytes_per_cycle * chip.clock_mhz / 1e3;
        match self {
            Memory::L1 => of_chip(n_smx * f64::from(device.l1.line_bytes)),
            Memory::L2Loads => of_chip(n_smx * l2.port_bytes_per_cycle * l2.port_efficiency),
            Memory::L2Stores => {
                let ports = n_smx * l2.write_bytes_per_cycle;
                of_chip(match l2.ingest_bytes_per_cycle {
                    0.0 => ports,
                    all => ports.min(all),
                })
            }
            Memory::Dram => device.dram.bandwidth_gb_per_s * device.dram.efficiency,
        }
    }

    /// Returns the bytes that a prediction counts at the memory.
    fn bytes(self, prediction: &Prediction, device: &Device) -> u64 {
        let memory = &prediction.memory;
        let lines = memory.l1_load_lines + memory.l1_store_lines;
        match self {
            Memory::L1 => lines * u64::from(device.l1.line_bytes) + memory.l1_global_bytes,
            Memory::L2Loads => memory.l2_read_bytes,
            Memory::L2Stores => memory.l2_write_bytes,
            Memory::Dram => memory.dram_read_bytes + memory.dram_write_bytes,
        }
    }
}

/// Returns the warp instructions per byte at a memory; `None` if it moves nothing.
pub fn intensity(memory: Memory, prediction: &Prediction, device: &Device) -> Option<f64> {
    let bytes = memory.bytes(prediction, device);
    (bytes > 0).then(|| prediction.window_instructions() / bytes as f64)
}

/// Returns billions of warp instructions per second.
fn rate(prediction: &Prediction) -> f64 {
    prediction.warp_instructions / prediction.run_milliseconds / 1e6
}

/// Returns the chart of launches on a device, each with its label.
pub fn chart<'a>(
    device: &Device,
    launches: impl IntoIterator<Item = (&'a str, &'a Prediction)>,
) -> Roofline {
    let is_there = |memory: &Memory| {
        device.l2.is_present || !matches!(memory, Memory::L2Loads | Memory::L2Stores)
    };
    let memories: Vec<Memory> = Memory::ALL.into_iter().filter(is_there).collect();
    let slots = f64::from(device.issue.instructions_per_cycle * device.chip.n_smx);
    let dots = launches.into_iter().enumerate().map(|(nth, (label, one))| {
        let at = |(place, memory): (usize, &Memory)| {
            Some(Dot {
                ceiling: place,
                intensity: intensity(*memory, one, device)?,
            })
        };
        let dots = memories.iter().enumerate().filter_map(at).collect();
        (format!("[{}] {label}", nth + 1), rate(one), dots)
    });
    Roofline {
        launches: dots.collect(),
        issue: slots * device.chip.clock_mhz / 1e3,
        ceilings: memories
            .iter()
            .map(|memory| Ceiling {
                name: memory.name(),
                gb_per_s: memory.gb_per_s(device),
            })
            .collect(),
    }
}
