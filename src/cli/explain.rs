//! `warpstack explain`: why a configuration is as fast as it is, alone or beside another one.

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::simulate::Format;
use crate::device::Device;
use crate::predict::{PerformanceModel, Prediction};
use crate::report::explain::{self, Explanation};
use crate::report::{chart, output};
use std::error::Error;
use std::path::PathBuf;

/// Explains where a configuration's cycles go, alone or side by side with a changed one.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    /// A second configuration, by what differs: threads=N,stack-dim=N,l1=KIB,kernel=NAME,problem=NAME
    #[arg(long, value_name = "CHANGES")]
    pub against: Option<String>,
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Chart of the cycles to draw, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
}

pub fn run(args: &ExplainArgs, device: &Device, model: &dyn PerformanceModel) -> CliResult {
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    if let Some(path) = &args.chart {
        chart::check_path(path)?;
    }
    let predictions = predictions(args, device, model)?;
    let explanations: Vec<Explanation> = predictions.iter().map(Explanation::of).collect();
    let text = match args.format {
        Format::Table => explain::text(&explanations),
        Format::Json => serde_json::to_string_pretty(&explanations)? + "\n",
    };
    output::write(args.out.as_deref(), text.as_bytes())?;
    if let Some(path) = &args.chart {
        chart::save(&explain::chart(&explanations), path)?;
    }
    Ok(())
}

fn predictions(
    args: &ExplainArgs,
    device: &Device,
    model: &dyn PerformanceModel,
) -> Result<Vec<Prediction>, Box<dyn Error>> {
    let mut configurations = vec![args.configuration.clone()];
    if let Some(changes) = &args.against {
        configurations.push(args.configuration.changed(changes)?);
    }
    let mut predictions = Vec::new();
    for configuration in configurations {
        predictions.push(model.predict(&configuration.configuration(device)?)?);
    }
    Ok(predictions)
}
