//! The stall points of all segments of a kernel as one tree.
//!
//! Models: segments with a common beginning share their stall points, so that each is evaluated once. A segment whose
//! predecessor left results in flight occurs once for each predecessor; a result that it awaits from the predecessor is a
//! *carry*: the time from the predecessor's issue of the result to the segment's start, averaged over the predecessor's own
//! predecessors.
//! Leaves out: results that are awaited beyond the next segment.
//! Units: cycles.
//! Sources: equation (10) of `docs/model.md`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::stall_points::{Anchor, Awaited, StallPoint, StallPoints, Wait};

/// Latencies that a stall point may wait for, by their index in [`super::evaluate::Gradient`], or a known time.
pub(super) const SHARED: usize = 0;
pub(super) const LOCAL_HIT: usize = 1;
pub(super) const LOCAL_MISS: usize = 2;
pub(super) const GLOBAL: usize = 3;
pub(super) const OPERANDS: usize = 4;
pub(super) const MISS_PROBABILITY: usize = 5;
/// Index for no latency.
pub(super) const NO_LATENCY: u32 = 6;

/// Stall point of the tree. Its predecessors have smaller numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Previous stall point, and the stalls since.
    pub before: u32,
    pub offset_cycles: f64,
    /// Number of waits that certainly take their latency, followed by those for local loads.
    pub certain: u32,
    pub local: u32,
    pub end: u32,
    /// Number of local lines that must all have arrived.
    pub lines: u32,
}

/// A load that is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    /// Stall point or carry that the wait counts from.
    pub anchor: u32,
    /// Index of its latency.
    pub which: u32,
    pub offset_cycles: f64,
}

/// Time from the issue of an instruction to the end of its segment, negated: the mean over its executions.
#[derive(Debug, Clone)]
pub(super) struct Carry {
    /// Fraction of the executions, the stall point before the instruction, the last stall point of the segment.
    pub from: Vec<(f64, u32, u32)>,
    /// Stalls since the two stall points, as a difference.
    pub offset_cycles: f64,
}

/// All paths of a kernel, each with its executions.
///
/// Times are kept in one list: carries, the start of every segment, stall points.
#[derive(Debug, Clone)]
pub struct Paths {
    pub(super) carries: Vec<Carry>,
    /// Stall points after the start.
    pub(super) nodes: Vec<Node>,
    pub(super) loads: Vec<Load>,
    /// Executions of the paths that end at each place of the list.
    pub(super) ends: Vec<f64>,
    /// Stalls after the last stall points, summed over all executions.
    pub(super) rest_cycles: f64,
}

impl Default for Paths {
    fn default() -> Self {
        Builder::default().finish()
    }
}

/// Builds a tree of paths.
#[derive(Default)]
pub struct Builder {
    ways: Vec<Way>,
    stalls_cycles: f64,
}

/// Executions of a segment in one situation.
struct Way {
    segment: u32,
    executions: f64,
    path: StallPoints,
    /// Predecessor, and the stalls between its end and the start.
    before: Option<(u32, f64)>,
}

impl Builder {
    /// Adds a segment with `executions`; `before` is its predecessor and the stalls between the two, if the path includes
    /// results awaited from the predecessor.
    pub fn add(
        &mut self,
        segment: u32,
        before: Option<(u32, f64)>,
        executions: f64,
        path: StallPoints,
    ) {
        self.stalls_cycles += executions * before.map_or(0.0, |(_, stalls)| stalls);
        self.ways.push(Way {
            segment,
            executions,
            path: path.pruned(),
            before,
        });
    }

    /// Adds stalls that are part of no path.
    pub fn add_stalls(&mut self, cycles: f64) {
        self.stalls_cycles += cycles;
    }

    pub fn finish(self) -> Paths {
        let carries = Carries::new(&self.ways);
        let mut tree = Tree::new(carries.numbers.len() as u32);
        let mut ends: BTreeMap<u32, f64> = BTreeMap::new();
        let mut rest_cycles = self.stalls_cycles;
        let mut nodes_of_ways = Vec::with_capacity(self.ways.len());
        for way in &self.ways {
            let nodes = tree.add(way, &carries);
            *ends.entry(nodes[nodes.len() - 1]).or_default() += way.executions;
            rest_cycles += way.executions * way.path.rest_cycles;
            nodes_of_ways.push(nodes);
        }
        let places = tree.start as usize + 1 + tree.nodes.len();
        let mut paths = Paths {
            carries: carries.made(&self.ways, &nodes_of_ways),
            nodes: tree.nodes,
            loads: tree.loads,
            ends: vec![0.0; places],
            rest_cycles,
        };
        for (place, executions) in ends {
            paths.ends[place as usize] = executions;
        }
        paths
    }
}

/// Instructions whose results are awaited in the next segment.
struct Carries {
    /// Numbers of the carries whose distance from the end depends on latencies, by segment and instruction.
    numbers: BTreeMap<(u32, u32), u32>,
    /// Carries whose distance is fixed: cycles from the end, at most 0.
    fixed: BTreeMap<(u32, u32), f64>,
}

impl Carries {
    fn new(ways: &[Way]) -> Self {
        let mut awaited: BTreeSet<(u32, u32)> = BTreeSet::new();
        for way in ways {
            let waits = way.path.stall_points.iter().flat_map(|point| &point.waits);
            for wait in waits {
                if let (Anchor::Before(instruction), Some((before, _))) = (wait.anchor, way.before)
                {
                    awaited.insert((before, instruction));
                }
            }
        }
        let mut carries = Carries {
            numbers: BTreeMap::new(),
            fixed: BTreeMap::new(),
        };
        for (segment, instruction) in awaited {
            let mut distances = ways
                .iter()
                .filter(|way| way.segment == segment)
                .map(|way| way.distance(instruction));
            let first = distances.next().flatten();
            match first {
                Some(cycles) if distances.all(|distance| distance == first) => {
                    carries.fixed.insert((segment, instruction), cycles);
                }
                _ => {
                    let number = carries.numbers.len() as u32;
                    carries.numbers.insert((segment, instruction), number);
                }
            }
        }
        carries
    }

    fn made(&self, ways: &[Way], nodes: &[Vec<u32>]) -> Vec<Carry> {
        let make = |&(segment, instruction): &(u32, u32)| {
            let of_segment = || {
                let both = ways.iter().zip(nodes);
                both.filter(|(way, _)| way.segment == segment)
            };
            let executions: f64 = of_segment().map(|(way, _)| way.executions).sum();
            let mut from: BTreeMap<(u32, u32), f64> = BTreeMap::new();
            let mut offset_cycles = 0.0;
            for (way, nodes) in of_segment() {
                let fraction = way.executions / executions;
                let (anchor, issued) = way.path.places[instruction as usize];
                let pair = (nodes[anchor as usize], nodes[nodes.len() - 1]);
                *from.entry(pair).or_default() += fraction;
                offset_cycles += fraction * (issued - way.path.rest_cycles);
            }
            Carry {
                from: from
                    .into_iter()
                    .map(|((issued, last), fraction)| (fraction, issued, last))
                    .collect(),
                offset_cycles,
            }
        };
        self.numbers.keys().map(make).collect()
    }
}

impl Way {
    /// Cycles from the end to the issue of an instruction, if no stall point lies between the two.
    fn distance(&self, instruction: u32) -> Option<f64> {
        let (anchor, issued) = self.path.places[instruction as usize];
        let is_last = anchor as usize == self.path.stall_points.len();
        is_last.then_some(issued - self.path.rest_cycles)
    }
}

/// Identity of a stall point: its predecessor and its content.
type Key = Vec<u64>;

/// A tree under construction.
struct Tree {
    /// Place of the start; carries are before it.
    start: u32,
    nodes: Vec<Node>,
    loads: Vec<Load>,
    known: HashMap<Key, u32>,
}

impl Tree {
    fn new(start: u32) -> Self {
        Tree {
            start,
            nodes: Vec::new(),
            loads: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Adds the stall points of a way and returns them, the start first.
    fn add(&mut self, way: &Way, carries: &Carries) -> Vec<u32> {
        let mut nodes = vec![self.start];
        for point in &way.path.stall_points {
            let before = nodes[nodes.len() - 1];
            let mut loads: Vec<Load> = Vec::new();
            let place = |wait: &Wait| match (wait.anchor, way.before) {
                (Anchor::Here(at), _) => (nodes[at as usize], wait.offset_cycles),
                (Anchor::Before(instruction), Some((segment, stalls))) => {
                    let offset_cycles = wait.offset_cycles - stalls;
                    match carries.fixed.get(&(segment, instruction)) {
                        Some(cycles) => (self.start, offset_cycles + cycles),
                        None => (carries.numbers[&(segment, instruction)], offset_cycles),
                    }
                }
                (Anchor::Before(_), None) => unreachable!("a path from the start awaits nothing"),
            };
            for is_local in [false, true] {
                let waits = point.waits.iter();
                for wait in waits.filter(|wait| (wait.awaited == Awaited::Local) == is_local) {
                    let (anchor, offset_cycles) = place(wait);
                    loads.push(Load {
                        anchor,
                        which: which(wait.awaited),
                        offset_cycles,
                    });
                }
            }
            let node = self.node(before, point, loads);
            nodes.push(node);
        }
        nodes
    }

    /// Returns the stall point after `before` with these loads, those that are not local first; adds it if it is new.
    fn node(&mut self, before: u32, point: &StallPoint, loads: Vec<Load>) -> u32 {
        let lines = |wait: &Wait| match wait.awaited {
            Awaited::Local => wait.lines,
            _ => 0,
        };
        let lines: u32 = point.waits.iter().map(lines).sum();
        let mut key = vec![
            u64::from(before) | u64::from(lines) << 32,
            point.offset_cycles.to_bits(),
        ];
        for load in &loads {
            let kind = u64::from(load.anchor) | u64::from(load.which) << 32;
            key.extend([kind, load.offset_cycles.to_bits()]);
        }
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let n_local = loads
            .iter()
            .filter(|load| load.which == LOCAL_HIT as u32)
            .count();
        let certain = self.loads.len() as u32;
        self.loads.extend(loads);
        let end = self.loads.len() as u32;
        self.nodes.push(Node {
            before,
            offset_cycles: point.offset_cycles,
            certain,
            local: end - n_local as u32,
            end,
            lines,
        });
        let node = self.start + self.nodes.len() as u32;
        self.known.insert(key, node);
        node
    }
}

fn which(awaited: Awaited) -> u32 {
    match awaited {
        Awaited::Shared => SHARED as u32,
        Awaited::Local => LOCAL_HIT as u32,
        Awaited::Global => GLOBAL as u32,
        Awaited::Operands => OPERANDS as u32,
        Awaited::Known => NO_LATENCY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{OpClass, Space, TimingOp};
    use crate::launch::code::{ReplayCode, ReplayOp};
    use crate::launch::testing::{alu, load_to, looped, use_of_load};
    use crate::model::path::{Latencies, Path, PathRules};

    /// Builds a segment that awaits, somewhere, all results that a segment before may have left.
    fn segment(kinds: &[u8]) -> Vec<TimingOp> {
        let mut wait_for_all = use_of_load();
        wait_for_all.reads = vec![10, 11, 12, 13];
        let made = kinds.iter().zip(0u8..).map(|(kind, i)| match kind {
            0 => load_to(10 + i % 4, Space::Local, 4),
            1 => load_to(10 + i % 4, Space::Global, 4),
            2 => use_of_load(),
            _ => alu(OpClass::Fp32, 9),
        });
        let mut ops: Vec<_> = made.collect();
        ops.insert(kinds.len() / 2, wait_for_all);
        ops
    }

    fn replay(ops: &[TimingOp]) -> Vec<ReplayOp> {
        let code: ReplayCode = looped(ops);
        code.ops
    }

    proptest::proptest! {
        /// Segments that follow each other in a loop: the tree gives the path's growth per round.
        #[test]
        fn carries_are_what_a_long_path_says(
            first in proptest::collection::vec(0u8..4, 1..12),
            second in proptest::collection::vec(0u8..4, 1..12),
            hit in 1.0f64..80.0,
            global in 1.0f64..600.0,
        ) {
            let rules = PathRules::default();
            let segments = [first, second].map(|kinds| replay(&segment(&kinds)));
            let latencies = Latencies {
                local_hit_cycles: hit,
                local_miss_cycles: hit,
                global_cycles: global,
                ..Latencies::default()
            };
            let mut tree = Builder::default();
            for (at, before) in [(0, 1), (1, 0)] {
                let both = [&segments[before][..], &segments[at]].concat();
                let path = Path::new(&both, &rules).stall_points(segments[before].len());
                tree.add(at as u32, Some((before as u32, 0.0)), 1.0, path);
            }
            let paths = tree.finish();
            let round = segments.concat();
            let rounds = |n: usize| Path::new(&round.repeat(n), &rules).cycles(&latencies);
            let period = (rounds(14) - rounds(8)) / 6.0;
            let linear = paths.linear(&latencies);
            proptest::prop_assert!((linear.cycles - period).abs() < 1e-2, "{} {}", linear.cycles, period);
            proptest::prop_assert_eq!(linear.cycles, paths.cycles(&latencies));
        }
    }

    /// One segment leaves a local load in flight and then waits for a global one; the next waits for the local one, which takes
    /// longer: a round takes that long.
    #[test]
    fn what_a_segment_waits_for_itself_hides_behind_what_it_leaves() {
        let mut of_global = use_of_load();
        of_global.reads = vec![11];
        let leaves = replay(&[
            load_to(10, Space::Local, 4),
            load_to(11, Space::Global, 4),
            of_global,
        ]);
        let awaits = replay(&[use_of_load()]);
        let rules = PathRules::default();
        let mut tree = Builder::default();
        let after = |before: &[ReplayOp], ops: &[ReplayOp]| {
            Path::new(&[before, ops].concat(), &rules).stall_points(before.len())
        };
        tree.add(0, Some((1, 0.0)), 1.0, after(&awaits, &leaves));
        tree.add(1, Some((0, 0.0)), 1.0, after(&leaves, &awaits));
        let linear = tree.finish().linear(&Latencies {
            local_hit_cycles: 90.0,
            local_miss_cycles: 90.0,
            global_cycles: 50.0,
            ..Latencies::default()
        });
        assert_eq!(linear.cycles, 91.0);
        let mut expected = [0.0; 6];
        expected[LOCAL_HIT] = 1.0;
        assert_eq!(linear.gradient, expected);
    }
}
