//! Execution of a work-group.
//!
//! Models: every wavefront's control-flow program with its branch stack: lanes that diverge run one after the other and
//! reconverge where the code pops; loops that lanes leave one by one; barriers.
//! Leaves out: time; several concurrent work-groups.
//! Sources: AMD, Evergreen Family Instruction Set Architecture, chapter 3.

use super::lanes::{Lanes, Surroundings};
use super::memory::{Memory, Region};
use super::steps::{Access, Executed, LINE_BYTES, Step};
use super::{ExecuteError, LANES, Mask, first_lanes};
use crate::vliw::r600::{ClauseFlow, Control, Listing};

/// Maximum size of a work-group's local memory, in words.
const LOCAL_WORDS: usize = 8192;
/// Maximum number of control-flow instructions of a wavefront: more than any launch here executes.
const MOST_STEPS: usize = 50_000_000;

/// Work-group to execute, its arguments, and the limit on iterations.
#[derive(Debug, Clone)]
pub struct Launch {
    pub group: u32,
    pub n_groups: u32,
    pub local_size: u32,
    /// The kernel's arguments, one word each.
    pub arguments: Vec<u32>,
    /// Iterations of the main loop after which a wavefront stops.
    pub most_iterations: usize,
}

impl Launch {
    /// Returns constant bank 0: sizes of the launch in three dimensions, then the arguments.
    fn constants(&self) -> Vec<u32> {
        let global_size = self.n_groups.wrapping_mul(self.local_size);
        let sizes = [self.n_groups, global_size, self.local_size];
        let sizes = sizes.iter().flat_map(|&size| [size, 1, 1]);
        sizes.chain(self.arguments.iter().copied()).collect()
    }
}

/// Executes a work-group and returns the steps of each of its wavefronts.
pub fn work_group(
    listing: &Listing,
    launch: &Launch,
    memory: &mut Memory,
) -> Result<Vec<Executed>, ExecuteError> {
    let constants = launch.constants();
    let main_loop = main_loop(listing);
    let mut local = vec![0; LOCAL_WORDS];
    let n_waves = launch.local_size.div_ceil(LANES as u32);
    let mut waves: Vec<_> = (0..n_waves)
        .map(|wave| Wavefront::new(listing, launch, wave, main_loop))
        .collect();
    // Each wavefront runs up to its next barrier; all have the same barriers.
    while waves.iter().any(|wave| !wave.is_done) {
        for wave in waves.iter_mut().filter(|wave| !wave.is_done) {
            wave.run(memory, &constants, &mut local)?;
        }
    }
    Ok(waves.into_iter().map(|wave| wave.executed).collect())
}

/// Finds the end of the outermost loop that contains another: an iteration is a program, a case or a chunk of cases.
fn main_loop(listing: &Listing) -> Option<usize> {
    let mut holds_another = Vec::new();
    for (at, control) in listing.control.iter().enumerate() {
        if let Control::LoopStart { .. } = control {
            holds_another.iter_mut().for_each(|h| *h = true);
            holds_another.push(false);
        }
        if let Control::LoopEnd { .. } = control {
            let did_hold = holds_another.pop() == Some(true);
            if did_hold && holds_another.is_empty() {
                return Some(at);
            }
        }
    }
    None
}

/// A loop in progress.
struct Loop {
    /// Lanes that entered.
    entered: Mask,
    /// Entered lanes that have left.
    left: Mask,
    /// Depth of the branch stack at entry.
    depth: usize,
}

struct Wavefront<'a> {
    listing: &'a Listing,
    lanes: Lanes,
    at: usize,
    stack: Vec<Mask>,
    loops: Vec<Loop>,
    main_loop: Option<usize>,
    most_iterations: usize,
    executed: Executed,
    is_done: bool,
}

impl<'a> Wavefront<'a> {
    fn new(listing: &'a Listing, launch: &Launch, wave: u32, main_loop: Option<usize>) -> Self {
        let first = wave * LANES as u32;
        let mut lanes = Lanes::new(listing.n_registers, first_lanes(launch.local_size - first));
        for (lane, id) in lanes.register_mut((0, 0)).iter_mut().enumerate() {
            *id = first + lane as u32;
        }
        *lanes.register_mut((1, 0)) = [launch.group; LANES];
        Wavefront {
            listing,
            lanes,
            at: 0,
            stack: Vec::new(),
            loops: Vec::new(),
            main_loop,
            most_iterations: launch.most_iterations,
            executed: Executed::default(),
            is_done: false,
        }
    }

    /// Runs up to the next barrier or the end.
    fn run(
        &mut self,
        memory: &mut Memory,
        constants: &[u32],
        local: &mut [u32],
    ) -> Result<(), ExecuteError> {
        while !self.is_done {
            if self.executed.steps.len() > MOST_STEPS {
                return Err(ExecuteError::Endless { steps: MOST_STEPS });
            }
            let Some(&control) = self.listing.control.get(self.at) else {
                return Err(self.bad("the program ends without CF_END"));
            };
            let before = self.at;
            self.at += 1;
            let mut around = Surroundings { constants, local };
            if self.step(control, before, memory, &mut around)? {
                break;
            }
        }
        Ok(())
    }

    /// Executes one control-flow instruction; true at a barrier.
    fn step(
        &mut self,
        control: Control,
        at: usize,
        memory: &mut Memory,
        around: &mut Surroundings,
    ) -> Result<bool, ExecuteError> {
        match control {
            Control::Alu { clause, flow } => return self.alu(clause, flow, around),
            Control::Fetch { clause } => self.fetch(clause, memory)?,
            Control::Store { value, address } => self.store(value, address, memory)?,
            Control::Nop => {}
            Control::End => self.is_done = true,
            branch => {
                self.executed.steps.push(Step::Control);
                self.branch(branch, at)?;
            }
        }
        Ok(false)
    }

    fn alu(
        &mut self,
        clause: u16,
        flow: ClauseFlow,
        around: &mut Surroundings,
    ) -> Result<bool, ExecuteError> {
        if flow == ClauseFlow::PushBefore {
            self.stack.push(self.lanes.active);
        }
        let bundles = self.listing.alu.get(&clause).map_or(&[][..], |b| &b[..]);
        let result = self.lanes.clause(bundles, around)?;
        self.executed.steps.push(Step::Alu {
            bundles: bundles.len() as u16,
            local_reads: result.local_reads,
        });
        if let ClauseFlow::PopAfter(count) = flow {
            self.pop(count)?;
        }
        if result.meets_barrier {
            self.executed.steps.push(Step::Barrier);
        }
        Ok(result.meets_barrier)
    }

    fn branch(&mut self, control: Control, at: usize) -> Result<(), ExecuteError> {
        match control {
            Control::Jump { target, pop } => {
                if self.lanes.active == 0 {
                    self.pop(pop)?;
                    self.at = usize::from(target);
                }
            }
            Control::Else { target, pop } => {
                let Some(&all) = self.stack.last() else {
                    return Err(self.bad("ELSE without a pushed mask"));
                };
                self.lanes.active = all & !self.lanes.active & !self.left();
                if self.lanes.active == 0 {
                    self.pop(pop)?;
                    self.at = usize::from(target);
                }
            }
            Control::Pop { count } => self.pop(count)?,
            Control::LoopStart { end } => self.enter_loop(end),
            Control::LoopEnd { start } => self.end_of_loop(start, at)?,
            Control::LoopBreak => {
                let active = self.lanes.active;
                let Some(inner) = self.loops.last_mut() else {
                    return Err(self.bad("LOOP_BREAK outside a loop"));
                };
                inner.left |= active;
                self.lanes.active = 0;
            }
            _ => return Err(self.bad("not a branch")),
        }
        Ok(())
    }

    fn enter_loop(&mut self, end: u16) {
        if self.lanes.active == 0 {
            self.at = usize::from(end);
            return;
        }
        self.loops.push(Loop {
            entered: self.lanes.active,
            left: 0,
            depth: self.stack.len(),
        });
    }

    fn end_of_loop(&mut self, start: u16, at: usize) -> Result<(), ExecuteError> {
        let (active, depth) = (self.lanes.active, self.stack.len());
        let Some(inner) = self.loops.last() else {
            return Err(self.bad("END_LOOP outside a loop"));
        };
        if inner.depth != depth {
            return Err(self.bad("END_LOOP with masks that were pushed in the loop"));
        }
        if self.main_loop == Some(at) {
            self.executed.iteration_ends.push(self.executed.steps.len());
            self.is_done = self.executed.iteration_ends.len() >= self.most_iterations;
        }
        if active != 0 {
            self.at = usize::from(start);
        } else if let Some(ended) = self.loops.pop() {
            self.lanes.active = ended.entered & !self.left();
        }
        Ok(())
    }

    /// Returns the lanes that left the innermost loop.
    fn left(&self) -> Mask {
        self.loops.last().map_or(0, |inner| inner.left)
    }

    fn pop(&mut self, count: u8) -> Result<(), ExecuteError> {
        for _ in 0..count {
            match self.stack.pop() {
                Some(mask) => self.lanes.active = mask & !self.left(),
                None => return Err(self.bad("more masks popped than pushed")),
            }
        }
        Ok(())
    }

    fn bad(&self, what: &'static str) -> ExecuteError {
        ExecuteError::Code {
            at: self.at.saturating_sub(1),
            what,
        }
    }

    fn active_lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let active = self.lanes.active;
        (0..LANES).filter(move |lane| active >> lane & 1 == 1)
    }

    fn fetch(&mut self, clause: u16, memory: &Memory) -> Result<(), ExecuteError> {
        let listing = self.listing;
        let fetches = listing.fetches.get(&clause).map_or(&[][..], |f| &f[..]);
        let first = self.executed.accesses.len() as u32;
        for fetch in fetches {
            let addresses = *self.lanes.register(fetch.address);
            let mut region = Region::Shared;
            for lane in self.active_lanes() {
                let (word, of) = memory.read(addresses[lane])?;
                region = of;
                self.lanes.register_mut(fetch.destination)[lane] = word;
            }
            self.access(addresses, region);
        }
        self.executed.steps.push(Step::Fetch {
            first,
            count: fetches.len() as u8,
        });
        Ok(())
    }

    fn store(
        &mut self,
        value: (u8, u8),
        address: (u8, u8),
        memory: &mut Memory,
    ) -> Result<(), ExecuteError> {
        let values = *self.lanes.register(value);
        let addresses = self.lanes.register(address).map(|words| words << 2);
        let mut region = Region::Shared;
        for lane in self.active_lanes() {
            region = memory.write(addresses[lane], values[lane])?;
        }
        let access = self.executed.accesses.len() as u32;
        self.access(addresses, region);
        self.executed.steps.push(Step::Store { access });
        Ok(())
    }

    /// Records the lines touched by the active lanes.
    fn access(&mut self, addresses: [u32; LANES], region: Region) {
        let start = self.executed.lines.len() as u32;
        let mut lines: Vec<_> = self
            .active_lanes()
            .map(|l| addresses[l] / LINE_BYTES)
            .collect();
        lines.sort_unstable();
        lines.dedup();
        self.executed.lines.extend(lines);
        let lines = start..self.executed.lines.len() as u32;
        self.executed.accesses.push(Access { lines, region });
    }
}
