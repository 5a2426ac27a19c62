//! `warpstack explore`: one page to try launches and machines on, which predicts and simulates by itself.
//!
//! Checks the launch that the page begins with, and adds the device's file, the kernel and the programs if they are not part of the
//! program. Leaves out: the layout of the page (`report/explore/`), its answers (the crate `wasm/`).

use super::CliResult;
use super::configuration::ConfigurationArgs;
use super::engine::{InputArgs, Kind, open_for};
use super::own_kernel;
use crate::device::Preset;
use crate::report::explore::{Content, MeasuredPoint, Own, Start, page};
use crate::report::output;
use crate::systems::options::LaunchOptions;
use crate::validate::compare::CellSplit;
use crate::validate::{Measured, Table, cells};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Write one page of HTML to try launches and machines on; it predicts and simulates in the browser, without a network.
#[derive(Debug, clap::Args)]
pub struct ExploreArgs {
    /// File to write, .html
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The launch that the page begins with.
    #[command(flatten)]
    pub configuration: ConfigurationArgs,
    /// File of programs that the page begins with: one per line in postfix order or as GP libraries print it, one block each [default: the
    /// built-in corpus of the problem]
    #[arg(long, value_name = "FILE")]
    pub programs: Option<PathBuf>,
}

/// The device whose speeds the paper measured.
const PAPERS: &str = "gtx670";

pub fn run(args: &ExploreArgs) -> CliResult {
    output::check_writable(&args.out)?;
    let text = made(args)?;
    Ok(output::write(Some(&args.out), text.as_bytes())?)
}

fn made(args: &ExploreArgs) -> Result<String, Box<dyn Error>> {
    let given = &args.configuration;
    let device = Preset::load(&given.device)?.device;
    let inputs = InputArgs {
        programs: args.programs.clone(),
        ..InputArgs::default()
    };
    let (options, inputs) = own_kernel::asked(given, &inputs, &device)?;
    let (engine, configurations) = open_for(&device, inputs.settings(), &[options])?;
    own_kernel::check(&engine, &configurations, &given.own)?;
    // What cannot run is refused before a page is written.
    engine
        .with_engine(Kind::Analytical)
        .predict(&configurations[0])?;
    let launch = LaunchOptions::from(&configurations[0]);
    let own = inputs.own.as_deref().map(|own| Own {
        file: own.name.clone(),
        listing: own.listing().to_owned(),
        encoding: own.lowering.name(),
    });
    let programs = args.programs.as_deref().map(read).transpose()?;
    page(&Content {
        start: Start {
            device: given.device.clone(),
            launch,
            programs: programs.unwrap_or_default(),
            own,
            preset: match given.device.ends_with(".toml") {
                true => Some(read(Path::new(&given.device))?),
                false => None,
            },
        },
        measured: measured()?,
    })
}

fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    let read = std::fs::read_to_string(path);
    Ok(read.map_err(|error| format!("{}: {error}", path.display()))?)
}

/// The cells of the paper's tables that were measured.
fn measured() -> Result<Vec<MeasuredPoint>, Box<dyn Error>> {
    let mut points = Vec::new();
    for table in Table::ALL {
        let measured = Measured::of_paper(table)?;
        for problem in crate::predictor::problems() {
            for cell in cells(table, problem) {
                let value = measured.get(&cell);
                points.extend(value.map(|value| MeasuredPoint {
                    device: PAPERS,
                    launch: cell.options(),
                    gpops_billion: value.gpops_billion,
                    ci_billion: value.ci_billion,
                    table: table.number(),
                    fitted: cell.split() == CellSplit::Fitted,
                }));
            }
        }
    }
    Ok(points)
}
