//! The options that name a custom kernel, by its listing or its source, and the check of its results.
//!
//! Leaves out: compiling (`measure::compile`), execution.

use super::configuration::ConfigurationArgs;
use super::engine::InputArgs;
use crate::device::Device;
use crate::gp::problem::ProblemId;
use crate::launch::prediction::Configuration;
use crate::measure::compile::OwnSource;
use crate::predictor::{Predictor, architecture};
use crate::report::progress;
use crate::systems::chitty::code::{OwnCode, name_of};
use crate::systems::chitty::conformance::Conformance;
use crate::systems::chitty::kernel_id::Lowering;
use crate::systems::chitty::variant::{Math, Shape, Variant};
use crate::systems::options::LaunchOptions;
use crate::systems::registry;
use crate::validate::interval::{Group, Interval};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A kernel that is not in the program.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Custom kernel")]
pub struct OwnKernelArgs {
    /// Machine code of a custom kernel: the listing that `nvdisasm -hex -g FILE.cubin` prints [default: the built-in kernel of --kernel]
    #[arg(
        long,
        value_name = "FILE",
        requires = "encoding",
        conflicts_with = "cuda"
    )]
    pub sass: Option<PathBuf>,
    #[command(flatten)]
    pub compiled: CudaArgs,
    /// With --sass: CUDA source, to show the text of its lines [default: line numbers only]
    #[arg(long, value_name = "FILE", requires = "sass")]
    pub source: Option<PathBuf>,
    /// Predict the custom kernel even if its results differ from the reference interpreter's
    #[arg(long)]
    pub unchecked: bool,
}

/// The source of a kernel that is not in the program, and how it is compiled.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Custom kernel")]
pub struct CudaArgs {
    /// CUDA source of a custom kernel, compiled as the built-in kernels were (needs CUDA's libnvrtc, ptxas and, to predict, nvdisasm) [default: the built-in
    /// kernel of --kernel]
    #[arg(long, value_name = "FILE", requires = "encoding")]
    pub cuda: Option<PathBuf>,
    /// Program encoding that the custom kernel expects: rpn, lgp or accumulator; required with a custom kernel
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<Lowering>,
    /// With --cuda: option for the compiler, as --nvrtc=-DUNROLL=4; may be given several times [default: none]
    #[arg(
        long,
        value_name = "OPTION",
        requires = "cuda",
        allow_hyphen_values = true
    )]
    pub nvrtc: Vec<String>,
    /// With --cuda: maximum number of registers per thread [default: 64; 63 for sm_35]
    #[arg(long, value_name = "N", requires = "cuda", value_parser = clap::value_parser!(u32).range(16..=255))]
    pub max_registers: Option<u32>,
}

impl CudaArgs {
    /// Returns the source at `path`, to be compiled like a built-in kernel.
    pub fn source<'a>(&'a self, path: &'a Path, like: Variant) -> OwnSource<'a> {
        OwnSource {
            path,
            like,
            options: &self.nvrtc,
            max_registers: self.max_registers,
        }
    }
}

impl OwnKernelArgs {
    /// Returns the interval of a launch on a device, with an L1 of a size or the device's own: none with a custom kernel or a size that the
    /// device does not have, which were never measured here.
    pub fn interval(&self, device: &Device, launch: &Group, l1_bytes: Option<u32>) -> Interval {
        match self.path().is_some() {
            true => Interval::NONE,
            false => Interval::of(device, launch, l1_bytes),
        }
    }
}

impl OwnKernelArgs {
    /// Returns the file that the kernel is read from.
    pub fn path(&self) -> Option<&Path> {
        self.sass.as_deref().or(self.compiled.cuda.as_deref())
    }

    /// Returns the file that its lines are shown from.
    pub fn source_path(&self) -> Option<&Path> {
        self.source.as_deref().or(self.compiled.cuda.as_deref())
    }
}

/// Returns the requested launch options and their inputs, with the custom kernel in place of the named one if there is one.
pub fn asked(
    args: &ConfigurationArgs,
    inputs: &InputArgs,
    device: &Device,
) -> Result<(LaunchOptions, InputArgs), Box<dyn Error>> {
    launched(args.launch.options(inputs), &args.own, inputs, device)
}

/// Returns these options and inputs, with the custom kernel in place of the named one if there is one.
pub fn launched(
    mut options: LaunchOptions,
    own: &OwnKernelArgs,
    inputs: &InputArgs,
    device: &Device,
) -> Result<(LaunchOptions, InputArgs), Box<dyn Error>> {
    let mut inputs = inputs.clone();
    if let Some(lowering) = own.compiled.encoding {
        let code = own.code(lowering, || like(lowering, &options, &inputs, device))?;
        options.kernel.clone_from(&code.name);
        inputs.own = Some(code);
    }
    Ok((options, inputs))
}

impl OwnKernelArgs {
    /// Returns the custom kernel of an encoding; a source is compiled like the variant that `like` chooses.
    pub fn code(
        &self,
        lowering: Lowering,
        like: impl FnOnce() -> Result<Variant, Box<dyn Error>>,
    ) -> Result<Arc<OwnCode>, Box<dyn Error>> {
        let code = match (&self.compiled.cuda, &self.sass) {
            (Some(path), _) => {
                let listing = self.compiled.source(path, like()?).listing()?;
                OwnCode::new(listing, &name_of(path), lowering)?
            }
            (None, Some(path)) => OwnCode::read(path, lowering)?,
            (None, None) => {
                return Err(format!(
                    "--encoding: given {lowering}; allowed: with --sass FILE or --cuda FILE"
                )
                .into());
            }
        };
        if !self.unchecked {
            code.check_encodings()?;
        }
        Ok(Arc::new(match self.source_path() {
            Some(path) => code.with_source(path)?,
            None => code,
        }))
    }
}

/// Returns the variant that a source of an encoding is compiled like.
fn like(
    lowering: Lowering,
    options: &LaunchOptions,
    inputs: &InputArgs,
    device: &Device,
) -> Result<Variant, Box<dyn Error>> {
    let kernel = lowering.kernel();
    let choice = inputs.code_choice();
    let (_, info) = registry::find(kernel.name(), &choice)?;
    let problem = options.problem.as_deref().unwrap_or(info.problems[0]);
    let problem: ProblemId = problem.parse()?;
    let arch = architecture(device, &choice)?;
    let (stack_dim, stack_registers) = lowering.default_stack();
    Ok(Variant {
        stack_registers: options.stack_registers.unwrap_or(stack_registers),
        shape: inputs.shape.unwrap_or(Shape::Unrolled),
        math: inputs.math.unwrap_or(Math::Accurate),
        dispatch: inputs.token_type.unwrap_or(kernel.default_dispatch()),
        ..Variant::new(
            kernel,
            problem,
            options.stack_dim.unwrap_or(stack_dim),
            arch,
        )
    })
}

/// Runs the custom kernel among the configurations' lane by lane, and refuses it where its results are not the reference interpreter's.
pub fn check<'a>(
    engine: &Predictor,
    configurations: impl IntoIterator<Item = &'a Configuration>,
    own: &OwnKernelArgs,
) -> Result<(), Box<dyn Error>> {
    for configuration in configurations {
        let how = || {
            format!(
                "check --encoding, --stack-dim (given {}), --stack-registers, --token-type, --math and --problem",
                configuration.stack_dim
            )
        };
        let compared = engine.conformance(configuration);
        let Some(compared) = compared.map_err(|error| format!("{error}; {}", how()))? else {
            continue;
        };
        own.judge(&configuration.kernel, &compared, &how())?;
    }
    Ok(())
}

impl OwnKernelArgs {
    /// Says how a custom kernel's results compare; refuses the kernel where they differ, unless it is to be predicted all the same.
    pub fn judge(&self, kernel: &str, compared: &Conformance, how: &str) -> Result<(), String> {
        match &compared.differs {
            None => progress::say(&format!("{kernel}: its machine code {compared}")),
            Some(differs) if self.unchecked => {
                progress::say(&format!("{kernel}: {differs}; predicted all the same"));
            }
            Some(differs) => {
                return Err(format!("{kernel}: {differs}; {how}, or give --unchecked"));
            }
        }
        Ok(())
    }
}
