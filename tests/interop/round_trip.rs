//! Do random traces survive writing and reading, and does every damage to a file get a specific error?

use proptest::prelude::*;
use warpstack::interop::accel_sim::addresses::{self, AddressMode};
use warpstack::interop::accel_sim::list;
use warpstack::interop::accel_sim::{Block, Header, Line, MemoryAccess, TraceReader, TraceWriter};
use warpstack::interop::replay::{Limits, import};

const LIMITS: Limits = Limits {
    blocks: usize::MAX,
    instructions: u64::MAX,
};

/// Addresses of `n` lanes: a stride, or anything.
fn lane_addresses(n: usize) -> BoxedStrategy<Vec<u64>> {
    let strided = (any::<u32>(), -512i64..512).prop_map(move |(base, stride)| {
        let base = u64::from(base) + (1 << 16);
        (0..n as i64)
            .map(|lane| base.wrapping_add_signed(lane * stride))
            .collect()
    });
    let any = proptest::collection::vec(any::<u64>(), n);
    prop_oneof![strided, any].boxed()
}

fn memory(mask: u32) -> impl Strategy<Value = Option<MemoryAccess>> {
    let widths = proptest::sample::select(vec![1u32, 2, 4, 8, 16]);
    let access = (widths, lane_addresses(mask.count_ones() as usize));
    proptest::option::of(access.prop_map(|(width, addresses)| MemoryAccess { width, addresses }))
}

/// Masks of real warps: full, a run, anything, none.
fn mask() -> impl Strategy<Value = u32> {
    let run = (0u32..32, 1u32..32).prop_map(|(start, n)| (((1u64 << n) - 1) << start) as u32);
    prop_oneof![Just(u32::MAX), run, any::<u32>(), Just(0)]
}

fn line() -> impl Strategy<Value = Line> {
    let registers = proptest::collection::vec(any::<u8>(), 0..=4);
    let fields = (
        0u64..1 << 32,
        mask(),
        proptest::option::of(any::<u8>()),
        "[A-Z][A-Z0-9]{0,6}(\\.[A-Z0-9]{1,4}){0,3}",
        registers,
    );
    fields.prop_flat_map(move |(pc, mask, destination, opcode, sources)| {
        memory(mask).prop_map(move |memory| Line {
            pc,
            mask,
            destination,
            opcode: opcode.clone(),
            sources: sources.clone(),
            memory,
        })
    })
}

fn header() -> impl Strategy<Value = Header> {
    let dims = (1u32..9, 1u32..9, 1u32..9);
    let fields = ("[a-z_0-9]{1,12}", dims, 1u32..130, 0u32..49152, 1u32..256);
    fields.prop_map(
        |(name, (x, y, z), threads, shared_bytes, registers)| Header {
            kernel_name: name,
            grid: [x, y, z],
            block: [threads, 1, 1],
            shared_bytes,
            registers,
            binary_version: 70,
            shared_base: 0x7f00_0000_0000,
            local_base: 0x7f00_0100_0000,
            ..Header::default()
        },
    )
}

fn trace() -> impl Strategy<Value = (Header, Vec<Block>)> {
    header().prop_flat_map(|header| {
        let warps = header.threads_per_block().div_ceil(32) as usize;
        let warp = proptest::collection::vec(line(), 0..6);
        let warps = proptest::collection::vec(warp, warps);
        let block = (warps, any::<[u32; 3]>()).prop_map(|(warps, index)| Block { index, warps });
        (Just(header), proptest::collection::vec(block, 1..4))
    })
}

fn written(header: &Header, blocks: &[Block], mode: AddressMode) -> String {
    let mut writer = TraceWriter::new(header, mode);
    blocks.iter().for_each(|block| writer.block(block));
    writer.finish()
}

fn read(text: &str) -> Result<(Header, Vec<Block>), String> {
    let mut reader =
        TraceReader::new(text.as_bytes(), "t.traceg").map_err(|error| error.to_string())?;
    let mut blocks = Vec::new();
    while let Some(index) = reader.next_block().map_err(|error| error.to_string())? {
        let n_warps = reader.header().warps_per_block() as usize;
        let mut warps: Vec<Vec<Line>> = vec![Vec::new(); n_warps];
        let taken = reader.lines(|line, place| {
            warps[place.warp].push(line.clone());
            Ok(())
        });
        taken.map_err(|error| error.to_string())?;
        blocks.push(Block { index, warps });
    }
    Ok((reader.header().clone(), blocks))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_trace_read_is_the_trace_written((header, blocks) in trace(), compressed in any::<bool>()) {
        let mode = if compressed { AddressMode::Compressed } else { AddressMode::ListAll };
        let again = read(&written(&header, &blocks, mode));
        prop_assert_eq!(again, Ok((header, blocks)));
    }

    #[test]
    fn addresses_read_are_the_addresses_written((mask, addresses) in mask().prop_flat_map(|mask| {
        (Just(mask), lane_addresses(mask.count_ones() as usize))
    })) {
        let mut text = String::new();
        addresses::write(&mut text, AddressMode::Compressed, mask, &addresses);
        let mut again = vec![1];
        let parsed = addresses::parse(text.split_whitespace(), mask, &mut again);
        prop_assert_eq!(parsed.map(|()| again), Ok(addresses));
    }

    #[test]
    fn a_trace_cut_anywhere_is_refused_with_file_and_line((header, blocks) in trace(), at in 0.0..1.0f64) {
        let text = written(&header, &blocks, AddressMode::Compressed);
        let cut = ((text.len() - 1) as f64 * at) as usize;
        let kept = text[..cut].trim_end();
        let whole = text[..cut].ends_with('\n') && (kept.ends_with("immediate") || kept.ends_with("#END_TB"));
        match read(&text[..cut]) {
            Ok(_) => prop_assert!(whole, "accepted: ...{}", &text[cut.saturating_sub(40)..cut]),
            Err(message) => {
                prop_assert!(message.starts_with("t.traceg:") && message.contains("allowed"), "{}", message);
                prop_assert_eq!(message.lines().count(), 1);
            }
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-#a-zA-Z0-9 =(),.\\n]{0,300}") {
        let _ = read(&format!("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = 8\n\
            -binary version = 35\n-accelsim tracer version = 4\n#\n{text}\n"));
        let _ = read(&text);
        let _ = list::kernels(&text, "list");
    }

    #[test]
    fn any_trace_of_known_opcodes_can_be_simulated((header, mut blocks) in trace()) {
        for line in blocks.iter_mut().flat_map(|block| &mut block.warps).flatten() {
            line.opcode = if line.memory.is_some() { "LDG.E.SYS".into() } else { "FADD".into() };
            for address in line.memory.iter_mut().flat_map(|memory| &mut memory.addresses) {
                *address %= 1 << 40;
                *address = *address % (1 << 30) + 0x7000_0000_0000;
            }
        }
        let text = written(&header, &blocks, AddressMode::Compressed);
        let device = warpstack::device::Preset::load("gtx670").unwrap().device;
        let imported = import(text.as_bytes(), "t", LIMITS, &device);
        let lines = blocks.iter().flat_map(|block| &block.warps).flatten().count() as u64;
        if lines == 0 {
            prop_assert!(imported.unwrap_err().to_string().contains("warp instructions: given none"));
            return Ok(());
        }
        let imported = imported.unwrap();
        prop_assert_eq!(imported.instructions, lines);
        let spec = warpstack::launch::spec::SmxSpec::new(&device, 48 * 1024).unwrap();
        let run = warpstack::sim::blocks::run(&spec, &imported.blocks, 1, u64::MAX, ()).unwrap();
        prop_assert!(run.ended);
        prop_assert_eq!(run.counters.instructions, imported.instructions);
        let stack: u64 = run.counters.cpi_stack.iter().sum();
        prop_assert_eq!(stack, 4 * run.counters.cycles);
    }
}

#[test]
fn lists_of_commands_come_back() {
    let text = list::text(&[(0x7f00_0000_1000, 400_000)], "kernel-1.traceg");
    assert_eq!(
        text,
        "MemcpyHtoD,0x00007f0000001000,400000\nkernel-1.traceg\n"
    );
    let with_others = format!("\nMemcpyDtoH,0x10,4\n{text}");
    for list in [text, with_others] {
        let kernels = list::kernels(&list, "kernelslist.g").unwrap();
        assert_eq!(kernels, ["kernel-1.traceg"]);
    }
}

#[test]
fn lines_begin_with_block_and_warp_before_version_3_and_with_the_source_line_if_the_header_says_so()
{
    for (version, line_info, line) in [
        (2, 0, "0 0 0 0 0010 ffffffff 0 EXIT 0 0"),
        (2, 1, "0 0 0 0 17 0010 ffffffff 0 EXIT 0 0"),
        (4, 1, "17 0010 ffffffff 0 EXIT 0 0"),
    ] {
        let text = format!(
            "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = 8\n-binary version = 70\n\
             -accelsim tracer version = {version}\n-enable lineinfo = {line_info}\n#\n#BEGIN_TB\n\
             thread block = 0,0,0\nwarp = 0\ninsts = 1\n{line}\n#END_TB\n"
        );
        let (_, blocks) = read(&text).unwrap();
        assert_eq!(blocks[0].warps[0][0].pc, 0x10, "{line}");
    }
}

/// Newer tracers write a block's cluster, and tracers write warps of which they saw nothing.
#[test]
fn blocks_may_name_their_cluster_and_warps_may_be_empty() {
    let block = |names: &str| {
        format!(
            "-kernel name = k\n-grid dim = (1,1,1)\n-cluster dim = (2,1,1)\n-block dim = (96,1,1)\n-nregs = 8\n\
             -binary version = 90\n-accelsim tracer version = 5\n#\n#BEGIN_TB\n\n{names}\n\nwarp = 0\ninsts = 0\n\n\
             warp = 1\ninsts = 2\n0000 ffffffff 0 BAR.SYNC 0 0 0\n0010 ffffffff 0 EXIT 0 0 0\n\n\
             warp = 2\ninsts = 0\n\n#END_TB\n"
        )
    };
    let device = warpstack::device::Preset::load("gtx670").unwrap().device;
    let spec = warpstack::launch::spec::SmxSpec::new(&device, 48 * 1024).unwrap();
    for names in [
        "thread block = 3,2,1",
        "thread block = 3,2,1\n\ncluster id = 1,2,1",
        "cluster id = 1,2,1\nthread block = 3,2,1",
    ] {
        let (_, blocks) = read(&block(names)).unwrap();
        assert_eq!(blocks[0].index, [3, 2, 1], "{names}");
        assert_eq!(
            blocks[0].warps.iter().map(Vec::len).collect::<Vec<_>>(),
            [0, 2, 0]
        );
        let imported = import(block(names).as_bytes(), "t", LIMITS, &device).unwrap();
        let run = warpstack::sim::blocks::run(&spec, &imported.blocks, 1, u64::MAX, ()).unwrap();
        // No warp is waited for that has nothing to execute.
        assert!(run.ended);
        assert_eq!(
            (run.counters.instructions, run.counters.blocks_finished),
            (2, 1)
        );
    }
    let refused = read(&block("thread block = 3,2,1\ncluster id = 1")).unwrap_err();
    assert!(
        refused.contains("t.traceg:12: line: given cluster id = 1; allowed: cluster id = x,y,z"),
        "{refused}"
    );
}
