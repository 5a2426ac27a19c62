//! The block dispatcher of one multiprocessor in a simulated window.
//!
//! What it models: a fixed number of resident blocks; a finished block is replaced at once by the next
//! program; the last, partial iteration of the fitness-case loop. What it leaves out: the other
//! multiprocessors (see `chip`), launch overhead.
//! Units: fitness cases, bytes. Sources: Listing 1 of the paper for the case loop.

/// The launch geometry of one configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    pub threads_per_block: u32,
    /// Second dimension of the stack: fitness cases that a thread evaluates at once.
    pub stack_dim: u32,
    pub fitness_cases: u32,
    pub resident_blocks: u32,
    /// Multiprocessors that share the L2. One of them is simulated with its share of the L2, and with the same
    /// share of the fitness cases: what is reused by all of them at `n` times the distance in an L2 of `n`
    /// times the size is reused here likewise.
    pub n_smx: u32,
    /// Bytes between the local memories of neighbouring warp slots.
    pub local_stride_bytes: u32,
}

impl Geometry {
    /// Warps per block.
    pub fn warps_per_block(&self) -> u32 {
        self.threads_per_block.div_ceil(32)
    }

    /// Fitness cases that a block covers in one iteration.
    pub fn cases_per_iteration(&self) -> u32 {
        self.threads_per_block * self.stack_dim
    }

    /// Bytes of fitness-case rows that one multiprocessor's share of the L2 sees.
    pub fn case_window_bytes(&self) -> u32 {
        (4 * self.fitness_cases)
            .div_ceil(self.n_smx)
            .next_multiple_of(128)
    }

    /// Iterations of the case loop that warp `warp` of a block executes.
    pub fn iterations(&self, warp: u32) -> u32 {
        self.fitness_cases
            .saturating_sub(32 * warp)
            .div_ceil(self.cases_per_iteration())
    }

    /// Case-iterations executed for every one that is useful: padding of the last iteration.
    pub fn useful_fraction(&self) -> f64 {
        let executed: u64 = (0..self.warps_per_block())
            .map(|w| u64::from(self.iterations(w)))
            .sum();
        f64::from(self.fitness_cases) / (executed as f64 * 32.0 * f64::from(self.stack_dim))
    }
}

/// Which program the next block runs, and how much of it.
#[derive(Debug, Clone)]
pub struct BlockQueue {
    order: Vec<u32>,
    next: usize,
    /// Iterations that a block of the window runs at most.
    iteration_cap: u32,
    full_iterations: u32,
    prologue_debt: f64,
}

/// One block to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockStart {
    pub program: u32,
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
        }
    }

    /// The next block.
    pub fn pop(&mut self) -> BlockStart {
        let program = self.order[self.next % self.order.len()];
        self.next += 1;
        self.prologue_debt += f64::from(self.iteration_cap.min(self.full_iterations))
            / f64::from(self.full_iterations);
        let run_prologue = self.prologue_debt >= 1.0;
        if run_prologue {
            self.prologue_debt -= 1.0;
        }
        BlockStart {
            program,
            run_prologue,
            first_iteration: self.first_iteration(),
        }
    }

    /// Spreads evenly by the golden ratio (a low-discrepancy sequence).
    fn first_iteration(&self) -> u32 {
        let room = self.full_iterations.saturating_sub(self.iteration_cap);
        let position = (self.next as f64 * 0.618_033_988_749_895).fract();
        (position * f64::from(room + 1)) as u32
    }

    /// Iterations that a warp with `full` of them runs in the window.
    pub fn iterations(&self, full: u32) -> u32 {
        if self.full_iterations <= self.iteration_cap {
            full
        } else {
            self.iteration_cap
        }
    }

    /// Blocks handed out so far.
    pub fn started(&self) -> usize {
        self.next
    }
}
