//! One multiprocessor at work: the issues and waits of its warps and the lines of its L1, cycle by cycle.
//!
//! Runs some blocks from their first instruction with empty caches, each for one iteration of its case loop, so that blocks start and end,
//! and keeps the events of a window of cycles. Leaves out: other multiprocessors, the steady state. Units: cycles, bytes.

use super::annotate::{Listing, SourcePlace};
use super::{Predictor, SampleBlocks};
use crate::launch::cause::NOT_SELECTED;
use crate::launch::prediction::{Configuration, PredictError};
use crate::sim::blocks;
use crate::sim::cache::Cache;
use crate::sim::l1_stream::{L1Recorder, L1Step};
use crate::sim::memory::LOCAL_BASE;
use crate::sim::observe::{Cause, Issued, L1Access, Observer, WarpSlot};
use crate::sim::timeline::{Event, Timeline, Wait};
use crate::systems::options::LaunchOptions;
use serde::Serialize;
use std::ops::Range;

/// Blocks that are run, as a multiple of those resident.
const WAVES: u32 = 3;
/// Cycle at which a run ends at the latest.
pub const LAST_CYCLE: u64 = 200_000;

/// A run of some blocks, with all events of a window of cycles.
///
/// Events are rows of numbers; a cause is an index into `causes`, a warp one into `warps`, a line one into `code`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Watched {
    pub configuration: Configuration,
    pub schedulers: usize,
    /// Last cycle of the run.
    pub end: u64,
    /// Cycles whose events are kept.
    pub window: [u64; 2],
    /// States of a waiting warp, by number: in words, and the name of the colour.
    pub causes: Vec<[&'static str; 2]>,
    pub code: Vec<CodeLine>,
    /// Scheduler, slot, block, warp of the block, first cycle and cycle of the end; all warps of the run.
    pub warps: Vec<[u64; 6]>,
    /// Warp, line of the code, cycle, cycle of the result (0: not from memory), cause that the result is waited for by.
    pub issues: Vec<[u64; 5]>,
    /// Warp, first cycle, end, cause.
    pub waits: Vec<[u64; 4]>,
    pub l1: WatchedL1,
}

/// One instruction of the kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CodeLine {
    pub address: u32,
    pub text: String,
    pub source: Option<SourcePlace>,
}

/// The lines of an L1. An owner is the number of the warp slot whose stack a line holds, counted from 1; 0: no stack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchedL1 {
    pub sets: u32,
    pub ways: u32,
    pub line_bytes: u32,
    /// Owner of each place before the window; `null` for an empty place.
    pub before: Vec<Option<u32>>,
    /// Cycle, place, owner, outcome (0 load hit, 1 load miss, 2 store hit, 3 store miss), cycle of the data.
    pub steps: Vec<[u64; 5]>,
}

/// Observer of warps and L1.
#[derive(Default)]
struct Watch {
    timeline: Timeline,
    l1: L1Recorder,
}

impl Observer for Watch {
    fn started(&mut self, slot: WarpSlot, block: u32, warp: u32, cycle: u64) {
        self.timeline.started(slot, block, warp, cycle);
    }
    fn issued(&mut self, issued: Issued) {
        self.timeline.issued(issued);
    }
    fn served(&mut self, slot: WarpSlot, ready_at: u64, cause: Cause) {
        self.timeline.served(slot, ready_at, cause);
    }
    fn l1_accessed(&mut self, access: L1Access) {
        self.l1.l1_accessed(access);
    }
    fn l1_filled(&mut self, ready_at: u64) {
        self.l1.l1_filled(ready_at);
    }
    fn held(&mut self, slot: WarpSlot, cycle: u64, until: u64, cause: Cause) {
        self.timeline.held(slot, cycle, until, cause);
    }
    fn exited(&mut self, slot: WarpSlot, cycle: u64) {
        self.timeline.exited(slot, cycle);
    }
}

impl Predictor {
    /// Runs the first blocks of a launch on one multiprocessor, and returns the events of a window of cycles.
    pub fn watch(
        &self,
        launch: impl Into<LaunchOptions>,
        window: Range<u64>,
    ) -> Result<Watched, PredictError> {
        let configuration = self.configure(&launch.into())?;
        let request = self.request(&configuration)?;
        let resident = self.resolve(&request)?.placement.geometry.resident_blocks;
        let sample = self.sample_blocks(&configuration, (WAVES * resident) as usize, 1)?;
        let run = blocks::run(
            &sample.spec,
            &sample.blocks,
            sample.seed,
            LAST_CYCLE.max(window.end),
            Watch::default(),
        )
        .map_err(PredictError::other)?;
        let Watch { timeline, l1 } = run.observer;
        let mut cache = Cache::new(sample.spec.l1.clone(), sample.seed);
        let steps = l1.steps(&mut cache);
        Ok(Watched {
            schedulers: sample.spec.n_schedulers(),
            end: timeline.end(),
            window: [window.start, window.end],
            causes: causes(),
            code: code(&sample, &Listing::of(&request.kernel)?),
            warps: warps(&timeline),
            issues: issues(&timeline, &sample, &window),
            waits: waits(&timeline, &window),
            l1: watched_l1(&sample, &cache, &steps, &window),
            configuration,
        })
    }
}

/// The causes in their order, then that of a warp that was not selected.
fn causes() -> Vec<[&'static str; 2]> {
    let named = Cause::ALL.map(|cause| [cause.in_words(), cause.name()]);
    named
        .into_iter()
        .chain([[NOT_SELECTED[1], NOT_SELECTED[0]]])
        .collect()
}

fn code(sample: &SampleBlocks, listing: &Listing) -> Vec<CodeLine> {
    let instructions = sample.kernel.instructions.iter();
    let line = |one: &crate::isa::Instruction| CodeLine {
        address: one.pc_bytes,
        text: one.text.clone(),
        source: listing.source(one.pc_bytes),
    };
    instructions.map(line).collect()
}

fn warps(timeline: &Timeline) -> Vec<[u64; 6]> {
    let last = timeline.end();
    let row = |warp: &crate::sim::timeline::Residency| {
        let [scheduler, slot] = [warp.slot.scheduler, warp.slot.index].map(u64::from);
        let [block, number] = [warp.block, warp.warp].map(u64::from);
        [
            scheduler,
            slot,
            block,
            number,
            warp.start,
            warp.end.unwrap_or(last),
        ]
    };
    timeline.residencies.iter().map(row).collect()
}

fn issues(timeline: &Timeline, sample: &SampleBlocks, window: &Range<u64>) -> Vec<[u64; 5]> {
    let row = |event: &Event| {
        let line = sample.pool.ops[event.op as usize].inst;
        let (ready_at, cause) = event.served.unwrap_or((0, Cause::Issued));
        let warp = u64::from(event.residency);
        [warp, u64::from(line), event.cycle, ready_at, cause as u64]
    };
    let events = timeline.events.iter();
    events
        .filter(|event| window.contains(&event.cycle))
        .map(row)
        .collect()
}

fn waits(timeline: &Timeline, window: &Range<u64>) -> Vec<[u64; 4]> {
    let not_selected = Cause::ALL.len() as u64;
    let row = |wait: &Wait| {
        let cause = wait.cause.map_or(not_selected, |cause| cause as u64);
        [u64::from(wait.residency), wait.start, wait.end, cause]
    };
    let waits = timeline.waits.iter();
    let waits = waits.filter(|wait| wait.start < window.end && wait.end > window.start);
    waits.map(row).collect()
}

fn watched_l1(
    sample: &SampleBlocks,
    cache: &Cache,
    steps: &[L1Step],
    window: &Range<u64>,
) -> WatchedL1 {
    let (sets, ways) = cache.shape();
    let stride = sample.blocks.geometry.local_stride_bytes.max(1);
    let owner = |step: &L1Step| match step.address.checked_sub(LOCAL_BASE) {
        Some(address) => address / stride + 1,
        None => 0,
    };
    let first = steps.iter().position(|step| step.cycle >= window.start);
    let first = first.unwrap_or(steps.len());
    let mut before = vec![None; (sets * ways) as usize];
    let (earlier, later) = steps.split_at(first);
    for step in earlier {
        if let Some(place) = step.place {
            before[place as usize] = Some(owner(step));
        }
    }
    let row = |step: &L1Step| {
        let is_store = matches!(step.request, crate::sim::code::MemoryRequest::LocalStore);
        let outcome = 2 * u64::from(is_store) + u64::from(!step.hit);
        let place = u64::from(step.place?);
        Some([
            step.cycle,
            place,
            u64::from(owner(step)),
            outcome,
            step.ready_at,
        ])
    };
    let later = later.iter().take_while(|step| step.cycle < window.end);
    WatchedL1 {
        sets,
        ways,
        line_bytes: sample.spec.l1.line_bytes,
        before,
        steps: later.filter_map(row).collect(),
    }
}
