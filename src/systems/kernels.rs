//! The papers' kernels by name, and launches of them: what can be said of one, and what is meant where nothing is said.
//!
//! Models: which problems, block sizes and populations a kernel has. Leaves out: what a launch comes to (each paper's `predict`).
//! Units: programs, fitness cases, threads.

use super::gpocl::ndrange::{Limits, NdRange};
use super::gpocl::{self, Domain, Strategy};
use super::langdon::generation::Generation;
use super::langdon::kernel::Submachine;
use super::langdon::predict::{Layout as SubmachineLayout, first_grid, programs_per_block};
use super::langdon::{self, THREADS_PER_BLOCK, THREADS_PER_PROGRAM};
use super::robilliard::kernel::{Interpreter, Scheme};
use super::robilliard::predict::{Layout, mean_generation};
use super::robilliard::problem::{Benchmark, FunctionSet};
use super::robilliard::runs::Run;
use super::robilliard::{self, BLOCK_SIZES};
use crate::gp::program::Rpn;
use crate::isa::Arch;
use crate::isa::Kernel;
use crate::launch::divergent::{On, Whole};
use crate::launch::prediction::{Configuration, PaperSizes, PredictError, Prediction};
use crate::trace::mix::Role;
use crate::util::memo::Memo;
use std::fmt::Display;
use std::time::Instant;

/// Threads of Langdon's blocks where nothing is said.
const LANGDON_THREADS: u32 = 128;
/// The largest population and data set that are executed.
const MOST: u32 = 1_000_000;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PaperKernel {
    Gpocl(Strategy),
    Robilliard(Scheme),
    Submachine,
}

impl PaperKernel {
    pub const ALL: [Self; 7] = [
        PaperKernel::Gpocl(Strategy::Fp),
        PaperKernel::Gpocl(Strategy::Pppe),
        PaperKernel::Gpocl(Strategy::Ppcu),
        PaperKernel::Robilliard(Scheme::BlockGp),
        PaperKernel::Robilliard(Scheme::BlockGpShared),
        PaperKernel::Robilliard(Scheme::ThreadGp),
        PaperKernel::Submachine,
    ];

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            PaperKernel::Gpocl(strategy) => strategy.kernel(),
            PaperKernel::Robilliard(scheme) => scheme.name(),
            PaperKernel::Submachine => "submachine",
        }
    }

    /// Names of its problems.
    pub fn problems(self) -> Vec<String> {
        match self {
            PaperKernel::Gpocl(_) => Domain::ALL.map(|one| one.name().to_owned()).to_vec(),
            PaperKernel::Robilliard(_) => Benchmark::ALL.map(|one| one.to_string()).to_vec(),
            PaperKernel::Submachine => vec!["mux20".to_owned()],
        }
    }

    /// Its machine code, once for everything that is compiled apart.
    pub fn codes(self, arch: Arch) -> Result<Vec<Code>, PredictError> {
        match self {
            PaperKernel::Gpocl(strategy) => gpocl_codes(strategy, arch),
            PaperKernel::Robilliard(scheme) => robilliard_codes(scheme, arch),
            PaperKernel::Submachine => submachine_codes(arch),
        }
    }

    /// Whether the block's size can be said; otherwise it follows from the other sizes.
    pub fn has_block_size(self) -> bool {
        !matches!(self, PaperKernel::Gpocl(_))
    }

    /// The block's size, if it can be said and is, 0 if it follows from the other sizes.
    pub fn block_size(self, given: Option<u32>) -> Result<u32, PredictError> {
        match (self.has_block_size(), given) {
            (true, Some(threads)) => Ok(threads),
            (false, None) => Ok(0),
            // Langdon's blocks have at least two programs of 64 threads where they can.
            (true, None) => Ok(match self {
                PaperKernel::Submachine => LANGDON_THREADS,
                _ => robilliard::THREADS_PER_BLOCK,
            }),
            (false, Some(threads)) => {
                let why = "none, they follow from population, cases and device";
                Err(self.wrong("threads per block", threads, why))
            }
        }
    }

    fn block_sizes(self) -> &'static [u32] {
        match self {
            PaperKernel::Gpocl(_) => &[],
            PaperKernel::Robilliard(_) => &BLOCK_SIZES,
            PaperKernel::Submachine => &THREADS_PER_BLOCK,
        }
    }

    /// What the kernel keeps in shared memory.
    fn of_shared(self) -> Role {
        match self {
            PaperKernel::Submachine => Role::StackTraffic,
            // Partial errors besides.
            PaperKernel::Gpocl(_) | PaperKernel::Robilliard(_) => Role::ProgramFetch,
        }
    }

    fn wrong(self, what: &'static str, given: impl Display, allowed: impl Display) -> PredictError {
        PredictError::Input {
            what,
            given: given.to_string(),
            allowed: format!("{allowed} (kernel {})", self.name()),
        }
    }

    fn one_of<T: Copy>(
        self,
        what: &'static str,
        given: &str,
        all: &[T],
        name: impl Fn(T) -> String,
    ) -> Result<T, PredictError> {
        let found = all.iter().copied().find(|&one| name(one) == given);
        found.ok_or_else(|| {
            let allowed: Vec<String> = all.iter().map(|&one| name(one)).collect();
            self.wrong(what, given, allowed.join(", "))
        })
    }

    /// What `configuration` launches.
    pub fn launch(self, configuration: &Configuration) -> Result<PaperLaunch, PredictError> {
        self.check_unused(configuration)?;
        let sizes = configuration.sizes;
        let problem = configuration.problem.as_str();
        let threads = configuration.threads_per_block;
        Ok(match self {
            PaperKernel::Gpocl(strategy) => PaperLaunch::Gpocl(gpocl::Configuration {
                strategy,
                domain: self.one_of("problem", problem, &Domain::ALL, |one| one.name().into())?,
                population: self.size("population", sizes.population, gpocl::USUAL_SIZE)?,
                dataset: self.size("cases", sizes.cases, gpocl::USUAL_SIZE)?,
            }),
            PaperKernel::Robilliard(scheme) => PaperLaunch::Robilliard(Layout {
                scheme,
                benchmark: self
                    .one_of("problem", problem, &Benchmark::ALL, |one| one.to_string())?,
                threads_per_block: self.threads(threads)?,
                population: self.size(
                    "population",
                    sizes.population,
                    robilliard::USUAL_POPULATION,
                )?,
            }),
            PaperKernel::Submachine => {
                self.one_of("problem", problem, &["mux20"], str::to_owned)?;
                let layout = SubmachineLayout {
                    threads_per_program: self.threads_per_program(sizes.threads_per_program)?,
                    threads_per_block: self.threads(threads)?,
                };
                self.submachine(layout, sizes.population)?
            }
        })
    }

    fn submachine(
        self,
        layout: SubmachineLayout,
        population: Option<u32>,
    ) -> Result<PaperLaunch, PredictError> {
        let (threads, block) = (layout.threads_per_program, layout.threads_per_block);
        if threads > block {
            let allowed = format!("at most {block}, the threads per block");
            return Err(self.wrong("threads per program", threads, allowed));
        }
        let population = self.size("population", population, langdon::POPULATION)?;
        let per_block = programs_per_block(layout);
        if !population.is_multiple_of(per_block) {
            let allowed = format!("multiples of {per_block}, the programs of a block");
            return Err(self.wrong("population", population, allowed));
        }
        Ok(PaperLaunch::Langdon { layout, population })
    }

    /// Refuses what the kernel does not have.
    fn check_unused(self, configuration: &Configuration) -> Result<(), PredictError> {
        let Configuration {
            stack_dim,
            stack_registers,
            case_blocks,
            threads_per_block,
            sizes,
            ..
        } = configuration;
        let only = |what, given: u32, allowed: u32| match given == allowed {
            true => Ok(()),
            false => Err(self.wrong(what, given, allowed)),
        };
        only("second dimension", *stack_dim, 1)?;
        only("stack levels in registers", *stack_registers, 0)?;
        only("blocks that share the fitness cases", *case_blocks, 1)?;
        let none = |what, given: Option<u32>, why: &str| match given {
            Some(given) => Err(self.wrong(what, given, format!("none, {why}"))),
            None => Ok(()),
        };
        self.block_size(
            Some(*threads_per_block).filter(|_| self.has_block_size() || *threads_per_block != 0),
        )?;
        if !matches!(self, PaperKernel::Gpocl(_)) {
            none("cases", sizes.cases, "the problem has its own")?;
        }
        if self != PaperKernel::Submachine {
            none(
                "threads per program",
                sizes.threads_per_program,
                "only submachine has them",
            )?;
        }
        Ok(())
    }

    fn size(self, what: &'static str, given: Option<u32>, usual: u32) -> Result<u32, PredictError> {
        let size = given.unwrap_or(usual);
        match (1..=MOST).contains(&size) {
            true => Ok(size),
            false => Err(self.wrong(what, size, format!("1 to {MOST}"))),
        }
    }

    fn threads(self, given: u32) -> Result<u32, PredictError> {
        let given = given.to_string();
        self.one_of("threads per block", &given, self.block_sizes(), |n| {
            n.to_string()
        })
    }

    /// All tests of a program at once, as section 7 recommends, unless others are asked for.
    fn threads_per_program(self, given: Option<u32>) -> Result<u32, PredictError> {
        let most = THREADS_PER_PROGRAM[THREADS_PER_PROGRAM.len() - 1];
        let given = given.unwrap_or(most).to_string();
        self.one_of("threads per program", &given, &THREADS_PER_PROGRAM, |n| {
            n.to_string()
        })
    }
}

/// Machine code of a kernel.
#[derive(Debug)]
pub struct Code {
    /// The problems that it is for.
    pub problems: Vec<String>,
    /// What else it was compiled for.
    pub variant: Option<String>,
    pub kernel: Kernel,
}

fn gpocl_codes(strategy: Strategy, arch: Arch) -> Result<Vec<Code>, PredictError> {
    let places = [
        (gpocl::kernel::MOST_CONSTANT_OUTPUTS, "at most"),
        (u32::MAX, "more than"),
    ];
    let each = Domain::ALL
        .into_iter()
        .flat_map(|domain| places.map(|place| (domain, place)));
    each.map(|(domain, (rows, words))| {
        let interpreter = gpocl::kernel::Interpreter::load(strategy, domain, rows, arch)?;
        Ok(Code {
            problems: vec![domain.name().to_owned()],
            variant: Some(format!(
                "{words} {} rows",
                gpocl::kernel::MOST_CONSTANT_OUTPUTS
            )),
            kernel: interpreter.kernel,
        })
    })
    .collect()
}

fn robilliard_codes(scheme: Scheme, arch: Arch) -> Result<Vec<Code>, PredictError> {
    let of_set = |set: FunctionSet| {
        let own = Benchmark::ALL
            .into_iter()
            .filter(|one| one.function_set() == set);
        Ok(Code {
            problems: own.map(|one| one.to_string()).collect(),
            variant: None,
            kernel: Interpreter::load(scheme, set, arch)?.kernel,
        })
    };
    FunctionSet::ALL.into_iter().map(of_set).collect()
}

fn submachine_codes(arch: Arch) -> Result<Vec<Code>, PredictError> {
    let of_threads = |threads: u32| {
        Ok(Code {
            problems: PaperKernel::Submachine.problems(),
            variant: Some(format!("{threads} per program")),
            kernel: Submachine::load(threads, arch)?.kernel,
        })
    };
    THREADS_PER_PROGRAM.into_iter().map(of_threads).collect()
}

/// The architectures that the other papers' kernels were compiled for.
pub const ARCHES: [Arch; 2] = [Arch::Sm35, Arch::Sm90];

/// Refuses sizes that a configuration's kernel does not have.
pub fn check_sizes(configuration: &Configuration) -> Result<(), PredictError> {
    let kernel = &configuration.kernel;
    if let Some(kernel) = PaperKernel::named(kernel) {
        return kernel.check_unused(configuration);
    }
    let first = configuration.sizes.given().next();
    first.map_or(Ok(()), |(what, given)| {
        Err(PredictError::Input {
            what,
            given: given.to_string(),
            allowed: format!("none (kernel {kernel})"),
        })
    })
}

/// A launch of one of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PaperLaunch {
    Gpocl(gpocl::Configuration),
    Robilliard(Layout),
    Langdon {
        layout: SubmachineLayout,
        population: u32,
    },
}

/// Programs that took long to make, kept from one prediction to the next: benchmark, population, seed.
pub type Evolved = Memo<(Benchmark, u32, u64), Vec<Run>>;

impl PaperLaunch {
    /// What it comes to, its programs drawn with `seed`.
    pub fn whole(&self, on: On, seed: u64, evolved: &Evolved) -> Result<Whole, PredictError> {
        match *self {
            PaperLaunch::Langdon { layout, population } => {
                first_grid(on, layout, &Generation::INITIAL, population, seed)
            }
            PaperLaunch::Robilliard(layout) => {
                let Layout {
                    benchmark,
                    population,
                    ..
                } = layout;
                let key = (benchmark, population, seed);
                let runs = evolved.try_get(key, || Run::of(benchmark, &[population], seed))?;
                let generations: Vec<&[Rpn]> =
                    runs.iter().flat_map(|run| run.generations()).collect();
                mean_generation(on, layout, &generations)
            }
            PaperLaunch::Gpocl(one) => {
                let mut all = gpocl::predict::generations(on, &[one], seed)?;
                Ok(all.remove(0))
            }
        }
    }

    /// Threads of a block on a device.
    pub fn threads_per_block(&self, on: On) -> u32 {
        match self {
            PaperLaunch::Langdon { layout, .. } => layout.threads_per_block,
            PaperLaunch::Robilliard(layout) => layout.threads_per_block,
            PaperLaunch::Gpocl(one) => NdRange::of(*one, Limits::of(on.device)).local,
        }
    }

    /// What is open in it, with nothing left unsaid.
    fn sizes(&self) -> PaperSizes {
        match *self {
            PaperLaunch::Langdon { layout, population } => PaperSizes {
                population: Some(population),
                cases: None,
                threads_per_program: Some(layout.threads_per_program),
            },
            PaperLaunch::Robilliard(layout) => PaperSizes {
                population: Some(layout.population),
                ..PaperSizes::default()
            },
            PaperLaunch::Gpocl(one) => PaperSizes {
                population: Some(one.population),
                cases: Some(one.dataset),
                threads_per_program: None,
            },
        }
    }
}

/// What a configuration of `kernel` will do.
pub fn predict(
    kernel: PaperKernel,
    configuration: &Configuration,
    on: On,
    seed: u64,
    evolved: &Evolved,
) -> Result<Prediction, PredictError> {
    let start = Instant::now();
    let launch = kernel.launch(configuration)?;
    let named = Configuration {
        threads_per_block: launch.threads_per_block(on),
        sizes: launch.sizes(),
        ..configuration.clone()
    };
    let whole = launch.whole(on, seed, evolved)?;
    Ok(Prediction {
        wall_seconds: start.elapsed().as_secs_f64(),
        ..whole.prediction(named, kernel.of_shared())
    })
}
