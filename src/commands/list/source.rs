//! `warpstack list kernels NAME --source`: a kernel's CUDA source or machine code, to start a custom kernel from.

use crate::commands::engine::open_for;
use crate::commands::names;
use crate::commands::refuse;
use crate::device::Preset;
use crate::isa::Arch;
use crate::predictor::{CodeChoice, Settings};
use crate::systems::chitty::source;
use crate::systems::chitty::variant::{Dispatch, Math, Shape};
use crate::systems::options::LaunchOptions;
use std::error::Error;

/// Which code of a kernel is printed.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The code of one kernel")]
pub struct SourceArgs {
    /// Print the kernel's CUDA source, headers in place, instead of the list
    #[arg(long, requires = "kernel", conflicts_with_all = ["listing", "format"])]
    source: bool,
    /// Print the machine code that runs on the device, as nvdisasm lists it, instead of the list
    #[arg(long, requires = "kernel", conflicts_with = "format")]
    listing: bool,
    /// Device name, or the path of a .toml file [default: gtx670]
    #[arg(long, value_parser = names::device())]
    device: Option<String>,
    /// Size of the stack's second dimension [default: the smallest compiled]
    #[arg(long, value_name = "N")]
    stack_dim: Option<u32>,
    /// Number of stack levels held in registers [default: the fewest compiled]
    #[arg(long, value_name = "N")]
    stack_registers: Option<u32>,
    /// Code shape: unrolled, rolled, rolled-input [default: unrolled]
    #[arg(long, value_name = "SHAPE")]
    shape: Option<Shape>,
    /// Math: accurate, fast [default: accurate]
    #[arg(long, value_name = "MATH")]
    math: Option<Math>,
    /// Type of the program's tokens: float, int [default: the kernel's]
    #[arg(long, value_name = "TYPE")]
    token_type: Option<Dispatch>,
}

impl SourceArgs {
    pub(super) fn is_asked(&self) -> bool {
        self.source || self.listing
    }

    /// Refuses options of the code where the list is printed.
    pub(super) fn refuse_options(&self) -> Result<(), String> {
        let options = [
            ("--device", self.device.is_some()),
            ("--stack-dim", self.stack_dim.is_some()),
            ("--stack-registers", self.stack_registers.is_some()),
            ("--shape", self.shape.is_some()),
            ("--math", self.math.is_some()),
            ("--token-type", self.token_type.is_some()),
        ];
        refuse::given(
            &options,
            "given without --source or --listing; allowed: with one of them",
        )
    }
}

/// Returns the source or the listing of a kernel.
pub(super) fn text(
    args: &SourceArgs,
    arch: Option<Arch>,
    launch: LaunchOptions,
) -> Result<String, Box<dyn Error>> {
    let device = Preset::load(args.device.as_deref().unwrap_or("gtx670"))?.device;
    let options = LaunchOptions {
        stack_dim: args.stack_dim,
        stack_registers: args.stack_registers,
        ..launch
    };
    let settings = Settings {
        code: CodeChoice {
            arch,
            shape: args.shape,
            math: args.math,
            dispatch: args.token_type,
            own: None,
        },
        ..Settings::default()
    };
    let (engine, launches) = open_for(&device, settings, &[options])?;
    let code = engine.request(&launches[0])?.kernel;
    Ok(match args.listing {
        true => code.sass()?,
        false => source::alone(code.kernel),
    })
}
