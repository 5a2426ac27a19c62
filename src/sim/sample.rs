//! Ratio estimate, cause by cause, from the programs of a window to all programs.
//!
//! Models: a window runs few programs, which may issue more instructions or touch more of the stack per token than the
//! programs of the whole grid. Both are known without simulation. The window's cycles per token are split by cause, and
//! every part is scaled by the count it is proportional to (Eq. S1 in `docs/sampling.md`).
//! Leaves out: parts that grow faster than these counts.
//! Units: tokens, cycles. Sources: ratio estimators, Cochran, Sampling Techniques, chapter 6.

use super::code::{ReplayCode, ReplayProgram};
use super::observe::{Cause, Counters};
use crate::launch::demand::{PerToken, followed_by, per_token};

/// Programs of a window, with the counts per token of all programs that they represent.
#[derive(Debug)]
pub struct Mix<'a> {
    programs: &'a [ReplayProgram],
    whole: PerToken,
    nodes_per_block: f64,
}

/// Programs that a window draws from, and the blocks that they represent.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// Program of every block drawn; neighbours are similar.
    pub order: &'a [u32],
    /// Counts per token of all blocks that these represent; `None`: only themselves.
    pub whole: Option<PerToken>,
    /// 0 when all warps of a block run its program, 1 when they run that and the following ones.
    pub programs_per_warp: u32,
}

impl<'a> From<&'a [u32]> for Drawn<'a> {
    fn from(order: &'a [u32]) -> Self {
        Drawn {
            order,
            whole: None,
            programs_per_warp: 0,
        }
    }
}

impl<'a> Mix<'a> {
    pub fn new(code: &'a ReplayCode, drawn: Drawn) -> Self {
        let order = drawn.order;
        let mut blocks = vec![0.0; code.programs.len()];
        for &program in order {
            blocks[program as usize] += 1.0;
        }
        let programs = &code.programs;
        let tokens = programs.iter().zip(blocks);
        let tokens: Vec<f64> = tokens.map(|(p, n)| n * f64::from(p.nodes)).collect();
        let own = || per_token(programs, |program| tokens[program]);
        let whole = drawn.whole.unwrap_or_else(own);
        let nodes_per_block = tokens.iter().sum::<f64>() / order.len() as f64;
        Mix {
            programs,
            whole,
            nodes_per_block,
        }
    }

    /// Instructions of one warp in one iteration of a block, mean over the blocks drawn.
    pub fn instructions_per_iteration(&self) -> f64 {
        self.nodes_per_block * self.whole[0]
    }

    /// Warp instructions per token of all blocks that are stood for.
    pub fn instructions_per_token(&self) -> f64 {
        self.whole[0]
    }

    /// Cycles per token of the whole grid, from a window with `counters` and, by program, `credits`.
    pub fn cycles_per_token(&self, counters: &Counters, credits: &[u64]) -> f64 {
        let window = per_token(self.programs, |program| credits[program] as f64);
        let scale = |cause: Cause| match followed_by(cause).map(|counted| counted as usize) {
            Some(counted) if window[counted] > 0.0 => self.whole[counted] / window[counted],
            _ => 1.0,
        };
        let stack = Cause::ALL.map(|cause| (cause, counters.nearest_stack[cause as usize] as f64));
        let charged: f64 = stack.iter().map(|(_, cycles)| cycles).sum();
        let scaled: f64 = stack
            .iter()
            .map(|&(cause, cycles)| cycles * scale(cause))
            .sum();
        counters.cycles as f64 / counters.tokens() * scaled / charged
    }
}
