//! A timeline as Chrome trace-event JSON, which Perfetto's viewer and `chrome://tracing` open.
//!
//! Models: a lane per warp slot; on it the stay of each warp, its issued instructions and its waits by cause; counters of
//! resident warps, issue rate and L1 hits. One cycle is written as one microsecond.
//! Leaves out: flows between instructions. Units: cycles.
//! Sources: Trace Event Format (Google), the "JSON format" page of Perfetto's documentation.

use crate::isa::instruction::Instruction;
use crate::sim::observe::{Cause, WarpSlot};
use crate::sim::timeline::{Timeline, wait_name};
use serde_json::{Value, json};

/// The one process.
const PID: u32 = 1;
/// Points of a counter's curve, about.
const COUNTER_POINTS: u64 = 400;

/// The whole file. `listed` is the instruction behind an index into `ReplayCode::ops`; `title` names device and configuration.
pub fn json<'a>(
    timeline: &Timeline,
    kernel: &str,
    listed: impl Fn(u32) -> &'a Instruction,
    title: &str,
) -> String {
    let mut events = vec![metadata("process_name", 0, json!({ "name": title }))];
    events.extend(lanes(timeline));
    events.extend(residencies(timeline));
    events.extend(issues(timeline, listed));
    events.extend(waits(timeline));
    events.extend(resident_warps(timeline));
    events.extend(rates(timeline));
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    let nsight = Cause::ALL.map(|cause| (cause.name().to_owned(), json!(cause.nsight_name())));
    let other = json!({
        "kernel": kernel,
        "time": "1 us is 1 core clock cycle",
        "waits": "named after their cause; not_selected: ready, but another warp was chosen",
        "Nsight Compute's names": Value::Object(nsight.into_iter().collect()),
    });
    format!(
        "{{\"traceEvents\":[\n{}\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":{other}}}\n",
        lines.join(",\n")
    )
}

fn metadata(name: &str, tid: u32, args: Value) -> Value {
    json!({ "name": name, "ph": "M", "pid": PID, "tid": tid, "args": args })
}

/// Lanes are numbered from 1, scheduler by scheduler.
fn tid(slot: WarpSlot) -> u32 {
    1 + 64 * u32::from(slot.scheduler) + u32::from(slot.index)
}

fn lanes(timeline: &Timeline) -> Vec<Value> {
    let mut slots: Vec<WarpSlot> = timeline.residencies.iter().map(|warp| warp.slot).collect();
    slots.sort_unstable();
    slots.dedup();
    let of_slot = |slot: &WarpSlot| {
        let name = format!("scheduler {}, warp slot {}", slot.scheduler, slot.index);
        [
            metadata("thread_name", tid(*slot), json!({ "name": name })),
            metadata(
                "thread_sort_index",
                tid(*slot),
                json!({ "sort_index": tid(*slot) }),
            ),
        ]
    };
    slots.iter().flat_map(of_slot).collect()
}

/// A complete event.
fn slice(name: &str, category: &str, slot: WarpSlot, start: u64, end: u64) -> Value {
    json!({
        "name": name, "cat": category, "ph": "X", "pid": PID, "tid": tid(slot),
        "ts": start, "dur": end - start,
    })
}

fn residencies(timeline: &Timeline) -> impl Iterator<Item = Value> {
    let last = timeline.end();
    timeline.residencies.iter().map(move |warp| {
        let name = format!("block {}, warp {}", warp.block, warp.warp);
        slice(
            &name,
            "warp",
            warp.slot,
            warp.start,
            warp.end.unwrap_or(last),
        )
    })
}

fn issues<'a>(
    timeline: &Timeline,
    listed: impl Fn(u32) -> &'a Instruction,
) -> impl Iterator<Item = Value> {
    timeline.events.iter().map(move |event| {
        let instruction = listed(event.op);
        let (text, pc) = (&instruction.text, instruction.pc_bytes);
        let slot = timeline.residencies[event.residency as usize].slot;
        let mut value = slice(opcode(text), "issue", slot, event.cycle, event.cycle + 1);
        value["cname"] = json!("good");
        value["args"] =
            json!({ "instruction": text, "pc": format!("{pc:#06x}"), "dual": event.second });
        if let Some((ready_at, cause)) = event.served {
            value["args"]["result after"] = json!(ready_at.saturating_sub(event.cycle));
            value["args"]["served by"] = json!(cause.name());
        }
        value
    })
}

/// The opcode of an instruction's text, without its guard.
fn opcode(text: &str) -> &str {
    let mut words = text.split_whitespace();
    words
        .find(|word| !word.starts_with('@'))
        .unwrap_or("instruction")
}

fn waits(timeline: &Timeline) -> impl Iterator<Item = Value> {
    timeline.waits.iter().map(|wait| {
        let slot = timeline.residencies[wait.residency as usize].slot;
        let mut value = slice(wait_name(wait.cause), "stall", slot, wait.start, wait.end);
        value["cname"] = json!(colour(wait.cause));
        value
    })
}

/// A colour name of Chrome's viewer; Perfetto's colours by the slice's name.
fn colour(cause: Option<Cause>) -> &'static str {
    match cause {
        None => "grey",
        Some(Cause::Issued) => "good",
        Some(Cause::Wait) => "thread_state_runnable",
        Some(Cause::Branch) => "yellow",
        Some(Cause::L1Hit) => "rail_idle",
        Some(Cause::L2) => "bad",
        Some(Cause::Dram) => "terrible",
        Some(Cause::Mshr) => "black",
        Some(Cause::Global) => "thread_state_uninterruptible",
        Some(Cause::Shared) => "rail_load",
        Some(Cause::MathPipe) => "rail_animation",
        Some(Cause::LoadStoreUnit) => "olive",
        Some(Cause::Barrier) => "grey",
        Some(Cause::NoInstruction) => "detailed_memory_dump",
        Some(Cause::NoWarp) => "white",
    }
}

fn counter(name: &str, cycle: u64, value: f64) -> Value {
    json!({ "name": name, "ph": "C", "pid": PID, "ts": cycle, "args": { name: value } })
}

/// A point wherever the number of resident warps changes.
fn resident_warps(timeline: &Timeline) -> Vec<Value> {
    let starts = timeline.residencies.iter().map(|warp| (warp.start, 1i64));
    let ends = timeline
        .residencies
        .iter()
        .filter_map(|warp| Some((warp.end?, -1)));
    let mut changes: Vec<(u64, i64)> = starts.chain(ends).collect();
    changes.sort_unstable();
    let mut warps = 0;
    let mut points: Vec<(u64, i64)> = Vec::new();
    for (cycle, change) in changes {
        warps += change;
        match points.last_mut() {
            Some(last) if last.0 == cycle => last.1 = warps,
            _ => points.push((cycle, warps)),
        }
    }
    let point = |&(cycle, warps): &(u64, i64)| counter("resident warps", cycle, warps as f64);
    points.iter().map(point).collect()
}

/// Counts of one interval.
#[derive(Default, Clone, Copy)]
struct Interval {
    issued: u64,
    stack_accesses: u64,
    l1_hits: u64,
}

/// Issue rate and L1 hits, interval by interval.
fn rates(timeline: &Timeline) -> Vec<Value> {
    let length = timeline.end().div_ceil(COUNTER_POINTS).max(16);
    let mut intervals = vec![Interval::default(); (timeline.end() / length) as usize + 1];
    for event in &timeline.events {
        let interval = &mut intervals[(event.cycle / length) as usize];
        interval.issued += 1;
        if let Some((_, cause @ (Cause::L1Hit | Cause::L2 | Cause::Dram))) = event.served {
            interval.stack_accesses += 1;
            interval.l1_hits += u64::from(cause == Cause::L1Hit);
        }
    }
    let points = intervals.iter().enumerate().flat_map(|(index, interval)| {
        let cycle = index as u64 * length;
        let rate = interval.issued as f64 / length as f64;
        let hits = 100.0 * interval.l1_hits as f64 / interval.stack_accesses.max(1) as f64;
        let hits = (interval.stack_accesses > 0).then(|| counter("L1 hits (%)", cycle, hits));
        [
            Some(counter("warp instructions per cycle", cycle, rate)),
            hits,
        ]
    });
    points.flatten().collect()
}
