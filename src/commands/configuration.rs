//! The options that name one configuration, and a second one by its differences.
//!
//! Leaves out: whether the kernel exists and a block fits; the model answers that. Kernels of the other papers are for the commands that
//! ask [`ConfigurationArgs::any_configuration`].
//! Units: KiB for the L1, in the option's name on the command line only.

use super::engine::InputArgs;
use super::own_kernel::OwnKernelArgs;
use crate::device::Device;
use crate::gp::problem::{ProblemId, canonical};
use crate::isa::Arch;
use crate::launch::prediction::{Configuration, PaperSizes};
use crate::predictor;
use crate::predictor::architecture;
use crate::systems::chitty::variant::KernelId;
use crate::systems::kernels::PaperKernel;
use std::error::Error;

/// Threads of a block where nothing is said: a divisor of what every multiprocessor holds.
const USUAL_THREADS: u32 = 256;

const USUAL_PROBLEM: &str = "sextic";

/// One configuration on one device.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Launch")]
pub struct ConfigurationArgs {
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670", value_parser = crate::commands::names::device())]
    pub device: String,
    /// Kernel name (`warpstack kernels` lists them)
    #[arg(long, default_value = "rpn", value_parser = super::names::kernel())]
    pub kernel: String,
    /// Size of the stack's second dimension [default: the smallest compiled]
    #[arg(long, value_name = "N")]
    pub stack_dim: Option<u32>,
    /// Number of stack levels held in registers [default: the fewest compiled]
    #[arg(long, value_name = "N")]
    pub stack_registers: Option<u32>,
    /// Problem name (`warpstack problems` lists them) [default: sextic; of another paper's kernel the first it has]
    #[arg(long, value_parser = super::names::problem())]
    pub problem: Option<String>,
    /// Number of threads per block [default: 256; of another paper's kernel as the paper has it]; not with gpocl-*, whose work-groups
    /// follow from the other sizes
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,
    /// Number of blocks that share the fitness cases of a program (accumulator only) [default: 50; 1 for other kernels]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub case_blocks: Option<u32>,
    /// L1 size in KiB; the rest of the on-chip memory is shared memory [default: the device's own division]
    #[arg(long, value_name = "KIB")]
    pub l1: Option<u32>,
    #[command(flatten)]
    pub sizes: SizeArgs,
    #[command(flatten)]
    pub own: OwnKernelArgs,
    /// Of a second configuration, where it differs from that of the options.
    #[arg(skip)]
    population: Option<u32>,
}

/// Sizes that only kernels of some papers leave open.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(next_help_heading = "Launch")]
pub struct SizeArgs {
    /// Rows of the data set (gpocl-* only) [default: 10000]
    #[arg(long, value_name = "N")]
    pub cases: Option<u32>,
    /// Number of threads that share the tests of a program (submachine only) [default: 64]
    #[arg(long, value_name = "N")]
    pub threads_per_program: Option<u32>,
}

impl ConfigurationArgs {
    /// The problem that is meant.
    pub(super) fn problem(&self) -> String {
        let of_kernel = || {
            let problems = PaperKernel::named(&self.kernel).map(PaperKernel::problems);
            problems.and_then(|names| names.into_iter().next())
        };
        let usual = || USUAL_PROBLEM.to_owned();
        self.problem
            .clone()
            .unwrap_or_else(|| of_kernel().unwrap_or_else(usual))
    }

    /// The configuration on `device`, of a kernel of the main paper, with code chosen like this.
    pub fn configuration(
        &self,
        device: &Device,
        inputs: &InputArgs,
    ) -> Result<Configuration, Box<dyn Error>> {
        if PaperKernel::named(&self.kernel).is_some() {
            let kernels: Vec<&str> = KernelId::ALL.iter().map(|kernel| kernel.name()).collect();
            return Err(format!(
                "kernel: given {}; allowed: {} (the other papers' run in simulate, explain, whatif)",
                self.kernel,
                kernels.join(", ")
            )
            .into());
        }
        self.any_configuration(device, inputs)
    }

    /// The same of any kernel.
    pub fn any_configuration(
        &self,
        device: &Device,
        inputs: &InputArgs,
    ) -> Result<Configuration, Box<dyn Error>> {
        let of_paper = PaperKernel::named(&self.kernel);
        let threads_per_block = match (of_paper, self.threads) {
            (Some(kernel), threads) => kernel.block_size(threads)?,
            (None, Some(threads)) => threads,
            (None, None) => usual_threads(device),
        };
        let (stack_dim, stack_registers) = match of_paper {
            Some(_) => (
                self.stack_dim.unwrap_or(1),
                self.stack_registers.unwrap_or(0),
            ),
            None if inputs
                .own
                .as_ref()
                .is_some_and(|own| own.name == self.kernel) =>
            {
                (
                    self.stack_dim.unwrap_or(1),
                    self.stack_registers.unwrap_or(0),
                )
            }
            None => sizes(
                (&self.kernel, &self.problem()),
                (self.stack_dim, self.stack_registers),
                architecture(device, &inputs.code_choice())?,
            )?,
        };
        let l1_bytes = self
            .l1
            .map(|kib| super::l1_bytes(device, kib))
            .transpose()?;
        Ok(Configuration {
            problem: self.problem(),
            kernel: self.kernel.clone(),
            stack_dim,
            stack_registers,
            threads_per_block,
            case_blocks: case_blocks(&self.kernel, self.case_blocks),
            l1_bytes,
            sizes: PaperSizes {
                population: self
                    .population
                    .or(inputs.population.filter(|_| of_paper.is_some())),
                cases: self.sizes.cases,
                threads_per_program: self.sizes.threads_per_program,
            },
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
                "threads" => changed.threads = Some(number()?),
                "population" => changed.population = Some(number()?),
                "cases" => changed.sizes.cases = Some(number()?),
                "threads-per-program" => changed.sizes.threads_per_program = Some(number()?),
                "stack-dim" => changed.stack_dim = Some(number()?),
                "stack-registers" => changed.stack_registers = Some(number()?),
                "case-blocks" => changed.case_blocks = Some(number()?),
                "l1" => changed.l1 = Some(number()?),
                // One's own is called as its file is.
                "kernel" if value.trim() == self.kernel => changed.kernel.clone_from(&self.kernel),
                "kernel" => changed.kernel = value.trim().to_lowercase(),
                "problem" => changed.problem = Some(canonical(value.trim())),
                _ => return Err(refused(change)),
            }
        }
        Ok(changed)
    }
}

/// Threads of a block, where it is not said.
pub(super) fn usual_threads(device: &Device) -> u32 {
    device.limits.threads_per_block.min(USUAL_THREADS)
}

/// Blocks that share a program's cases, where it is not said.
pub(super) fn case_blocks(kernel: &str, given: Option<u32>) -> u32 {
    let default = kernel
        .parse::<KernelId>()
        .map_or(1, |id| id.sharing().default_case_blocks());
    given.unwrap_or(default)
}

/// Second dimension and levels in registers of a kernel for a problem, where they are not said: those of the smallest
/// kernel compiled.
pub(super) fn sizes(
    (kernel, problem): (&str, &str),
    (stack_dim, stack_registers): (Option<u32>, Option<u32>),
    arch: Arch,
) -> Result<(u32, u32), Box<dyn Error>> {
    let known = problem.parse::<ProblemId>();
    let smallest = match known {
        Ok(problem) => predictor::smallest(kernel.parse()?, problem, arch)?,
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
         stack-registers=N, case-blocks=N, l1=KIB, kernel=NAME, problem=NAME, population=N, cases=N, threads-per-program=N"
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
            problem: Some("sextic".into()),
            threads: Some(256),
            case_blocks: None,
            l1: Some(48),
            sizes: SizeArgs::default(),
            own: OwnKernelArgs::default(),
            population: None,
        }
    }

    #[test]
    fn changes_change_what_they_name_only() {
        let changed = base().changed("threads=64, stack-dim=5").unwrap();
        assert_eq!(
            (changed.threads, changed.stack_dim, changed.l1),
            (Some(64), Some(5), Some(48))
        );
    }

    #[test]
    fn names_are_understood_in_any_case() {
        let changed = base().changed("kernel=LGP, problem=20-Mux").unwrap();
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
            let message = base().changed(changes).unwrap_err();
            assert!(
                message.contains(part) && message.contains("allowed"),
                "{message}"
            );
        }
    }
}
