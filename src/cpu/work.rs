//! Work of an interpreter for a population: steps on rows of cases, derived from the programs.
//!
//! Models: every step that `rpn-2d`, `lgp-2d` and `accumulator` execute for a block of cases, with the rows that it reads and
//! writes; the division of the cases into blocks and chunks.
//! Leaves out: copying the cases into a chunk (once for all programs); the threads.
//! Units: vectors of 16 elements, rows.
//! Sources: `gp/interpret`.

use super::count::{self, Chained, Instructions, Width};
use super::large::{self, Large};
use crate::gp::interpret::accumulator::{Accumulator, programs_together};
use crate::gp::interpret::accumulator_plan::{self, AccumulatorOp, Place, Plan as Accumulated};
use crate::gp::interpret::cases::SEGMENT;
use crate::gp::interpret::element::Element;
use crate::gp::interpret::lgp_2d::Lgp2d;
use crate::gp::interpret::machine::Machine;
use crate::gp::interpret::plan::{self, Operand};
use crate::gp::interpret::rpn_2d::Rpn2d;
use crate::gp::interpret::simd::{LANES, Path, Portable};
use crate::gp::interpret::{Options, by_name};
use crate::gp::primitive::Primitive;
use crate::gp::problem::{Dataset, Problem, Score};
use crate::gp::program::{Rpn, Token};
use crate::util::names::named;

/// Row of values in the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataRow {
    /// Slot of the interpreter's own memory.
    Slot(u32),
    /// Column of the cases.
    Input(u16),
    /// Expected values of the programs.
    Expected,
}

/// Action of a step on every vector of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    Function(Primitive),
    /// Loads or stores of rows only.
    Move,
    /// Compares the program's values with the expected ones.
    Score,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub action: Action,
    pub reads: Vec<DataRow>,
    pub writes: Option<DataRow>,
}

/// Overhead instructions around the vectors of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overhead {
    /// Scalar instructions of a step on a block: finding operands, the jump to the function, setting up the loop.
    pub step: f64,
    /// Scalar instructions of the comparison with the expected values.
    pub score: f64,
    /// Scalar instructions of the loop, per vector.
    pub vector: f64,
    /// Whether the overhead is hidden: without a loop end to predict, the next step is fetched while vectors are computed.
    pub hides: bool,
}

/// Scalar instructions of the sine of one large argument: `gp/interpret/reduction.rs`, counted in its machine code.
pub const LARGE_INSTRUCTIONS: f64 = 130.0;

named! {
    /// Interpreters covered by the model.
    pub enum Kind ("interpreter") {
        Rpn2d = "rpn-2d",
        Lgp2d = "lgp-2d",
        Accumulator = "accumulator",
    }
}

impl Kind {
    /// Finds an interpreter by name.
    pub fn named(given: &str) -> Result<Kind, WorkError> {
        let found = Kind::ALL.iter().copied().find(|kind| kind.name() == given);
        found.ok_or_else(|| WorkError::Interpreter {
            given: given.to_owned(),
        })
    }

    /// Cases of a block, as requested or as the interpreter chooses on this host; `None` if its blocks are fixed.
    pub fn block_cases(self, problem: &Problem, wanted: Option<usize>) -> Option<usize> {
        let options = Options {
            path: Path::Portable(Portable),
            block_cases: wanted,
            share: false,
        };
        by_name(self.name()).ok()?.block_cases(problem, options)
    }

    fn chunk_vectors(self, block: usize) -> usize {
        match self {
            Kind::Rpn2d => Rpn2d.chunk_vectors(block),
            Kind::Lgp2d => Lgp2d.chunk_vectors(block),
            Kind::Accumulator => Accumulator.chunk_vectors(block),
        }
    }

    /// Overhead counted by `tools/count-cpu-dispatch`: instructions executed for blocks of one vector and of four, by
    /// subtraction. 8 of the 29 instructions of an accumulator step are additions; 64 of its comparison's are those of 64
    /// cases.
    pub fn overhead(self) -> Overhead {
        let (step, score, vector, hides) = match self {
            Kind::Rpn2d => (62.0, 106.0, 2.0, false),
            Kind::Lgp2d => (118.0, 106.0, 2.0, false),
            Kind::Accumulator => (21.0, 75.0, 0.0, true),
        };
        Overhead {
            step,
            score,
            vector,
            hides,
        }
    }
}

/// Refusal of a prediction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkError {
    #[error("interpreter: given {given}; allowed with a model of the CPU: {}", Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "))]
    Interpreter { given: String },
    #[error("instructions: given {given}; allowed with a model of the CPU: avx512, avx2")]
    Path { given: &'static str },
    #[error(transparent)]
    Function(#[from] plan::UnsupportedFunction),
}

/// A population on some cases, as an interpreter executes it.
#[derive(Debug, Clone)]
pub struct Work {
    pub kind: Kind,
    pub width: Width,
    /// Steps of each program on a block.
    pub programs: Vec<Vec<Step>>,
    /// Slots that each program fills before the first block of a chunk.
    pub filled: Vec<Vec<DataRow>>,
    /// Large sine and cosine arguments of each program; the mean over programs if they share steps.
    pub large: Vec<[Large; 2]>,
    /// Columns of the cases.
    pub n_inputs: usize,
    /// Programs that take turns on a block.
    pub together: usize,
    /// Vectors per block; `chunk`: per chunk; `n_vectors`: of all cases.
    pub block: usize,
    pub chunk: usize,
    pub n_vectors: usize,
    /// Nodes of all programs times cases.
    pub operations: f64,
    /// Nodes of all programs.
    pub nodes: u64,
    pub cases_per_vector: usize,
    functions: Vec<(Primitive, Instructions)>,
    score: Instructions,
}

/// Configuration of an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    pub width: Width,
    /// Fitness cases of a block; absent: the interpreter's own choice.
    pub block_cases: Option<usize>,
    /// Whether common subexpressions are evaluated once, if the interpreter can.
    pub share: bool,
}

impl Setup {
    /// Derives the setup from an interpreter's options.
    pub fn of(options: Options) -> Result<Setup, WorkError> {
        let width = match options.path.name() {
            "avx512" => Width::Whole,
            "avx2" => Width::Half,
            given => return Err(WorkError::Path { given }),
        };
        Ok(Setup {
            width,
            block_cases: options.block_cases,
            share: options.share,
        })
    }
}

impl Work {
    pub fn new(
        kind: Kind,
        programs: &[Rpn],
        problem: &Problem,
        setup: Setup,
    ) -> Result<Work, WorkError> {
        match &problem.dataset {
            Dataset::Float(_) => of::<f32>(kind, programs, problem, setup),
            Dataset::Word(_) => of::<u32>(kind, programs, problem, setup),
        }
    }

    /// Instructions of a step per vector, apart from loads and stores.
    pub fn instructions(&self, action: Action) -> Instructions {
        match action {
            Action::Function(function) => {
                let found = self.functions.iter().find(|(known, _)| *known == function);
                found.map_or(Instructions::default(), |(_, count)| *count)
            }
            Action::Move => Instructions::default(),
            Action::Score => self.score,
        }
    }

    /// Bytes of a row of a block.
    pub fn row_bytes(&self) -> f64 {
        (self.block * BYTES) as f64
    }
}

/// Bytes of a vector.
pub const BYTES: usize = 64;

fn of<T: Chained>(
    kind: Kind,
    programs: &[Rpn],
    problem: &Problem,
    setup: Setup,
) -> Result<Work, WorkError> {
    let listed: Vec<&Rpn> = programs.iter().collect();
    crate::gp::interpret::check::<T>(&listed)?;
    let width = setup.width;
    let cases_per_vector = LANES * T::CASES;
    let n_vectors = problem.n_cases().div_ceil(cases_per_vector);
    let block = match kind.block_cases(problem, setup.block_cases) {
        Some(cases) => cases.div_ceil(cases_per_vector),
        None => tile::<T>(width),
    };
    let mut together = 1;
    let (programs_of, filled) = match kind {
        Kind::Rpn2d => (programs.iter().map(rpn_steps).collect(), Vec::new()),
        Kind::Lgp2d => lgp_steps::<T>(&listed, setup.share),
        Kind::Accumulator => {
            let plans: Vec<_> = listed.iter().map(|one| Accumulated::new(one)).collect();
            together = programs_together::<T>(problem.n_inputs(), &plans);
            (plans.iter().map(accumulator_steps).collect(), Vec::new())
        }
    };
    let mut large: Vec<[Large; 2]> = match &problem.dataset {
        Dataset::Float(cases) => listed
            .iter()
            .map(|one| large::of_program(one, cases))
            .collect(),
        Dataset::Word(_) => vec![Default::default(); listed.len()],
    };
    if programs_of.len() < large.len() {
        large = vec![mean(&large); programs_of.len()];
    }
    let used = |function: &Primitive| T::supports(*function);
    let functions = Primitive::ALL.iter().copied().filter(used);
    let nodes = programs.iter().map(|one| one.0.len() as u64).sum();
    Ok(Work {
        kind,
        width,
        programs: programs_of,
        filled,
        large,
        n_inputs: problem.n_inputs(),
        together,
        block,
        chunk: kind
            .chunk_vectors(block)
            .min(n_vectors.next_multiple_of(SEGMENT)),
        n_vectors,
        operations: nodes as f64 * problem.n_cases() as f64,
        nodes,
        cases_per_vector,
        functions: functions
            .map(|f| (f, count::of_function::<T>(f, width)))
            .collect(),
        score: score_of::<T>(problem.score, width),
    })
}

fn mean(all: &[[Large; 2]]) -> [Large; 2] {
    let n = (all.len() as f64).max(1.0);
    std::array::from_fn(|kind| Large {
        vectors: all.iter().map(|one| one[kind].vectors).sum::<f64>() / n,
        elements: all.iter().map(|one| one[kind].elements).sum::<f64>() / n,
    })
}

fn score_of<T: Element>(score: Score, width: Width) -> Instructions {
    count::of_score::<T>(score, width)
}

/// Vectors of the tile kept in registers; with words more of them fit, as there are few functions.
fn tile<T: Element>(width: Width) -> usize {
    match width {
        Width::Whole if T::CASES > 1 => 16,
        Width::Whole => 8,
        Width::Half => 4,
    }
}

fn score(value: DataRow) -> Step {
    Step {
        action: Action::Score,
        reads: vec![value, DataRow::Expected],
        writes: None,
    }
}

/// Steps of an RPN program; terminals are copied to the level above.
fn rpn_steps(program: &Rpn) -> Vec<Step> {
    let mut level = 0u32;
    let mut steps = Vec::with_capacity(program.0.len() + 1);
    for token in &program.0 {
        let (action, reads) = match *token {
            Token::Input(input) => (Action::Move, vec![DataRow::Input(input)]),
            Token::Constant(_) => (Action::Move, Vec::new()),
            Token::Apply(function) => {
                level -= function.arity() as u32;
                let operands = level..level + function.arity() as u32;
                (
                    Action::Function(function),
                    operands.map(DataRow::Slot).collect(),
                )
            }
        };
        steps.push(Step {
            action,
            reads,
            writes: Some(DataRow::Slot(level)),
        });
        level += 1;
    }
    steps.push(score(DataRow::Slot(0)));
    steps
}

type Steps = (Vec<Vec<Step>>, Vec<Vec<DataRow>>);

/// Steps of one plan for all programs, or one for each; constants are resident rows.
fn lgp_steps<T: Element>(programs: &[&Rpn], share: bool) -> Steps {
    let plans: Vec<plan::Plan<T>> = match share {
        true => vec![plan::Plan::shared(programs)],
        false => programs.iter().map(|one| plan::Plan::of_one(one)).collect(),
    };
    let row = |operand: Operand| match operand {
        Operand::Input(input) => DataRow::Input(input),
        Operand::Slot(slot) => DataRow::Slot(slot),
    };
    let step = |step: &plan::Step| match *step {
        plan::Step::Compute {
            function,
            operands,
            out,
        } => Step {
            action: Action::Function(function),
            reads: operands[..function.arity()]
                .iter()
                .copied()
                .map(row)
                .collect(),
            writes: Some(DataRow::Slot(out)),
        },
        plan::Step::Score { value, .. } => score(row(value)),
    };
    let steps = plans
        .iter()
        .map(|plan| plan.steps.iter().map(step).collect());
    let filled = plans.iter().map(|plan| {
        let constants = 0..plan.constants.len() as u32;
        constants.map(DataRow::Slot).collect()
    });
    (steps.collect(), filled.collect())
}

/// Steps of an accumulator plan; the accumulator's value is neither read nor written.
fn accumulator_steps<T>(plan: &Accumulated<T>) -> Vec<Step> {
    let row = |place: Place| match place {
        Place::Input(input) => DataRow::Input(input as u16),
        Place::Row(row) => DataRow::Slot(row),
    };
    let mut steps: Vec<Step> = Vec::with_capacity(plan.instructions.len() + 1);
    for instruction in &plan.instructions {
        let first = row(instruction.operands[0]);
        let (action, reads, writes) = match instruction.code {
            AccumulatorOp::Load => (Action::Move, vec![first], None),
            AccumulatorOp::Save => (Action::Move, Vec::new(), Some(first)),
            code => {
                let function = instruction.function;
                let operands = instruction.operands[..function.arity()].iter().enumerate();
                let at = accumulator_plan::in_accumulator(code);
                let reads = operands.filter(|(position, _)| *position != at);
                let reads = reads.map(|(_, place)| row(*place)).collect();
                (Action::Function(function), reads, None)
            }
        };
        steps.push(Step {
            action,
            reads,
            writes,
        });
    }
    // The value is still in the accumulator.
    steps.push(Step {
        action: Action::Score,
        reads: vec![DataRow::Expected],
        writes: None,
    });
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Rpn {
        "X1 2 * X1 X1 * +".parse().unwrap()
    }

    #[test]
    fn tiles_are_those_of_the_interpreter() {
        for path in Path::all() {
            let options = Options {
                path,
                ..Options::best()
            };
            if let Ok(setup) = Setup::of(options) {
                let floats = crate::gp::interpret::accumulator::tile_vectors::<f32>(path);
                let words = crate::gp::interpret::accumulator::tile_vectors::<u32>(path);
                assert_eq!(
                    (floats, words),
                    (tile::<f32>(setup.width), tile::<u32>(setup.width))
                );
            }
        }
    }

    #[test]
    fn a_stack_of_rows_moves_every_terminal() {
        let steps = rpn_steps(&program());
        let moved = steps
            .iter()
            .filter(|step| step.action == Action::Move)
            .count();
        assert_eq!((moved, steps.len()), (4, 8));
        assert_eq!(steps[6].reads, [DataRow::Slot(0), DataRow::Slot(1)]);
        assert_eq!(steps[6].writes, Some(DataRow::Slot(0)));
    }

    #[test]
    fn operands_that_are_read_in_place_take_no_steps() {
        let one = program();
        let (steps, filled) = lgp_steps::<f32>(&[&one], false);
        assert_eq!((steps[0].len(), filled[0].len()), (4, 1));
        assert_eq!(steps[0][0].reads, [DataRow::Input(0), DataRow::Slot(0)]);
    }

    #[test]
    fn what_is_accumulated_is_not_read_from_memory() {
        let steps = accumulator_steps(&Accumulated::<f32>::new(&program()));
        let functions = steps
            .iter()
            .filter(|step| matches!(step.action, Action::Function(_)));
        let reads: Vec<usize> = functions.map(|step| step.reads.len()).collect();
        assert_eq!(reads, [2, 2, 1]);
    }
}
