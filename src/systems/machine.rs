//! The device and machine code for which blocks are executed, and the executions kept for repeated predictions of one launch.
//!
//! Leaves out: execution itself (`systems::blocks`). Units: none.

use crate::device::Device;
use crate::isa::{Arch, nv50};
use crate::launch::CarveOut;
use crate::launch::block_work::BlockWork;
use crate::launch::divergent::Executed;
use crate::launch::grid::Sample;
use crate::launch::memory_rules::MemoryRules;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::caches::Context;
use crate::systems::chitty::find::executed_architecture;
use crate::util::memo::Memo;
use std::sync::Arc;

/// The device and machine code for which blocks are executed.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    pub device: &'a Device,
    /// Architecture of the machine code that is executed lane by lane.
    pub arch: Arch,
    pub carve_out: CarveOut,
    /// Store of executions, with the configuration and seed of the launch.
    pub kept: Option<(&'a Executions, &'a Configuration, u64)>,
}

/// Executions of launches, and the work counted for their blocks.
#[derive(Debug, Default)]
pub struct Executions {
    executed: Memo<Execution, Executed>,
    counted: Memo<Counting, BlockWork>,
}

/// Key of an execution: everything that determines which instructions some blocks execute.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Execution {
    counting: Counting,
    code: String,
    rules: MemoryRules,
    sample: (&'static str, Vec<u32>),
    repetitions: u32,
}

/// Key of a count: everything that determines the work of the blocks of a part of a launch.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Counting {
    configuration: Configuration,
    seed: u64,
    arch: Arch,
    part: [u32; 2],
}

impl<'a> Machine<'a> {
    /// Returns the machine with the device's default division of on-chip memory, which keeps no executions.
    pub fn new(device: &'a Device, arch: Arch) -> Machine<'a> {
        Machine {
            device,
            arch,
            carve_out: CarveOut::Default,
            kept: None,
        }
    }

    /// Returns the device with the heavier compiler's code; `None` if it already has that code or uses its own compiler's.
    pub fn heavier(&self) -> Option<Device> {
        Some(Device {
            code: nv50::loose(&self.device.code)?,
            ..self.device.clone()
        })
    }

    /// Returns the machine with another device.
    pub fn with<'b>(self, device: &'b Device) -> Machine<'b>
    where
        'a: 'b,
    {
        let machine: Machine<'b> = self;
        Machine { device, ..machine }
    }

    /// Returns the machine for a launch of a complete configuration.
    pub fn of(configuration: &'a Configuration, on: Context<'a>) -> Result<Self, PredictError> {
        let kept = on.caches.executions.as_deref();
        Ok(Machine {
            device: on.device,
            arch: executed_architecture(on.device, &on.settings.code)?,
            carve_out: CarveOut::of(configuration.l1_bytes),
            kept: kept.map(|kept| (kept, configuration, on.settings.program_seed)),
        })
    }

    fn counting(&self, configuration: &Configuration, seed: u64, part: [u32; 2]) -> Counting {
        Counting {
            configuration: configuration.clone(),
            seed,
            arch: self.arch,
            part,
        }
    }

    /// Returns the execution of a sample of a part of a launch.
    pub(super) fn kept_execution(
        &self,
        part: [u32; 2],
        sample: &Sample,
        repetitions: u32,
        execute: impl FnOnce() -> Result<Executed, PredictError>,
    ) -> Result<Arc<Executed>, PredictError> {
        let Some((kept, configuration, seed)) = self.kept else {
            return Ok(Arc::new(execute()?));
        };
        let key = Execution {
            counting: self.counting(configuration, seed, part),
            code: self.device.code.clone(),
            rules: MemoryRules::new(self.device),
            sample: (sample.kind(), sample.blocks()),
            repetitions,
        };
        kept.executed.try_get(key, execute)
    }

    /// Returns the work of the blocks of a part of a launch.
    pub fn counted(
        &self,
        part: [u32; 2],
        count: impl FnOnce() -> Result<BlockWork, PredictError>,
    ) -> Result<Arc<BlockWork>, PredictError> {
        match self.kept {
            None => Ok(Arc::new(count()?)),
            Some((kept, configuration, seed)) => {
                let key = self.counting(configuration, seed, part);
                kept.counted.try_get(key, count)
            }
        }
    }
}
