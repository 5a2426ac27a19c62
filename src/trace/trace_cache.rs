//! Cache of segments: a decision tree per state.
//!
//! Models: the path conditions evaluated by a state's execution, in order, and the segment for each sequence of answers.
//! Entries are never evicted.

use rustc_hash::FxHashMap;

use super::SegmentId;
use super::program::ProgramWords;
use super::state::State;
use super::uniform::PathCondition;
use crate::isa::Kernel;

/// Node of the decision trees.
#[derive(Debug)]
enum Node {
    /// Path not executed yet.
    Fresh,
    Ask(PathCondition, Answers),
    Segment(CachedStep),
}

/// Segment and its successor state.
#[derive(Debug, Clone, Copy)]
pub struct CachedStep {
    pub id: SegmentId,
    pub assumptions: u32,
    pub next: Option<Next>,
}

#[derive(Debug, Clone, Copy)]
pub struct Next {
    pub root: u32,
    /// Distance from this token to the next one, in words; `None` when the next segment fetches none.
    pub words_ahead: Option<i32>,
    /// Whether the next segment starts at the case loop's header.
    pub at_header: bool,
}

/// Child nodes for the answers to a path condition. Small answers (positions, roles) index a list, a few large ones (opcode
/// words) are searched linearly, the rest is hashed.
#[derive(Debug, Default)]
struct Answers {
    small: Vec<Option<u32>>,
    few: Vec<(u32, u32)>,
    many: FxHashMap<u32, u32>,
}

/// Bound below which answers index a list.
const SMALL_ANSWERS: usize = 4096;
/// Maximum number of large answers searched linearly.
const FEW_ANSWERS: usize = 24;

impl Answers {
    fn get(&self, answer: u32) -> Option<u32> {
        if (answer as usize) < SMALL_ANSWERS {
            return self.small.get(answer as usize).copied().flatten();
        }
        match self.few.iter().find(|(known, _)| *known == answer) {
            Some(&(_, node)) => Some(node),
            None if self.many.is_empty() => None,
            None => self.many.get(&answer).copied(),
        }
    }

    fn insert(&mut self, answer: u32, node: u32) {
        let at = answer as usize;
        if at < SMALL_ANSWERS {
            if self.small.len() <= at {
                self.small.resize(at + 1, None);
            }
            self.small[at] = Some(node);
        } else if self.few.len() < FEW_ANSWERS {
            self.few.push((answer, node));
        } else {
            self.many.insert(answer, node);
        }
    }
}

/// Decision trees of all states; each state has a root node.
#[derive(Default)]
pub struct DecisionTrees {
    nodes: Vec<Node>,
    roots: FxHashMap<State, u32>,
    states: FxHashMap<u32, State>,
}

impl DecisionTrees {
    /// Returns the state of a root.
    pub fn state(&self, root: u32) -> &State {
        &self.states[&root]
    }

    /// Returns the root of a state's decision tree.
    pub fn root(&mut self, state: State) -> u32 {
        if let Some(&root) = self.roots.get(&state) {
            return root;
        }
        let root = self.push();
        self.states.insert(root, state.clone());
        self.roots.insert(state, root);
        root
    }

    fn push(&mut self) -> u32 {
        self.nodes.push(Node::Fresh);
        self.nodes.len() as u32 - 1
    }

    /// Looks up the segment that a program executes from a state, if known.
    pub fn look_up(
        &self,
        root: u32,
        kernel: &Kernel,
        program: &ProgramWords,
        position: u32,
    ) -> Option<CachedStep> {
        let mut node = root;
        loop {
            match &self.nodes[node as usize] {
                Node::Fresh => return None,
                Node::Segment(step) => return Some(*step),
                Node::Ask(condition, answers) => {
                    node = answers.get(condition.ask(kernel, program, position))?;
                }
            }
        }
    }

    /// Extends a state's decision tree by one path.
    pub fn remember(
        &mut self,
        root: u32,
        answers: impl Iterator<Item = (PathCondition, u32)>,
        step: CachedStep,
    ) {
        let mut node = root;
        for (condition, answer) in answers {
            let at = node as usize;
            if matches!(self.nodes[at], Node::Fresh) {
                self.nodes[at] = Node::Ask(condition, Answers::default());
            }
            let known = match &self.nodes[at] {
                Node::Ask(_, answers) => answers.get(answer),
                _ => None,
            };
            node = match known {
                Some(next) => next,
                None => {
                    let next = self.push();
                    if let Node::Ask(_, answers) = &mut self.nodes[at] {
                        answers.insert(answer, next);
                    }
                    next
                }
            };
        }
        self.nodes[node as usize] = Node::Segment(step);
    }
}
