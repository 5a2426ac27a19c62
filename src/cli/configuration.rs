//! The options that name one configuration, and a second one by its differences.
//!
//! Leaves out: whether the kernel exists and a block fits; the model answers that.
//! Units: KiB for the L1, in the option's name on the command line only.

use crate::device::Device;
use crate::predict::Configuration;

/// One configuration on one device.
#[derive(Debug, Clone, clap::Args)]
pub struct ConfigurationArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670")]
    pub device: String,
    /// Kernel name (`warpstack kernels` lists them)
    #[arg(long, default_value = "rpn")]
    pub kernel: String,
    /// Size of the stack's second dimension
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub stack_dim: u32,
    /// Lowest stack levels held in registers (kernel lgp-registers)
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub stack_registers: u32,
    /// Problem name (`warpstack problems` lists them)
    #[arg(long, default_value = "sextic")]
    pub problem: String,
    /// Threads per block
    #[arg(long, value_name = "N")]
    pub threads: u32,
    /// L1 size in KiB; the rest of the on-chip memory is shared memory
    #[arg(long, default_value_t = 48, value_name = "KIB")]
    pub l1: u32,
}

impl ConfigurationArgs {
    pub fn configuration(&self, device: &Device) -> Result<Configuration, String> {
        Ok(Configuration {
            problem: self.problem.clone(),
            kernel: self.kernel.clone(),
            stack_dim: self.stack_dim,
            stack_registers: self.stack_registers,
            threads_per_block: self.threads,
            l1_bytes: super::l1_bytes(device, self.l1)?,
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
                "stack-dim" => changed.stack_dim = number()?,
                "stack-registers" => changed.stack_registers = number()?,
                "l1" => changed.l1 = number()?,
                "kernel" => changed.kernel = value.trim().into(),
                "problem" => changed.problem = value.trim().into(),
                _ => return Err(refused(change)),
            }
        }
        Ok(changed)
    }
}

fn refused(change: &str) -> String {
    format!(
        "--against: given \"{change}\"; allowed: threads=N, stack-dim=N, \
         stack-registers=N, l1=KIB, kernel=NAME, problem=NAME"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> ConfigurationArgs {
        ConfigurationArgs {
            device: "gtx670".into(),
            kernel: "rpn".into(),
            stack_dim: 1,
            stack_registers: 0,
            problem: "sextic".into(),
            threads: 256,
            l1: 48,
        }
    }

    #[test]
    fn changes_change_what_they_name_only() {
        let changed = base().changed("threads=64, stack-dim=5").unwrap();
        assert_eq!(
            (changed.threads, changed.stack_dim, changed.l1),
            (64, 5, 48)
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
