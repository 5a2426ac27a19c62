//! The parts of the page that need further predictions, and the commands that make each of them again.
//!
//! Leaves out: what the page looks like. Units: KiB and threads in the names of the constants.

use super::super::engine::{Engine as EngineName, EngineArgs};
use super::super::figure::{self, Figure};
use super::ReportArgs;
use crate::device::Device;
use crate::launch::prediction::{Configuration, PredictError};
use crate::predictor::Engine;
use crate::report::chart::lines::{Line, Lines, Scale};
use crate::report::explain::Explanation;
use crate::report::page::{BestAndWorst, Picture, Study, best_cell};
use crate::study::l1::with_l1;
use crate::systems::registry::LaunchOptions;
use crate::validate::{Compared, Table};
use rayon::prelude::*;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Makes the parts of the page that need further predictions.
pub(super) struct Maker<'a> {
    pub args: &'a ReportArgs,
    pub device: &'a Device,
    pub model: &'a Engine,
    /// The problem that is explained.
    pub problem: &'a str,
}

/// L1 sizes of the what-if study.
const L1_KIB: [u32; 7] = [4, 8, 16, 32, 64, 128, 256];
const STUDY_THREADS: u32 = 256;
const STUDY_DIMS: [u32; 4] = [1, 2, 4, 6];

impl Maker<'_> {
    pub fn engine_name(&self) -> &'static str {
        match self.args.engine.engine {
            EngineName::Sim => "the simulator",
            EngineName::Model => "the analytical model",
        }
    }

    /// Options of the commands that make the page's figures one by one.
    pub fn options(&self) -> String {
        self.engine().changed_options() + &self.device_option()
    }

    /// Of a command that always simulates.
    fn annotate_options(&self) -> String {
        let mut engine = self.engine();
        engine.engine = EngineName::Sim;
        engine.changed_options() + &self.device_option()
    }

    fn device_option(&self) -> String {
        match self.args.device.as_str() {
            "gtx670" => String::new(),
            device => format!(" --device {}", name_alone(Path::new(device)).display()),
        }
    }

    /// The options of the model, files without the folders that they are in here.
    fn engine(&self) -> EngineArgs {
        let mut engine = self.args.engine.clone();
        let inputs = &mut engine.inputs;
        for path in [&mut inputs.corpus, &mut inputs.programs] {
            *path = path.as_deref().map(name_alone);
        }
        engine
    }

    pub fn command(&self) -> String {
        let args = self.args;
        let mut text = "warpstack report --out report".to_owned();
        for (name, value) in [("tables", &args.tables), ("problems", &args.problems)] {
            if value != "all" {
                text += &format!(" --{name} {value}");
            }
        }
        if args.spread > 0 {
            text += &format!(" --spread {}", args.spread);
        }
        if args.launches != super::DEFAULT_LAUNCHES {
            text += &format!(" --launches {}", args.launches);
        }
        if let Some(papers) = &args.papers {
            text += &format!(" --papers {}", papers.replace(' ', ""));
        }
        if args.paper_launches > 0 {
            text += &format!(" --paper-launches {}", args.paper_launches);
        }
        if args.explore {
            text += " --explore";
        }
        if args.engine.engine == EngineName::Sim {
            text += " --engine sim";
        }
        text + &self.options()
    }

    pub fn figures(&self) -> Result<Vec<Picture>, Box<dyn Error>> {
        let (model, device, problem) = (self.model, self.device, self.problem);
        let figures = [
            (
                "tree",
                "1. A program and its stack",
                figure::tree(figure::PROGRAM)?,
            ),
            ("smx", "2. The machine", figure::smx(device)),
            (
                "occupancy",
                "3. How many warps are resident",
                figure::occupancy(device)?,
            ),
            (
                "l1",
                "4. Whether the stacks fit",
                figure::l1(model, device, problem)?,
            ),
            (
                "cycles",
                "5. Where the cycles go",
                figure::cycles(model, device, problem)?,
            ),
        ];
        figures
            .into_iter()
            .map(|(name, title, figure)| self.picture(name, title, figure))
            .collect()
    }

    fn picture(&self, name: &str, title: &str, figure: Figure) -> Result<Picture, Box<dyn Error>> {
        let options = match name {
            "l1" | "cycles" => format!(" --problem {}{}", self.problem, self.options()),
            _ => String::new(),
        };
        Ok(Picture {
            title: title.into(),
            caption: figure.caption,
            description: figure.description,
            command: format!("warpstack figure {name} --out {name}.svg{options}"),
            svg: figure.drawing.svg_of_page()?,
        })
    }

    /// Best and worst predicted cell of the first problem, in every two-dimensional table or else the first table.
    pub fn best_and_worst(&self, cells: &[Compared]) -> Result<Vec<BestAndWorst>, Box<dyn Error>> {
        let of_problem = |cell: &&Compared| cell.cell.problem == self.problem;
        let mut tables: Vec<Table> = vec![Table::Four, Table::Eight];
        tables.retain(|table| cells.iter().any(|cell| cell.cell.table == *table));
        if let (true, Some(first)) = (tables.is_empty(), cells.first()) {
            tables.push(first.cell.table);
        }
        let mut pairs = Vec::new();
        for table in tables {
            let of_table = cells
                .iter()
                .filter(of_problem)
                .filter(|cell| cell.cell.table == table);
            let speed = |a: &&Compared, b: &&Compared| {
                a.predicted_gpops_billion
                    .total_cmp(&b.predicted_gpops_billion)
            };
            let (Some(best), Some(worst)) =
                (of_table.clone().max_by(speed), of_table.min_by(speed))
            else {
                continue;
            };
            let best = self.model.configure(&best.cell.options())?;
            let worst = self.model.configure(&worst.cell.options())?;
            pairs.push(BestAndWorst {
                name: format!("Table {}, {}", table.number(), self.problem),
                command: explain_command(&best, &worst) + &self.options(),
                listing: self.model.annotate(&best)?,
                listing_command: annotate_command(&best) + &self.annotate_options(),
                best: Explanation::of(&self.model.explain(&best)?),
                worst: Explanation::of(&self.model.explain(&worst)?),
            });
        }
        Ok(pairs)
    }

    /// The fastest cell of the first problem.
    pub fn best(&self, cells: &[Compared]) -> Result<Option<Explanation>, PredictError> {
        let best = best_cell(cells, self.problem);
        best.map(|best| {
            let explained = self.model.explain(best.cell.options())?;
            Ok(Explanation::of(&explained))
        })
        .transpose()
    }

    /// Speed over the L1's size, for both kinds of programs.
    pub fn studies(&self) -> Result<Vec<Study>, Box<dyn Error>> {
        ["rpn", "lgp"]
            .into_iter()
            .map(|kernel| self.study(kernel))
            .collect()
    }

    fn study(&self, kernel: &str) -> Result<Study, Box<dyn Error>> {
        let mut lines = Vec::new();
        for stack_dim in STUDY_DIMS {
            let point = |kib: &u32| -> Result<(f64, f64), PredictError> {
                let launch = LaunchOptions {
                    problem: Some(self.problem.into()),
                    stack_dim: Some(stack_dim),
                    threads_per_block: Some(STUDY_THREADS),
                    l1_kib: Some(*kib),
                    ..LaunchOptions::of(kernel)
                };
                let device = with_l1(self.device, kib * 1024)
                    .map_err(|error| PredictError::Other(Box::new(error)))?;
                let engine = self.model.on(device);
                Ok((f64::from(*kib), engine.predict(launch)?.gpops_billion))
            };
            lines.push(Line {
                name: format!("second dimension {stack_dim}"),
                points: L1_KIB.par_iter().map(point).collect::<Result<_, _>>()?,
            });
        }
        let dims = STUDY_DIMS.map(|dim| dim.to_string()).join(",");
        Ok(Study {
            title: format!("Kernel {kernel} on {}, L1 of 4 to 256 KiB", self.problem),
            description: format!(
                "Predicted speed of blocks of {STUDY_THREADS} threads. A line climbs until the stacks of its second dimension fit, and stays \
                 level from there."
            ),
            command: format!(
                "warpstack whatif --kernel {kernel} --problem {} --threads {STUDY_THREADS} --vary l1=4..256 --vary stack-dim={dims}{} \
                 --chart l1-{kernel}.svg",
                self.problem,
                self.options()
            ),
            lines: Lines {
                x_label: "L1, KiB".into(),
                y_label: "billion GPop/s".into(),
                scale: Scale::Doubling,
                lines,
                mark: Some((48.0, "GTX 670".into())).filter(|_| self.device.name == "gtx670"),
                levels: Vec::new(),
                steps: false,
            },
        })
    }
}

/// The options of a launch.
fn launch_options(launch: &Configuration) -> String {
    format!(
        "--kernel {} --problem {} --threads {} --stack-dim {} --stack-registers {} --l1 {}",
        launch.kernel,
        launch.problem,
        launch.threads_per_block,
        launch.stack_dim,
        launch.stack_registers,
        launch.l1_bytes.unwrap_or(0) / 1024,
    )
}

fn annotate_command(best: &Configuration) -> String {
    format!("warpstack annotate {}", launch_options(best))
}

fn explain_command(best: &Configuration, worst: &Configuration) -> String {
    format!(
        "warpstack explain {} --against threads={},stack-dim={},stack-registers={},l1={}",
        launch_options(best),
        worst.threads_per_block,
        worst.stack_dim,
        worst.stack_registers,
        worst.l1_bytes.unwrap_or(0) / 1024
    )
}

/// A page is read elsewhere: folders of this machine mean nothing there.
fn name_alone(path: &Path) -> PathBuf {
    path.file_name()
        .map_or_else(|| path.to_owned(), PathBuf::from)
}
