//! Search for the compiled kernel of a configuration on a device, or the first property that no kernel has.
//!
//! Leaves out: execution.
//! Sources: the kernels in the program, `fixtures/sass/index.json`.

use crate::device::Device;
use crate::gp::problem::{self, ProblemId};
use crate::isa::Arch;
use crate::isa::nv50;
use crate::launch::prediction::{Configuration, PredictError};
use crate::systems::chitty::code::KernelCode;
use crate::systems::chitty::variant::{KernelId, Math, Variant};
use crate::systems::registry::ARCHES;
use crate::systems::settings::CodeChoice;
use std::sync::Arc;

/// A property of a variant: its name and its value as text.
type Property = (&'static str, fn(&Variant) -> String);

/// Properties in the order in which they are checked.
const PROPERTIES: [Property; 5] = [
    ("second dimension", |v| v.stack_dim.to_string()),
    ("stack levels in registers", |v| {
        v.stack_registers.to_string()
    }),
    ("code shape", |v| v.shape.to_string()),
    ("math", |v| v.math.to_string()),
    ("program words", |v| v.dispatch.to_string()),
];

/// Returns the architecture of the device's machine code, or the one requested by name.
pub fn architecture(device: &Device, choice: &CodeChoice) -> Result<Arch, PredictError> {
    match choice.arch {
        Some(arch) => Ok(arch),
        None => device.code.parse().map_err(|_| {
            PredictError::refused(
                "machine code of the device",
                format!("{} ({})", device.code, device.name),
                format!(
                    "{}; --arch NAME runs one of them all the same",
                    names(&Arch::ALL)
                ),
            )
        }),
    }
}

/// Returns the architecture whose code is executed lane by lane for a device: its own, or the one its own is translated from.
pub fn executed_architecture(device: &Device, choice: &CodeChoice) -> Result<Arch, PredictError> {
    match (choice.arch, nv50::target(&device.code)) {
        (None, Some(_)) => nv50::SOURCE.parse().map_err(PredictError::other),
        _ => {
            let arch = architecture(device, choice)?;
            match ARCHES.contains(&arch) {
                true => Ok(arch),
                false => Err(PredictError::refused(
                    "machine code of another paper's kernel",
                    format!("{arch} ({})", device.name),
                    format!(
                        "{}; --arch NAME runs one of them all the same",
                        names(&ARCHES)
                    ),
                )),
            }
        }
    }
}

fn names(arches: &[Arch]) -> String {
    let names: Vec<&str> = arches.iter().map(|arch| arch.name()).collect();
    names.join(", ")
}

/// Returns the kernels compiled for a problem and an architecture.
pub fn compiled(
    kernel: KernelId,
    problem: ProblemId,
    arch: Arch,
) -> Result<Vec<Variant>, PredictError> {
    if problem.definition().kernels.is_none() {
        return Err(without_kernels(problem));
    }
    let mut all = Variant::of_problem(problem, arch).map_err(PredictError::other)?;
    all.retain(|variant| variant.kernel == kernel);
    if all.is_empty() {
        return Err(not_compiled(kernel, arch));
    }
    Ok(all)
}

fn without_kernels(problem: ProblemId) -> PredictError {
    let mut known = ProblemId::ALL.to_vec();
    known.retain(|one| one.definition().kernels.is_some());
    PredictError::refused(
        "problem",
        format!("{problem}, whose functions no kernel has"),
        problem::names(&known),
    )
}

fn not_compiled(kernel: KernelId, arch: Arch) -> PredictError {
    let all = Variant::all().unwrap_or_default();
    let names_of = |of: &dyn Fn(&Variant) -> Option<&'static str>| {
        let mut names: Vec<&str> = all.iter().filter_map(of).collect();
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    };
    let kernels = names_of(&|v| (v.arch == arch).then(|| v.kernel.name()));
    let archs = names_of(&|v| (v.kernel == kernel).then(|| v.arch.name()));
    PredictError::refused(
        "kernel",
        format!("{kernel} for {arch}"),
        format!("{kernels} (with --arch: {kernel} for {archs})"),
    )
}

/// Returns a kernel's default cases per thread and stack levels in registers: the smallest compiled.
pub fn smallest(
    kernel: KernelId,
    problem: ProblemId,
    arch: Arch,
) -> Result<(u32, u32), PredictError> {
    let all = compiled(kernel, problem, arch)?;
    let sizes = all.iter().map(|v| (v.stack_dim, v.stack_registers));
    Ok(sizes.min().unwrap_or((1, 0)))
}

/// Returns the machine code for `configuration` on a device: the custom kernel it names, or a compiled one.
pub fn of(
    configuration: &Configuration,
    problem: ProblemId,
    device: &Device,
    choice: &CodeChoice,
) -> Result<KernelCode, PredictError> {
    let arch = architecture(device, choice)?;
    let Some(own) = choice.own_named(&configuration.kernel) else {
        return Ok(find(configuration, problem, arch, choice)?.into());
    };
    if own.arch != arch {
        return Err(PredictError::refused(
            "machine code",
            format!("{} for {}", own.name, own.arch),
            format!("{arch} (--arch {} runs it all the same)", own.arch),
        ));
    }
    let kernel = own.lowering.kernel();
    let usual = Variant::new(kernel, problem, configuration.stack_dim, arch);
    let variant = wanted(usual, configuration, choice);
    Ok(KernelCode::own(variant, Arc::clone(own)))
}

/// Returns the usual variant with the configuration's levels in registers, and with any compilation choices of `choice`.
fn wanted(usual: Variant, configuration: &Configuration, choice: &CodeChoice) -> Variant {
    Variant {
        stack_registers: configuration.stack_registers,
        shape: choice.shape.unwrap_or(usual.shape),
        math: choice.math.unwrap_or(usual.math),
        dispatch: choice.dispatch.unwrap_or(usual.dispatch),
        ..usual
    }
}

/// Finds the kernel for `configuration`, compiled as `choice` requires. Kernels on Boolean words are unaffected by fast math and
/// exist in one version only.
fn find(
    configuration: &Configuration,
    problem: ProblemId,
    arch: Arch,
    choice: &CodeChoice,
) -> Result<Variant, PredictError> {
    let kernel: KernelId = configuration.kernel.parse().map_err(PredictError::other)?;
    let mut left = compiled(kernel, problem, arch)?;
    let usual = Variant::new(kernel, problem, configuration.stack_dim, arch);
    let mut wanted = wanted(usual, configuration, choice);
    if problem.is_boolean() {
        wanted.math = Math::Accurate;
    }
    for (what, value) in PROPERTIES {
        let given = value(&wanted);
        let mut allowed: Vec<String> = left.iter().map(value).collect();
        left.retain(|variant| value(variant) == given);
        if left.is_empty() {
            allowed.sort();
            allowed.dedup();
            return Err(PredictError::refused(
                what,
                given,
                format!(
                    "{} (kernel {kernel} for {problem}, {arch})",
                    allowed.join(", ")
                ),
            ));
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::options::LaunchOptions;
    use crate::systems::registry::configure;
    use crate::systems::settings::Settings;

    fn find(kernel: &str, stack_dim: u32, registers: u32) -> Result<Configuration, PredictError> {
        let options = LaunchOptions {
            stack_dim: Some(stack_dim),
            stack_registers: Some(registers),
            ..LaunchOptions::of(kernel)
        };
        configure(&options, &gtx670(), &Settings::default())
    }

    fn gtx670() -> Device {
        crate::device::Preset::load("gtx670").unwrap().device
    }

    #[test]
    fn kernels_of_the_paper_are_found() {
        for (kernel, stack_dim, registers) in
            [("rpn", 1, 0), ("lgp", 6, 0), ("lgp-registers", 4, 4)]
        {
            assert!(find(kernel, stack_dim, registers).is_ok(), "{kernel}");
        }
    }

    #[test]
    fn the_first_property_that_does_not_exist_is_named() {
        let message = |kernel, stack_dim, registers| {
            find(kernel, stack_dim, registers).unwrap_err().to_string()
        };
        assert_eq!(
            message("rpn", 9, 0),
            "second dimension: given 9; allowed: 1, 2, 3, 4, 5, 6 (kernel rpn for sextic, sm_35)"
        );
        assert_eq!(
            message("lgp-registers", 4, 0),
            "stack levels in registers: given 0; allowed: 1, 2, 3, 4 (kernel lgp-registers for sextic, sm_35)"
        );
        assert!(message("tree", 1, 0).contains("rpn"));
        assert_eq!(
            message("accumulator", 8, 2),
            "kernel: given accumulator for sm_35; allowed: lgp, lgp-registers, lgp-vector, rpn (with --arch: accumulator for sm_90)"
        );
    }
}
