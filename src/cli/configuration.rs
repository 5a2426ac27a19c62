//! The options that name one configuration, and a second one by its differences.
//!
//! Leaves out: whether the kernel exists and a block fits; the model answers that.
//! Units: KiB for the L1, in the option's name on the command line only.

use crate::device::Device;
use crate::engine::{self, CodeChoice, architecture};
use crate::gpu::variant::{Arch, FunctionSet, KernelId};
use crate::predict::Configuration;
use std::error::Error;

/// One configuration on one device.
#[derive(Debug, Clone, clap::Args)]
pub struct ConfigurationArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670")]
    pub device: String,
    /// Kernel name (`warpstack kernels` lists them)
    #[arg(long, default_value = "rpn")]
    pub kernel: String,
    /// Size of the stack's second dimension [default: the smallest compiled]
    #[arg(long, value_name = "N")]
    pub stack_dim: Option<u32>,
    /// Number of stack levels held in registers [default: the fewest compiled]
    #[arg(long, value_name = "N")]
    pub stack_registers: Option<u32>,
    /// Problem name (`warpstack problems` lists them)
    #[arg(long, default_value = "sextic")]
    pub problem: String,
    /// Number of threads per block
    #[arg(long, value_name = "N")]
    pub threads: u32,
    /// Number of blocks that share the fitness cases of a program (accumulator only) [default: 50; 1 for other kernels]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub case_blocks: Option<u32>,
    /// L1 size in KiB; the rest of the on-chip memory is shared memory [default: the device's own division]
    #[arg(long, value_name = "KIB")]
    pub l1: Option<u32>,
}

impl ConfigurationArgs {
    /// The configuration on `device`, of code chosen like this.
    pub fn configuration(
        &self,
        device: &Device,
        code: &CodeChoice,
    ) -> Result<Configuration, Box<dyn Error>> {
        let (stack_dim, stack_registers) = sizes(
            (&self.kernel, &self.problem),
            (self.stack_dim, self.stack_registers),
            architecture(device, code)?,
        )?;
        let l1_bytes = self
            .l1
            .map(|kib| super::l1_bytes(device, kib))
            .transpose()?;
        Ok(Configuration {
            problem: self.problem.clone(),
            kernel: self.kernel.clone(),
            stack_dim,
            stack_registers,
            threads_per_block: self.threads,
            case_blocks: case_blocks(&self.kernel, self.case_blocks),
            l1_bytes,
        })
    }

    /// The same with `changes` like `threads=128,stack-dim=4,l1=16`.
    pub fn changed(&self, changes: &str) -> Result<ConfigurationArgs, String> {
        let mut changed = self.clone();
        for change in changes.split(',') {
            let (name, value) = change.split_once('=').ok_or_else(|| refused(change))?;
            let number = || {
                value.trim().parse().map_err(|_| {
                    format!("--against {change}: given \"{value}\"; allowed: a whole number")
                })
            };
            match name.trim() {
                "threads" => changed.threads = number()?,
                "stack-dim" => changed.stack_dim = Some(number()?),
                "stack-registers" => changed.stack_registers = Some(number()?),
                "case-blocks" => changed.case_blocks = Some(number()?),
                "l1" => changed.l1 = Some(number()?),
                "kernel" => changed.kernel = value.trim().into(),
                "problem" => changed.problem = value.trim().into(),
                _ => return Err(refused(change)),
            }
        }
        Ok(changed)
    }
}

/// Blocks that share a program's cases, where it is not said.
pub(super) fn case_blocks(kernel: &str, given: Option<u32>) -> u32 {
    let default = kernel.parse().map_or(1, KernelId::default_case_blocks);
    given.unwrap_or(default)
}

/// Second dimension and levels in registers of a kernel for a problem, where they are not said: those of the smallest
/// kernel compiled.
pub(super) fn sizes(
    (kernel, problem): (&str, &str),
    (stack_dim, stack_registers): (Option<u32>, Option<u32>),
    arch: Arch,
) -> Result<(u32, u32), Box<dyn Error>> {
    let known = problem.parse::<FunctionSet>();
    let smallest = match known {
        Ok(problem) => engine::smallest(kernel.parse()?, problem, arch)?,
        // The engine says which problems there are.
        Err(_) => (1, 0),
    };
    Ok((
        stack_dim.unwrap_or(smallest.0),
        stack_registers.unwrap_or(smallest.1),
    ))
}

fn refused(change: &str) -> String {
    format!(
        "--against: given \"{change}\"; allowed: threads=N, stack-dim=N, \
         stack-registers=N, case-blocks=N, l1=KIB, kernel=NAME, problem=NAME"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> ConfigurationArgs {
        ConfigurationArgs {
            device: "gtx670".into(),
            kernel: "rpn".into(),
            stack_dim: Some(1),
            stack_registers: Some(0),
            problem: "sextic".into(),
            threads: 256,
            case_blocks: None,
            l1: Some(48),
        }
    }

    #[test]
    fn changes_change_what_they_name_only() {
        let changed = base().changed("threads=64, stack-dim=5").unwrap();
        assert_eq!(
            (changed.threads, changed.stack_dim, changed.l1),
            (64, Some(5), Some(48))
        );
    }

    #[test]
    fn wrong_changes_are_named() {
        for (changes, part) in [
            ("threads", "\"threads\""),
            ("warps=3", "\"warps=3\""),
            ("threads=64,l1=big", "\"big\""),
        ] {
            let message = base().changed(changes).unwrap_err();
            assert!(
                message.contains(part) && message.contains("allowed"),
                "{message}"
            );
        }
    }
}
