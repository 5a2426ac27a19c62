//! The options that name one launch, and a second one by its differences.
//!
//! Leaves out: defaults and refusals (`systems::asked`). Units: KiB for the L1.

use super::engine::InputArgs;
use super::own_kernel::OwnKernelArgs;
use crate::gp::problem::canonical;
use crate::study::axis;
use crate::systems::chitty::system::USUAL_THREADS;
use crate::systems::options::{LaunchOptions, Size};
use crate::systems::registry;
use std::collections::BTreeMap;

/// One launch on one device.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Launch")]
pub struct ConfigurationArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670", value_parser = crate::commands::names::device())]
    pub device: String,
    #[command(flatten)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    pub own: OwnKernelArgs,
}

/// A launch on any device.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Launch")]
pub struct LaunchArgs {
    /// Kernel name (`warpstack list kernels` lists them)
    #[arg(long, default_value = "rpn", conflicts_with_all = ["sass", "cuda"], value_parser = super::names::kernel())]
    pub kernel: String,
    /// Size of the stack's second dimension [default: the smallest compiled]
    #[arg(long, value_name = "N")]
    pub stack_dim: Option<u32>,
    /// Number of stack levels held in registers [default: the fewest compiled]
    #[arg(long, value_name = "N")]
    pub stack_registers: Option<u32>,
    /// Problem name (`warpstack list problems` lists them) [default: the first that the kernel has]
    #[arg(long, value_parser = super::names::problem())]
    pub problem: Option<String>,
    #[arg(long, value_name = "N", help = threads_help())]
    pub threads: Option<u32>,
    /// Number of blocks that share the fitness cases of a program (accumulator only) [default: 50; 1 for other kernels]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub case_blocks: Option<u32>,
    /// L1 size in KiB; the rest of the on-chip memory is shared memory [default: the device's own division]
    #[arg(long, value_name = "KIB", value_parser = kib)]
    pub l1: Option<u32>,
    /// Rows of the data set (gpocl-* only) [default: 10000]
    #[arg(long, value_name = "N")]
    pub cases: Option<u32>,
    /// Number of threads that share the tests of a program (submachine only) [default: 64]
    #[arg(long, value_name = "N")]
    pub threads_per_program: Option<u32>,
}

/// A whole number of KiB, with or without its unit.
pub fn kib(given: &str) -> Result<u32, String> {
    let number = axis::kib(given).parse();
    number.map_err(|_| "allowed: a whole number of KiB, as 48 or 48KiB".to_owned())
}

fn threads_help() -> String {
    let mut others: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for kernel in registry::kernels() {
        let default = kernel.parameter(Size::Threads).map(|size| size.default);
        let differs = default.filter(|&default| default != USUAL_THREADS && default > 0);
        if let Some(default) = differs {
            others.entry(default).or_default().push(kernel.name);
        }
    }
    let others = others.iter();
    let others: String = others
        .map(|(default, kernels)| format!("; {default} for {}", kernels.join(", ")))
        .collect();
    format!(
        "Number of threads per block (not for gpocl-*, whose work-groups follow from the other sizes) [default: {USUAL_THREADS}{others}]"
    )
}

impl LaunchArgs {
    /// Returns the requested launch options. `--population` belongs to the launch where the kernel leaves it open, else to its programs.
    pub fn options(&self, inputs: &InputArgs) -> LaunchOptions {
        let mut kernels = registry::kernels();
        let kernel = kernels.find(|kernel| kernel.name == self.kernel);
        let is_open = kernel.is_some_and(|kernel| kernel.parameter(Size::Population).is_some());
        LaunchOptions {
            kernel: self.kernel.clone(),
            problem: self.problem.clone(),
            stack_dim: self.stack_dim,
            stack_registers: self.stack_registers,
            threads_per_block: self.threads,
            case_blocks: self.case_blocks,
            l1_kib: self.l1,
            population: inputs.population.filter(|_| is_open),
            cases: self.cases,
            threads_per_program: self.threads_per_program,
        }
    }
}

/// Returns the launch with `changes` such as `threads=128,stack-dim=4,l1=16` applied.
pub fn changed(options: &LaunchOptions, changes: &str) -> Result<LaunchOptions, String> {
    let mut changed = options.clone();
    for change in changes.split(',') {
        let (name, value) = change.split_once('=').ok_or_else(|| refused(change))?;
        let (name, value) = (name.trim(), value.trim());
        match name {
            // One's own is called as its file is.
            "kernel" if value == options.kernel => changed.kernel.clone_from(&options.kernel),
            "kernel" => changed.kernel = value.to_lowercase(),
            "problem" => changed.problem = Some(canonical(value)),
            _ => {
                let size: Size = (name.replace('-', "_").parse()).map_err(|_| refused(change))?;
                let value = match size {
                    Size::L1Kib => axis::kib(value),
                    _ => value,
                };
                *changed.size(size) = Some(value.parse().map_err(|_| {
                    format!("--against {change}: given \"{value}\"; allowed: a whole number")
                })?);
            }
        }
    }
    Ok(changed)
}

fn refused(change: &str) -> String {
    let size = |size: &Size| format!("{}=N", size.name().replace('_', "-"));
    let sizes: Vec<String> = Size::ALL.iter().map(size).collect();
    format!(
        "--against: given \"{change}\"; allowed: kernel=NAME, problem=NAME, {} (l1 in KiB)",
        sizes.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> LaunchOptions {
        LaunchOptions {
            stack_dim: Some(1),
            threads_per_block: Some(256),
            l1_kib: Some(48),
            ..LaunchOptions::of("rpn")
        }
    }

    #[test]
    fn changes_change_what_they_name_only() {
        let changed = changed(&base(), "threads=64, stack-dim=5").unwrap();
        let expected = LaunchOptions {
            stack_dim: Some(5),
            threads_per_block: Some(64),
            ..base()
        };
        assert_eq!(changed, expected);
    }

    #[test]
    fn names_are_understood_in_any_case() {
        let changed = changed(&base(), "kernel=LGP, problem=20-Mux").unwrap();
        assert_eq!(
            (changed.kernel.as_str(), changed.problem.as_deref()),
            ("lgp", Some("mux20"))
        );
    }

    #[test]
    fn wrong_changes_are_named() {
        for (changes, part) in [
            ("threads", "\"threads\""),
            ("warps=3", "\"warps=3\""),
            ("threads=64,l1=big", "\"big\""),
        ] {
            let message = changed(&base(), changes).unwrap_err();
            assert!(
                message.contains(part) && message.contains("allowed"),
                "{message}"
            );
        }
    }
}
