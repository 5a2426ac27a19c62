//! Measured launches that a score compares predictions with.
//!
//! Models: a row of a set is a line of its file under the header, counted from 1. Rows without a time, and rows that repeat the launch of
//! an earlier row of the device, are left out.
//! Units: milliseconds; billions of GPop/s for the paper's cells. Sources: `fixtures/papers/`, `fixtures/measured/`, `docs/data.md`.

use crate::device::Preset;
use crate::systems::chitty::split::MeasurementSplit;
use crate::systems::options::LaunchOptions;
use crate::util::rows::{Rows, RowsError};
use crate::validate::Cell;
use crate::validate::cells::{PROBLEMS, Table, cells};
use crate::validate::compare::CellSplit;
use crate::validate::known::DEVICE;
use crate::validate::launches::{self, Launched, MeasuredLaunch};
use crate::validate::measured::{Measured, published};
use crate::validate::paper_rows::{self, PaperRow};
use std::collections::{HashMap, HashSet};
use std::error::Error;

/// Unit of a measured value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Time of a launch.
    Milliseconds,
    /// Speed of whole runs, in billions of GPop/s.
    Speed,
}

/// A launch, as its file describes it.
#[derive(Debug, Clone)]
pub enum Origin {
    /// Cell of a table of Chitty's paper.
    Cell(Cell),
    /// Launch of the main paper's kernels or the accumulator, on a GPU of ours.
    Launch(Box<MeasuredLaunch>),
    /// Launch of another paper's system, on a GPU of ours.
    Paper(PaperRow),
}

/// A measured launch.
#[derive(Debug, Clone)]
pub struct Row {
    pub set: &'static str,
    /// Line under the header of the set's file, from 1.
    pub number: u32,
    /// Name of the preset.
    pub device: &'static str,
    pub origin: Origin,
    pub measured: f64,
    pub unit: Unit,
    pub split: MeasurementSplit,
}

impl Row {
    /// Returns the problem and the kernel.
    pub fn names(&self) -> (String, String) {
        match &self.origin {
            Origin::Cell(cell) => (cell.problem.clone(), cell.options().kernel),
            Origin::Launch(row) => {
                let kernel = &row.launched.kernel;
                (kernel.problem.to_string(), kernel.kernel.to_string())
            }
            Origin::Paper(row) => row.names(),
        }
    }

    /// Returns threads of a block, cases per thread, stack levels in registers, blocks that share a program's cases, and programs.
    pub fn sizes(&self) -> [f64; 5] {
        let of = |options: LaunchOptions| {
            let sizes = [
                options.threads_per_block,
                options.stack_dim,
                options.stack_registers,
                options.threads_per_program,
                options.population,
            ];
            sizes.map(|size| f64::from(size.unwrap_or(0)))
        };
        match &self.origin {
            Origin::Cell(cell) => of(LaunchOptions {
                population: Some(PAPERS_PROGRAMS),
                ..cell.options()
            }),
            Origin::Paper(row) => of(row.launch.clone()),
            Origin::Launch(row) => {
                let launched = &row.launched;
                let kernel = &launched.kernel;
                [
                    launched.threads_per_block,
                    kernel.stack_dim,
                    kernel.stack_registers,
                    launched.case_blocks,
                    launched.population,
                ]
                .map(f64::from)
            }
        }
    }
}

/// Programs of a generation in Chitty's paper.
const PAPERS_PROGRAMS: u32 = 1000;

/// A file of measured launches.
struct Set {
    name: &'static str,
    device: &'static str,
    text: &'static str,
}

macro_rules! sets {
    ($($device:literal: $($name:literal),* $(,)?;)*) => {
        const SETS: &[Set] = &[$($(Set {
            name: concat!($device, "/", $name),
            device: $device,
            text: include_str!(concat!("../../../fixtures/measured/", $device, "/", $name, ".csv")),
        }),*),*];
    };
}

sets! {
    "h200":
        "runs",
        "carveout",
        "copies",
        "fresh/1-kddcup-1000",
        "fresh/1-mux20-2000",
        "fresh/1-mux20-evolved",
        "fresh/1-sextic-1000",
        "fresh/1-sextic-5000",
        "fresh/1-sextic-evolved",
        "fresh/1-shuttle-1500",
        "fresh/2-acc-sextic",
        "fresh/2-kddcup-1500",
        "fresh/2-mux20-4000",
        "fresh/2-sextic-2000",
        "fresh/2-sextic-8000",
        "fresh/2-sextic-evolved",
        "fresh/2-shuttle-1000",
        "fresh/2-shuttle-evolved",
        "fresh/4-kddcup",
        "fresh/4-mux20",
        "fresh/4-sextic",
        "fresh/4-shuttle",
        "fresh/5-kddcup",
        "fresh/5-mux20",
        "fresh/5-sextic",
        "fresh/5-shuttle",
        "gpocl/seed21",
        "gpocl/seed61",
        "gpocl/seed71",
        "langdon/seed1",
        "langdon/seed7",
        "langdon/seed8",
        "langdon/seed9",
        "langdon/seed10",
        "langdon/seed61",
        "langdon/seed71",
        "robilliard/seed31",
        "robilliard/seed61",
        "robilliard/seed71";
    "h100":
        "runs",
        "rows",
        "case-blocks-sextic",
        "case-blocks-shuttle",
        "case-blocks-mux20";
}

/// Returns every row, by set, in the order of the files.
pub fn rows() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for table in Table::ALL {
        rows.extend(of_table(table)?);
    }
    let mut known = HashMap::new();
    for set in SETS {
        let known: &mut HashSet<Launched> = known.entry(set.device).or_default();
        rows.extend(of_set(set, known)?);
    }
    Ok(rows)
}

/// Name of the set of a table's cells.
fn table_set(table: Table) -> &'static str {
    match table {
        Table::Three => "papers/table3",
        Table::Four => "papers/table4",
        Table::Seven => "papers/table7",
        Table::Eight => "papers/table8",
        Table::Nine => "papers/table9",
        Table::Ten => "papers/table10",
    }
}

fn of_table(table: Table) -> Result<Vec<Row>, RowsError> {
    let measured = Measured::of_paper(table)?;
    let cells = PROBLEMS.iter().flat_map(|problem| cells(table, problem));
    let by_key: HashMap<_, Cell> = cells
        .map(|cell| {
            let key = (
                cell.problem.clone(),
                cell.threads_per_block.to_string(),
                cell.axis.value(),
            );
            (key, cell)
        })
        .collect();
    let file = Rows::read(published(table), table_set(table))?;
    let row = |(index, row): (usize, crate::util::rows::CsvRow<'_>)| {
        let text = |column| row.text(column).to_owned();
        let key = (
            text("problem"),
            text("threads_per_block"),
            text(table.axis_name()),
        );
        let cell = by_key.get(&key)?.clone();
        Some(Row {
            set: table_set(table),
            number: index as u32 + 1,
            device: DEVICE,
            measured: measured.get(&cell)?.gpops_billion,
            unit: Unit::Speed,
            split: match cell.split() {
                CellSplit::Fitted => MeasurementSplit::Calibration,
                CellSplit::HeldOut => MeasurementSplit::Holdout,
            },
            origin: Origin::Cell(cell),
        })
    };
    Ok(file.iter().enumerate().filter_map(row).collect())
}

fn of_set(set: &Set, known: &mut HashSet<Launched>) -> Result<Vec<Row>, Box<dyn Error>> {
    let row = |index: usize, origin, measured, split| Row {
        set: set.name,
        number: index as u32 + 1,
        device: set.device,
        origin,
        measured,
        unit: Unit::Milliseconds,
        split,
    };
    if let Some(papers) = paper_rows::parse(set.text, set.name)? {
        let papers = papers.into_iter().enumerate();
        let rows = papers.filter_map(|(index, paper)| {
            let measured = paper.milliseconds?;
            let split = MeasurementSplit::Holdout;
            Some(row(index, Origin::Paper(paper), measured, split))
        });
        return Ok(rows.collect());
    }
    let device = Preset::load(set.device)?.device;
    let launches = launches::parse(set.text, set.name, &device)?;
    let launches = launches.into_iter().enumerate();
    let rows = launches.filter_map(|(index, launch)| {
        let measured = launch.milliseconds?;
        let is_new = known.insert(launch.launched.clone());
        let split = launch.split;
        is_new.then(|| row(index, Origin::Launch(Box::new(launch)), measured, split))
    });
    Ok(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measured_launch_is_a_row() {
        let rows = rows().unwrap();
        let count = |prefix: &str| {
            rows.iter()
                .filter(|row| row.set.starts_with(prefix))
                .count()
        };
        assert_eq!(count("papers/"), 940);
        assert_eq!(count("h200/runs") + count("h200/carveout"), 647);
        assert_eq!(count("h100/runs"), 410);
        let others = ["gpocl", "langdon", "robilliard"];
        assert_eq!(
            others
                .map(|name| count(&format!("h200/{name}")))
                .iter()
                .sum::<usize>(),
            358
        );
        let mut ids: Vec<(&str, u32)> = rows.iter().map(|row| (row.set, row.number)).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rows.len(), "each row once");
    }
}
