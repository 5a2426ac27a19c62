//! Counts of the requests that programs make of a multiprocessor, and which count each cause of lost cycles follows.
//!
//! Models: counts per steady iteration of one warp. Leaves out: time.
//! Units: warp instructions; 128-byte lines for local memory.

use super::cause::Cause;
use super::code::{MemoryRequest, ReplayCode, ReplayOp, ReplayProgram};

/// A counted quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Counted {
    Instructions,
    Branches,
    SharedLoads,
    LocalLines,
    GlobalLoads,
    /// Lines of any memory that pass the load/store unit.
    UnitLines,
}

/// Number of things counted.
pub const N_COUNTED: usize = 6;

/// Counts, by `Counted as usize`.
pub type Demand = [u32; N_COUNTED];

/// Returns the counts that one instruction adds.
pub fn of_op(op: &ReplayOp) -> Demand {
    let mut demand = [0; N_COUNTED];
    let mut add = |counted: Counted, n: u32| demand[counted as usize] += n;
    add(Counted::Instructions, 1);
    if op.redirects {
        add(Counted::Branches, 1);
    }
    if op.request != MemoryRequest::None {
        add(Counted::UnitLines, u32::from(op.lines).max(1));
    }
    match op.request {
        MemoryRequest::None => {}
        MemoryRequest::LocalLoad | MemoryRequest::LocalStore => {
            add(Counted::LocalLines, u32::from(op.lines));
        }
        MemoryRequest::SharedLoad | MemoryRequest::SharedStore => add(Counted::SharedLoads, 1),
        MemoryRequest::GlobalLoad | MemoryRequest::GlobalStore => add(Counted::GlobalLoads, 1),
    }
    demand
}

/// The sum of two demands.
pub fn sum(a: Demand, b: Demand) -> Demand {
    std::array::from_fn(|i| a[i] + b[i])
}

/// Returns the count that the cycles charged to a cause are proportional to; `None` if they follow the work done.
pub fn followed_by(cause: Cause) -> Option<Counted> {
    match cause {
        Cause::Issued | Cause::Wait | Cause::MathPipe | Cause::NoInstruction => {
            Some(Counted::Instructions)
        }
        Cause::Branch => Some(Counted::Branches),
        Cause::Shared => Some(Counted::SharedLoads),
        Cause::L1Hit | Cause::L2 | Cause::Dram | Cause::Mshr => Some(Counted::LocalLines),
        Cause::LoadStoreUnit => Some(Counted::UnitLines),
        Cause::Global => Some(Counted::GlobalLoads),
        Cause::Barrier | Cause::NoWarp => None,
    }
}

/// Mean counts per token.
pub type PerToken = [f64; N_COUNTED];

/// Counts per token of blocks that run the programs in `order`.
pub fn per_token_of(code: &ReplayCode, order: &[u32]) -> PerToken {
    let mut tokens = vec![0.0; code.programs.len()];
    for &program in order {
        tokens[program as usize] += f64::from(code.programs[program as usize].nodes);
    }
    per_token(&code.programs, |program| tokens[program])
}

/// Counts per token of programs that do `tokens` of work each, in any unit.
pub fn per_token(programs: &[ReplayProgram], tokens: impl Fn(usize) -> f64) -> PerToken {
    let mut sums = [0.0; N_COUNTED];
    let mut total = 0.0;
    for (index, program) in programs.iter().enumerate() {
        let share = tokens(index) / f64::from(program.nodes.max(1));
        total += tokens(index);
        for (sum, count) in sums.iter_mut().zip(program.demand) {
            *sum += share * f64::from(count);
        }
    }
    sums.map(|sum| sum / total)
}

/// The parts of the scheduler cycles that follow each count, and of those that follow the work alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeParts {
    counted: PerToken,
    rest: f64,
}

impl TimeParts {
    /// Divides the cycles of every cause among the counts that they follow.
    pub fn of(cycles: impl Fn(Cause) -> f64) -> TimeParts {
        let all: f64 = Cause::ALL.into_iter().map(&cycles).sum();
        let mut parts = TimeParts {
            counted: [0.0; N_COUNTED],
            rest: 0.0,
        };
        for cause in Cause::ALL {
            let part = cycles(cause) / all.max(f64::MIN_POSITIVE);
            match followed_by(cause) {
                Some(counted) => parts.counted[counted as usize] += part,
                None => parts.rest += part,
            }
        }
        parts
    }

    /// **(S3)** Time that a program takes for a token, over the mean of all programs, which have `whole` counts per token.
    pub fn time_of(&self, program: &ReplayProgram, whole: &PerToken) -> f64 {
        let nodes = f64::from(program.nodes.max(1));
        let counts = self.counted.iter().zip(program.demand).zip(whole);
        let follows = counts.map(|((part, count), &mean)| match mean > 0.0 {
            true => part * f64::from(count) / nodes / mean,
            false => *part,
        });
        self.rest + follows.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::OpClass;
    use crate::launch::testing::{alu, looped};

    fn program(instructions: u32, local_lines: u32) -> ReplayProgram {
        let mut program = ReplayProgram {
            nodes: 10,
            ..ReplayProgram::default()
        };
        program.demand[Counted::Instructions as usize] = instructions;
        program.demand[Counted::LocalLines as usize] = local_lines;
        program
    }

    fn parts(cause: Cause) -> TimeParts {
        TimeParts::of(|one| if one == cause { 7.0 } else { 0.0 })
    }

    #[test]
    fn a_program_takes_the_time_of_what_its_cycles_follow() {
        let mut whole = [0.0; N_COUNTED];
        whole[Counted::Instructions as usize] = 10.0;
        whole[Counted::LocalLines as usize] = 1.0;
        // Twice the instructions and half the lines of the mean.
        let program = program(200, 5);
        let time = |cause| parts(cause).time_of(&program, &whole);
        assert_eq!(time(Cause::Issued), 2.0);
        assert_eq!(time(Cause::L2), 0.5);
        assert_eq!(time(Cause::NoWarp), 1.0);
        // Work that no program does costs the same for all.
        assert_eq!(time(Cause::Global), 1.0);
    }

    #[test]
    fn an_instruction_is_counted_as_what_it_asks_for() {
        let of = |request, lines, redirects| {
            let demand = of_op(&ReplayOp {
                request,
                lines,
                redirects,
                ..looped(&[alu(OpClass::Logic, 1)]).ops[0]
            });
            use Counted::{Branches, GlobalLoads, LocalLines, SharedLoads, UnitLines};
            [Branches, UnitLines, LocalLines, SharedLoads, GlobalLoads]
                .map(|counted| demand[counted as usize])
        };
        assert_eq!(of(MemoryRequest::None, 1, true), [1, 0, 0, 0, 0]);
        assert_eq!(of(MemoryRequest::LocalStore, 4, false), [0, 4, 4, 0, 0]);
        // An access without lines of its own takes the unit as long as one of a line.
        assert_eq!(of(MemoryRequest::SharedLoad, 0, false), [0, 1, 0, 1, 0]);
        assert_eq!(of(MemoryRequest::GlobalLoad, 2, false), [0, 2, 0, 0, 1]);
    }
}
