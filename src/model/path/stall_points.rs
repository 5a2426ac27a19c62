//! Critical paths, compressed to the instructions that wait for loads.
//!
//! Models: between two such instructions only stall counts add up, so that a path of dozens of instructions becomes a few stall
//! points. Loads that cannot be the last one awaited are dropped.
//! Leaves out: evaluation, which `evaluate` does for all paths at once.
//! Units: cycles.
//! Sources: equations (10) and (11) of `docs/model.md`.

/// Kind of result that a stall point waits for; the index of a latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Awaited {
    Shared,
    Local,
    Global,
    /// The load/store unit's turn, in which it reads the operands.
    Operands,
    /// A result with a known time, which is part of the offset.
    Known,
}

/// Origin of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anchor {
    /// The issue of an instruction of the segment before, by its number there.
    Before(u32),
    /// A stall point of this path, counted from 1; 0 is the path's start.
    Here(u32),
}

/// Loads of one kind that are issued a fixed time after an earlier stall point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wait {
    pub anchor: Anchor,
    /// Cycles from the anchor to the issue of the last load, with the known part of its time.
    pub offset_cycles: f64,
    /// Cycles from the path's start to that issue, if only stalls passed.
    pub least_cycles: f64,
    pub awaited: Awaited,
    /// Number of local lines that must all have arrived.
    pub lines: u32,
}

/// One instruction that waits for loads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StallPoint {
    /// Stalls since the stall point before.
    pub offset_cycles: f64,
    pub waits: Vec<Wait>,
}

/// Stall points of one path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StallPoints {
    pub stall_points: Vec<StallPoint>,
    /// Stalls from the last stall point to the end.
    pub rest_cycles: f64,
    /// For each instruction: the stall point before it and the stalls since.
    pub places: Vec<(u32, f64)>,
}

impl StallPoints {
    /// Drops loads that a later load of the same kind always outlasts: the stalls between the two anchors alone make it later.
    pub fn pruned(mut self) -> StallPoints {
        for point in &mut self.stall_points {
            let mut kept: Vec<Wait> = Vec::with_capacity(point.waits.len());
            // Those from later anchors first.
            for wait in point.waits.drain(..).rev() {
                let outlasts = |other: &&mut Wait| {
                    other.awaited == wait.awaited
                        && other.anchor >= wait.anchor
                        && other.least_cycles >= wait.least_cycles
                };
                match kept.iter_mut().find(outlasts) {
                    Some(later) => later.lines += wait.lines,
                    None => kept.push(wait),
                }
            }
            kept.reverse();
            point.waits = kept;
        }
        self
    }
}

/// Adds a wait; of waits of one kind from one anchor the longest counts, with the lines of all.
pub(super) fn add_wait(waits: &mut Vec<Wait>, wait: Wait) {
    let alike = |known: &&mut Wait| (known.anchor, known.awaited) == (wait.anchor, wait.awaited);
    match waits.iter_mut().find(alike) {
        Some(known) => {
            known.offset_cycles = known.offset_cycles.max(wait.offset_cycles);
            known.least_cycles = known.least_cycles.max(wait.least_cycles);
            known.lines += wait.lines;
        }
        None => waits.push(wait),
    }
}
