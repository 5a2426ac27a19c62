//! Programs prepared for `lgp-2d`.
//!
//! Models: a set of programs as one list of steps on numbered slots, the rows of a two-dimensional stack. Inputs are
//! read in place. In a shared plan, subtrees that occur more than once in the set are computed once.
//! Leaves out: algebra; only subtrees that are token for token equal are shared.
//! Units: slots.
//! Sources: Chitty 2012 for the two-dimensional stack.

use super::element::Element;
use crate::gp::primitive::Primitive;
use crate::gp::program::{Rpn, Token};
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// Location of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// Column of the fitness cases.
    Input(u16),
    /// Row of the interpreter's memory.
    Slot(u32),
}

/// One step over a block of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Computes a function; `out` differs from every operand.
    Compute {
        function: Primitive,
        operands: [Operand; 4],
        out: u32,
    },
    /// Scores the value as the output of distinct program number `output`.
    Score { value: Operand, output: u32 },
}

/// Prepared programs.
#[derive(Debug, Clone)]
pub struct Plan<T> {
    pub steps: Vec<Step>,
    /// Constants, which stay in the first slots.
    pub constants: Vec<T>,
    pub n_slots: usize,
    /// Output number of each program; equal programs share one.
    pub output_of: Vec<u32>,
    pub n_outputs: usize,
}

/// Error for a function that has no meaning on the fitness cases.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("program {program}: function `{symbol}` has no meaning on Boolean cases")]
pub struct UnsupportedFunction {
    pub program: usize,
    pub symbol: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Input(u16),
    Constant(u32),
    Function {
        function: Primitive,
        operands: [u32; 4],
    },
}

enum Event {
    Compute(u32),
    Score { node: u32, output: u32 },
}

struct Builder<T> {
    nodes: Vec<Node>,
    /// Nodes by token and operands. The standard hasher would cost more than the steps saved.
    known: FxHashMap<(u64, [u32; 4]), u32>,
    constants: Vec<T>,
    events: Vec<Event>,
    /// Whether equal subtrees are computed once.
    share: bool,
}

impl<T: Element> Plan<T> {
    /// Prepares valid programs; equal subtrees are computed once.
    pub fn shared(programs: &[&Rpn]) -> Self {
        Self::new(programs, true)
    }

    /// Prepares a valid program; every node is computed.
    pub fn of_one(program: &Rpn) -> Self {
        Self::new(&[program], false)
    }

    fn new(programs: &[&Rpn], share: bool) -> Self {
        let (builder, output_of, first) = Builder::of(programs, share);
        let (steps, n_slots) = builder.assign_slots();
        Plan {
            steps,
            constants: builder.constants,
            n_slots,
            output_of,
            n_outputs: first.len(),
        }
    }
}

/// Repetition in a set of programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repetition {
    /// Output number of each program; equal programs share one.
    pub output_of: Vec<u32>,
    /// First program with each output.
    pub first: Vec<usize>,
    /// Functions in the distinct programs.
    n_functions: usize,
    /// Functions in the distinct programs, equal subtrees counted once.
    n_distinct: usize,
}

impl Repetition {
    /// Measures the repetition in valid programs.
    pub fn of(programs: &[&Rpn]) -> Self {
        let (builder, output_of, first) = Builder::<f32>::of(programs, true);
        let is_function = |token: &&Token| matches!(token, Token::Apply(_));
        let functions = |&program: &usize| programs[program].0.iter().filter(is_function).count();
        let is_computed = |event: &&Event| matches!(event, Event::Compute(_));
        Repetition {
            n_functions: first.iter().map(functions).sum(),
            n_distinct: builder.events.iter().filter(is_computed).count(),
            output_of,
            first,
        }
    }

    /// Ratio of the functions present to those that have to be computed.
    pub fn factor(&self) -> f64 {
        self.n_functions as f64 / self.n_distinct.max(1) as f64
    }
}

impl<T: Element> Builder<T> {
    /// Builds the nodes of valid programs; returns each program's output number and each output's first program.
    fn of(programs: &[&Rpn], share: bool) -> (Self, Vec<u32>, Vec<usize>) {
        let mut builder = Builder {
            nodes: Vec::new(),
            known: FxHashMap::default(),
            constants: Vec::new(),
            events: Vec::new(),
            share,
        };
        let mut output_of_root: HashMap<u32, u32> = HashMap::new();
        let mut output_of = Vec::with_capacity(programs.len());
        let mut first = Vec::new();
        for (number, program) in programs.iter().enumerate() {
            let root = builder.add(program);
            let next = output_of_root.len() as u32;
            let output = *output_of_root.entry(root).or_insert(next);
            if output == next {
                builder.events.push(Event::Score { node: root, output });
                first.push(number);
            }
            output_of.push(output);
        }
        (builder, output_of, first)
    }

    /// Adds a program and returns the node of its root.
    fn add(&mut self, program: &Rpn) -> u32 {
        let mut stack: Vec<u32> = Vec::new();
        for token in &program.0 {
            let mut operands = [0; 4];
            if let Token::Apply(function) = token {
                let first = stack.len() - function.arity();
                operands[..function.arity()].copy_from_slice(&stack[first..]);
                stack.truncate(first);
            }
            stack.push(self.intern(*token, operands));
        }
        stack.pop().unwrap_or_default()
    }

    fn intern(&mut self, token: Token, operands: [u32; 4]) -> u32 {
        let next = self.nodes.len() as u32;
        // Terminals cost nothing, so equal ones always share a node.
        let id = match token {
            Token::Apply(_) if !self.share => next,
            _ => *self.known.entry((token.key(), operands)).or_insert(next),
        };
        if id == next {
            self.nodes.push(match token {
                Token::Input(i) => Node::Input(i),
                Token::Constant(c) => {
                    self.constants.push(T::from_constant(c));
                    Node::Constant(self.constants.len() as u32 - 1)
                }
                Token::Apply(function) => {
                    self.events.push(Event::Compute(id));
                    Node::Function { function, operands }
                }
            });
        }
        id
    }

    /// Assigns every value a slot from its computation to its last use.
    fn assign_slots(&self) -> (Vec<Step>, usize) {
        let last_use = self.last_uses();
        let mut n_slots = self.constants.len() as u32;
        let mut free: Vec<u32> = Vec::new();
        let mut slot_of = vec![u32::MAX; self.nodes.len()];
        let mut steps = Vec::with_capacity(self.events.len());
        for (time, event) in self.events.iter().enumerate() {
            let place = |slot_of: &[u32], node: u32| match self.nodes[node as usize] {
                Node::Input(i) => Operand::Input(i),
                Node::Constant(c) => Operand::Slot(c),
                Node::Function { .. } => Operand::Slot(slot_of[node as usize]),
            };
            let used: &[u32] = match event {
                Event::Compute(id) => {
                    let Node::Function {
                        function,
                        ref operands,
                    } = self.nodes[*id as usize]
                    else {
                        continue;
                    };
                    let out = free.pop().unwrap_or_else(|| {
                        n_slots += 1;
                        n_slots - 1
                    });
                    slot_of[*id as usize] = out;
                    let mut places = [Operand::Input(0); 4];
                    for (place_of, &node) in places.iter_mut().zip(&operands[..function.arity()]) {
                        *place_of = place(&slot_of, node);
                    }
                    steps.push(Step::Compute {
                        function,
                        operands: places,
                        out,
                    });
                    &operands[..function.arity()]
                }
                Event::Score { node, output } => {
                    steps.push(Step::Score {
                        value: place(&slot_of, *node),
                        output: *output,
                    });
                    std::slice::from_ref(node)
                }
            };
            for (i, &node) in used.iter().enumerate() {
                let is_function = matches!(self.nodes[node as usize], Node::Function { .. });
                if is_function && last_use[node as usize] == time && !used[..i].contains(&node) {
                    free.push(slot_of[node as usize]);
                }
            }
        }
        (steps, n_slots as usize)
    }

    fn last_uses(&self) -> Vec<usize> {
        let mut last_use = vec![0; self.nodes.len()];
        for (time, event) in self.events.iter().enumerate() {
            match event {
                Event::Score { node, .. } => last_use[*node as usize] = time,
                Event::Compute(id) => {
                    if let Node::Function { function, operands } = self.nodes[*id as usize] {
                        operands[..function.arity()]
                            .iter()
                            .for_each(|&o| last_use[o as usize] = time);
                    }
                }
            }
        }
        last_use
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(programs: &[&str]) -> Plan<f32> {
        let programs: Vec<Rpn> = programs.iter().map(|p| p.parse().unwrap()).collect();
        Plan::shared(&programs.iter().collect::<Vec<_>>())
    }

    fn n_computes(plan: &Plan<f32>) -> usize {
        let computes = plan.steps.iter();
        computes
            .filter(|step| matches!(step, Step::Compute { .. }))
            .count()
    }

    #[test]
    fn every_node_is_computed_where_nothing_is_shared() {
        let program: Rpn = "X1 X1 * X1 X1 * +".parse().unwrap();
        assert_eq!(n_computes(&Plan::of_one(&program)), 3);
    }

    #[test]
    fn equal_subtrees_are_computed_once() {
        let plan = plan(&["X1 X1 * X1 X1 * +", "X1 X1 * sin", "X1 X1 * sin"]);
        assert_eq!(n_computes(&plan), 3);
        assert_eq!(plan.output_of, [0, 1, 1]);
        assert_eq!(plan.n_outputs, 2);
    }

    #[test]
    fn repetition_counts_equal_programs_and_subtrees_once() {
        let programs = ["X1 X1 * sin", "X1 X1 * cos", "X1 X1 * sin", "X1"];
        let programs = programs.map(|p| p.parse::<Rpn>().unwrap());
        let found = Repetition::of(&programs.iter().collect::<Vec<_>>());
        assert_eq!(found.output_of, [0, 1, 0, 2]);
        assert_eq!(found.first, [0, 1, 3]);
        assert_eq!((found.n_functions, found.n_distinct), (4, 3));
    }

    #[test]
    fn slots_are_reused() {
        let plan = plan(&["X1 sin cos sin cos sin cos"]);
        assert_eq!(plan.n_slots, 2);
        for step in &plan.steps {
            if let Step::Compute {
                operands,
                out,
                function,
            } = step
            {
                assert!(!operands[..function.arity()].contains(&Operand::Slot(*out)));
            }
        }
    }
}
