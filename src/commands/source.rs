//! `warpstack source`: a kernel's CUDA source or machine code, to start a kernel of one's own from.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::InputArgs;
use crate::device::Preset;
use crate::predictor::Engine;
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
    let configuration = args.configuration.configuration(&device, &args.inputs)?;
    let problems = [configuration.problem.as_str()];
    let engine = Engine::new(device, &problems, args.inputs.settings())?;
    let code = engine.request(&configuration)?.kernel;
    let text = match args.listing {
        true => code.sass()?,
        false => source::alone(code.kernel),
    };
    output::write(args.out.as_deref(), text.as_bytes())?;
    Ok(())
}
