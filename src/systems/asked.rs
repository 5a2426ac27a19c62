//! A requested launch, completed with the defaults of its kernel.
//!
//! Leaves out: further completion by a system (each system). Units: threads, programs, fitness cases; KiB for the L1.

use super::options::{LaunchOptions, Size};
use super::registry::{KernelInfo, kernels};
use super::settings::{Settings, Weighting};
use crate::device::Device;
use crate::launch::prediction::{Configuration, PredictError};
use crate::launch::residency::l1_bytes;
use crate::sim::simulator::Scope;
use crate::systems::chitty::find::executed_architecture;
use std::fmt::Display;
use std::path::Path;

/// A requested launch of a kernel, with its device and settings.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub kernel: &'static KernelInfo,
    pub options: &'a LaunchOptions,
    pub device: &'a Device,
    pub settings: &'a Settings,
}

/// A size that callers may choose for a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    pub size: Size,
    pub default: u32,
    pub allowed: Allowed,
}

/// Allowed values of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Allowed {
    OneOf(&'static [u32]),
    /// A range that includes both ends.
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

/// Largest population and data set that are executed.
pub const MOST: u32 = 1_000_000;

/// Parameters that every kernel of the other papers fixes.
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

impl Asked<'_> {
    /// Returns the refusal of a requested value.
    pub fn refused(
        &self,
        what: &'static str,
        given: impl Display,
        allowed: impl Display,
    ) -> PredictError {
        PredictError::refused(
            what,
            given,
            format!("{allowed} (kernel {})", self.kernel.name),
        )
    }

    /// Returns the requested problem, by default the kernel's first.
    pub fn problem(&self) -> Result<&'static str, PredictError> {
        let problems = &self.kernel.problems;
        let Some(given) = &self.options.problem else {
            return Ok(problems[0]);
        };
        let found = problems.iter().find(|name| *name == given);
        let refused = || self.refused("problem", given, problems.join(", "));
        found.copied().ok_or_else(refused)
    }

    /// Returns a size, by default the kernel's own; `None` if the kernel has no such size.
    pub fn size(&self, size: Size) -> Result<Option<u32>, PredictError> {
        let given = self.options.given(size);
        let Some(parameter) = self.kernel.parameter(size) else {
            let having = kernels().filter(|kernel| kernel.parameter(size).is_some());
            let having: Vec<&str> = having.map(|kernel| kernel.name).collect();
            let allowed = format!("none; a number with {}", having.join(", "));
            let refused = |given| Err(self.refused(size.words(), given, allowed));
            return given.map_or(Ok(None), refused);
        };
        let value = given.unwrap_or(parameter.default);
        match parameter.allowed.has(value) {
            true => Ok(Some(value)),
            false => Err(self.refused(size.words(), value, parameter.allowed)),
        }
    }

    /// Returns the bytes of the L1, if the device allows that size.
    pub fn l1_bytes(&self) -> Result<Option<u32>, PredictError> {
        l1_bytes(self.device, self.options.l1_kib)
    }

    /// Completes the launch of a kernel whose sizes are all parameters, as in every system but Chitty's.
    pub fn by_parameters(&self) -> Result<Configuration, PredictError> {
        self.check_settings()?;
        executed_architecture(self.device, &self.settings.code)?;
        Ok(Configuration {
            problem: self.problem()?.to_owned(),
            kernel: self.kernel.name.to_owned(),
            stack_dim: self.size(Size::StackDim)?.unwrap_or(1),
            stack_registers: self.size(Size::StackRegisters)?.unwrap_or(0),
            threads_per_block: self.size(Size::Threads)?.unwrap_or(0),
            case_blocks: self.size(Size::CaseBlocks)?.unwrap_or(1),
            l1_bytes: self.l1_bytes()?,
            population: self.size(Size::Population)?,
            cases: self.size(Size::Cases)?,
            threads_per_program: self.size(Size::ThreadsPerProgram)?,
        })
    }

    /// Refuses settings of Chitty's programs and code, which the other papers' kernels do not have.
    fn check_settings(&self) -> Result<(), PredictError> {
        let Settings {
            code,
            corpus,
            list,
            simulator,
            ..
        } = self.settings;
        let path = |path: &Path| path.display().to_string();
        let weights = (self.settings.weighting != Weighting::Paper).then(|| "none".to_owned());
        let inferred = (!self.settings.inferred.is_empty()).then(|| "factors".to_owned());
        let scope = (simulator.scope != Scope::Window).then(|| simulator.scope.to_string());
        let told = [
            ("code shape", code.shape.map(|shape| shape.to_string())),
            ("math", code.math.map(|math| math.to_string())),
            ("program words", code.dispatch.map(|one| one.to_string())),
            ("corpus", corpus.as_deref().map(path)),
            ("programs", list.as_ref().map(|list| path(&list.path))),
            ("weights", weights),
            ("inferred", inferred),
            ("scope", scope),
            ("tolerance", simulator.tolerance.map(|one| one.to_string())),
        ];
        let first = told
            .into_iter()
            .find_map(|(what, given)| Some((what, given?)));
        first.map_or(Ok(()), |(what, given)| {
            let allowed = "what the paper has, as the kernel makes its own programs";
            Err(self.refused(what, given, allowed))
        })
    }
}
