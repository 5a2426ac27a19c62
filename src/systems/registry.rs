//! The published systems and their kernels, and the one place of a launch's defaults and refusals.
//!
//! Command line, library, studies, explorer and measured rows describe a launch as [`LaunchOptions`]; [`configure`] completes
//! them to a [`Configuration`]. Leaves out: whether a block fits (`launch::residency`), execution of a launch (each system).
//! Units: bytes, registers.

use super::asked::{Asked, Parameter};
use super::blocks;
use super::caches::Context;
use super::gpocl::system::Gpocl;
use super::langdon::system::Langdon;
use super::options::{LaunchOptions, Size};
use super::robilliard::system::Robilliard;
use super::settings::{CodeChoice, Kind, Settings};
use crate::device::Device;
use crate::isa::Arch;
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::chitty::system::Chitty;
use crate::systems::chitty::variant::Variant;

/// A published system: its kernels, and the setup of their launches.
pub trait System: Sync {
    /// Returns its kernels, in listing order.
    fn kernels(&self) -> &'static [KernelInfo];

    /// Tells whether all lanes of a block take one control path, which is traced instead of executed lane by lane.
    fn is_uniform(&self) -> bool {
        false
    }

    /// Returns the machine code of its kernels, once for every problem.
    fn codes(&self) -> Result<Vec<CompiledCode>, PredictError>;

    /// Completes the requested launch, or refuses the first value that is not available.
    fn configure(&self, asked: Asked) -> Result<Configuration, PredictError> {
        asked.by_parameters()
    }

    /// Sets up the launch of a complete configuration.
    fn launch(&self, configuration: &Configuration, on: Context) -> Result<Launch, PredictError>;
}

/// Every system, in the listing order of their kernels.
pub const SYSTEMS: [&dyn System; 4] = [&Chitty, &Gpocl, &Robilliard, &Langdon];

/// A kernel of a system.
#[derive(Debug)]
pub struct KernelInfo {
    pub name: &'static str,
    /// Names of its problems; the first is the default.
    pub problems: Vec<&'static str>,
    /// Sizes of a launch that can be set, with defaults that do not depend on the machine.
    pub parameters: Vec<Parameter>,
}

impl KernelInfo {
    pub fn parameter(&self, size: Size) -> Option<&Parameter> {
        self.parameters.iter().find(|one| one.size == size)
    }
}

/// A kernel's machine code for a problem, and the resources that it needs of a multiprocessor.
#[derive(Debug, Clone)]
pub struct CompiledCode {
    pub kernel: &'static str,
    pub problem: &'static str,
    pub arch: Arch,
    /// Variant of one of Chitty's kernels.
    pub compiled: Option<Variant>,
    /// Other properties that another paper's kernel was compiled for.
    pub variant: Option<String>,
    pub registers: u32,
    pub frame_bytes: u32,
    /// `None` if it is not stored.
    pub spilled_bytes: Option<u32>,
}

impl CompiledCode {
    /// Describes the code of another paper's kernel; `stem` names its listing, as for `blocks::load`.
    pub fn of_paper(
        (kernel, problem): (&'static str, &'static str),
        arch: Arch,
        variant: Option<String>,
        stem: &str,
    ) -> Result<CompiledCode, PredictError> {
        let code = blocks::load(stem)?;
        Ok(CompiledCode {
            kernel,
            problem,
            arch,
            compiled: None,
            variant,
            registers: code.registers,
            frame_bytes: code.frame_bytes,
            spilled_bytes: None,
        })
    }
}

/// Architectures that the other papers' kernels were compiled for.
pub const ARCHES: [Arch; 2] = [Arch::Sm35, Arch::Sm90];

/// Iterates over the kernels of all systems.
pub fn kernels() -> impl Iterator<Item = &'static KernelInfo> {
    SYSTEMS.into_iter().flat_map(|system| system.kernels())
}

/// Returns the kernel with this name, and the system that it belongs to. A custom kernel is one of Chitty's with other code.
pub fn find(
    kernel: &str,
    choice: &CodeChoice,
) -> Result<(&'static dyn System, &'static KernelInfo), PredictError> {
    let name = match choice.own_named(kernel) {
        Some(own) => own.lowering.kernel().name(),
        None => kernel,
    };
    for system in SYSTEMS {
        let found = system.kernels().iter().find(|one| one.name == name);
        if let Some(info) = found {
            return Ok((system, info));
        }
    }
    let names: Vec<&str> = kernels().map(|one| one.name).collect();
    Err(PredictError::refused("kernel", kernel, names.join(", ")))
}

/// Completes the requested launch: the one place of defaults and refusals.
pub fn configure(
    options: &LaunchOptions,
    device: &Device,
    settings: &Settings,
) -> Result<Configuration, PredictError> {
    let (system, kernel) = find(&options.kernel, &settings.code)?;
    system.configure(Asked {
        kernel,
        options,
        device,
        settings,
    })
}

/// Tells whether a kernel is traced along one control path for each block, as Chitty's kernels and custom kernels are.
pub fn is_uniform(kernel: &str) -> bool {
    let found = find(kernel, &CodeChoice::default());
    found.map_or(true, |(system, _)| system.is_uniform())
}

/// Returns the engine that predicts a kernel: the one asked for, or the simulator if the kernel is executed lane by lane,
/// which the analytical model does not cover.
pub fn engine(kernel: &str, asked: Kind) -> Kind {
    match is_uniform(kernel) {
        true => asked,
        false => Kind::Simulator,
    }
}

/// Refuses a launch that is executed lane by lane.
pub fn check_uniform(configuration: &Configuration) -> Result<(), PredictError> {
    match is_uniform(&configuration.kernel) {
        true => Ok(()),
        false => Err(PredictError::not_uniform(&configuration.kernel)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static DEVICES: LazyLock<[Device; 3]> =
        LazyLock::new(|| ["gtx670", "h200", "g80"].map(|name| Preset::load(name).unwrap().device));

    fn launches() -> impl Strategy<Value = LaunchOptions> {
        let names: Vec<&str> = kernels().map(|kernel| kernel.name).collect();
        let kernel = prop::sample::select(names);
        let value = || {
            prop::option::of(prop::sample::select(vec![
                0, 1, 2, 4, 16, 48, 64, 128, 4096,
            ]))
        };
        let sizes = prop::array::uniform8(value());
        let problem = prop::option::of(0..4usize);
        (kernel, problem, sizes).prop_map(|(kernel, problem, sizes)| {
            let mut options = LaunchOptions::of(kernel);
            let problems = kernels()
                .find(|one| one.name == kernel)
                .map(|one| &one.problems);
            let named = problems.zip(problem).and_then(|(all, at)| all.get(at));
            options.problem = named.map(|name| (*name).to_owned());
            for (&size, value) in Size::ALL.iter().zip(sizes) {
                // Most of them absent: few combinations are available.
                *options.size(size) = value.filter(|value| value % 3 == 1);
            }
            options
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Completing a complete launch changes nothing, on every device and for every kernel.
        #[test]
        fn nothing_is_left_to_complete(options in launches(), device in 0..3usize) {
            let device = &DEVICES[device];
            let settings = Settings::default();
            if let Ok(configuration) = configure(&options, device, &settings) {
                let again = configure(&(&configuration).into(), device, &settings);
                prop_assert_eq!(again.unwrap(), configuration.clone());
                // Given values stay unchanged.
                let mut complete = LaunchOptions::from(&configuration);
                for size in Size::ALL {
                    if let Some(given) = options.given(size) {
                        prop_assert_eq!(*complete.size(size), Some(given));
                    }
                }
            }
        }
    }

    #[test]
    fn every_kernel_runs_with_nothing_said_on_a_device_that_has_its_code() {
        let settings = Settings::default();
        for kernel in kernels() {
            let found = configure(&LaunchOptions::of(kernel.name), &DEVICES[1], &settings);
            let found = found.unwrap();
            assert_eq!(found.problem, kernel.problems[0]);
            assert!(found.threads_per_block > 0, "{}", kernel.name);
        }
    }
}
