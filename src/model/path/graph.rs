//! Expected critical path of a segment: the longest path in a dependence graph is the time of one warp alone.
//!
//! Models: the compiler's stall counts from each instruction to the next, taken branches, and an edge from every load and every
//! other guarded result to the first instruction that waits for it. Local loads miss with a probability. A warp has a limited
//! number of global loads in flight.
//! Leaves out: everything before the instructions given (`shapes` gives segments in pairs).
//! Units: cycles.
//! Sources: equations (10) and (11) of `docs/model.md`; longest paths in topological order, Cormen et al., Introduction to
//! Algorithms, section 24.2; critical path as a bound, Hong and Kim, ISCA 2009.

use petgraph::Direction::Incoming;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

#[cfg(test)]
use super::Latencies;
use super::rules::PathRules;
use super::stall_points::{Anchor, Awaited, StallPoint, StallPoints, Wait, add_wait};
use crate::launch::code::{MemoryRequest, ReplayOp};

/// Reason why one instruction waits for an earlier one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Dependence {
    /// The compiler's stall count.
    Stall(f64),
    /// Local load: its number of lines, and the delay of the last line after the first, in cycles.
    Local(f64, f64),
    Shared,
    Global,
    /// Release of the operands, in cycles after the load/store unit has reached the instruction.
    Operands(f64),
    /// Fixed delay in cycles.
    Known(f64),
}

/// Dependence graph of a segment. Nodes are instructions in program order; the last one is the segment's end.
#[derive(Debug, Clone)]
pub struct Path {
    graph: DiGraph<(), Dependence>,
}

/// A pending result.
struct Pending {
    by: usize,
    /// Registers or scoreboards.
    targets: u64,
    dependence: Dependence,
}

impl Path {
    /// Builds the dependence graph of `ops`.
    pub fn new(ops: &[ReplayOp], rules: &PathRules) -> Self {
        let mut graph = DiGraph::with_capacity(ops.len() + 1, 2 * ops.len());
        let nodes: Vec<NodeIndex> = (0..=ops.len()).map(|_| graph.add_node(())).collect();
        let mut pending: Vec<Pending> = Vec::new();
        let mut global_loads: Vec<usize> = Vec::new();
        for (i, op) in ops.iter().enumerate() {
            pending.retain(|result| {
                let waits = result.targets & op.registers != 0;
                if waits {
                    graph.add_edge(nodes[result.by], nodes[i], result.dependence);
                }
                !waits
            });
            let stall = rules.stall_cycles(op, ops.get(i + 1));
            graph.add_edge(nodes[i], nodes[i + 1], Dependence::Stall(stall));
            if op.request == MemoryRequest::GlobalLoad && op.result_targets != 0 {
                let limit = rules.global_loads_in_flight;
                if let Some(&first) = global_loads.iter().nth_back(limit.saturating_sub(1)) {
                    let held = Dependence::Known(f64::from(rules.global_hold_cycles));
                    graph.add_edge(nodes[first], nodes[i], held);
                }
                global_loads.push(i);
            }
            pending.extend(results(op, rules).map(|(targets, dependence)| Pending {
                by: i,
                targets,
                dependence,
            }));
        }
        Path { graph }
    }

    /// Tells whether results of `ops` may still be pending after their end.
    pub fn is_open(ops: &[ReplayOp], rules: &PathRules) -> bool {
        let mut at = 0.0;
        let mut pending: Vec<(u64, f64)> = Vec::new();
        for op in ops {
            pending.retain(|(targets, _)| targets & op.registers == 0);
            pending.extend(
                results(op, rules).map(|(targets, dependence)| match dependence {
                    Dependence::Known(cycles) => (targets, at + cycles),
                    _ => (targets, f64::INFINITY),
                }),
            );
            at += rules.stall_cycles(op, None);
        }
        pending.iter().any(|(_, until)| *until > at)
    }

    /// **(10)** Expected length of the longest path, as a reference for the tree. **(11)** If an instruction waits for several
    /// local loads, all hit with the product of their probabilities; otherwise the latest one is assumed to miss.
    #[cfg(test)]
    pub fn cycles(&self, latencies: &Latencies) -> f64 {
        let mut at: Vec<f64> = Vec::with_capacity(self.graph.node_count());
        // Nodes were added in program order, which is a topological order.
        for node in self.graph.node_indices() {
            let (mut certain, mut hit, mut miss, mut all_hit) = (0.0f64, 0.0f64, 0.0f64, 1.0f64);
            for edge in self.graph.edges_directed(node, Incoming) {
                let from = at[edge.source().index()];
                let cycles = match *edge.weight() {
                    Dependence::Stall(cycles) | Dependence::Known(cycles) => cycles,
                    Dependence::Shared => latencies.shared_cycles,
                    Dependence::Global => latencies.global_cycles,
                    Dependence::Operands(cycles) => latencies.operands_cycles + cycles,
                    Dependence::Local(lines, later) => {
                        hit = hit.max(from + latencies.local_hit_cycles + later);
                        miss = miss.max(from + latencies.local_miss_cycles + later);
                        all_hit *= crate::util::elementary::powf(
                            1.0 - latencies.local_miss_probability,
                            lines,
                        );
                        continue;
                    }
                };
                certain = certain.max(from + cycles);
            }
            at.push(all_hit * certain.max(hit) + (1.0 - all_hit) * certain.max(miss));
        }
        at.last().copied().unwrap_or(0.0)
    }
}

impl Path {
    /// Compresses the path from instruction `start` on to its stall points, adding up the stalls between them.
    pub fn stall_points(&self, start: usize) -> StallPoints {
        let mut stall_points: Vec<StallPoint> = Vec::new();
        // For each instruction: the stall point before it and the stalls since.
        let mut places: Vec<(u32, f64)> = Vec::with_capacity(self.graph.node_count() - start);
        // Stalls from the start to every stall point, the earliest time at which it can be reached; below 0 before the start.
        let mut least = vec![0.0];
        let before = self.least_cycles_to(start);
        let mut now = (0u32, 0.0);
        for node in self.graph.node_indices().skip(start) {
            let mut waits: Vec<Wait> = Vec::new();
            let mut known: Vec<(Anchor, f64, f64)> = Vec::new();
            for edge in self.graph.edges_directed(node, Incoming) {
                let from = edge.source().index();
                let (anchor, issued, least_issued) = match from.checked_sub(start) {
                    Some(at) => {
                        let (anchor, issued) = places[at];
                        (
                            Anchor::Here(anchor),
                            issued,
                            least[anchor as usize] + issued,
                        )
                    }
                    None => (Anchor::Before(from as u32), 0.0, -before[from]),
                };
                let (awaited, cycles, lines) = match *edge.weight() {
                    Dependence::Stall(cycles) => {
                        if from >= start {
                            now.1 += cycles;
                        }
                        continue;
                    }
                    Dependence::Known(cycles) => {
                        known.push((anchor, issued + cycles, least_issued + cycles));
                        continue;
                    }
                    Dependence::Local(lines, later) => (Awaited::Local, later, lines),
                    Dependence::Operands(cycles) => (Awaited::Operands, cycles, 1.0),
                    Dependence::Shared => (Awaited::Shared, 0.0, 1.0),
                    Dependence::Global => (Awaited::Global, 0.0, 1.0),
                };
                add_wait(
                    &mut waits,
                    Wait {
                        anchor,
                        offset_cycles: issued + cycles,
                        least_cycles: least_issued + cycles,
                        awaited,
                        lines: lines as u32,
                    },
                );
            }
            for (anchor, offset_cycles, least_cycles) in known {
                if anchor == Anchor::Here(now.0) {
                    now.1 = now.1.max(offset_cycles);
                } else if least_cycles > least[now.0 as usize] + now.1 {
                    let wait = Wait {
                        anchor,
                        offset_cycles,
                        least_cycles,
                        awaited: Awaited::Known,
                        lines: 1,
                    };
                    add_wait(&mut waits, wait);
                }
            }
            if !waits.is_empty() {
                waits.sort_by_key(|wait| (wait.anchor, wait.awaited as u32));
                least.push(least[now.0 as usize] + now.1);
                stall_points.push(StallPoint {
                    offset_cycles: now.1,
                    waits,
                });
                now = (stall_points.len() as u32, 0.0);
            }
            places.push(now);
        }
        StallPoints {
            stall_points,
            rest_cycles: now.1,
            places,
        }
    }

    /// Stalls from each of the instructions before `start` to it.
    fn least_cycles_to(&self, start: usize) -> Vec<f64> {
        let mut cycles = vec![0.0; start];
        let mut sum = 0.0;
        for at in (0..start).rev() {
            let edges = self.graph.edges_directed(NodeIndex::new(at + 1), Incoming);
            sum += edges
                .filter_map(|edge| match *edge.weight() {
                    Dependence::Stall(cycles) => Some(cycles),
                    _ => None,
                })
                .sum::<f64>();
            cycles[at] = sum;
        }
        cycles
    }
}

/// Registers or scoreboards that later instructions wait for because of `op`, and the delay.
fn results(op: &ReplayOp, rules: &PathRules) -> impl Iterator<Item = (u64, Dependence)> {
    let of_load = match op.request {
        MemoryRequest::LocalLoad => {
            let lines = f64::from(op.lines);
            Some(Dependence::Local(
                lines,
                (lines - 1.0) * f64::from(rules.line_cycles),
            ))
        }
        MemoryRequest::SharedLoad => Some(Dependence::Shared),
        MemoryRequest::GlobalLoad => Some(Dependence::Global),
        _ => None,
    };
    let result = match (op.request, rules.result_cycles) {
        (MemoryRequest::None, Some(cycles)) => {
            Some(Dependence::Known(f64::from(cycles[op.class as usize])))
        }
        (MemoryRequest::None, None) => None,
        _ => of_load,
    };
    let of_operands = match op.request {
        MemoryRequest::None => result,
        _ => Some(Dependence::Operands(f64::from(
            u32::from(op.lines.max(1)) + rules.operand_cycles,
        ))),
    };
    let results = result.map(|result| (op.result_targets, result));
    let operands = of_operands.map(|read| (u64::from(op.read_targets), read));
    results
        .into_iter()
        .chain(operands)
        .filter(|(targets, _)| *targets != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{OpClass, Space};
    use crate::launch::code::ReplayCode;
    use crate::launch::spec::N_CLASSES;
    use crate::launch::testing::{alu, load_to, looped, paired, use_of_load};
    use crate::model::path::Builder;

    fn path(ops: &[crate::isa::TimingOp]) -> Path {
        let code: ReplayCode = looped(ops);
        let rules = PathRules {
            global_loads_in_flight: 2,
            global_hold_cycles: 150,
            ..PathRules::default()
        };
        Path::new(&code.ops, &rules)
    }

    proptest::proptest! {
        #[test]
        fn joins_are_as_long_as_the_graph(
            kinds in proptest::collection::vec(0u8..4, 1..40),
            hit in 1.0f64..80.0,
            further in 0.0f64..400.0,
            miss in 0.0f64..1.0,
            global in 1.0f64..600.0,
        ) {
            let ops: Vec<_> = kinds
                .iter()
                .enumerate()
                .map(|(i, kind)| match kind {
                    0 => load_to(10, Space::Local, 4),
                    1 => load_to(10 + (i % 4) as u8, Space::Global, 4),
                    2 => use_of_load(),
                    _ => alu(OpClass::Fp32, 9),
                })
                .collect();
            let latencies = Latencies {
                local_hit_cycles: hit,
                local_miss_cycles: hit + further,
                local_miss_probability: miss,
                global_cycles: global,
                ..Latencies::default()
            };
            let path = path(&ops);
            let mut tree = Builder::default();
            tree.add(0, None, 2.0, path.stall_points(0));
            let tree = tree.finish();
            let linear = tree.linear(&latencies);
            proptest::prop_assert!((linear.cycles - 2.0 * path.cycles(&latencies)).abs() < 1e-6);
            proptest::prop_assert_eq!(linear.cycles, tree.cycles(&latencies));
            // Nothing else becomes critical within a hair.
            let mut later = latencies;
            later.local_miss_cycles += 1e-7;
            later.local_hit_cycles += 2e-7;
            later.global_cycles += 3e-7;
            later.local_miss_probability += 1e-9;
            let moved = tree.cycles(&later) - linear.at(&latencies, &later);
            proptest::prop_assert!(moved.abs() < 1e-9, "{}", moved);
        }
    }

    #[test]
    fn stalls_add_up() {
        let path = path(&[alu(OpClass::Fp32, 9), alu(OpClass::Fp32, 4)]);
        assert_eq!(path.cycles(&Latencies::default()), 13.0);
    }

    #[test]
    fn a_pair_takes_a_cycle_where_there_is_one_dispatch() {
        let code = looped(&[paired(OpClass::Fp32), alu(OpClass::Fp32, 4)]);
        let cycles = |dispatches| {
            let rules = PathRules {
                dispatches,
                ..PathRules::default()
            };
            Path::new(&code.ops, &rules).cycles(&Latencies::default())
        };
        assert_eq!((cycles(2), cycles(1)), (4.0, 5.0));
    }

    #[test]
    fn a_load_hides_behind_the_work_before_its_use() {
        let ops = [
            load_to(10, Space::Local, 4),
            alu(OpClass::Fp32, 9),
            use_of_load(),
        ];
        let at = |hit, miss, probability| {
            path(&ops).cycles(&Latencies {
                local_hit_cycles: hit,
                local_miss_cycles: miss,
                local_miss_probability: probability,
                ..Latencies::default()
            })
        };
        assert_eq!(at(5.0, 200.0, 0.0), 11.0);
        assert_eq!(at(35.0, 200.0, 0.0), 36.0);
        assert_eq!(at(35.0, 135.0, 0.5), 86.0);
    }

    #[test]
    fn one_miss_of_two_is_enough_to_wait() {
        let mut both = use_of_load();
        both.reads = vec![10, 11];
        let ops = [
            load_to(10, Space::Local, 4),
            load_to(11, Space::Local, 4),
            both,
        ];
        let cycles = path(&ops).cycles(&Latencies {
            local_hit_cycles: 30.0,
            local_miss_cycles: 230.0,
            local_miss_probability: 0.5,
            ..Latencies::default()
        });
        // Issued at 0 and 1: 31 if both hit (a quarter), 231 otherwise, and one cycle for the use.
        assert_eq!(cycles, 0.25 * 31.0 + 0.75 * 231.0 + 1.0);
    }

    /// A result with a latency of 40 cycles, awaited behind a load that is waited for first.
    #[test]
    fn a_result_is_awaited_beyond_a_load_that_comes_first() {
        let special = crate::isa::TimingOp {
            writes: vec![20],
            ..alu(OpClass::Sfu, 1)
        };
        let mut of_special = use_of_load();
        of_special.reads = vec![20];
        let code: ReplayCode = looped(&[
            special,
            load_to(10, Space::Global, 4),
            use_of_load(),
            of_special,
        ]);
        let mut result_cycles = [0; crate::launch::spec::N_CLASSES];
        result_cycles[OpClass::Sfu as usize] = 40;
        let rules = PathRules {
            result_cycles: Some(result_cycles),
            ..PathRules::default()
        };
        let path = Path::new(&code.ops, &rules);
        let mut tree = Builder::default();
        tree.add(0, None, 1.0, path.stall_points(0));
        let tree = tree.finish();
        for (global_cycles, expected) in [(5.0, 41.0), (30.0, 41.0), (60.0, 63.0)] {
            let latencies = Latencies {
                global_cycles,
                ..Latencies::default()
            };
            assert_eq!(path.cycles(&latencies), expected);
            assert_eq!(tree.cycles(&latencies), expected);
        }
    }

    #[test]
    fn code_is_open_whose_results_nobody_has_read_when_it_ends() {
        let rules = PathRules {
            result_cycles: Some([9; N_CLASSES]),
            ..PathRules::default()
        };
        let is_open = |ops: &[crate::isa::TimingOp]| Path::is_open(&looped(ops).ops, &rules);
        let (load, read) = (load_to(10, Space::Global, 4), use_of_load());
        assert!(is_open(std::slice::from_ref(&load)));
        assert!(!is_open(&[load.clone(), read.clone()]));
        assert!(is_open(&[load.clone(), alu(OpClass::Fp32, 20)]));
        assert!(is_open(&[read, load]), "read before");
        // A result that is there after nine cycles.
        let result = |stall| crate::isa::TimingOp {
            writes: vec![20],
            ..alu(OpClass::Sfu, stall)
        };
        assert!(is_open(&[result(8)]));
        assert!(!is_open(&[result(9)]));
        assert!(!is_open(&[result(1), alu(OpClass::Fp32, 8)]));
        assert!(!is_open(&[]));
    }

    /// Four lines, four cycles apart: the last arrives later than that of a load issued meanwhile.
    #[test]
    fn a_load_of_many_lines_may_outlast_one_issued_later() {
        let mut of_global = use_of_load();
        of_global.reads = vec![11];
        let mut of_both = use_of_load();
        of_both.reads = vec![10, 12];
        let code: ReplayCode = looped(&[
            load_to(10, Space::Local, 16),
            load_to(11, Space::Global, 4),
            of_global,
            load_to(12, Space::Local, 4),
            of_both,
        ]);
        let rules = PathRules {
            line_cycles: 4,
            ..PathRules::default()
        };
        let path = Path::new(&code.ops, &rules);
        let mut tree = Builder::default();
        tree.add(0, None, 1.0, path.stall_points(0));
        let tree = tree.finish();
        for (global_cycles, expected) in [(2.0, 12.0 + 30.0 + 1.0), (50.0, 52.0 + 30.0 + 1.0)] {
            let latencies = Latencies {
                local_hit_cycles: 30.0,
                local_miss_cycles: 30.0,
                global_cycles,
                ..Latencies::default()
            };
            assert_eq!(tree.cycles(&latencies), expected);
        }
    }
}
