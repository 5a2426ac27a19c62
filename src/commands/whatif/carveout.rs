//! `warpstack whatif --vary carveout`: one launch at every division of the device's on-chip memory, as predicted and, where
//! it was, as measured.
//!
//! Units: KiB; billions of GPop/s.

use crate::commands::CliResult;
use crate::commands::engine::{EngineArgs, note_weights, open_for};
use crate::commands::format::OutputArgs;
use crate::device::{Device, Preset};
use crate::isa::Arch;
use crate::launch::CarveOut;
use crate::launch::prediction::{Configuration, PredictError};
use crate::predictor::Predictor;
use crate::report::carveout::{self, CarveoutPoint};
use crate::report::chart::{self, Look};
use crate::report::provenance::Provenance;
use crate::systems::chitty::request::Request;
use crate::systems::chitty::variant::Variant;
use crate::systems::options::LaunchOptions;
use crate::validate::launches::{MeasuredLaunch, measured_launches};
use crate::validate::requests::{Programs, Requests};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// The device whose measured launches are part of the program.
const MEASURED: &str = "h200";

/// A launch whose on-chip memory is to be divided.
pub struct Study<'a> {
    /// Name or path.
    pub device: &'a str,
    pub options: LaunchOptions,
    pub engine: &'a EngineArgs,
    pub output: &'a OutputArgs,
    pub chart: Option<&'a Path>,
    pub look: Look,
}

impl Study<'_> {
    pub fn run(&self) -> CliResult {
        self.output.check()?;
        if let Some(path) = self.chart {
            chart::check_path(path)?;
        }
        let (points, provenance) = self.points()?;
        self.output
            .print_columns(&carveout::columns(), &points, &provenance)?;
        if let Some(path) = self.chart {
            chart::save(&carveout::chart(&points), path, self.look)?;
        }
        Ok(())
    }

    fn points(&self) -> Result<(Vec<CarveoutPoint>, Provenance), Box<dyn Error>> {
        let device = Preset::load(self.device)?.device;
        let (opened, launches) = open_for(
            &device,
            self.engine.settings()?,
            std::slice::from_ref(&self.options),
        )?;
        let measured = self.measured(&device, &launches[0])?;
        let (engine, request) = match measured.first() {
            Some(row) => {
                let request = Requests::new(Programs::Committed, None).of(row)?;
                (opened, request)
            }
            None => {
                let request = opened.request(&launches[0])?;
                note_weights(&opened);
                (opened, request)
            }
        };
        let points = predicted(&engine, request, &measured)?;
        Ok((points, Provenance::of(&engine)))
    }

    /// The measured rows of the launch, for the population with the most carve-outs.
    fn measured(
        &self,
        device: &Device,
        configuration: &Configuration,
    ) -> Result<Vec<MeasuredLaunch>, Box<dyn Error>> {
        let inputs = &self.engine.inputs;
        let asks_for_programs = inputs.programs.is_some() || inputs.corpus.is_some();
        if self.device != MEASURED || asks_for_programs {
            return Ok(Vec::new());
        }
        let usual = Variant::new(
            configuration.kernel.parse()?,
            configuration.problem.parse()?,
            configuration.stack_dim,
            Arch::Sm90,
        );
        let wanted = Variant {
            stack_registers: configuration.stack_registers,
            math: inputs.math.unwrap_or(usual.math),
            ..usual
        };
        let mut by_population: BTreeMap<u32, Vec<MeasuredLaunch>> = BTreeMap::new();
        for row in measured_launches(device)? {
            let launched = &row.launched;
            let same = launched.kernel.compiled() == Some(&wanted)
                && launched.threads_per_block == configuration.threads_per_block;
            if same && row.milliseconds.is_some() {
                let population = launched.population;
                by_population.entry(population).or_default().push(row);
            }
        }
        Ok(by_population
            .into_values()
            .max_by_key(Vec::len)
            .unwrap_or_default())
    }
}

fn predicted(
    engine: &Predictor,
    mut request: Request,
    rows: &[MeasuredLaunch],
) -> Result<Vec<CarveoutPoint>, Box<dyn Error>> {
    let grids = &request.programs.grids;
    let population = grids.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let nodes: u32 = grids.iter().flatten().sum();
    let operations = f64::from(nodes) * request.cases.n as f64;
    let mut points = Vec::new();
    for split in &engine.device().l1.splits {
        request.carve_out = CarveOut::SharedBytes(split.shared_bytes);
        let predicted = match engine.predict_request(&request) {
            Err(PredictError::Occupancy { .. }) => continue,
            predicted => predicted?,
        };
        let same = rows
            .iter()
            .find(|row| row.launched.shared_config_bytes == Some(split.shared_bytes));
        let measured_ms = same.and_then(|row| row.milliseconds);
        points.push(CarveoutPoint {
            shared_kib: split.shared_bytes / 1024,
            l1_kib: split.l1_bytes / 1024,
            population,
            resident_blocks: predicted.occupancy.blocks,
            measured_gpops_billion: measured_ms.map(|ms| operations / ms / 1e6),
            predicted_gpops_billion: predicted.gpops_billion,
        });
    }
    Ok(points)
}
