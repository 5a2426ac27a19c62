//! The block dispatcher of one multiprocessor in a simulated window.
//!
//! What it models: a fixed number of resident blocks; a finished block is replaced at once by the next
//! program; the last, partial iteration of the fitness-case loop. What it leaves out: the other
//! multiprocessors (see `chip`), launch overhead.
//! Units: fitness cases, bytes. Sources: Listing 1 of the paper for the case loop.

pub use crate::launch::geometry::Geometry;
use crate::launch::geometry::cut_iterations;

/// Which program the next block runs, and how much of it.
#[derive(Debug, Clone)]
pub struct BlockQueue {
    order: Vec<u32>,
    next: usize,
    /// Iterations that a block of the window runs at most.
    iteration_cap: u32,
    full_iterations: u32,
    prologue_debt: f64,
    /// The order is run once, every block from its first instruction on.
    once: bool,
    programs_per_warp: u32,
}

/// One block to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockStart {
    /// Blocks started before this one.
    pub number: u32,
    /// What the block's first warp runs; warp `w` runs program `program + w * programs_per_warp`.
    pub program: u32,
    pub programs_per_warp: u32,
    /// Whether this block pays for the program copy. A window that cuts the iterations of a block cuts
    /// its prologues by the same factor.
    pub run_prologue: bool,
    /// Iteration of the case loop at which a block whose iterations are cut begins: the blocks of a whole
    /// run are spread over the fitness cases, those of a window must be too.
    pub first_iteration: u32,
}

impl BlockQueue {
    /// Blocks in the given program order, over and over.
    pub fn new(order: Vec<u32>, geometry: &Geometry, iteration_cap: u32) -> Self {
        BlockQueue {
            order,
            next: 0,
            iteration_cap,
            full_iterations: geometry.iterations(0),
            prologue_debt: 0.5,
            once: false,
            programs_per_warp: 0,
        }
    }

    /// The given blocks once, each from its first instruction on. `programs_per_warp` is 0 when all warps of a
    /// block run its program, 1 when they run that and the following ones, whose addresses are final.
    pub fn once(
        order: Vec<u32>,
        geometry: &Geometry,
        iteration_cap: u32,
        programs_per_warp: u32,
    ) -> Self {
        BlockQueue {
            once: true,
            programs_per_warp,
            ..Self::new(order, geometry, iteration_cap)
        }
    }

    /// Whether the first blocks start in the middle of their iterations.
    pub fn staggers(&self) -> bool {
        !self.once
    }

    /// The next block; `None` when a finite queue is empty.
    pub fn pop(&mut self) -> Option<BlockStart> {
        if self.once {
            return self.pop_whole();
        }
        let number = self.next as u32;
        let program = self.order[self.next % self.order.len()];
        self.next += 1;
        self.prologue_debt += f64::from(self.iteration_cap.min(self.full_iterations))
            / f64::from(self.full_iterations);
        let run_prologue = self.prologue_debt >= 1.0;
        if run_prologue {
            self.prologue_debt -= 1.0;
        }
        Some(BlockStart {
            number,
            program,
            programs_per_warp: self.programs_per_warp,
            run_prologue,
            first_iteration: self.first_iteration(),
        })
    }

    fn pop_whole(&mut self) -> Option<BlockStart> {
        let program = *self.order.get(self.next)?;
        self.next += 1;
        Some(BlockStart {
            number: self.next as u32 - 1,
            program,
            programs_per_warp: self.programs_per_warp,
            run_prologue: true,
            first_iteration: 0,
        })
    }

    /// Spreads evenly by the golden ratio (a low-discrepancy sequence).
    fn first_iteration(&self) -> u32 {
        let room = self.full_iterations.saturating_sub(self.iteration_cap);
        let position = (self.next as f64 * 0.618_033_988_749_895).fract();
        (position * f64::from(room + 1)) as u32
    }

    /// Iterations that a warp with `full` of them runs in the window.
    pub fn iterations(&self, full: u32) -> u32 {
        cut_iterations(full, self.full_iterations, self.iteration_cap)
    }

    /// Blocks handed out so far.
    pub fn started(&self) -> usize {
        self.next
    }
}
