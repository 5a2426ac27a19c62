//! `warpstack reproduce --table 5,6`: the percentage of programs that fits a stack limit, in RPN and in LGP.
//!
//! Models: nothing; the stack depths are those of GP runs, committed or made by `warpstack evolve --record`.

use super::ReproduceArgs;
use crate::commands::CliResult;
use crate::commands::engine::Kind;
use crate::commands::refuse;
use crate::gp::problem::ProblemId;
use crate::gp::record::Record;
use crate::report::chart::tables;
use crate::report::progress;
use crate::report::provenance::Provenance;
use crate::report::stacks;
use crate::util::input;
use std::error::Error;
use std::path::PathBuf;

/// The committed records, in the paper's order.
const RECORDS: [(&str, &str); 4] = [
    ("sextic", include_str!("../../../fixtures/runs/sextic.json")),
    (
        "shuttle",
        include_str!("../../../fixtures/runs/shuttle.json"),
    ),
    ("kddcup", include_str!("../../../fixtures/runs/kddcup.json")),
    ("mux20", include_str!("../../../fixtures/runs/mux20.json")),
];

/// Whether the tables asked for are 5 and 6, which cannot be mixed with those of speeds.
pub(super) fn are_asked(tables: &str) -> Result<bool, String> {
    let is_depths = |table: &str| matches!(table.trim(), "5" | "6");
    let n_depths = tables.split(',').filter(|table| is_depths(table)).count();
    match n_depths == tables.split(',').count() {
        true => Ok(true),
        false if n_depths == 0 => Ok(false),
        false => Err(format!(
            "--table: given {tables}; allowed: 5 and 6 (stack depths), or tables of speeds, not both"
        )),
    }
}

pub(super) fn run(args: &ReproduceArgs) -> CliResult {
    refuse_options(args)?;
    let records = match &args.record[..] {
        [] => committed(args.problem.as_deref())?,
        files => read(files)?,
    };
    let rows = stacks::rows(&records)?;
    args.chart.save(|| tables::depths(&rows))?;
    args.output
        .print_columns(&stacks::columns(), &rows, &Provenance::of_program())?;
    progress::say(&stacks::summary(&rows).unwrap_or_default());
    Ok(())
}

/// Refuses what only tables of speeds have.
fn refuse_options(args: &ReproduceArgs) -> Result<(), String> {
    let options = [
        ("--device", args.device.is_some()),
        ("--engine", args.engine.engine != Kind::Simulator),
        ("--limit", args.limit.is_some()),
        ("--spread", args.spread.is_some()),
        (
            "--problem with --record",
            args.problem.is_some() && !args.record.is_empty(),
        ),
    ];
    refuse::given(
        &options,
        "given with --table 5,6; allowed with it: --problem or --record, --chart, --format, --out",
    )
}

fn read(files: &[PathBuf]) -> Result<Vec<Record>, Box<dyn Error>> {
    let record = |path: &PathBuf| -> Result<Record, Box<dyn Error>> {
        Ok(Record::parse(
            &input::named(path)?,
            &path.display().to_string(),
        )?)
    };
    files.iter().map(record).collect()
}

/// The committed records of these problems, or all of them.
fn committed(problems: Option<&str>) -> Result<Vec<Record>, Box<dyn Error>> {
    let given: Vec<&str> = match problems {
        None | Some(crate::commands::names::ALL) => RECORDS.iter().map(|one| one.0).collect(),
        Some(names) => names.split(',').collect(),
    };
    for name in &given {
        name.parse::<ProblemId>()?;
        if RECORDS.iter().all(|(known, _)| known != name) {
            let allowed = RECORDS.map(|(name, _)| name).join(", ");
            return Err(format!(
                "--problem: given {name}; allowed: {allowed}, whose runs are committed; others with --record"
            )
            .into());
        }
    }
    let wanted = RECORDS.iter().filter(|(name, _)| given.contains(name));
    Ok(wanted
        .map(|(name, text)| Record::parse(text, name))
        .collect::<Result<_, _>>()?)
}
