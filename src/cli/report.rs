//! `warpstack report`: predictions, measurements and explanations as one page.
//!
//! Leaves out: what the page looks like (`report/page/`). Units: in the options' help.

use super::CliResult;
use super::engine::{Engine as EngineName, EngineArgs};
use super::figure::{self, Figure};
use super::reproduce::{all_cells, compare, parse_problems, parse_tables, predict_all};
use super::{stacks as stacks_command, whatif};
use crate::device::{Device, Preset};
use crate::engine::Engine;
use crate::predict::{Configuration, PerformanceModel};
use crate::report::chart::lines::{Line, Lines, Scale};
use crate::report::explain::Explanation;
use crate::report::page::{BestAndWorst, Content, Picture, Study, page};
use crate::report::{output, stacks};
use crate::validate::ladder::h200_ladder;
use crate::validate::{Compared, Measured, Table};
use std::error::Error;
use std::path::{Path, PathBuf};

/// The page's file in its folder.
const FILE: &str = "index.html";

/// Writes one page of HTML that shows predictions beside measurements, and explains them.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Folder for the page, index.html; made if it is missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Tables of the paper: 3, 4, 7, 8, 9, 10, several with commas, or all
    #[arg(long, default_value = "all", value_name = "LIST")]
    pub tables: String,
    /// Problems, several with commas, or all; the first is the one that is explained
    #[arg(long, default_value = "all", value_name = "LIST")]
    pub problems: String,
    /// Device name, or the path of a .toml file
    #[arg(long, default_value = "gtx670")]
    pub device: String,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Repeat the predictions with N other draws of programs and show how far they spread
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=100))]
    pub spread: u16,
}

pub fn run(args: &ReportArgs) -> CliResult {
    let tables = parse_tables(&args.tables)?;
    let problems = parse_problems(&args.problems)?;
    check_folder(&args.out)?;
    let device = Preset::load(&args.device)?.device;
    let model = args.engine.open(&device, &problems)?;
    let cells = all_cells(&tables, &problems);
    let maker = Maker {
        args,
        device: &device,
        model: &model,
        problem: problems[0],
    };
    let predictions = predict_all(&model, &cells)?;
    let mut draws = Vec::new();
    for draw in 1..=u64::from(args.spread) {
        let mut engine = args.engine.clone();
        engine.population_seed = engine.population_seed.wrapping_add(draw);
        draws.push(predict_all(&engine.open(&device, &problems)?, &cells)?);
    }
    let figures = maker.figures()?;
    let studies = maker.studies()?;
    // Measured values are read only now that every table is predicted.
    let measured = tables
        .iter()
        .map(|table| Measured::of_paper(*table))
        .collect::<Result<Vec<_>, _>>()?;
    let cells_compared = compare(&cells, &predictions, &measured);
    let records = stacks_command::committed(&[])?;
    let stack_rows = stacks::rows(&records)?;
    let content = Content {
        device: device.title.clone(),
        engine: maker.engine_name().into(),
        command: maker.command(),
        tables: args.tables.clone(),
        problems: args.problems.clone(),
        options: maker.options(),
        weighting: model.weighting(),
        best_and_worst: maker.best_and_worst(&cells_compared)?,
        draws: draws
            .iter()
            .map(|draw| compare(&cells, draw, &measured))
            .collect(),
        cells: cells_compared,
        figures,
        stacks_summary: stacks::summary(&records, &stack_rows),
        stacks: stack_rows,
        studies,
        h200: h200_ladder()?,
    };
    write(&args.out, &page(&content)?)
}

/// Finds out before long work that the page could not be written.
fn check_folder(folder: &Path) -> CliResult {
    let path = match folder.is_dir() {
        true => folder.join(FILE),
        false => folder.to_path_buf(),
    };
    Ok(output::check_writable(&path)?)
}

/// The folder is made only now, so that a failure before leaves nothing behind.
fn write(folder: &Path, text: &str) -> CliResult {
    if !folder.is_dir() {
        std::fs::create_dir(folder).map_err(|error| {
            format!(
                "cannot make {}: {error}; allowed: a new folder in one that exists",
                folder.display()
            )
        })?;
    }
    Ok(output::write(Some(&folder.join(FILE)), text.as_bytes())?)
}

/// Makes the parts of the page that need further predictions.
struct Maker<'a> {
    args: &'a ReportArgs,
    device: &'a Device,
    model: &'a Engine,
    /// The problem that is explained.
    problem: &'a str,
}

/// L1 sizes of the what-if study.
const L1_KIB: [u32; 7] = [4, 8, 16, 32, 64, 128, 256];
const STUDY_THREADS: u32 = 256;
const STUDY_DIMS: [u32; 4] = [1, 2, 4, 6];

impl Maker<'_> {
    fn engine_name(&self) -> &'static str {
        match self.args.engine.engine {
            EngineName::Sim => "the simulator",
            EngineName::Model => "the analytical model",
        }
    }

    /// Options of the commands that make the page's figures one by one.
    fn options(&self) -> String {
        let mut text = String::new();
        if self.args.engine.engine == EngineName::Model {
            text += " --engine model";
        }
        if self.args.device != "gtx670" {
            text += &format!(" --device {}", self.args.device);
        }
        text
    }

    fn command(&self) -> String {
        let args = self.args;
        let mut text = format!("warpstack report --out {}", args.out.display());
        for (name, value) in [("tables", &args.tables), ("problems", &args.problems)] {
            if value != "all" {
                text += &format!(" --{name} {value}");
            }
        }
        if args.spread > 0 {
            text += &format!(" --spread {}", args.spread);
        }
        text + &self.options()
    }

    fn figures(&self) -> Result<Vec<Picture>, Box<dyn Error>> {
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
            svg: figure.drawing.svg()?,
        })
    }

    /// Best and worst predicted cell of the first problem, in every two-dimensional table or else the first table.
    fn best_and_worst(&self, cells: &[Compared]) -> Result<Vec<BestAndWorst>, Box<dyn Error>> {
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
            let (best, worst) = (best.cell.configuration(), worst.cell.configuration());
            pairs.push(BestAndWorst {
                name: format!("Table {}, {}", table.number(), self.problem),
                command: explain_command(&best, &worst) + &self.options(),
                best: Explanation::of(&self.model.predict(&best)?),
                worst: Explanation::of(&self.model.predict(&worst)?),
            });
        }
        Ok(pairs)
    }

    /// Speed over the L1's size, for both kinds of programs.
    fn studies(&self) -> Result<Vec<Study>, Box<dyn Error>> {
        ["rpn", "lgp"]
            .into_iter()
            .map(|kernel| self.study(kernel))
            .collect()
    }

    fn study(&self, kernel: &str) -> Result<Study, Box<dyn Error>> {
        let mut devices = Vec::new();
        for kib in L1_KIB {
            devices.push(whatif::with_l1(self.device, kib * 1024)?);
        }
        let mut configurations = Vec::new();
        for stack_dim in STUDY_DIMS {
            for (device, kib) in L1_KIB.iter().enumerate() {
                let configuration = Configuration {
                    problem: self.problem.into(),
                    kernel: kernel.into(),
                    stack_dim,
                    stack_registers: 0,
                    threads_per_block: STUDY_THREADS,
                    l1_bytes: kib * 1024,
                };
                configurations.push((device, configuration));
            }
        }
        let points = whatif::predict_all(self.model, &devices, &configurations)?;
        let line = |stack_dim: &u32| Line {
            name: format!("second dimension {stack_dim}"),
            points: points
                .iter()
                .filter(|point| point.stack_dim == *stack_dim)
                .filter_map(|point| Some((f64::from(point.l1_bytes / 1024), point.gpops_billion?)))
                .collect(),
        };
        let dims = STUDY_DIMS.map(|dim| dim.to_string()).join(",");
        Ok(Study {
            title: format!("Kernel {kernel} on {}, L1 of 4 to 256 KiB", self.problem),
            description: format!(
                "Predicted speed of blocks of {STUDY_THREADS} threads. A line climbs until the stacks of its second dimension fit, and stays \
                 level from there."
            ),
            command: format!(
                "warpstack whatif --kernel {kernel} --problem {} --threads {STUDY_THREADS} --vary l1_bytes=4K..256K --vary stack_dim={dims}{} \
                 --chart l1-{kernel}.svg",
                self.problem,
                self.options()
            ),
            lines: Lines {
                x_label: "L1, KiB".into(),
                y_label: "billion GPop/s".into(),
                scale: Scale::Doubling,
                lines: STUDY_DIMS.iter().map(line).collect(),
                mark: Some((48.0, "GTX 670".into())).filter(|_| self.device.name == "gtx670"),
                steps: false,
            },
        })
    }
}

fn explain_command(best: &Configuration, worst: &Configuration) -> String {
    format!(
        "warpstack explain --kernel {} --problem {} --threads {} --stack-dim {} --stack-registers {} --l1 {} \
         --against threads={},stack-dim={},stack-registers={},l1={}",
        best.kernel,
        best.problem,
        best.threads_per_block,
        best.stack_dim,
        best.stack_registers,
        best.l1_bytes / 1024,
        worst.threads_per_block,
        worst.stack_dim,
        worst.stack_registers,
        worst.l1_bytes / 1024
    )
}
