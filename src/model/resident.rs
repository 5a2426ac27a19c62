//! A resident block and its warps: which programs they visit one after another, and where each warp is.
//!
//! What it models: the warps of a block make the same visits, each at its own pace; where a visit is a new block, the
//! first warp that gets there waits for the last. What it leaves out: time. Units: steps, iterations.
//! Sources: `sim/resident.rs` is the twin with single instructions.

use super::steps::Steps;

/// A program that the warps of a block run for some iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    pub program: u32,
    pub iterations: u32,
    /// A new block: the warps that come first wait for the last.
    pub new_block: bool,
}

/// See the module text.
#[derive(Debug, Clone, Default)]
pub struct Warp {
    pub block: usize,
    /// Byte address of its stack.
    pub frame: u32,
    /// Step that it is in, an index into [`Steps::all`].
    pub step: u32,
    pub tokens_per_step: f64,
    /// When its stack loads and its global loads are there.
    pub local_at: u64,
    pub global_at: u64,
    /// Visits of its block that it has begun.
    n_visits: usize,
    iterations_left: u32,
    /// The steps of its program.
    first: u32,
    end: u32,
}

impl Warp {
    /// A warp at the start of a visit, or where a part of it is done.
    pub fn new(block: usize, frame: u32, steps: &mut Steps, visit: Visit, done: f64) -> Self {
        let mut warp = Warp {
            block,
            frame,
            ..Warp::default()
        };
        warp.enter(steps, visit, done);
        warp
    }

    /// On to the next step; false when its block is at its end.
    #[inline]
    pub fn go_on(
        &mut self,
        block: &mut Block,
        steps: &mut Steps,
        visits: &mut dyn FnMut() -> Visit,
    ) -> bool {
        self.step += 1;
        if self.step < self.end {
            return true;
        }
        self.step = self.first;
        self.iterations_left -= 1;
        if self.iterations_left > 0 {
            return true;
        }
        let Some(visit) = block.visit(self.n_visits, visits) else {
            return false;
        };
        self.enter(steps, visit, 0.0);
        true
    }

    fn enter(&mut self, steps: &mut Steps, visit: Visit, done: f64) {
        let iteration = steps.of(visit.program);
        let n_steps = iteration.steps.end - iteration.steps.start;
        let done = done * f64::from(visit.iterations);
        self.n_visits += 1;
        self.iterations_left = visit.iterations - done as u32;
        self.first = iteration.steps.start;
        self.end = iteration.steps.end;
        self.step = self.first + (done.fract() * f64::from(n_steps)) as u32;
        self.tokens_per_step = iteration.tokens_per_step;
    }
}

/// See the module text.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// Since it began.
    visits: Vec<Visit>,
    /// What the next block begins with, when a warp has got there.
    next: Option<Visit>,
    warps_left: u32,
}

impl Block {
    pub fn new(visit: Visit, warps: u32) -> Self {
        Block {
            visits: vec![visit],
            next: None,
            warps_left: warps,
        }
    }

    /// The visit of a warp that has begun `n_visits`; none when the block is at its end.
    fn visit(&mut self, n_visits: usize, visits: &mut dyn FnMut() -> Visit) -> Option<Visit> {
        if n_visits == self.visits.len() && self.next.is_none() {
            let visit = visits();
            if visit.new_block {
                self.next = Some(visit);
            } else {
                self.visits.push(visit);
            }
        }
        self.visits.get(n_visits).copied()
    }

    /// A warp has ended; what the next block begins with if it was the last.
    pub fn leave(&mut self) -> Option<Visit> {
        self.warps_left -= 1;
        if self.warps_left == 0 {
            self.next
        } else {
            None
        }
    }
}
