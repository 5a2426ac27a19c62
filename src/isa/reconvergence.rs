//! The stacks of reconvergence points that the paths through a kernel find at its instructions.
//!
//! Models: points that are set (SSY, PBK, PCNT, a call's return) and left again, last in, first out; every stack is kept once, as a point
//! on top of another stack. A point that is set again before it was left was abandoned, with all that was set after it: code may jump out
//! of a function. Leaves out: lanes. Refuses code that is met with more stacks than compiled code is: following it would not end.
//! Units: instruction indices. Sources: envytools, Kepler's control instructions; disassemblies of ptxas 11.8.

use super::op::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// A reconvergence point: the instruction kind that sets it, and the index of the instruction that leaving it leads to.
pub type Point = (Op, usize);

/// A stack, by its number among those known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stack(u32);

impl Stack {
    pub const EMPTY: Stack = Stack(0);
}

/// Instructions times the stacks that they are met with: a hundred times those of the largest kernel.
const MAX_MET: usize = 1 << 20;

/// A point on top of another stack.
#[derive(Debug)]
struct Top {
    point: Point,
    below: Stack,
}

/// Every stack that a path found so far, and where.
#[derive(Debug, Default)]
pub struct Stacks {
    /// Stack `n` is `tops[n - 1]`.
    tops: Vec<Top>,
    known: FxHashMap<(Stack, Point), Stack>,
    met: FxHashSet<(usize, Stack)>,
}

impl Stacks {
    /// Notes that a path meets an instruction with a stack: whether it is the first one that does, or `None` where there are too many.
    pub fn meet(&mut self, index: usize, stack: Stack) -> Option<bool> {
        let is_new = self.met.insert((index, stack));
        (self.met.len() <= MAX_MET).then_some(is_new)
    }

    /// The stack with a point on top.
    pub fn push(&mut self, stack: Stack, point: Point) -> Stack {
        let below = self.below(stack, point).unwrap_or(stack);
        if let Some(&known) = self.known.get(&(below, point)) {
            return known;
        }
        self.tops.push(Top { point, below });
        let pushed = Stack(self.tops.len() as u32);
        self.known.insert((below, point), pushed);
        pushed
    }

    /// Leaves the uppermost point of a kind and all above it: where that leads, and what is left.
    pub fn pop_to(&self, mut stack: Stack, kind: Op) -> Option<(usize, Stack)> {
        while let Some(top) = self.top(stack) {
            stack = top.below;
            if top.point.0 == kind {
                return Some((top.point.1, stack));
            }
        }
        None
    }

    fn top(&self, stack: Stack) -> Option<&Top> {
        self.tops.get((stack.0 as usize).checked_sub(1)?)
    }

    /// Returns the stack below a point, or `None` where the point is not set.
    fn below(&self, stack: Stack, point: Point) -> Option<Stack> {
        let mut tops = std::iter::successors(self.top(stack), |top| self.top(top.below));
        tops.find(|top| top.point == point).map(|top| top.below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_point_of_a_kind_is_left_first() {
        let mut stacks = Stacks::default();
        let one = stacks.push(Stack::EMPTY, (Op::Pbk, 7));
        let two = stacks.push(one, (Op::Ssy, 8));
        assert_eq!(stacks.push(one, (Op::Ssy, 8)), two, "one number a stack");
        assert_eq!(stacks.pop_to(two, Op::Ssy), Some((8, one)));
        assert_eq!(stacks.pop_to(two, Op::Pbk), Some((7, Stack::EMPTY)));
        assert_eq!(stacks.pop_to(one, Op::Ssy), None);
    }

    #[test]
    fn a_point_that_is_set_again_was_abandoned() {
        let mut stacks = Stacks::default();
        let one = stacks.push(Stack::EMPTY, (Op::Call, 7));
        let two = stacks.push(one, (Op::Ssy, 8));
        assert_eq!(stacks.push(two, (Op::Call, 7)), one);
        assert_eq!(stacks.push(two, (Op::Ssy, 8)), two);
        assert_ne!(stacks.push(two, (Op::Call, 8)), two);
    }

    #[test]
    fn instructions_are_met_with_so_many_stacks() {
        let mut stacks = Stacks::default();
        assert_eq!(stacks.meet(0, Stack::EMPTY), Some(true));
        assert_eq!(stacks.meet(0, Stack::EMPTY), Some(false));
        let others = (1..MAX_MET).all(|index| stacks.meet(index, Stack::EMPTY) == Some(true));
        assert!(others && stacks.meet(MAX_MET, Stack::EMPTY).is_none());
    }
}
