//! `warpstack evolve --system langdon`: Langdon's multiplexer GP on this machine's processors, generation by generation.

use super::EvolveArgs;
use crate::commands::CliResult;
use crate::commands::format::{Format, OutputArgs};
use crate::commands::refuse;
use crate::gp::evolve::langdon::{Langdon, Settings};
use crate::gp::problem::multiplexer::Multiplexer;
use crate::gp::problem::names;
use crate::report::columns::Columns;
use crate::report::progress::{self, Progress};
use crate::report::provenance::Provenance;
use std::time::Instant;

/// Sizes of Langdon's experiment.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "With --system langdon")]
pub struct LangdonArgs {
    /// Number of programs; the paper has 262,144 [default: the paper's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=1 << 24))]
    population: Option<u32>,
    /// Number of generations; the paper has 5,000 [default: 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    generations: Option<u32>,
    /// Output format [default: as the ending of --out says, .csv or .json; otherwise table]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl LangdonArgs {
    /// Refuses these options without `--system langdon`.
    pub(super) fn refuse(&self) -> Result<(), String> {
        let options = [
            ("--population", self.population.is_some()),
            ("--generations", self.generations.is_some()),
            ("--format", self.format.is_some()),
        ];
        refuse::given(
            &options,
            "given without --system; allowed: with --system langdon",
        )
    }
}

const USUAL_PROBLEM: &str = "mux20";
const USUAL_GENERATIONS: u32 = 50;

/// Refuses what only a campaign of runs has.
fn refuse_campaign(args: &EvolveArgs) -> Result<(), String> {
    let options = [
        ("--runs", args.runs != 1),
        ("--record", args.record.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--cases", args.cases.is_some()),
        ("--data", args.data.is_some()),
        ("--shard", args.shard.is_some()),
        ("--settings", args.settings.is_some()),
        ("--nearest", args.nearest.is_some()),
        ("--timing", args.timing),
    ];
    refuse::given(
        &options,
        "given with --system langdon; allowed with it: --problem, --population, --generations, --run-seed, --format, --out",
    )
}

/// A generation of the run, as printed.
struct EvolvedGeneration {
    generation: u32,
    best_wrong: f64,
    mean_wrong: f64,
    sampled_cases: usize,
    mean_nodes: f64,
    gpops_billion: f64,
    seed: u64,
}

pub(super) fn run(args: &EvolveArgs) -> CliResult {
    refuse_campaign(args)?;
    let output = OutputArgs {
        format: args.langdon.format,
        out: args.out.clone(),
    };
    output.check()?;
    let problem = args.problem.as_deref().unwrap_or(USUAL_PROBLEM);
    let n_generations = args.langdon.generations.unwrap_or(USUAL_GENERATIONS);
    let mux = Multiplexer::ALL
        .into_iter()
        .find(|mux| mux.id.name() == problem)
        .ok_or_else(|| {
            let allowed = names(&Multiplexer::ALL.map(|mux| mux.id));
            format!("--problem: given {problem}; allowed: {allowed}")
        })?;
    let mut settings = Settings::of(mux);
    settings.population = args
        .langdon
        .population
        .map_or(settings.population, |n| n as usize);
    let mut run = Langdon::start(settings, args.run_seed);
    let progress = Progress::new(u64::from(n_generations), "generations");
    let mut rows = Vec::new();
    let mut solution = None;
    for _ in 0..n_generations {
        let start = Instant::now();
        let g = run.next_generation()?;
        rows.push(EvolvedGeneration {
            generation: g.number,
            best_wrong: g.best_wrong,
            mean_wrong: g.mean_wrong,
            sampled_cases: settings.sampled_cases,
            mean_nodes: g.n_nodes as f64 / settings.population as f64,
            gpops_billion: g.operations as f64 / start.elapsed().as_secs_f64() / 1e9,
            seed: args.run_seed,
        });
        progress.step();
        if g.best_wrong == 0.0 {
            solution = Some(format!(
                "generation {}: a program passes its whole sample: {}",
                g.number, g.best
            ));
            break;
        }
    }
    drop(progress);
    let provenance = Provenance::of_program();
    output.print_columns(&columns(), &rows, &provenance)?;
    if let Some(sentence) = solution {
        progress::say(&sentence);
    }
    Ok(())
}

fn columns() -> Columns<EvolvedGeneration> {
    Columns::<EvolvedGeneration>::new(0)
        .column("generation", "generation", |row| row.generation)
        .column("best wrong", "best_wrong", |row| row.best_wrong)
        .column("mean wrong", "mean_wrong", |row| row.mean_wrong)
        .digits(1)
        .column("sampled cases", "sampled_cases", |row| row.sampled_cases)
        .column("mean nodes", "mean_nodes", |row| row.mean_nodes)
        .digits(1)
        .column("billion GPop/s", "gpops_billion", |row| row.gpops_billion)
        .digits(2)
        .filed("seed", |row| row.seed)
}
