//! `warpstack reproduce --paper`: figures of another paper, predicted beside what was published.

use crate::commands::CliResult;
use crate::commands::engine::{EngineArgs, Kind};
use crate::commands::format::OutputArgs;
use crate::commands::look::ChartArgs;
use crate::device::Preset;
use crate::predictor::Predictor;
use crate::report::chart;
use crate::report::papers;
use crate::report::provenance::Provenance;
use crate::systems::figure::Figure;
use crate::systems::langdon::published::PaperCard;
use crate::systems::{gpocl, langdon, robilliard};
use crate::validate::papers::{Paper, compare};
use std::error::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PaperArg {
    /// Langdon 2010: sub-machine-code GP, the 20- and the 37-multiplexer
    Langdon,
    /// Augusto and Barbosa 2013: GPOCL's three strategies in both domains
    Gpocl,
    /// Robilliard et al. 2008: population-parallel GP on the G80, three problems of the ECJ library
    Robilliard,
}

/// The other device of the paper, whose later generations it reports.
const LANGDONS_TESLA: &str = PaperCard::T10p.name();

impl PaperArg {
    pub fn paper(self) -> Paper {
        match self {
            PaperArg::Langdon => Paper::Langdon,
            PaperArg::Gpocl => Paper::Gpocl,
            PaperArg::Robilliard => Paper::Robilliard,
        }
    }

    /// One of the paper's kernels.
    pub fn kernel(self) -> &'static str {
        match self {
            PaperArg::Langdon => "submachine",
            PaperArg::Gpocl => "gpocl-fp",
            PaperArg::Robilliard => "blockgp",
        }
    }
}

/// A paper, on the devices that it used or on another.
#[derive(Debug, Clone, Copy)]
pub struct PaperRun<'a> {
    pub paper: PaperArg,
    pub device: Option<&'a str>,
    pub engine: &'a EngineArgs,
}

/// The paper run to reproduce, and where its results go.
pub struct Reproduction<'a> {
    pub run: PaperRun<'a>,
    pub output: &'a OutputArgs,
    pub chart: &'a ChartArgs,
}

impl Reproduction<'_> {
    pub fn write(&self) -> CliResult {
        check_options(self.run.engine)?;
        let figures = self.run.figures()?;
        // Published values are read only after every prediction is made.
        let paper = self.run.paper.paper();
        let rows = compare(paper, figures)?;
        self.output
            .print_columns(&papers::columns(), &rows, &self.run.provenance()?)?;
        self.chart.save(|| chart::papers::sheet(paper, &rows))?;
        Ok(())
    }
}

/// Refuses what the papers' systems do not have.
fn check_options(engine: &EngineArgs) -> Result<(), String> {
    let mut others = engine.clone();
    others.engine = Kind::Simulator;
    others.inputs.arch = None;
    others.inputs.program_seed = 1;
    let given = others.changed_options();
    match given.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "options:{given} given with --paper; allowed: --arch, --chart, --device, --engine, --format, --out, --program-seed"
        )),
    }
}

impl PaperRun<'_> {
    /// The device that most of the paper's figures are of.
    fn own_device(&self) -> &'static str {
        match self.paper {
            PaperArg::Langdon => PaperCard::Gtx295.name(),
            PaperArg::Gpocl => gpocl::figures::DEVICE,
            PaperArg::Robilliard => robilliard::published::DEVICE,
        }
    }

    /// Where the figures come from. What they are of names other devices of the paper itself.
    fn provenance(&self) -> Result<Provenance, Box<dyn Error>> {
        let name = self.device.unwrap_or(self.own_device());
        let mut provenance = match name == gpocl::juniper::DEVICE {
            true => Provenance {
                architecture: Some("VLIW5".to_owned()),
                engine: Some(self.engine.engine.name()),
                program_seed: Some(self.engine.inputs.program_seed),
                ..Provenance::of_device(name)
            },
            false => {
                let device = Preset::load(name)?.device;
                Provenance::of_settings(&device, &self.engine.settings()?)
            }
        };
        // Whole blocks are executed, and their programs are the paper's.
        (provenance.sampling_seed, provenance.scope) = (None, None);
        (provenance.math, provenance.weighting) = (None, None);
        Ok(provenance)
    }

    /// Everything that is predicted for the paper.
    fn figures(&self) -> Result<Vec<Figure>, Box<dyn Error>> {
        let own_device = self.own_device();
        let seed = self.engine.inputs.program_seed;
        let radeon = gpocl::juniper::DEVICE;
        Ok(match (self.paper, self.device) {
            (PaperArg::Gpocl, Some(name)) if name == radeon => gpocl::bands::figures(seed)?,
            (PaperArg::Gpocl, None) => {
                let mut both = self.on_device(own_device, seed)?;
                both.extend(gpocl::bands::figures(seed)?);
                both
            }
            (PaperArg::Langdon, None) => {
                let mut both = self.on_device(own_device, seed)?;
                let other = self.predictor(LANGDONS_TESLA)?;
                let on = langdon::later::As::new(LANGDONS_TESLA, other.machine()?, seed);
                both.extend(langdon::later::figures(on)?);
                both
            }
            (_, given) => self.on_device(given.unwrap_or(own_device), seed)?,
        })
    }

    fn on_device(&self, name: &str, seed: u64) -> Result<Vec<Figure>, Box<dyn Error>> {
        let predictor = self.predictor(name)?;
        let on = predictor.machine()?;
        Ok(match self.paper {
            PaperArg::Langdon => langdon::figures::figures(name, on, seed)?,
            PaperArg::Robilliard => robilliard::figures::figures(name, on, seed)?,
            PaperArg::Gpocl => gpocl::figures::figures(name, on, seed)?,
        })
    }

    fn predictor(&self, device: &str) -> Result<Predictor, Box<dyn Error>> {
        let device = Preset::load(device)?.device;
        Ok(Predictor::with_settings(device, self.engine.settings()?))
    }
}
