//! The launches that characterize a card, and the readings that they give.
//!
//! Leaves out: what follows from the readings. Units: cycles of a multiprocessor, bytes, KiB, MHz, as each experiment says.
//! Sources: `tools/card/probes.cu`.

mod blocks;
mod cores;
mod fetch;
mod memory;
mod traffic;

use crate::device::characterize::readings::Readings;
use crate::measure::error::GpuError;
use crate::measure::launch::Gpu;
use crate::measure::launch::probes::{Probes, Shape};
use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;

/// Rounds of every experiment.
pub const ROUNDS: u32 = 5;

/// One group of experiments.
pub type Experiment = fn(&mut Probes, &mut Readings) -> Result<(), GpuError>;

/// The experiments in the order in which they run: later ones read what earlier ones found.
pub const EXPERIMENTS: [(&str, Experiment); 9] = [
    ("clock", cores::clock),
    ("arithmetic", cores::arithmetic),
    ("latency", memory::latency),
    ("L1 capacity", memory::l1),
    ("L2 capacity", memory::l2),
    ("L2 traffic", traffic::l2),
    ("ports", traffic::ports),
    ("instruction fetch", fetch::fetch),
    ("blocks and grids", blocks::blocks),
];

/// A card with the probes loaded, and what they read so far.
pub struct Session {
    probes: Probes,
    pub readings: Readings,
}

impl Session {
    /// Loads the probes on the GPU of a number and asks the driver for its facts.
    pub fn open(gpu: usize) -> Result<Self, GpuError> {
        let probes = Probes::load(Gpu::open(gpu)?)?;
        let readings = facts(&probes)?;
        Ok(Session { probes, readings })
    }

    /// Runs an experiment.
    pub fn run(&mut self, experiment: Experiment) -> Result<(), GpuError> {
        experiment(&mut self.probes, &mut self.readings)
    }
}

/// Returns what the driver says of the card, as readings `card.…`.
fn facts(probes: &Probes) -> Result<Readings, GpuError> {
    use Attribute as A;
    let gpu = probes.gpu();
    let (major, minor) = gpu.info.compute_capability;
    let mut readings = Readings {
        card: gpu.info.name.clone(),
        rows: Vec::new(),
    };
    let asked = [
        (
            "multiprocessors",
            A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        ),
        ("clock_khz", A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        ("memory_clock_khz", A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
        (
            "memory_bus_bits",
            A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
        ),
        ("l2_bytes", A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        ("warp_lanes", A::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        (
            "threads_per_block",
            A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        ),
        (
            "threads_per_multiprocessor",
            A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        ),
        (
            "blocks_per_multiprocessor",
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
        ),
        (
            "registers_per_multiprocessor",
            A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        ),
        (
            "shared_bytes_per_block",
            A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        ),
        (
            "shared_bytes_per_multiprocessor",
            A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        ),
        (
            "reserved_shared_bytes",
            A::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
        ),
    ];
    readings.push(
        "card.compute_capability",
        0,
        0,
        0,
        f64::from(10 * major + minor),
    );
    for (name, attribute) in asked {
        let value = f64::from(gpu.attribute(attribute)?);
        readings.push(&format!("card.{name}"), 0, 0, 0, value);
    }
    Ok(readings)
}

/// One block of so many warps.
fn block(warps: u32) -> Shape {
    blocks_of(1, 32 * warps)
}

/// So many blocks of so many threads; static data of the probes fits beside 4 KiB.
fn blocks_of(blocks: u32, threads: u32) -> Shape {
    Shape {
        blocks,
        threads,
        shared_bytes: 4096,
    }
}

/// Returns a fact that `facts` read, such as `multiprocessors`.
fn fact(readings: &Readings, name: &str) -> f64 {
    readings.fact(name).unwrap_or(0.0)
}

/// Returns the cycles from the first start to the last end of warps.
fn span(times: &[u64]) -> f64 {
    let starts = times.iter().step_by(2).min();
    let ends = times.iter().skip(1).step_by(2).max();
    match (starts, ends) {
        (Some(start), Some(end)) => end.saturating_sub(*start) as f64,
        _ => f64::NAN,
    }
}
