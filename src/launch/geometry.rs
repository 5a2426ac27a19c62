//! How a launch lies on the multiprocessors: blocks, warps, iterations of the fitness-case loop.
//!
//! What it does: the counts that follow from Listing 1's loop over the fitness cases.
//! What it leaves out: time. Units: fitness cases, bytes. Sources: Listing 1 of the paper.

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
}

/// Iterations that a warp with `full` of them runs when its block, whose first warp has `full_of_block`, is cut to
/// `cap`.
pub fn cut_iterations(full: u32, full_of_block: u32, cap: u32) -> u32 {
    if full_of_block <= cap { full } else { cap }
}

/// Bytes between the local memories of neighbouring warp slots: the frames of 32 lanes, whole 512-byte
/// units (the allocation granularity that drivers use for local memory).
pub fn local_stride_bytes(frame_bytes: u32) -> u32 {
    (32 * frame_bytes).next_multiple_of(512)
}
