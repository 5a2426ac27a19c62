//! Stacks of reconvergence points along the paths through a kernel.
//!
//! Models: points that are set (SSY, PBK, PCNT, a call's return) and left again, last in, first out; every stack is stored
//! once, as a point on top of another stack. A point that is set again before it was left was abandoned, with everything set
//! after it: code may jump out of a function. Code with more stacks than compiled code has is refused, as following it would
//! not end.
//! Leaves out: lanes.
//! Units: instruction indices.
//! Sources: envytools, Kepler's control instructions; disassemblies of ptxas 11.8.

use super::op::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// Kind of a reconvergence point, and the instruction at which it is left.
pub type Point = (Op, usize);

/// A stack, by its number among those known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stack(u32);

impl Stack {
    pub const EMPTY: Stack = Stack(0);
}

/// Maximum number of pairs of instruction and stack: a hundred times that of the largest kernel.
const MAX_MET: usize = 1 << 20;

/// A point on top of another stack.
#[derive(Debug)]
struct Top {
    point: Point,
    below: Stack,
}

/// All stacks found so far, and the instructions at which they occur.
#[derive(Debug, Default)]
pub struct Stacks {
    /// Tops of the stacks: stack `n` is `tops[n - 1]`.
    tops: Vec<Top>,
    known: FxHashMap<(Stack, Point), Stack>,
    met: FxHashSet<(usize, Stack)>,
}

impl Stacks {
    /// Records a stack at an instruction: returns whether it is new there, or `None` if there are too many.
    pub fn meet(&mut self, index: usize, stack: Stack) -> Option<bool> {
        let is_new = self.met.insert((index, stack));
        (self.met.len() <= MAX_MET).then_some(is_new)
    }

    /// Returns the stack with a point pushed on top.
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

    /// Pops the uppermost point of a kind and all above it; returns its target and the remaining stack.
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

    /// Returns the stack below a point, if it is set.
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
