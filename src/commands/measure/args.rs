//! The options that the subcommands of `warpstack measure` share: programs, fitness cases, protocol.

use crate::gp::problem::ProblemId;
use crate::gp::problem::uci::folder;
use crate::gp::program::Rpn;
use crate::gp::workload::Workload;
use crate::measure::rows::Protocol;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The programs of a launch, and the fitness cases they run on.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Programs and cases")]
pub struct WorkArgs {
    /// Problem (`warpstack list problems` lists them)
    #[arg(long, value_parser = crate::commands::names::problem())]
    pub problem: String,
    /// File of programs, one per line in postfix order or as GP libraries print it; `measure cpu` also takes a number of random ones
    #[arg(long, value_name = "FILE")]
    pub programs: PathBuf,
    /// Number of fitness cases [default: the problem's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub cases: Option<u32>,
    /// Folder of the UCI files for shuttle and kddcup [default: the folder that WARPSTACK_DATA names, else random cases]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Seed of random fitness cases [default: a new one every time; rows record it]
    #[arg(long, value_name = "SEED")]
    pub case_seed: Option<u64>,
    /// Number of programs per launch: the file's list, repeated [default: the length of the list]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub population: Option<u32>,
    /// Launch the longest programs first, so that no launch ends with one of them
    #[arg(long)]
    pub longest_first: bool,
}

impl WorkArgs {
    /// The problem's functions and fitness cases.
    pub fn workload(&self) -> Result<Workload, Box<dyn Error>> {
        let problem: ProblemId = self.problem.parse()?;
        Ok(Workload::with_cases(
            problem,
            folder(self.data.as_deref()).as_deref(),
            self.case_seed(),
            self.cases.map(|cases| cases as usize),
        )?)
    }

    /// The programs of a launch: the list, repeated and sorted as asked.
    pub fn launched(
        &self,
        list: Vec<Rpn>,
        workload: &Workload,
    ) -> Result<Vec<Rpn>, Box<dyn Error>> {
        workload.check(&list)?;
        let population = self.population.map_or(list.len(), |n| n as usize);
        let mut programs: Vec<Rpn> = list.into_iter().cycle().take(population).collect();
        if self.longest_first {
            programs.sort_by_key(|program| std::cmp::Reverse(program.0.len()));
        }
        Ok(programs)
    }

    /// The seed given, or the clock's.
    fn case_seed(&self) -> u64 {
        self.case_seed.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            now.map_or(0, |now| now.as_nanos() as u64 & 0xffff_ffff)
        })
    }
}

/// How a launch is timed and checked.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Protocol")]
pub struct ProtocolArgs {
    /// Number of timed runs per configuration; a row contains their median
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub repeats: u16,
    /// Number of untimed runs before the timed ones
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub warm_ups: u16,
    /// Number of programs whose errors are checked against the reference interpreter; 0 checks none
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub check: usize,
}

impl ProtocolArgs {
    pub fn protocol(self) -> Protocol {
        Protocol {
            warm_ups: usize::from(self.warm_ups),
            repeats: usize::from(self.repeats),
            checked_programs: self.check,
        }
    }
}

/// The list given, or `usual` if it is empty.
pub fn given_or<'a, T>(given: &'a [T], usual: &'a [T]) -> &'a [T] {
    match given {
        [] => usual,
        given => given,
    }
}

/// Refuses numbers of threads beyond those of a CUDA block, for GPUs and for the CPU.
pub fn check_threads(threads: &[u32]) -> Result<(), String> {
    match threads.iter().find(|n| !(1..=1024).contains(*n)) {
        Some(given) => Err(format!("--threads: given {given}; allowed: 1 to 1024")),
        None => Ok(()),
    }
}

/// The number of random programs, if `programs` is a number and not a file.
pub fn n_random(programs: &Path) -> Result<Option<usize>, String> {
    let number = programs.to_str().and_then(|text| text.parse().ok());
    match number {
        Some(n) if !(1..=1_000_000).contains(&n) => Err(format!(
            "--programs: given {n}; allowed: a file, or 1 to 1000000"
        )),
        number => Ok(number),
    }
}
