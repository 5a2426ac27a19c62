//! Do exported files obey the published grammars? The parsers here are written from the formats' descriptions, not from
//! the program's own code.

use crate::program::succeeds;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Exports a launch and returns the messages.
fn export(format: &str, out: &Path, more: &str) -> String {
    let launch = format!("export {format} --threads 96 --stack-dim 2");
    let output = succeeds(&format!("{launch} --out {} {more}", out.display()));
    String::from_utf8(output.stderr).unwrap()
}

/// One instruction line: `PC mask ndst [R] opcode nsrc [R..] width [mode addresses] immediate`.
struct Line {
    mask: u32,
    opcode: String,
    addresses: Option<Vec<u64>>,
}

fn registers<'a>(tokens: &mut impl Iterator<Item = &'a str>, most: usize) {
    let count: usize = tokens.next().unwrap().parse().unwrap();
    assert!(count <= most, "{count} registers");
    for _ in 0..count {
        let register = tokens.next().unwrap().strip_prefix('R').unwrap();
        register.parse::<u8>().unwrap();
    }
}

fn hex(token: &str) -> u64 {
    u64::from_str_radix(token.trim_start_matches("0x"), 16).unwrap()
}

/// The addresses of the active lanes, decompressed lane by lane as Accel-Sim does.
fn decompress<'a>(mask: u32, tokens: &mut impl Iterator<Item = &'a str>) -> Vec<u64> {
    let mode: u32 = tokens.next().unwrap().parse().unwrap();
    let active: Vec<u32> = (0..32).filter(|lane| mask >> lane & 1 == 1).collect();
    match mode {
        0 => active.iter().map(|_| hex(tokens.next().unwrap())).collect(),
        1 => {
            let contiguous = active.windows(2).all(|pair| pair[1] == pair[0] + 1);
            assert!(contiguous && active.len() >= 2, "mode 1 with mask {mask:x}");
            let base = hex(tokens.next().unwrap());
            let stride: i32 = tokens.next().unwrap().parse().unwrap();
            let lanes = 0..active.len() as i64;
            lanes
                .map(|lane| (base as i64 + lane * i64::from(stride)) as u64)
                .collect()
        }
        2 => {
            let mut addresses = vec![hex(tokens.next().unwrap())];
            for lane in 1..active.len() {
                let delta: i64 = tokens.next().unwrap().parse().unwrap();
                addresses.push((addresses[lane - 1] as i64 + delta) as u64);
            }
            addresses
        }
        _ => panic!("address mode {mode}"),
    }
}

fn instruction(text: &str) -> Line {
    let mut tokens = text.split_whitespace();
    hex(tokens.next().unwrap());
    let mask = tokens.next().unwrap();
    assert_eq!(mask.len(), 8, "{text}");
    let mask = hex(mask) as u32;
    registers(&mut tokens, 1);
    let opcode = tokens.next().unwrap().to_owned();
    registers(&mut tokens, 4);
    let width: u32 = tokens.next().unwrap().parse().unwrap();
    let addresses = (width > 0).then(|| decompress(mask, &mut tokens));
    tokens
        .next()
        .expect("tracer version 5 ends lines with an immediate")
        .parse::<i64>()
        .unwrap();
    assert_eq!(tokens.next(), None, "{text}");
    Line {
        mask,
        opcode,
        addresses,
    }
}

struct Trace {
    header: HashMap<String, String>,
    /// Lines by block and warp.
    blocks: Vec<Vec<Vec<Line>>>,
}

fn parse(text: &str) -> Trace {
    assert!(
        text.ends_with('\n'),
        "Accel-Sim asserts a newline at the end"
    );
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let mut header = HashMap::new();
    for line in lines.by_ref().take_while(|line| !line.starts_with('#')) {
        let (name, value) = line.strip_prefix('-').unwrap().split_once(" = ").unwrap();
        header.insert(name.to_owned(), value.to_owned());
    }
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        assert_eq!(line, "#BEGIN_TB");
        let block = lines
            .next()
            .unwrap()
            .strip_prefix("thread block = ")
            .unwrap();
        assert_eq!(block, format!("{},0,0", blocks.len()));
        let mut warps = Vec::new();
        loop {
            let line = lines.next().unwrap();
            if line == "#END_TB" {
                break;
            }
            assert_eq!(line, format!("warp = {}", warps.len()));
            let count: usize = lines
                .next()
                .unwrap()
                .strip_prefix("insts = ")
                .unwrap()
                .parse()
                .unwrap();
            assert!(count >= 1);
            warps.push(lines.by_ref().take(count).map(instruction).collect());
        }
        blocks.push(warps);
    }
    Trace { header, blocks }
}

/// Opcodes of Accel-Sim's `kepler_opcode.h` that the interpreters' machine code uses.
const KEPLER_OPCODES: &str = "FFMA FFMA32I FADD FADD32I FCMP FMUL FMUL32I FMNMX FSWZ FSET FSETP FCHK RRO MUFU DFMA DADD \
    DMUL DMNMX DSET DSETP IMAD IMADSP IMUL IMUL32I IADD IADD32I ISUB ISCADD ISCADD32I ISAD IMNMX BFE BFI SHR SHL SHF LOP \
    LOP32I FLO ISET ISETP ICMP POPC F2F F2I I2F I2I MOV MOV32I SEL PRMT SHFL P2R R2P CSET CSETP PSET PSETP TEX TLD TLD4 \
    TXQ LDC LD LDG LDL LDS LDSLK ST STL STS STSCUL ATOM RED CCTL CCTLL MEMBAR SUCLAMP SUBFM SUEAU SULDGA SUSTGA BRA BRX \
    JMP JMX CAL JCAL RET BRK CONT SSY PBK PCNT PRET BPT EXIT NOP S2R B2R BAR VOTE";

fn check_block(warps: &[Vec<Line>], n_warps: usize) {
    assert_eq!(warps.len(), n_warps);
    let known: HashSet<&str> = KEPLER_OPCODES.split_whitespace().collect();
    for warp in warps {
        for line in warp {
            let base = line.opcode.split('.').next().unwrap();
            assert!(known.contains(base), "{} would end Accel-Sim", line.opcode);
            let moves = ["LD", "ST"].iter().any(|name| base.starts_with(name)) && base != "LDC";
            assert_eq!(moves, line.addresses.is_some(), "{}", line.opcode);
            if let Some(addresses) = &line.addresses {
                assert_eq!(addresses.len(), line.mask.count_ones() as usize);
            }
        }
        let exits = warp
            .iter()
            .filter(|line| line.opcode == "EXIT" && line.mask != 0);
        assert_eq!(exits.count(), 1, "a warp exits once");
        assert_eq!(warp.last().unwrap().opcode, "EXIT");
        assert_eq!(warp.last().unwrap().mask, u32::MAX);
    }
}

#[test]
fn a_trace_for_accel_sim_parses_and_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    for (addresses, blocks) in [("compressed", 3), ("list", 1)] {
        let out = folder.path().join(addresses);
        let more = format!("--addresses {addresses} --blocks {blocks}");
        export("accel-sim", &out, &more);
        let list = std::fs::read_to_string(out.join("kernelslist.g")).unwrap();
        let kernels: Vec<&str> = list
            .lines()
            .filter(|line| line.starts_with("kernel"))
            .collect();
        assert_eq!(kernels, ["kernel-1.traceg"]);
        for copy in list.lines().filter(|line| line.starts_with("Memcpy")) {
            let fields: Vec<&str> = copy.split(',').collect();
            assert_eq!(
                (fields.len(), fields[0], fields[1].len()),
                (3, "MemcpyHtoD", 18)
            );
            fields[2].parse::<i64>().unwrap();
        }
        let trace = parse(&std::fs::read_to_string(out.join(kernels[0])).unwrap());
        assert_eq!(trace.header["binary version"], "35");
        assert_eq!(trace.header["grid dim"], format!("({blocks},1,1)"));
        assert_eq!(trace.header["block dim"], "(96,1,1)");
        assert_eq!(trace.header["accelsim tracer version"], "5");
        for name in [
            "kernel name",
            "shmem",
            "nregs",
            "cuda stream id",
            "enable lineinfo",
        ] {
            assert!(trace.header.contains_key(name), "{name}");
        }
        assert_eq!(trace.blocks.len(), blocks);
        trace.blocks.iter().for_each(|warps| check_block(warps, 3));
    }
}

#[test]
fn both_address_modes_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let lists = ["compressed", "list"].map(|mode| {
        let out = folder.path().join(mode);
        export(
            "accel-sim",
            &out,
            &format!("--addresses {mode} --iterations 2"),
        );
        parse(&std::fs::read_to_string(out.join("kernel-1.traceg")).unwrap())
    });
    let addresses = |trace: &Trace| -> Vec<Option<Vec<u64>>> {
        let lines = trace.blocks.iter().flatten().flatten();
        lines.map(|line| line.addresses.clone()).collect()
    };
    assert_eq!(addresses(&lists[0]), addresses(&lists[1]));
}

/// Start, end and category.
type Slice = (u64, u64, String);

/// The slices of each lane.
fn slices(file: &Value) -> HashMap<u64, Vec<Slice>> {
    let mut lanes: HashMap<u64, Vec<Slice>> = HashMap::new();
    let events = file["traceEvents"].as_array().unwrap().iter();
    for event in events.filter(|event| event["ph"] == "X") {
        let [start, length, lane] = ["ts", "dur", "tid"].map(|name| event[name].as_u64().unwrap());
        assert!(length > 0, "{event}");
        let category = event["cat"].as_str().unwrap().to_owned();
        let slices = lanes.entry(lane).or_default();
        slices.push((start, start + length, category));
    }
    lanes
}

#[test]
fn perfettos_json_is_a_list_of_complete_and_nested_events() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("timeline.json");
    let message = export("perfetto", &out, "--blocks 2 --cycles 9000");
    assert!(
        message.contains("warp instructions of 2 blocks"),
        "{message}"
    );
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert!(["ms", "ns"].contains(&file["displayTimeUnit"].as_str().unwrap()));
    let events = file["traceEvents"].as_array().unwrap();
    let mut lanes = slices(&file);
    let mut named = HashSet::new();
    let mut counters = HashSet::new();
    for event in events {
        assert!(
            event["pid"].is_u64() && event["name"].is_string(),
            "{event}"
        );
        match event["ph"].as_str().unwrap() {
            "X" => {}
            "M" => drop(named.insert(event["tid"].as_u64().unwrap())),
            "C" => {
                let name = event["name"].as_str().unwrap();
                assert!(event["args"][name].is_number(), "{event}");
                counters.insert(name.to_owned());
            }
            other => panic!("event type {other}"),
        }
    }
    assert!(
        counters.contains("resident warps") && counters.contains("L1 hits (%)"),
        "{counters:?}"
    );
    assert_eq!(lanes.len(), 6, "a lane per resident warp");
    for (lane, slices) in &mut lanes {
        assert!(named.contains(lane), "lane {lane} has no name");
        assert!(
            slices.iter().any(|slice| slice.2 == "issue")
                && slices.iter().any(|slice| slice.2 == "stall")
        );
        check_nesting(slices);
    }
}

/// With more blocks than are resident together, a warp's stay begins where that of the previous warp in its slot ends.
#[test]
fn perfettos_slices_of_several_waves_are_nested() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("waves.json");
    export("perfetto", &out, "--blocks 40 --cycles 999999");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let mut lanes = slices(&file);
    let waves = |slices: &[Slice]| slices.iter().filter(|slice| slice.2 == "warp").count();
    assert!(lanes.values().any(|slices| waves(slices) > 1));
    lanes.values_mut().for_each(|slices| check_nesting(slices));
}

/// Slices on one lane are disjoint or nested.
fn check_nesting(slices: &mut [Slice]) {
    slices.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let mut open: Vec<u64> = Vec::new();
    for (start, end, category) in slices.iter() {
        while open.last().is_some_and(|last| last <= start) {
            open.pop();
        }
        assert!(
            open.last().is_none_or(|last| last >= end),
            "{category} {start}..{end} crosses {open:?}"
        );
        open.push(*end);
    }
}

#[test]
fn timelines_are_cut_where_asked_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("cut.json");
    let message = export("perfetto", &out, "--cycles 500");
    assert!(message.contains("cut there, raise --cycles"), "{message}");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let last = file["traceEvents"].as_array().unwrap().iter();
    let ends = last
        .filter(|event| event["cat"] == "issue")
        .map(|event| event["ts"].as_u64().unwrap());
    assert!(ends.max().unwrap() < 1500);
}
