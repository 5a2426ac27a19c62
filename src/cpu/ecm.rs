//! Execution-cache-memory model: the time of a population on a core.
//!
//! Models: for every step on every block of cases, the interpreter's own instructions and mispredicted jumps, and for every
//! vector the slowest of: instructions on registers, loads and stores, lines transferred between two cache levels. If data
//! moves while the core computes (`overlaps`), the slowest determines the time; otherwise loads, stores and all levels add up.
//! A step whose result the next one reads takes at least the latency of that result, which matters if blocks are short.
//! Leaves out: other dependences between steps, copying cases into chunks, other threads.
//! Units: cycles.
//! Sources: Treibig and Hager 2010, Hofmann et al. 2018 (ECM); Williams et al. 2009 (roofline).

use super::count::Class;
use super::large::Large;
use super::preset::Machine;
use super::residency::{Crossing, LEVELS, Residency};
use super::work::{Action, BYTES, DataRow, LARGE_INSTRUCTIONS, Step, Work};
use crate::gp::primitive::Primitive;
use crate::util::names::named;
use std::collections::{BTreeMap, HashMap};

named! {
    /// Cause of cycles.
    pub enum Cause ("cause") {
        /// The interpreter's own instructions.
        Dispatch = "dispatch",
        Mispredicted = "jumps",
        /// Waiting for the result of the previous step.
        Waiting = "waiting",
        Arithmetic = "arithmetic",
        /// Loads and stores.
        L1 = "loads and stores",
        L2 = "L2",
        L3 = "L3",
        Memory = "memory",
        /// Comparing values with the expected ones.
        Score = "comparison",
    }
}

/// Prediction for a population.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    pub gpops_billion: f64,
    /// Cycles of all programs on all cases.
    pub cycles: f64,
    /// Cycles by cause, in the order of `Cause::ALL`; they add up to `cycles`.
    pub by_cause: [f64; Cause::ALL.len()],
    /// Mean number of bytes touched between two uses of a row of the interpreter's memory, over a chunk.
    pub reuse_bytes: f64,
    /// Executions of a step on a block.
    pub steps: f64,
}

impl Predicted {
    pub fn of(&self, cause: Cause) -> f64 {
        self.by_cause[cause as usize]
    }
}

/// Maximum number of blocks of a chunk that are walked; the others are assumed alike.
const WALKED_BLOCKS: usize = 32;
/// Vectors per iteration of the interpreters' loops: the compiler unrolls them twice.
const ROUND: f64 = 2.0;
/// Maximum number of steps on blocks that are walked; beyond it only some of the programs are.
const WALKED_STEPS: usize = 400_000;

/// Predicts the time of `work` on one core.
pub fn predict(work: &Work, machine: &Machine) -> Predicted {
    let mut total = Sum::default();
    let full = work.n_vectors / work.chunk.max(1);
    let rest = work.n_vectors - full * work.chunk;
    for (vectors, times) in [(work.chunk, full), (rest, usize::from(rest > 0))] {
        if times > 0 && vectors > 0 {
            total.add(&chunk(work, machine, vectors), times as f64);
        }
    }
    let cycles: f64 = total.by_cause.iter().sum();
    Predicted {
        gpops_billion: work.operations / cycles.max(1.0) * machine.clock_ghz,
        cycles,
        by_cause: total.by_cause,
        reuse_bytes: total.reuse_bytes,
        steps: total.steps,
    }
}

#[derive(Debug, Clone, Default)]
struct Sum {
    by_cause: [f64; Cause::ALL.len()],
    steps: f64,
    /// Mean reuse distance in the longest chunk.
    reuse_bytes: f64,
}

impl Sum {
    fn add(&mut self, other: &Sum, times: f64) {
        for (sum, one) in self.by_cause.iter_mut().zip(other.by_cause) {
            *sum += times * one;
        }
        self.steps += times * other.steps;
        self.reuse_bytes = self.reuse_bytes.max(other.reuse_bytes);
    }

    fn note(&mut self, cause: Cause, cycles: f64) {
        self.by_cause[cause as usize] += cycles;
    }
}

/// Sums all programs on a chunk of `vectors` vectors.
fn chunk(work: &Work, machine: &Machine, vectors: usize) -> Sum {
    let block = work.block.min(vectors).max(1);
    let n_blocks = vectors as f64 / block as f64;
    let walked = (n_blocks.ceil() as usize).clamp(1, WALKED_BLOCKS);
    let each = n_blocks / walked as f64;
    let mut walk = Walk {
        work,
        machine,
        rows: Residency::new(&machine.caches),
        vectors: block as f64,
        // Cases of skipped blocks lie between those of walked blocks.
        column_bytes: (vectors * BYTES) as f64 / walked as f64,
        surprise: surprise(work),
        unlearned: (machine.learning_runs / n_blocks).min(1.0),
        costs: HashMap::new(),
    };
    walk.cases(walked);
    let n_programs = work.programs.len();
    let steps: usize = work.programs.iter().map(Vec::len).sum();
    let chosen = (n_programs * WALKED_STEPS / (steps * walked).max(1)).clamp(1, n_programs.max(1));
    let chosen: Vec<usize> = (0..chosen).map(|nth| nth * n_programs / chosen).collect();
    // Once for the caches, then for the time.
    let first = &chosen[..work.together.min(chosen.len())];
    walk.programs(first, walked, 1.0, &mut Sum::default());
    let mut sum = Sum::default();
    for together in chosen.chunks(work.together) {
        walk.programs(together, walked, each, &mut sum);
    }
    let mut all = Sum::default();
    all.add(&sum, n_programs as f64 / chosen.len() as f64);
    all.reuse_bytes = walk.rows.reuse_bytes();
    all
}

/// Probability that a step's jump target differs from that of a step chosen at random.
fn surprise(work: &Work) -> f64 {
    let mut seen: BTreeMap<Action, f64> = BTreeMap::new();
    let mut n = 0.0;
    for step in work.programs.iter().flatten() {
        *seen.entry(step.action).or_default() += 1.0;
        n += 1.0;
    }
    1.0 - seen
        .values()
        .map(|count| (count / n) * (count / n))
        .sum::<f64>()
}

/// Walk through the programs, block after block.
struct Walk<'a> {
    work: &'a Work,
    machine: &'a Machine,
    rows: Residency<'a>,
    /// Vectors of a block.
    vectors: f64,
    /// Bytes of a column per walked block.
    column_bytes: f64,
    surprise: f64,
    /// Fraction of a program's runs on the blocks of a chunk whose jumps are not yet predicted.
    unlearned: f64,
    costs: HashMap<(Action, usize, bool), Core>,
}

/// Properties of a step besides the row that it computes.
#[derive(Debug, Clone, Copy, Default)]
struct Extra {
    /// Additional cycles per vector.
    slow: f64,
    /// Whether the next step reads the row that this one writes.
    is_read_next: bool,
}

/// Cycles of a vector with all data in the L1.
#[derive(Debug, Clone, Copy)]
struct Core {
    arithmetic: f64,
    memory: f64,
    /// Latency from a previously stored operand to the stored result, for one vector.
    latency: f64,
}

impl Walk<'_> {
    /// Touches the cases of a chunk that has just been filled.
    fn cases(&mut self, blocks: usize) {
        for block in 0..blocks as u32 {
            for input in 0..self.work.n_inputs {
                self.touch(DataRow::Input(input as u16), block, true);
            }
            self.touch(DataRow::Expected, block, true);
        }
    }

    fn touch(&mut self, row: DataRow, block: u32, writes: bool) -> Crossing {
        let row_bytes = self.vectors * BYTES as f64;
        match row {
            DataRow::Slot(_) => self.rows.touch((row, 0), row_bytes, writes),
            _ => self.rows.touch((row, block), self.column_bytes, writes),
        }
    }

    /// Adds the time of programs that take turns on each of the walked blocks, each of which represents `each` blocks.
    fn programs(&mut self, numbers: &[usize], blocks: usize, each: f64, sum: &mut Sum) {
        for &number in numbers {
            for row in self.work.filled.get(number).into_iter().flatten() {
                let fill = Step {
                    action: Action::Move,
                    reads: Vec::new(),
                    writes: Some(*row),
                };
                self.step(&fill, 0, 1.0, Extra::default(), sum);
            }
        }
        for block in 0..blocks as u32 {
            for &number in numbers {
                self.program(number, block, each, sum);
            }
        }
    }

    fn program(&mut self, number: usize, block: u32, each: f64, sum: &mut Sum) {
        let steps = self
            .work
            .programs
            .get(number)
            .map_or(&[][..], Vec::as_slice);
        let large = self.work.large.get(number).copied().unwrap_or_default();
        let large = large.map(|large| self.one_by_one(large));
        for (number, step) in steps.iter().enumerate() {
            let slow = match step.action {
                Action::Function(Primitive::Sin) => large[0],
                Action::Function(Primitive::Cos) => large[1],
                _ => 0.0,
            };
            let next = steps.get(number + 1);
            let is_read = |next: &Step| step.writes.is_some_and(|row| next.reads.contains(&row));
            let extra = Extra {
                slow,
                is_read_next: next.is_some_and(is_read),
            };
            self.step(step, block, each, extra, sum);
        }
    }

    /// Cycles added to a vector by large arguments.
    fn one_by_one(&self, large: Large) -> f64 {
        let found = large.vectors * self.machine.mispredict_cycles;
        found + large.elements * LARGE_INSTRUCTIONS / self.machine.branchy_per_cycle
    }

    fn step(&mut self, step: &Step, block: u32, times: f64, extra: Extra, sum: &mut Sum) {
        let mut crossing = Crossing::default();
        for row in &step.reads {
            crossing.add(&self.touch(*row, block, false));
        }
        if let Some(row) = step.writes {
            crossing.add(&self.touch(row, block, true));
        }
        let core = self.core(step);
        let vectors = times * self.vectors;
        let overhead = self.work.kind.overhead();
        let own = |instructions: f64| instructions / self.machine.branchy_per_cycle;
        sum.steps += times;
        let [arithmetic, loads, levels @ ..] = self.layers(core, &crossing);
        if step.action == Action::Score {
            sum.note(Cause::Score, times * own(overhead.score));
            sum.note(Cause::Score, vectors * (arithmetic + loads));
        } else {
            let hidden = if overhead.hides {
                self.vectors * (arithmetic + loads)
            } else {
                0.0
            };
            sum.note(
                Cause::Dispatch,
                times * (own(overhead.step) - hidden).max(0.0),
            );
            sum.note(Cause::Arithmetic, vectors * (arithmetic + extra.slow));
            sum.note(Cause::L1, vectors * loads);
            let busy = own(overhead.step) + self.vectors * (arithmetic + loads);
            if extra.is_read_next {
                sum.note(Cause::Waiting, times * (core.latency - busy).max(0.0));
            }
        }
        for (cause, cycles) in [Cause::L2, Cause::L3, Cause::Memory]
            .into_iter()
            .zip(levels)
        {
            sum.note(cause, vectors * cycles);
        }
        let jumps = self.surprise * self.unlearned;
        let ends = match overhead.hides {
            true => 0.0,
            false => self.missed_end(),
        };
        let lost = (jumps + ends) * self.machine.mispredict_cycles;
        sum.note(Cause::Mispredicted, times * lost);
    }

    /// Probability that the end of a row's loop is mispredicted: 0 up to the preset's number of rounds, 1 from four times as
    /// many on.
    fn missed_end(&self) -> f64 {
        let rounds = self.vectors / ROUND / self.machine.predicted_rounds;
        ((rounds - 1.0) / 3.0).clamp(0.0, 1.0)
    }

    /// Cycles of a vector: arithmetic, then the increments for loads and stores and for each level.
    fn layers(&self, core: Core, crossing: &Crossing) -> [f64; 2 + LEVELS] {
        let mut layers = [core.arithmetic, 0.0, 0.0, 0.0, 0.0];
        let mut busy = core.memory;
        let mut so_far = core.arithmetic.max(busy);
        layers[1] = so_far - core.arithmetic;
        for level in 0..LEVELS {
            let cache = &self.machine.caches[level];
            let read = crossing.fetched[level] * BYTES as f64 / cache.read_bytes_per_cycle;
            let written = crossing.written_back[level] * BYTES as f64 / cache.write_bytes_per_cycle;
            busy = match self.machine.overlaps {
                true => busy.max(read.max(written)),
                false => busy + read + written,
            };
            let now = so_far.max(busy);
            layers[2 + level] = now - so_far;
            so_far = now;
        }
        layers
    }

    fn core(&mut self, step: &Step) -> Core {
        let key = (step.action, step.reads.len(), step.writes.is_some());
        if let Some(known) = self.costs.get(&key) {
            return *known;
        }
        let computed = core(self.work, self.machine, step);
        self.costs.insert(key, computed);
        computed
    }
}

/// Computes the cycles of a vector with all data in the L1.
fn core(work: &Work, machine: &Machine, step: &Step) -> Core {
    let registers = &machine.registers;
    let instructions = work.instructions(step.action);
    let each = work.width.registers();
    let loads = step.reads.len() as f64 * each;
    let stores = if step.writes.is_some() { each } else { 0.0 };
    let pipes = [
        Class::Multiply,
        Class::Add,
        Class::Compare,
        Class::Logic,
        Class::Shift,
        Class::Convert,
        Class::Scale,
        Class::Divide,
        Class::Mask,
    ]
    .map(|class| instructions.of(class) / registers.per_cycle[class as usize]);
    let total = instructions.total();
    let issued = total + loads + stores + work.kind.overhead().vector;
    let arithmetic = pipes.into_iter().fold(0.0, f64::max);
    // The vectors in flight fill the window with their instructions.
    let chain = machine.load_cycles + instructions.chain.cycles(&machine.latency);
    let arithmetic = arithmetic
        .max(total / registers.vector_per_cycle)
        .max(total * chain / machine.vector_window)
        .max(instructions.recurring.cycles(&machine.latency))
        .max(issued / machine.issue_per_cycle);
    Core {
        arithmetic,
        memory: (loads / registers.loads_per_cycle)
            .max(stores / registers.stores_per_cycle)
            .max((loads + stores) / registers.memory_per_cycle),
        latency: machine.forward_cycles + instructions.chain.cycles(&machine.latency),
    }
}

#[cfg(test)]
#[path = "ecm_tests.rs"]
mod tests;
