//! The parts of the page that need further predictions, and the commands that make each of them again.
//!
//! Leaves out: what the page looks like. Units: KiB and threads in the names of the constants.

use super::super::engine::{EngineArgs, Kind};
use super::ReportArgs;
use crate::launch::prediction::{Configuration, PredictError};
use crate::predictor::Predictor;
use crate::report::explain::Explanation;
use crate::report::page::{BestAndWorst, best_cell};
use crate::validate::{Compared, Table};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Makes the parts of the page that need further predictions.
pub(super) struct Maker<'a> {
    pub args: &'a ReportArgs,
    pub model: &'a Predictor,
    /// The problem that is explained.
    pub problem: &'a str,
}

impl Maker<'_> {
    pub fn engine_name(&self) -> &'static str {
        match self.args.engine.engine {
            Kind::Simulator => "the simulator",
            Kind::Analytical => "the analytical model",
        }
    }

    /// Options of the commands that make the page's figures one by one.
    pub fn options(&self) -> String {
        self.engine().changed_options() + &self.device_option()
    }

    /// Options of `explain --per-instruction`, which always simulates.
    fn annotate_options(&self) -> String {
        let mut engine = self.engine();
        engine.engine = Kind::Simulator;
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
        let mut text = "warpstack report --out-dir report".to_owned();
        for (name, value) in [("table", &args.table), ("problem", &args.problem)] {
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
        if let Some(papers) = &args.paper {
            text += &format!(" --paper {}", papers.replace(' ', ""));
        }
        if args.explore {
            text += " --explore";
        }
        if args.engine.engine == Kind::Simulator {
            text += " --engine simulator";
        }
        text + &self.options()
    }

    /// Commands that show what the page leaves out.
    pub fn further(&self) -> Vec<(&'static str, String)> {
        let (problem, options, device) = (self.problem, self.options(), self.device_option());
        let of_problem = format!("--problem {problem}{options}");
        vec![
            (
                "How many warps are resident:",
                format!("warpstack occupancy --kernel rpn{device} --chart occupancy.svg"),
            ),
            (
                "Whether the stacks fit into the L1:",
                format!("warpstack whatif --metric hit-rate {of_problem} --chart l1.svg"),
            ),
            (
                "The same interpreters with another L1:",
                format!(
                    "warpstack whatif --kernel rpn {of_problem} --vary l1=4..256 --vary stack-dim=1,2,4,6 --chart speeds.svg"
                ),
            ),
            (
                "How deep programs use the stack, Tables 5 and 6:",
                "warpstack reproduce --table 5,6 --chart stacks.svg".to_owned(),
            ),
        ]
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
                commands: [
                    explain_command(&best, &worst) + &self.options(),
                    annotate_command(&best) + &self.annotate_options(),
                ],
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
    format!(
        "warpstack explain --per-instruction {}",
        launch_options(best)
    )
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
