//! Bytes per cycle between the multiprocessors and the L2, and the ports that they share.

use super::{Found, Rule, measured, nearest, rounded};
use crate::device::characterize::readings::Readings;
use crate::util::stats;

pub const RULES: &[Rule] = &[
    ("l2.port_efficiency", |r| {
        let rounds = r.rounds("traffic.load", ALONE, LINES);
        let read = stats::median(&rounds)?;
        let fraction = rounded((read / PORT_BYTES).clamp(0.01, 1.0), 2);
        let how = format!("`traffic.load` of one multiprocessor, {read:.1}");
        Some(measured(fraction, &how, &rounds))
    }),
    ("l2.write_bytes_per_cycle", |r| {
        let rounds = r.rounds("traffic.store", ALONE, LINES);
        let read = rounded(stats::median(&rounds)?, 0);
        let how = "`traffic.store` of one multiprocessor";
        Some(measured(read, how, &rounds))
    }),
    ("l2.mask_bytes", |r| {
        let whole = r.middle("traffic.store", ALONE, LINES)?;
        let part = r.middle("traffic.part", ALONE, LINES)?;
        let bytes = (LINE_BYTES * (whole / part - 1.0)).clamp(0.0, LINE_BYTES);
        let how = format!(
            "`traffic.part`: stores of half of each sector pass at {part:.1} bytes a cycle, of all of it at {whole:.1}"
        );
        Some(measured(nearest(bytes), &how, &[]))
    }),
    ("l2.request_bytes", requests),
    ("l2.ingest_bytes_per_cycle", |r| {
        let all = r.fact("multiprocessors")? as u32;
        let rows = r.of("traffic.local").filter(|row| row.at == all);
        let sums: Vec<f64> = rows.map(|row| row.value * f64::from(all)).collect();
        let how = "mean of `traffic.local` of all multiprocessors over 64, 16 and 4 lines a warp";
        Some(measured(rounded(stats::mean(&sums)?, 0), how, &sums))
    }),
    ("l2.n_ports", ports),
    ("load_store.fill_bytes_per_cycle", fills),
];

/// Multiprocessors at work, and lines of a warp, of a launch of `traffic`.
const ALONE: u32 = 1;
const LINES: u32 = 64;
/// Width of a port, as the template has it.
const PORT_BYTES: f64 = 64.0;
const LINE_BYTES: f64 = 128.0;
/// Part of the largest gain that a pair of multiprocessors has at least if it shares a port with the idle pair; the rest is noise.
const LEAST_GAIN: f64 = 0.35;
/// Part of what all would pass alone from which nothing holds them up.
const HELD_UP: f64 = 0.95;
/// Cost of a missed line, in lines that hit, from which its fill takes the load/store unit's time. Its look-up costs one.
const FILL_COSTS: f64 = 1.25;

/// The ports through which multiprocessors send to the L2.
struct Ports {
    /// Multiprocessors of each.
    members: Vec<usize>,
    /// Bytes per cycle that a pair gains at most while another is idle.
    gain: f64,
}

impl Ports {
    /// Pairs of multiprocessors that gain from each other's idleness share a port.
    fn of(readings: &Readings) -> Option<Self> {
        let pairs = readings.fact("multiprocessors")? as usize / 2;
        let rounds = 1 + readings.of("port_gain").map(|row| row.round).max()?;
        let mut gains = vec![0.0; pairs * pairs];
        for row in readings.of("port_gain") {
            let (idle, pair) = (row.at as usize, row.with as usize);
            if idle < pairs && pair < pairs {
                gains[idle * pairs + pair] += row.value / f64::from(rounds);
            }
        }
        let gain = gains.iter().copied().fold(0.0, f64::max);
        let mut port_of: Vec<usize> = (0..pairs).collect();
        for at in (0..gains.len()).filter(|at| gains[*at] > LEAST_GAIN * gain) {
            let (one, other) = (port_of[at / pairs], port_of[at % pairs]);
            let moved = port_of.iter_mut().filter(|port| **port == other);
            moved.for_each(|port| *port = one);
        }
        let mut members = vec![0; pairs];
        for port in port_of {
            members[port] += 2;
        }
        members.retain(|n| *n > 0);
        Some(Ports { members, gain })
    }

    /// Returns the bytes per cycle of a port with which all multiprocessors together pass `all`, each at most `alone`; none if they are
    /// not held up.
    fn capacity(&self, all: f64, alone: f64) -> Option<f64> {
        let n: usize = self.members.iter().sum();
        if all > HELD_UP * alone * n as f64 {
            return None;
        }
        let passed = |capacity: f64| -> f64 {
            let each = |members: &usize| {
                let members = *members as f64;
                (members * alone).min(capacity)
            };
            self.members.iter().map(each).sum()
        };
        let (mut low, mut high) = (0.0, alone * n as f64);
        for _ in 0..64 {
            let middle = f64::midpoint(low, high);
            match passed(middle) < all {
                true => low = middle,
                false => high = middle,
            }
        }
        Some(low)
    }
}

fn ports(readings: &Readings) -> Option<Found> {
    let Ports { members, gain } = Ports::of(readings)?;
    let how = format!(
        "`port_gain`: sets of {} to {} multiprocessors, which store up to {gain:.0} bytes a cycle more while two of a set are idle",
        members.iter().min()?,
        members.iter().max()?
    );
    Some(measured(members.len() as i64, &how, &[]))
}

/// A line that is stored and a request for another take a port as long as two lines of `traffic.both`.
fn requests(readings: &Readings) -> Option<Found> {
    let ports = Ports::of(readings)?;
    let n = readings.fact("multiprocessors")?;
    let capacity = |kind: &str| {
        let read = |at| readings.middle(&format!("traffic.{kind}"), at, LINES);
        ports.capacity(n * read(n as u32)?, read(ALONE)?)
    };
    let (stored, both) = (capacity("store")?, capacity("both")?);
    let bytes = LINE_BYTES * (2.0 * stored / both - 1.0);
    let how = format!(
        "`traffic.both`: a port passes {both:.1} bytes a cycle of lines stored and loaded in turn, and {stored:.1} of lines stored alone"
    );
    Some(measured(nearest(bytes.clamp(0.0, LINE_BYTES)), &how, &[]))
}

/// Returns whether a line that is missed takes the load/store unit's time beside its look-up.
fn fills(readings: &Readings) -> Option<Found> {
    let mut costs = Vec::new();
    for row in readings.of("fill.misses").filter(|row| row.value > 0.0) {
        let alone = readings.middle("fill.hits", row.at, row.with % 10)?;
        let beside = readings.middle("fill.hits", row.at, row.with)?;
        costs.push((alone - beside) / row.value);
    }
    let cost = stats::mean(&costs)?;
    let bytes = if cost > FILL_COSTS { LINE_BYTES } else { 0.0 };
    let how = format!(
        "`fill`: a missed line costs as much as {cost:.1} lines that hit, one of which is its look-up"
    );
    Some(measured(nearest(bytes), &how, &[]))
}
