//! Control-flow graph of a kernel: basic blocks, natural loops, live registers.
//!
//! Models: all edges reachable from the entry; reconvergence points and calls by their stack.
//! Leaves out: which paths are taken; unreachable code.
//! Units: instruction indices.
//! Sources: Aho et al., "Compilers", sections 9.2.5 and 9.6.

use std::collections::{BTreeSet, HashMap};

use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};

use super::error::IsaError;
use super::instruction::Instruction;
use super::kernel::Kernel;
use super::op::Op;
use super::operand::Predicate;
use super::reconvergence::{Stack, Stacks};
pub use super::registers::LiveSet;

/// Run of instructions entered at its first and left at its last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicBlock {
    /// Indices of the first instruction, and one past the last.
    pub start: usize,
    pub end: usize,
}

/// Control-flow graph of a kernel.
#[derive(Debug, Clone)]
pub struct ControlFlow {
    pub graph: DiGraph<BasicBlock, ()>,
    pub entry: NodeIndex,
    /// Block of every instruction.
    pub block_of: Vec<NodeIndex>,
    /// Successors of every instruction.
    pub successors: Vec<Vec<usize>>,
}

/// A natural loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Instruction index of the header's first instruction.
    pub header: usize,
    pub blocks: BTreeSet<NodeIndex>,
}

impl ControlFlow {
    /// Builds the graph. Refuses code with more orders of setting reconvergence points than can be followed.
    pub fn new(kernel: &Kernel) -> Result<Self, IsaError> {
        let successors = all_successors(kernel)?;
        let starts = block_starts(&successors);
        let mut graph = DiGraph::new();
        let mut block_of = Vec::with_capacity(successors.len());
        for (position, &start) in starts.iter().enumerate() {
            let end = starts
                .get(position + 1)
                .copied()
                .unwrap_or(successors.len());
            let node = graph.add_node(BasicBlock { start, end });
            block_of.resize(end, node);
        }
        for node in graph.node_indices().collect::<Vec<_>>() {
            let last = graph[node].end - 1;
            for &next in &successors[last] {
                graph.update_edge(node, block_of[next], ());
            }
        }
        let entry = block_of[0];
        Ok(Self {
            graph,
            entry,
            block_of,
            successors,
        })
    }

    /// Natural loops, the back edges of one header merged, by header.
    pub fn loops(&self) -> Vec<Loop> {
        let dominators = dominators::simple_fast(&self.graph, self.entry);
        let mut loops: HashMap<NodeIndex, BTreeSet<NodeIndex>> = HashMap::new();
        for edge in self.graph.edge_indices() {
            let Some((tail, header)) = self.graph.edge_endpoints(edge) else {
                continue;
            };
            let is_back = dominators
                .dominators(tail)
                .is_some_and(|mut over| over.any(|d| d == header));
            if is_back {
                self.grow_loop(loops.entry(header).or_default(), header, tail);
            }
        }
        let mut loops: Vec<Loop> = loops
            .into_iter()
            .map(|(header, blocks)| Loop {
                header: self.graph[header].start,
                blocks,
            })
            .collect();
        loops.sort_by_key(|found| found.header);
        loops
    }

    fn grow_loop(&self, blocks: &mut BTreeSet<NodeIndex>, header: NodeIndex, tail: NodeIndex) {
        blocks.insert(header);
        let mut pending = vec![tail];
        while let Some(block) = pending.pop() {
            if blocks.insert(block) {
                pending.extend(self.graph.neighbors_directed(block, petgraph::Incoming));
            }
        }
    }
}

/// Kind of reconvergence-stack entry that an instruction pushes, if any.
fn opens(op: Op) -> Option<Op> {
    matches!(op, Op::Ssy | Op::Pbk | Op::Pcnt | Op::Call).then_some(op)
}

/// Kind of reconvergence-stack entry that an instruction jumps to.
fn leaves_to(instruction: &Instruction) -> Option<Op> {
    match instruction.op {
        Op::Brk => Some(Op::Pbk),
        Op::Cont => Some(Op::Pcnt),
        Op::Ret => Some(Op::Call),
        _ => instruction.sync.then_some(Op::Ssy),
    }
}

/// Possible successors of every instruction: follows all paths from the entry, with their stacks of reconvergence points.
fn all_successors(kernel: &Kernel) -> Result<Vec<Vec<usize>>, IsaError> {
    let mut successors = vec![Vec::new(); kernel.instructions.len()];
    let mut stacks = Stacks::default();
    let mut pending = vec![(0, Stack::EMPTY)];
    while let Some((index, stack)) = pending.pop() {
        let is_new = stacks.meet(index, stack).ok_or_else(|| {
            let instruction = &kernel.instructions[index];
            IsaError::Reconvergence {
                kernel: kernel.name.clone(),
                pc_bytes: instruction.pc_bytes,
                text: instruction.text.clone(),
            }
        })?;
        if !is_new {
            continue;
        }
        for (next, stack) in steps(kernel, index, stack, &mut stacks) {
            if !successors[index].contains(&next) {
                successors[index].push(next);
            }
            pending.push((next, stack));
        }
        successors[index].sort_unstable();
    }
    Ok(successors)
}

/// Possible successors of one instruction, each with its stack.
fn steps(
    kernel: &Kernel,
    index: usize,
    mut stack: Stack,
    stacks: &mut Stacks,
) -> Vec<(usize, Stack)> {
    let instruction = &kernel.instructions[index];
    let target = instruction.target.and_then(|pc| kernel.index_of(pc));
    let conditional = instruction.guard != Predicate::ALWAYS
        || instruction.cc_test.is_some()
        || instruction.op == Op::Bra && !instruction.predicates.is_empty();
    let mut next = Vec::new();
    let always_leaves = instruction.redirects() && instruction.op != Op::Call && !conditional;
    if instruction.op == Op::Call {
        let inner = stacks.push(stack, (Op::Call, index + 1));
        next.extend(target.map(|target| (target, inner)));
        if !conditional {
            return next;
        }
    } else if let (Some(kind), Some(target)) = (opens(instruction.op), target) {
        stack = stacks.push(stack, (kind, target));
    }
    if let Some(kind) = leaves_to(instruction) {
        next.extend(stacks.pop_to(stack, kind));
    }
    if instruction.op == Op::Bra {
        next.extend(target.map(|target| (target, stack)));
    }
    if instruction.op == Op::Brx {
        let targets = instruction
            .indirect_targets
            .iter()
            .filter_map(|&pc| kernel.index_of(pc));
        next.extend(targets.map(|target| (target, stack)));
    }
    if !always_leaves && index + 1 < kernel.instructions.len() {
        next.push((index + 1, stack));
    }
    // A call as the last instruction has nothing to return to.
    next.retain(|&(next, _)| next < kernel.instructions.len());
    next
}

fn block_starts(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut starts = BTreeSet::from([0]);
    for (index, next) in successors.iter().enumerate() {
        if next.as_slice() != [index + 1] {
            starts.extend(next.iter().copied());
            if index + 1 < successors.len() {
                starts.insert(index + 1);
            }
        }
    }
    starts.into_iter().collect()
}

/// Live registers and predicates before every instruction.
pub fn live_before(kernel: &Kernel, flow: &ControlFlow) -> Vec<LiveSet> {
    let mut live = vec![LiveSet::default(); kernel.instructions.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..live.len()).rev() {
            let before = transfer(kernel, flow, &live, index);
            changed |= before != live[index];
            live[index] = before;
        }
    }
    live
}

fn transfer(kernel: &Kernel, flow: &ControlFlow, live: &[LiveSet], index: usize) -> LiveSet {
    let instruction = &kernel.instructions[index];
    let mut set = LiveSet::default();
    for &next in &flow.successors[index] {
        set.join(&live[next]);
    }
    if instruction.guard == Predicate::ALWAYS {
        instruction
            .writes()
            .into_iter()
            .for_each(|register| set.registers.remove(register));
        set.predicates &= !instruction.predicate_writes();
    }
    instruction
        .reads()
        .into_iter()
        .for_each(|register| set.registers.add(register));
    set.predicates |= instruction.predicate_reads();
    set
}
