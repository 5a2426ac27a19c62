//! The published systems and their kernels, and the one place of a launch's defaults and refusals.
//!
//! Command line, library, studies, explorer and measured rows say what they want of a launch as [`LaunchOptions`]; [`configure`] makes a
//! complete [`Configuration`] of them. Leaves out: whether a block fits (`launch::residency`), what a launch executes (each system).
//! Units: threads, programs, fitness cases; KiB for the L1.

use super::gpocl::system::Gpocl;
use super::langdon::system::Langdon;
use super::robilliard::system::Robilliard;
use super::settings::{CodeChoice, Settings, Weighting};
use crate::device::Device;
use crate::isa::Arch;
use crate::isa::Kernel;
use crate::launch::Launch;
use crate::launch::prediction::{Configuration, PredictError};
use crate::sim::simulator::Effort;
use crate::systems::caches::Caches;
use crate::systems::chitty::find::executed_architecture;
use crate::systems::chitty::system::Chitty;
use crate::systems::chitty::variant::Variant;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// A published system: its kernels, and how a launch of one is set up.
pub trait System: Sync {
    /// Its kernels, in the order in which they are listed.
    fn kernels(&self) -> &'static [KernelInfo];

    /// Whether every block of a launch runs one program.
    fn is_uniform(&self) -> bool {
        false
    }

    /// Their machine code, once for every problem.
    fn codes(&self) -> Result<Vec<CompiledCode>, PredictError>;

    /// The launch of `kernel` that `options` ask for, complete, or the first thing asked for that cannot be had.
    fn configure(
        &self,
        kernel: &KernelInfo,
        options: &LaunchOptions,
        device: &Device,
        settings: &Settings,
    ) -> Result<Configuration, PredictError>;

    /// What a complete configuration launches on a device.
    fn launch(
        &self,
        configuration: &Configuration,
        device: &Device,
        settings: &Settings,
        caches: &Caches,
    ) -> Result<Launch, PredictError>;
}

/// Every system, in the order in which their kernels are listed.
pub const SYSTEMS: [&dyn System; 4] = [&Chitty, &Gpocl, &Robilliard, &Langdon];

/// What is asked of a launch; everything but the kernel may be left unsaid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LaunchOptions {
    pub kernel: String,
    pub problem: Option<String>,
    pub stack_dim: Option<u32>,
    pub stack_registers: Option<u32>,
    pub threads_per_block: Option<u32>,
    pub case_blocks: Option<u32>,
    pub l1_kib: Option<u32>,
    pub population: Option<u32>,
    pub cases: Option<u32>,
    pub threads_per_program: Option<u32>,
}

/// A number that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Size {
    StackDim,
    StackRegisters,
    Threads,
    CaseBlocks,
    L1Kib,
    Population,
    Cases,
    ThreadsPerProgram,
}

impl Size {
    pub const ALL: [Size; 8] = [
        Size::Threads,
        Size::StackDim,
        Size::StackRegisters,
        Size::CaseBlocks,
        Size::L1Kib,
        Size::Population,
        Size::Cases,
        Size::ThreadsPerProgram,
    ];

    /// The name as a key, with underscores: `threads`.
    pub fn key(self) -> &'static str {
        match self {
            Size::StackDim => "stack_dim",
            Size::StackRegisters => "stack_registers",
            Size::Threads => "threads",
            Size::CaseBlocks => "case_blocks",
            Size::L1Kib => "l1",
            Size::Population => "population",
            Size::Cases => "cases",
            Size::ThreadsPerProgram => "threads_per_program",
        }
    }

    /// The name in messages: `threads per block`.
    pub fn words(self) -> &'static str {
        match self {
            Size::StackDim => "second dimension",
            Size::StackRegisters => "stack levels in registers",
            Size::Threads => "threads per block",
            Size::CaseBlocks => "blocks that share the fitness cases",
            Size::L1Kib => "L1 size",
            Size::Population => "population",
            Size::Cases => "cases",
            Size::ThreadsPerProgram => "threads per program",
        }
    }
}

impl LaunchOptions {
    /// A launch of a kernel with nothing else said.
    pub fn of(kernel: &str) -> LaunchOptions {
        LaunchOptions {
            kernel: kernel.to_owned(),
            ..LaunchOptions::default()
        }
    }

    /// The place of a size.
    pub fn size(&mut self, size: Size) -> &mut Option<u32> {
        match size {
            Size::StackDim => &mut self.stack_dim,
            Size::StackRegisters => &mut self.stack_registers,
            Size::Threads => &mut self.threads_per_block,
            Size::CaseBlocks => &mut self.case_blocks,
            Size::L1Kib => &mut self.l1_kib,
            Size::Population => &mut self.population,
            Size::Cases => &mut self.cases,
            Size::ThreadsPerProgram => &mut self.threads_per_program,
        }
    }

    fn given(&self, size: Size) -> Option<u32> {
        *self.clone().size(size)
    }
}

impl From<&LaunchOptions> for LaunchOptions {
    fn from(options: &LaunchOptions) -> LaunchOptions {
        options.clone()
    }
}

/// A complete configuration asks for itself.
impl From<&Configuration> for LaunchOptions {
    fn from(configuration: &Configuration) -> LaunchOptions {
        LaunchOptions {
            kernel: configuration.kernel.clone(),
            problem: Some(configuration.problem.clone()),
            stack_dim: Some(configuration.stack_dim),
            stack_registers: Some(configuration.stack_registers),
            threads_per_block: Some(configuration.threads_per_block),
            case_blocks: Some(configuration.case_blocks),
            l1_kib: configuration.l1_bytes.map(|bytes| bytes / 1024),
            population: configuration.population,
            cases: configuration.cases,
            threads_per_program: configuration.threads_per_program,
        }
    }
}

/// A kernel of a system.
#[derive(Debug)]
pub struct KernelInfo {
    pub name: &'static str,
    /// Names of its problems; the first is meant where none is said.
    pub problems: Vec<&'static str>,
    /// What can be said of a launch, with defaults that do not depend on the machine.
    pub parameters: Vec<Parameter>,
}

/// A size that a kernel leaves open.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    pub size: Size,
    pub default: u32,
    pub allowed: Allowed,
}

/// The values of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Allowed {
    OneOf(&'static [u32]),
    /// Both ends included.
    Range(u32, u32),
}

impl Allowed {
    fn has(self, value: u32) -> bool {
        match self {
            Allowed::OneOf(values) => values.contains(&value),
            Allowed::Range(least, most) => (least..=most).contains(&value),
        }
    }
}

impl Display for Allowed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Allowed::OneOf(values) => {
                let values: Vec<String> = values.iter().map(u32::to_string).collect();
                formatter.write_str(&values.join(", "))
            }
            Allowed::Range(least, most) if least == most => write!(formatter, "{least}"),
            Allowed::Range(least, most) => write!(formatter, "{least} to {most}"),
        }
    }
}

impl KernelInfo {
    fn parameter(&self, size: Size) -> Option<&Parameter> {
        self.parameters.iter().find(|one| one.size == size)
    }

    /// The problem that is asked for, or the first.
    pub fn problem(&self, options: &LaunchOptions) -> Result<&'static str, PredictError> {
        let Some(given) = &options.problem else {
            return Ok(self.problems[0]);
        };
        let found = self.problems.iter().find(|name| *name == given);
        found
            .copied()
            .ok_or_else(|| self.refused("problem", given, self.problems.join(", ")))
    }

    /// A size as it is asked for, or as the kernel has it; `None` where it has no such thing.
    pub fn size(&self, size: Size, options: &LaunchOptions) -> Result<Option<u32>, PredictError> {
        let given = options.given(size);
        match (self.parameter(size), given) {
            (Some(parameter), given) => {
                let value = given.unwrap_or(parameter.default);
                match parameter.allowed.has(value) {
                    true => Ok(Some(value)),
                    false => Err(self.refused(size.words(), value, parameter.allowed)),
                }
            }
            (None, None) => Ok(None),
            (None, Some(given)) => {
                let all = SYSTEMS.iter().flat_map(|system| system.kernels());
                let having = all.filter(|kernel| kernel.parameter(size).is_some());
                let having: Vec<&str> = having.map(|kernel| kernel.name).collect();
                let allowed = format!("none; a number with {}", having.join(", "));
                Err(self.refused(size.words(), given, allowed))
            }
        }
    }

    /// The refusal of something that is asked for.
    pub fn refused(
        &self,
        what: &'static str,
        given: impl Display,
        allowed: impl Display,
    ) -> PredictError {
        PredictError::Input {
            what,
            given: given.to_string(),
            allowed: format!("{allowed} (kernel {})", self.name),
        }
    }
}

/// A kernel's machine code for a problem, and what it needs of a multiprocessor.
#[derive(Debug, Clone)]
pub struct CompiledCode {
    pub kernel: &'static str,
    pub problem: &'static str,
    pub arch: Arch,
    /// How one of Chitty's was compiled.
    pub compiled: Option<Variant>,
    /// What else a paper's was compiled for.
    pub variant: Option<String>,
    pub registers: u32,
    pub frame_bytes: u32,
    /// `None` where it is not kept.
    pub spilled_bytes: Option<u32>,
}

impl CompiledCode {
    /// That of another paper's kernel.
    pub fn of_paper(
        kernel: &'static str,
        problem: &'static str,
        arch: Arch,
        variant: Option<String>,
        code: &Kernel,
    ) -> CompiledCode {
        CompiledCode {
            kernel,
            problem,
            arch,
            compiled: None,
            variant,
            registers: code.registers,
            frame_bytes: code.frame_bytes,
            spilled_bytes: None,
        }
    }
}

/// The architectures that the other papers' kernels were compiled for.
pub const ARCHES: [Arch; 2] = [Arch::Sm35, Arch::Sm90];

/// The kernels of all systems.
pub fn kernels() -> impl Iterator<Item = &'static KernelInfo> {
    SYSTEMS.into_iter().flat_map(|system| system.kernels())
}

/// The kernel of this name, and the system that it belongs to. A kernel of one's own is one of Chitty's with other code.
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
    Err(PredictError::Input {
        what: "kernel",
        given: kernel.to_owned(),
        allowed: names.join(", "),
    })
}

/// The launch that is asked for, complete: the one place of defaults and refusals.
pub fn configure(
    options: &LaunchOptions,
    device: &Device,
    settings: &Settings,
) -> Result<Configuration, PredictError> {
    let (system, kernel) = find(&options.kernel, &settings.code)?;
    system.configure(kernel, options, device, settings)
}

/// Whether every block of a launch runs one program. Kernels of one's own are Chitty's.
pub fn is_uniform(configuration: &Configuration) -> bool {
    let found = find(&configuration.kernel, &CodeChoice::default());
    found.map_or(true, |(system, _)| system.is_uniform())
}

/// Refuses a launch whose blocks run several programs.
pub fn check_uniform(configuration: &Configuration) -> Result<(), PredictError> {
    match is_uniform(configuration) {
        true => Ok(()),
        false => Err(PredictError::not_uniform(&configuration.kernel)),
    }
}

/// The bytes of the L1 that is asked for, if the device has that size.
pub fn l1_bytes(device: &Device, l1_kib: Option<u32>) -> Result<Option<u32>, PredictError> {
    let Some(kib) = l1_kib else {
        return Ok(None);
    };
    let sizes = || device.l1.splits.iter().map(|split| split.l1_bytes);
    match sizes().find(|bytes| bytes / 1024 == kib) {
        Some(bytes) => Ok(Some(bytes)),
        None => {
            let allowed: Vec<String> = sizes().map(|bytes| (bytes / 1024).to_string()).collect();
            Err(PredictError::Input {
                what: Size::L1Kib.words(),
                given: format!("{kib} KiB"),
                allowed: format!("{} KiB ({})", allowed.join(", "), device.name),
            })
        }
    }
}

/// The largest population and data set that are executed.
pub const MOST: u32 = 1_000_000;

/// What no kernel of another paper leaves open.
pub const FIXED: [Parameter; 3] = [
    Parameter::fixed(Size::StackDim, 1),
    Parameter::fixed(Size::StackRegisters, 0),
    Parameter::fixed(Size::CaseBlocks, 1),
];

impl Parameter {
    pub const fn new(size: Size, default: u32, allowed: Allowed) -> Parameter {
        Parameter {
            size,
            default,
            allowed,
        }
    }

    const fn fixed(size: Size, value: u32) -> Parameter {
        Parameter::new(size, value, Allowed::Range(value, value))
    }
}

/// The launch of another paper's kernel: every size is a parameter.
pub fn configure_by_parameters(
    kernel: &KernelInfo,
    options: &LaunchOptions,
    device: &Device,
    settings: &Settings,
) -> Result<Configuration, PredictError> {
    check_settings(kernel, settings)?;
    executed_architecture(device, &settings.code)?;
    let size = |size| kernel.size(size, options);
    Ok(Configuration {
        problem: kernel.problem(options)?.to_owned(),
        kernel: kernel.name.to_owned(),
        stack_dim: size(Size::StackDim)?.unwrap_or(1),
        stack_registers: size(Size::StackRegisters)?.unwrap_or(0),
        threads_per_block: size(Size::Threads)?.unwrap_or(0),
        case_blocks: size(Size::CaseBlocks)?.unwrap_or(1),
        l1_bytes: l1_bytes(device, options.l1_kib)?,
        population: size(Size::Population)?,
        cases: size(Size::Cases)?,
        threads_per_program: size(Size::ThreadsPerProgram)?,
    })
}

/// Refuses what can be said of Chitty's programs and code, which the other papers' kernels do not have.
fn check_settings(kernel: &KernelInfo, settings: &Settings) -> Result<(), PredictError> {
    let code = &settings.code;
    let path = |path: &std::path::Path| path.display().to_string();
    let effort = settings.simulator.effort;
    let told = [
        ("code shape", code.shape.map(|shape| shape.to_string())),
        ("math", code.math.map(|math| math.to_string())),
        ("program words", code.dispatch.map(|one| one.to_string())),
        ("corpus", settings.corpus.as_deref().map(path)),
        (
            "programs",
            settings.list.as_ref().map(|list| path(&list.path)),
        ),
        (
            "weights",
            (settings.weighting != Weighting::Paper).then(|| "none".to_owned()),
        ),
        (
            "inferred",
            (!settings.inferred.is_empty()).then(|| "what is inferred of programs".to_owned()),
        ),
        (
            "effort",
            (effort != Effort::Sampled).then(|| effort.name().to_owned()),
        ),
    ];
    for (what, given) in told {
        if let Some(given) = given {
            let allowed = "what the paper has, as the kernel makes its own programs";
            return Err(kernel.refused(what, given, allowed));
        }
    }
    Ok(())
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
            for (size, value) in Size::ALL.into_iter().zip(sizes) {
                // Most of them unsaid: few combinations can be had.
                *options.size(size) = value.filter(|value| value % 3 == 1);
            }
            options
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// A launch that is complete asks for itself, on every device and of every kernel.
        #[test]
        fn nothing_is_left_to_complete(options in launches(), device in 0..3usize) {
            let device = &DEVICES[device];
            let settings = Settings::default();
            if let Ok(configuration) = configure(&options, device, &settings) {
                let again = configure(&(&configuration).into(), device, &settings);
                prop_assert_eq!(again.unwrap(), configuration.clone());
                // What was said stays as it was said.
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
