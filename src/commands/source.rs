//! `warpstack source`: a kernel's CUDA source or machine code, to start a kernel of one's own from.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{InputArgs, open_for};
use crate::device::Preset;
use crate::report::output;
use crate::systems::chitty::source;
use std::path::PathBuf;

/// Print a kernel's CUDA source, headers in place, or its machine code.
#[derive(Debug, clap::Args)]
pub struct SourceArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    #[command(flatten)]
    pub inputs: InputArgs,
    /// Print the machine code that runs on the device, as nvdisasm lists it
    #[arg(long)]
    pub listing: bool,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

pub fn run(args: &SourceArgs) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    let device = Preset::load(&args.configuration.device)?.device;
    let options = args.configuration.launch.options(&args.inputs);
    let (engine, launches) = open_for(&device, args.inputs.settings(), &[options])?;
    let code = engine.request(&launches[0])?.kernel;
    let text = match args.listing {
        true => code.sass()?,
        false => source::alone(code.kernel),
    };
    output::write(args.out.as_deref(), text.as_bytes())?;
    Ok(())
}
