//! The presets and what runs on them, for the controls of a page.
//!
//! Leaves out: predictions. Units: those of the preset's fields; KiB for the L1.

use super::Answered;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use warpstack::device::{Device, builtin_names};
use warpstack::gp::problem::ProblemId;
use warpstack::isa::Arch;
use warpstack::predictor::{architecture, executed_architecture};
use warpstack::study::{Base, Key};
use warpstack::systems::asked::Allowed;
use warpstack::systems::chitty::variant::Variant;
use warpstack::systems::registry::{KernelInfo, SYSTEMS};
use warpstack::systems::settings::CodeChoice;

/// Names and titles of the presets.
pub(super) fn catalogue() -> Answered<Value> {
    let device = |name: &&str| -> Answered<Value> {
        let device = Base::load(name)?.device;
        Ok(json!({ "name": name, "title": device.title, "validated": device.validated.name() }))
    };
    let devices: Answered<Vec<Value>> = builtin_names().iter().map(device).collect();
    Ok(json!({ "devices": devices? }))
}

pub(super) fn described(base: &Base, fields: &[String]) -> Answered<Value> {
    let values: Answered<Vec<Option<f64>>> = fields.iter().map(|name| value(base, name)).collect();
    let device = &base.device;
    let sizes = device.l1.splits.iter();
    let sizes: BTreeSet<u32> = sizes.map(|split| split.l1_bytes / 1024).collect();
    Ok(json!({
        "title": device.title,
        "values": values?,
        "l1": sizes,
        "default_l1": device.default_l1_bytes().map(|bytes| bytes / 1024),
        "warps": device.limits.warps_per_smx,
        "blocks": device.limits.blocks_per_smx,
        "kernels": kernels(device)?,
    }))
}

fn value(base: &Base, name: &str) -> Answered<Option<f64>> {
    match base.key(name)?.0 {
        Key::Field(section, field) => Ok(base.value(&section, &field)),
        _ => Err(format!("field: given {name}; allowed: a value of the device").into()),
    }
}

/// The kernels that run on a device, each with its problems and the sizes that can be chosen.
fn kernels(device: &Device) -> Answered<Vec<Value>> {
    let arch = architecture(device, &CodeChoice::default()).ok();
    let runs_others = executed_architecture(device, &CodeChoice::default()).is_ok();
    let mut kernels = Vec::new();
    for system in SYSTEMS {
        for kernel in system.kernels() {
            let problems = match (system.is_uniform(), arch) {
                (true, Some(arch)) => compiled(kernel, arch)?,
                (true, None) => continue,
                (false, _) if runs_others => {
                    let problems = kernel.problems.iter();
                    problems.map(|problem| (*problem, json!([]))).collect()
                }
                (false, _) => continue,
            };
            if !problems.is_empty() {
                kernels.push(
                    json!({ "name": kernel.name, "problems": problems, "sizes": sizes(kernel) }),
                );
            }
        }
    }
    Ok(kernels)
}

/// Second dimensions and stack levels in registers that a kernel of Chitty's was compiled for, by problem.
fn compiled(kernel: &KernelInfo, arch: Arch) -> Answered<BTreeMap<&'static str, Value>> {
    let mut problems = BTreeMap::new();
    for problem in &kernel.problems {
        let id: ProblemId = problem.parse()?;
        let of_kernel = |one: &Variant| one.kernel.name() == kernel.name;
        let variants: BTreeSet<(u32, u32)> = (Variant::of_problem(id, arch)?.iter())
            .filter(|one| of_kernel(one))
            .map(|one| (one.stack_dim, one.stack_registers))
            .collect();
        if !variants.is_empty() {
            problems.insert(*problem, json!(variants));
        }
    }
    Ok(problems)
}

/// Sizes of a launch that can be set, with their values.
fn sizes(kernel: &KernelInfo) -> Vec<Value> {
    let size = |one: &warpstack::systems::asked::Parameter| {
        let allowed = match one.allowed {
            Allowed::OneOf(values) => json!(values),
            Allowed::Range(least, most) => json!({ "least": least, "most": most }),
        };
        json!({ "key": one.size.name(), "default": one.default, "allowed": allowed })
    };
    kernel.parameters.iter().map(size).collect()
}
