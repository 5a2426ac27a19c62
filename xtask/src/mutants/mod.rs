//! Do the tests notice a small fault? Mutants of the timing code, drawn at random, and faults by name, and which test kills each.
//!
//! ```text
//! cargo xtask mutants prepare            a copy of the repository that holds all of them, and its tests compiled
//! cargo xtask mutants baseline           which tests take how long, and which come by which mutant
//! cargo xtask mutants run                which test kills which: mutants.csv and a summary
//! ```
//!
//! A mutant that is drawn but does not compile is dropped. One that ends a test process, or makes it run longer than three times what it
//! should plus 20 seconds, is killed by that test. What compares whole outputs with files of the repository ([`suites::GOLDEN`]) runs last and is
//! counted apart.
//!
//! The copy can run on a machine without Rust: pack it, and this program, to the same path there.

mod draw;
mod faults;
mod prepare;
mod process;
mod run;
mod schemata;
mod sites;
mod suites;
mod table;

use super::Failure;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    step: Step,
    /// The copy of the repository
    #[arg(long, global = true, default_value = "/tmp/warpstack-mutants")]
    folder: PathBuf,
}

#[derive(clap::Subcommand)]
enum Step {
    /// Copy the repository, put the mutants in, compile the tests
    Prepare {
        /// About how many mutants to draw
        #[arg(long, default_value_t = 400)]
        sample: usize,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Run the tests without a mutant: writes suites.json into the folder
    Baseline {
        #[arg(long, default_value_t = 2)]
        jobs: usize,
        /// Test programs to leave out, such as "ledger", which takes minutes
        #[arg(long, value_delimiter = ',')]
        without: Vec<String>,
    },
    /// Run the tests with each mutant: writes mutants.csv into the folder
    Run(run::Options),
}

pub fn run(args: Args) -> Result<(), Failure> {
    match args.step {
        Step::Prepare { sample, seed } => prepare::run(&args.folder, sample, seed),
        Step::Baseline { jobs, without } => suites::baseline(&args.folder, jobs, &without),
        Step::Run(options) => run::run(&args.folder, &options),
    }
}
