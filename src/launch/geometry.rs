//! Launch geometry on the multiprocessors: blocks, warps, iterations of the fitness-case loop.
//!
//! Models: the counts that follow from Listing 1's loop over the fitness cases, and from its division among several
//! blocks of one program: block `(x, y)` of a grid takes program `x` and, from pass `y` on, every `case_blocks`-th pass. Blocks
//! start in the order of their number, in which `x` moves fastest, so blocks of the same cases run together.
//! Leaves out: time. Units: fitness cases, bytes. Sources: Listing 1 of the paper; `systems/cuda/accumulator.cu`;
//! CUDA C++ Programming Guide, section 2.2, for the numbers of blocks.

/// The launch geometry of one configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    pub threads_per_block: u32,
    /// Second dimension of the stack: fitness cases that a thread evaluates at once.
    pub stack_dim: u32,
    pub fitness_cases: u32,
    /// Programs of the launch: the grid's width.
    pub programs: u32,
    /// Blocks among which the passes over the fitness cases are divided, the grid's height; 1 for every kernel but the
    /// accumulator.
    pub case_blocks: u32,
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

    /// Blocks of the launch; where they are more than can be counted, as many as can.
    pub fn blocks(&self) -> u32 {
        self.programs.saturating_mul(self.case_blocks)
    }

    /// Fitness cases from one iteration of a block to its next.
    pub fn cases_to_next_iteration(&self) -> u32 {
        self.cases_per_iteration() * self.case_blocks
    }

    /// Blocks of a program that have cases to evaluate.
    pub fn working_case_blocks(&self) -> u32 {
        self.case_blocks.min(self.passes(0)).max(1)
    }

    /// Blocks of the launch without cases: they load their program and end.
    pub fn empty_blocks(&self) -> u64 {
        u64::from(self.case_blocks - self.working_case_blocks()) * u64::from(self.programs)
    }

    /// Index of block `number` of the launch among its program's blocks.
    pub fn case_block(&self, number: f64) -> u32 {
        let row = (number / f64::from(self.programs.max(1))) as u64;
        (row % u64::from(self.working_case_blocks())) as u32
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

    /// Passes over the fitness cases in which warp `warp` has any.
    fn passes(&self, warp: u32) -> u32 {
        self.fitness_cases
            .saturating_sub(32 * warp)
            .div_ceil(self.cases_per_iteration())
    }

    /// Iterations of the case loop that warp `warp` of a program's first block executes: no other block has more.
    pub fn iterations(&self, warp: u32) -> u32 {
        self.iterations_of(0, warp)
    }

    /// Returns the iterations of a warp in block `case_block` of a program.
    pub fn iterations_of(&self, case_block: u32, warp: u32) -> u32 {
        let passes = self.passes(warp).saturating_sub(case_block);
        passes.div_ceil(self.case_blocks.max(1))
    }

    /// Returns the iterations of a warp, mean over the blocks of a program.
    pub fn mean_iterations(&self, warp: u32) -> f64 {
        f64::from(self.passes(warp)) / f64::from(self.case_blocks.max(1))
    }

    /// Iterations of all warps of a program's block.
    pub fn warp_iterations(&self, case_block: u32) -> u64 {
        let warps = 0..self.warps_per_block();
        warps
            .map(|warp| u64::from(self.iterations_of(case_block, warp)))
            .sum()
    }
}

/// Iterations that a warp with `full` of them runs when its block, whose first warp has `full_of_block`, is cut to
/// `cap`.
pub fn cut_iterations(full: u32, full_of_block: u32, cap: u32) -> u32 {
    if full_of_block <= cap { full } else { cap }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(fitness_cases: u32, case_blocks: u32) -> Geometry {
        Geometry {
            threads_per_block: 64,
            stack_dim: 8,
            fitness_cases,
            programs: 1000,
            case_blocks,
            resident_blocks: 8,
            n_smx: 132,
            local_stride_bytes: 512,
        }
    }

    /// The last warp of a block may have one iteration fewer.
    #[test]
    fn a_block_that_is_not_cut_runs_all_its_iterations() {
        let warps = |cap| [5, 4].map(|full| cut_iterations(full, 5, cap));
        assert_eq!(warps(6), [5, 4]);
        assert_eq!(warps(5), [5, 4]);
        assert_eq!(warps(4), [4, 4]);
        assert_eq!(warps(1), [1, 1]);
    }

    #[test]
    fn blocks_of_a_program_share_its_passes() {
        for (passes, case_blocks) in [(196, 1), (196, 50), (7, 3), (2, 5)] {
            let geometry = geometry(512 * passes, case_blocks);
            let of_blocks = (0..case_blocks).map(|block| geometry.iterations_of(block, 1));
            assert_eq!(of_blocks.sum::<u32>(), passes, "{case_blocks}");
            let mean = geometry.mean_iterations(1) * f64::from(case_blocks);
            assert!((mean - f64::from(passes)).abs() < 1e-9);
        }
        assert_eq!(geometry(512 * 7, 3).iterations_of(0, 0), 3);
        assert_eq!(geometry(512 * 7, 3).iterations_of(1, 0), 2);
        assert_eq!(geometry(512 * 2, 5).working_case_blocks(), 2);
        // The last pass is the first warp's alone.
        assert_eq!(geometry(512 * 2 + 1, 5).working_case_blocks(), 3);
        let empty = [2, 3, 5].map(|case_blocks| geometry(512 * 3, case_blocks).empty_blocks());
        assert_eq!(empty, [0, 0, 2000]);
    }

    #[test]
    fn all_programs_run_on_the_same_cases_before_any_runs_on_the_next() {
        let geometry = geometry(512 * 7, 3);
        let case_block = |number: u32| geometry.case_block(f64::from(number));
        assert_eq!([0, 999, 1000, 2999].map(case_block), [0, 0, 1, 2]);
        assert_eq!(geometry.blocks(), 3000);
    }

    #[test]
    fn more_blocks_than_can_be_counted_are_as_many_as_can() {
        let geometry = Geometry {
            programs: 65_538,
            ..geometry(512, 65_535)
        };
        assert_eq!(geometry.blocks(), u32::MAX);
    }
}
