//! The axes of the explorer for a device: launches as the paper had them, and machines around the one that it is.
//!
//! Takes block sizes from the paper, cases per thread from the compiled kernels and L1 sizes from the device; doubles and halves
//! the machine's other values. Leaves out: values that the device's ranges do not allow, and keys that the model does not read.
//! Units: KiB for the L1; those of the preset for the machine.

use crate::device::{Device, Reader};
use crate::isa::Arch;
use crate::report::explore::grid::{Axis, Spelling, n_points, places};
use crate::study::{Base, Key};
use crate::systems::chitty::find::compiled;
use crate::systems::chitty::system::USUAL_THREADS;
use crate::systems::options::LaunchOptions;
use std::collections::BTreeSet;
use std::error::Error;

/// Threads per block of the paper's tables.
const THREADS: [u32; 11] = [32, 64, 96, 128, 256, 384, 512, 640, 768, 896, 1024];
/// Where the page starts.
const START_DIM: u32 = 2;
/// L1 sizes at most.
const L1_SIZES: usize = 3;

/// A value of the machine: the key, its label and unit, and how many times what the device has.
const MACHINE: [(&str, &str, &str, &str, &[f64]); 4] = [
    ("smx", "Multiprocessors", "", "smx", &[0.5, 1.0, 2.0]),
    ("clock", "Clock", "MHz", "clock", &[0.75, 1.0, 1.25]),
    (
        "l2",
        "Path to the L2",
        "bytes per cycle",
        "l2.port_bytes_per_cycle",
        &[0.5, 1.0, 2.0],
    ),
    (
        "dram",
        "DRAM bandwidth",
        "GB/s",
        "dram_bandwidth",
        &[0.5, 1.0, 2.0],
    ),
];

/// The predictions to make: every launch on every machine.
pub struct Plan {
    /// Axes of the launch, then those of the machine.
    pub axes: Vec<Axis>,
    /// In the order of the axes, the last one moving fastest.
    pub launches: Vec<LaunchOptions>,
    /// Machines in the order of the axes, the last one moving fastest.
    pub machines: Vec<Device>,
}

impl Plan {
    pub fn new(
        base: &Base,
        problems: &[&str],
        kernels: &[&str],
        arch: Arch,
    ) -> Result<Plan, Box<dyn Error>> {
        let dims = dims(problems, kernels, arch)?;
        let launch = launch_axes(&base.device, problems, kernels, &dims);
        let machine = machine_axes(base)?;
        let launches = (0..n_points(&launch)).map(|point| options(&launch, point));
        let machines = (0..n_points(&machine)).map(|point| device(base, &machine, point));
        Ok(Plan {
            launches: launches.collect(),
            machines: machines.collect::<Result<_, _>>()?,
            axes: launch.into_iter().chain(machine).collect(),
        })
    }

    /// Where a launch is on the axes of the launch.
    pub fn places(&self, at: usize) -> Vec<usize> {
        let launch: Vec<Axis> = self
            .axes
            .iter()
            .filter(|a| !a.is_of_machine())
            .cloned()
            .collect();
        places(&launch, at)
    }
}

/// Second dimensions that some of the kernels were compiled for.
fn dims(problems: &[&str], kernels: &[&str], arch: Arch) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut dims = BTreeSet::new();
    for kernel in kernels {
        for problem in problems {
            let variants = compiled(kernel.parse()?, problem.parse()?, arch)?;
            dims.extend(variants.iter().map(|variant| variant.stack_dim));
        }
    }
    Ok(dims.into_iter().collect())
}

fn launch_axes(device: &Device, problems: &[&str], kernels: &[&str], dims: &[u32]) -> Vec<Axis> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let numbers = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>();
    let l1 = l1_kib(device);
    let of_launch = |key, label, unit, values: Vec<String>, start: &str| Axis {
        start: values.iter().position(|value| value == start).unwrap_or(0),
        key,
        label,
        unit,
        option: Spelling::Launch(key),
        values,
    };
    let mut axes = vec![
        of_launch("problem", "Problem", "", names(problems), ""),
        of_launch("kernel", "Kernel", "", names(kernels), ""),
        of_launch(
            "threads",
            "Threads per block",
            "threads",
            numbers(&THREADS),
            &USUAL_THREADS.to_string(),
        ),
        of_launch(
            "stack-dim",
            "Second dimension of the stack",
            "fitness cases per thread",
            numbers(dims),
            &START_DIM.to_string(),
        ),
    ];
    if let Some(largest) = l1.last() {
        let start = device
            .default_l1_bytes()
            .map_or(*largest, |bytes| bytes / 1024);
        axes.push(of_launch(
            "l1",
            "L1 size",
            "KiB",
            numbers(&l1),
            &start.to_string(),
        ));
    }
    axes
}

/// The device's sizes, or the first, a middle and the last of many; none where there is no L1 of a KiB.
fn l1_kib(device: &Device) -> Vec<u32> {
    let sizes = device.l1.splits.iter().map(|split| split.l1_bytes / 1024);
    let sizes: BTreeSet<u32> = sizes.filter(|kib| *kib > 0).collect();
    let sizes: Vec<u32> = sizes.into_iter().collect();
    match sizes[..] {
        [first, .., last] if sizes.len() > L1_SIZES => vec![first, sizes[sizes.len() / 2], last],
        _ => sizes,
    }
}

fn machine_axes(base: &Base) -> Result<Vec<Axis>, Box<dyn Error>> {
    let mut axes = Vec::new();
    for (key, label, unit, name, factors) in MACHINE {
        let (field, _) = base.key(name)?;
        let Key::Field(section, field_name) = &field else {
            continue;
        };
        let Some(present) = base.value(section, field_name) else {
            continue;
        };
        // Whole numbers stay whole.
        let times = |factor: &f64| match base.is_whole(&field) {
            true => (present * factor).ceil(),
            false => present * factor,
        };
        let is_read = base.check_read(&field, Reader::Model, &[&field]).is_ok();
        let mut values: Vec<String> = factors.iter().map(|f| times(f).to_string()).collect();
        let present = present.to_string();
        values.retain(|value| {
            *value == present || (is_read && base.device(&[(&field, value)]).is_ok())
        });
        values.dedup();
        axes.push(Axis {
            key,
            label,
            unit,
            start: values
                .iter()
                .position(|value| *value == present)
                .unwrap_or(0),
            option: Spelling::Machine(name),
            values,
        });
    }
    Ok(axes)
}

fn options(axes: &[Axis], point: usize) -> LaunchOptions {
    let places = places(axes, point);
    let value = |key: &str| {
        let found = axes.iter().zip(&places).find(|(axis, _)| axis.key == key);
        found.map(|(axis, place)| axis.values[*place].as_str())
    };
    let number = |key: &str| value(key).and_then(|text| text.parse::<u32>().ok());
    LaunchOptions {
        problem: value("problem").map(str::to_owned),
        threads_per_block: number("threads"),
        stack_dim: number("stack-dim"),
        l1_kib: number("l1"),
        ..LaunchOptions::of(value("kernel").unwrap_or(""))
    }
}

/// The machine of a combination, made as `whatif` makes it.
fn device(base: &Base, axes: &[Axis], point: usize) -> Result<Device, Box<dyn Error>> {
    let mut changes = Vec::new();
    for (axis, place) in axes.iter().zip(places(axes, point)) {
        if let (Spelling::Machine(name), true) = (&axis.option, place != axis.start) {
            changes.push((base.key(name)?.0, axis.values[place].as_str()));
        }
    }
    let changes: Vec<(&Key, &str)> = changes.iter().map(|(key, value)| (key, *value)).collect();
    Ok(base.device(&changes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_card_has_its_launches_and_81_machines() {
        let base = Base::gtx670().unwrap();
        let plan = Plan::new(&base, &["sextic"], &["rpn", "lgp"], Arch::Sm35).unwrap();
        assert_eq!(plan.launches.len(), 2 * 11 * 6 * 3);
        assert_eq!(plan.machines.len(), 3 * 3 * 3 * 3);
        let started: Vec<&str> = plan
            .axes
            .iter()
            .map(|axis| axis.values[axis.start].as_str())
            .collect();
        let card = [
            "sextic", "rpn", "256", "2", "48", "7", "980", "32", "192.256",
        ];
        assert_eq!(started, card);
        assert_eq!(plan.places(7), [0, 0, 0, 2, 1]);
    }

    #[test]
    fn of_many_l1_sizes_three_are_taken() {
        let base = Base::load("h200").unwrap();
        assert_eq!(l1_kib(&base.device), [28, 156, 248]);
    }
}
