//! Traces of programs: segments, cached across programs.
//!
//! Models: the path of every program through a kernel as a walk over *states* (see `state`). The path conditions of a segment
//! are cached as a decision tree per state. States are relative to the token's position, so few of them occur, and a program of
//! `n` tokens costs a few look-ups per token.
//! Leaves out: partial last iterations.
//! Units: segments.

use rustc_hash::FxHashMap;

use super::affine::AffineRegisters;
use super::error::TraceError;
use super::launch::{ConstantMemory, KernelLaunch};
use super::program::ProgramWords;
use super::state::{Machine, Run, State, WordAt};
use super::trace_cache::{CachedStep, DecisionTrees, Next};
use super::uniform::{Environment, Executor, PathCondition, SegmentEnd, SharedCopy};
use super::{ProgramTrace, SegmentId, SegmentPool, TraceOp};
use crate::isa::Kernel;
use crate::isa::Space;
use crate::isa::cfg::{ControlFlow, LiveSet, live_before};
use crate::isa::op::Op;

mod steady;

pub use steady::Entrance;

/// Arrivals at the case loop's header after which a run counts as endless: more than any run needs.
const MAX_PARTS: usize = 64;

/// Maximum number of segments between two arrivals: a kernel executes a few per program word.
fn most_segments(program: &ProgramWords) -> usize {
    1000 + 100 * program.words().len()
}

/// Maximum number of instructions that one program executes in all its runs: ten times that of 2001 words with a thousand
/// instructions each in the five parts of a trace.
const MOST_INSTRUCTIONS: u64 = 100_000_000;

/// Minimum cost of a segment that is executed instead of looked up, as its state is kept.
const LEAST_OF_SEGMENT: u64 = 1000;

/// Point of execution: a state, and the position of its token in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    root: u32,
    position: u32,
}

impl Place {
    fn after(self, next: &Next) -> Place {
        Place {
            root: next.root,
            position: next
                .words_ahead
                .map_or(0, |ahead| self.position.wrapping_add_signed(ahead)),
        }
    }
}

/// Execution up to the next arrival at the case loop's header.
struct Walked {
    segments: Vec<SegmentId>,
    assumptions: u32,
    /// Point of arrival; `None` when the kernel has ended.
    next: Option<Place>,
}

/// Token positions of a program's segments, list by list as in [`ProgramTrace`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Positions {
    pub prologue: Vec<u32>,
    pub only: Vec<u32>,
    pub first: Vec<u32>,
    pub steady: Vec<u32>,
    pub last: Vec<u32>,
}

/// Traces programs through one kernel.
pub struct TraceBuilder<'k> {
    kernel: &'k Kernel,
    launch: KernelLaunch,
    live: Vec<LiveSet>,
    case_loop: usize,
    constants: [ConstantMemory; 3],
    copy: Option<SharedCopy>,
    machine: Machine,
    trees: DecisionTrees,
    affine: AffineRegisters,
    remembers: bool,
    pool: SegmentPool,
    interned: FxHashMap<Vec<TraceOp>, SegmentId>,
    /// Instructions of the program being traced, executed or looked up.
    spent: u64,
    /// Token positions of the segments of the program being traced, when asked for.
    positions: Option<Vec<u32>>,
}

impl<'k> TraceBuilder<'k> {
    pub fn new(kernel: &'k Kernel, launch: KernelLaunch) -> Result<Self, TraceError> {
        check_launch(&launch)?;
        if kernel.instructions.len() > usize::from(u16::MAX) {
            return Err(TraceError::TooLong {
                kernel: kernel.name.clone(),
                given: kernel.instructions.len(),
                allowed: usize::from(u16::MAX),
            });
        }
        let flow = ControlFlow::new(kernel)?;
        let case_loop = case_loop(kernel, &flow)?;
        let constants = [Run::Empty, Run::Single, Run::Triple]
            .map(|run| launch.constants(kernel, launch.cases_per_iteration * iterations(run)));
        Ok(Self {
            kernel,
            live: live_before(kernel, &flow),
            case_loop,
            constants,
            launch,
            copy: None,
            machine: Machine::new(),
            trees: DecisionTrees::default(),
            affine: AffineRegisters::default(),
            remembers: true,
            pool: SegmentPool {
                ops: Vec::new(),
                starts: vec![0],
                others_end: None,
            },
            interned: FxHashMap::default(),
            spent: 0,
            positions: None,
        })
    }

    /// Disables the cache, so that every segment is executed. Slow, for tests.
    pub fn forgetful(mut self) -> Self {
        self.remembers = false;
        self
    }

    /// Traces one program.
    pub fn trace(&mut self, program: &ProgramWords) -> Result<ProgramTrace, TraceError> {
        self.spent = 0;
        let (single, _) = self.run(program, Run::Single)?;
        let [_, only] = self.parts(single)?;
        let several = self.several_iterations(program)?;
        Ok(ProgramTrace { only, ..several })
    }

    /// Traces one program whose warps all have several iterations: `only` stays empty.
    pub fn trace_iterations(&mut self, program: &ProgramWords) -> Result<ProgramTrace, TraceError> {
        self.spent = 0;
        self.several_iterations(program)
    }

    /// Traces a block without fitness cases: it loads the program, enters no iteration and ends.
    pub fn trace_without_cases(
        &mut self,
        program: &ProgramWords,
    ) -> Result<Vec<SegmentId>, TraceError> {
        self.spent = 0;
        let (parts, _) = self.run(program, Run::Empty)?;
        Ok(parts.concat())
    }

    fn several_iterations(&mut self, program: &ProgramWords) -> Result<ProgramTrace, TraceError> {
        let (triple, assumptions) = self.run(program, Run::Triple)?;
        let [prologue, first, steady, last] = self.parts(triple)?;
        Ok(ProgramTrace {
            prologue,
            only: Vec::new(),
            first,
            steady,
            last,
            nodes: program.nodes(),
            assumptions,
        })
    }

    fn check_length(&self, program: &ProgramWords) -> Result<(), TraceError> {
        if program.words().len() > self.launch.max_program_words as usize {
            return Err(TraceError::Input {
                name: "program length",
                given: format!("{} words", program.words().len()),
                allowed: format!("1 to {}", self.launch.max_program_words),
            });
        }
        Ok(())
    }

    /// Traces one program, and returns for every segment the index of the word from which its uniform shared addresses are
    /// counted: `4 * position` added to such an address gives the address in memory.
    pub fn trace_with_positions(
        &mut self,
        program: &ProgramWords,
    ) -> Result<(ProgramTrace, Positions), TraceError> {
        self.positions = Some(Vec::new());
        let trace = self.trace(program);
        let mut positions = self.positions.take().unwrap_or_default().into_iter();
        let trace = trace?;
        let mut of = |ids: &[SegmentId]| positions.by_ref().take(ids.len()).collect::<Vec<u32>>();
        let (prologue, only) = (of(&trace.prologue), of(&trace.only));
        of(&trace.prologue);
        let positions = Positions {
            prologue,
            only,
            first: of(&trace.first),
            steady: of(&trace.steady),
            last: of(&trace.last),
        };
        Ok((trace, positions))
    }

    pub fn pool(&self) -> &SegmentPool {
        &self.pool
    }

    pub fn into_pool(self) -> SegmentPool {
        self.pool
    }

    /// Converts the parts of a run to an array, checking their number.
    fn parts<const PARTS: usize>(
        &self,
        parts: Vec<Vec<SegmentId>>,
    ) -> Result<[Vec<SegmentId>; PARTS], TraceError> {
        let given = parts.len() - 1;
        parts.try_into().map_err(|_| TraceError::Iterations {
            kernel: self.kernel.name.clone(),
            given,
            expected: PARTS - 1,
        })
    }

    /// Runs a program and returns its segments, cut at every arrival at the case loop's header, and the number of assumed
    /// decisions on data.
    fn run(
        &mut self,
        program: &ProgramWords,
        run: Run,
    ) -> Result<(Vec<Vec<SegmentId>>, u32), TraceError> {
        self.check_length(program)?;
        let mut parts = Vec::new();
        let (mut place, mut assumptions) = (self.start(run), 0);
        for _ in 0..MAX_PARTS {
            let walked = self.walk(program, place)?;
            parts.push(walked.segments);
            assumptions += walked.assumptions;
            match walked.next {
                Some(next) => place = next,
                None => return Ok((parts, assumptions)),
            }
        }
        Err(self.endless(most_segments(program)))
    }

    /// Returns the point before a kernel's first instruction.
    fn start(&mut self, run: Run) -> Place {
        Place {
            root: self.trees.root(State::entry(run)),
            position: 0,
        }
    }

    /// Walks the segments from a place to the next arrival at the case loop's header, or to the end.
    fn walk(&mut self, program: &ProgramWords, from: Place) -> Result<Walked, TraceError> {
        let mut segments = Vec::with_capacity(program.words().len() + 1);
        let (mut place, mut assumptions) = (from, 0);
        for _ in 0..most_segments(program) {
            let known = self
                .trees
                .look_up(place.root, self.kernel, program, place.position);
            let step = match known.filter(|_| self.remembers) {
                Some(step) => {
                    self.spend(self.pool.length(step.id).into())?;
                    step
                }
                None => self.execute(place.root, program, place.position)?,
            };
            segments.push(step.id);
            if let Some(positions) = &mut self.positions {
                positions.push(place.position);
            }
            assumptions += step.assumptions;
            let next = step.next.map(|next| (next.at_header, place.after(&next)));
            if let Some((false, next)) = next {
                place = next;
                continue;
            }
            return Ok(Walked {
                segments,
                assumptions,
                next: next.map(|(_, place)| place),
            });
        }
        Err(self.endless(most_segments(program)))
    }

    /// Charges instructions to the program's budget.
    fn spend(&mut self, instructions: u64) -> Result<(), TraceError> {
        self.spent += instructions;
        if self.spent > MOST_INSTRUCTIONS {
            return Err(TraceError::Budget {
                kernel: self.kernel.name.clone(),
                given: self.spent,
                allowed: MOST_INSTRUCTIONS,
            });
        }
        Ok(())
    }

    fn endless(&self, limit: usize) -> TraceError {
        TraceError::NoEnd {
            kernel: self.kernel.name.clone(),
            parts: MAX_PARTS,
            limit,
        }
    }

    /// Executes the segment that starts in a state, and caches it.
    fn execute(
        &mut self,
        root: u32,
        program: &ProgramWords,
        position: u32,
    ) -> Result<CachedStep, TraceError> {
        let state = self.trees.state(root);
        let (run, at_fetch) = (state.run, state.at_fetch);
        let environment = Environment {
            kernel: self.kernel,
            launch: &self.launch,
            constants: &self.constants[run as usize],
            run_cases: self.launch.cases_per_iteration * iterations(run),
            case_loop: self.case_loop,
        };
        self.machine.restore(state, program, position);
        let token = at_fetch.then_some(position);
        let executor = Executor::new(
            &environment,
            program,
            &mut self.copy,
            &mut self.machine,
            token,
        );
        let mut executed = executor.segment()?;
        let state = self.machine.frames.len() + self.machine.local.len();
        let kept = LEAST_OF_SEGMENT + state as u64;
        self.spend(kept.max(executed.ops.len() as u64))?;
        let next = match executed.end {
            SegmentEnd::Exit => None,
            SegmentEnd::Boundary { fetch } => {
                if self.forgets_position(fetch) && at_fetch {
                    executed.path_conditions.push(PathCondition::Position);
                }
                let live = &self.live[self.machine.pc];
                if self.machine.abstract_first_word(live) {
                    executed
                        .path_conditions
                        .push(PathCondition::Word(WordAt::First));
                }
                Some(self.arrive(run, position, fetch))
            }
        };
        self.pool.others_end = self.pool.others_end.or(executed.others_end);
        let id = self.intern(executed.ops);
        let step = CachedStep {
            id,
            assumptions: executed.assumptions,
            next,
        };
        let answers = executed
            .path_conditions
            .iter()
            .map(|condition| (*condition, condition.ask(self.kernel, program, position)));
        if self.remembers {
            self.trees.remember(root, answers, step);
        }
        Ok(step)
    }

    /// Tells whether a segment without a token starts with a live value that moves with the position, which it cannot express.
    fn forgets_position(&self, fetch: Option<u32>) -> bool {
        fetch.is_none() && self.machine.is_positional(&self.live[self.machine.pc])
    }

    /// Returns the machine's state at a segment's start.
    fn arrive(&mut self, run: Run, position: u32, fetch: Option<u32>) -> Next {
        let live = &self.live[self.machine.pc];
        if let Some(fetch) = fetch.filter(|_| self.remembers) {
            self.affine.apply(&mut self.machine, live, fetch);
        }
        let state = self.machine.canonical(live, run, fetch);
        Next {
            root: self.trees.root(state),
            words_ahead: fetch.map(|fetch| fetch.wrapping_sub(position) as i32),
            at_header: self.machine.pc == self.case_loop,
        }
    }

    fn intern(&mut self, ops: Vec<TraceOp>) -> SegmentId {
        if let Some(&id) = self.interned.get(&ops) {
            return id;
        }
        let id = SegmentId(self.pool.starts.len() as u32 - 1);
        self.pool.ops.extend_from_slice(&ops);
        self.pool.starts.push(self.pool.ops.len() as u32);
        self.interned.insert(ops, id);
        id
    }
}

fn iterations(run: Run) -> u32 {
    match run {
        Run::Empty => 0,
        Run::Single => 1,
        Run::Triple => 3,
    }
}

fn check_launch(launch: &KernelLaunch) -> Result<(), TraceError> {
    let out_of_range = |name, given: u32, allowed: &str| TraceError::Input {
        name,
        given: given.to_string(),
        allowed: allowed.to_owned(),
    };
    if !(1..=1024).contains(&launch.threads_per_block) {
        return Err(out_of_range(
            "threads per block",
            launch.threads_per_block,
            "1 to 1024",
        ));
    }
    if launch.cases_per_iteration == 0 || launch.cases_per_iteration > 1 << 20 {
        return Err(out_of_range(
            "cases per iteration",
            launch.cases_per_iteration,
            "1 to 1048576",
        ));
    }
    Ok(())
}

/// Finds the header of the case loop: the outermost loop that reads shared memory.
fn case_loop(kernel: &Kernel, flow: &ControlFlow) -> Result<usize, TraceError> {
    let reads_shared = |index: usize| {
        let instruction = &kernel.instructions[index];
        instruction.op == Op::Load
            && instruction
                .access
                .is_some_and(|access| access.space == Space::Shared)
    };
    let loops = flow.loops();
    let candidates = loops.iter().filter(|found| {
        found
            .blocks
            .iter()
            .any(|&block| (flow.graph[block].start..flow.graph[block].end).any(reads_shared))
    });
    let outermost = candidates.max_by_key(|found| found.blocks.len());
    outermost
        .map(|found| found.header)
        .ok_or_else(|| TraceError::Kernel {
            kernel: kernel.name.clone(),
            why: "no loop over fitness cases found: no loop reads shared memory".to_owned(),
        })
}
