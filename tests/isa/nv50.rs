//! Does Kepler's machine code translate to compute capability 1.x as the table requires, on examples worked out by hand? Does the
//! translation agree with a real compiler for those chips (listings in `fixtures/nv50/`)?

mod table;

use std::io::Read;
use warpstack::isa::Arch;
use warpstack::isa::cfg::ControlFlow;
use warpstack::isa::nv50::{self, Translated};
use warpstack::isa::{Kernel, OpClass};
use warpstack::systems::chitty::variant::Variant;
use warpstack::systems::langdon::kernel::load;

fn translated(kernel: &Kernel) -> Translated {
    nv50::translate(kernel, nv50::target("sm_13").unwrap()).unwrap()
}

fn submachine() -> Kernel {
    load(1, Arch::Sm35).unwrap()
}

fn postfix(memory: &str) -> Kernel {
    let packed = std::fs::read(format!("fixtures/nv50/postfix-{memory}.sass.gz")).unwrap();
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
    decoder.read_to_string(&mut text).unwrap();
    Kernel::parse(&text, memory).unwrap()
}

/// The instructions of every way through the innermost loop.
fn tokens(kernel: &Kernel) -> Vec<Vec<usize>> {
    let flow = ControlFlow::new(kernel).unwrap();
    let loops = flow.loops();
    let innermost = loops.iter().min_by_key(|found| found.blocks.len()).unwrap();
    let mut found = Vec::new();
    let mut pending = vec![vec![innermost.header]];
    while let Some(path) = pending.pop() {
        for &next in &flow.successors[path[path.len() - 1]] {
            if next == innermost.header {
                found.push(path.clone());
            } else if innermost.blocks.contains(&flow.block_of[next]) && !path.contains(&next) {
                pending.push([&path[..], &[next]].concat());
            }
        }
    }
    found
}

/// Instructions of every token on Kepler and in a translation, in order, without repetitions.
fn counts(kernel: &Kernel, target: &str) -> Vec<(usize, usize)> {
    let translated = nv50::translate(kernel, nv50::target(target).unwrap()).unwrap();
    let of = |path: Vec<usize>| {
        let n = path.iter().map(|&at| translated.of(at).len()).sum();
        (path.len(), n)
    };
    let mut counts: Vec<(usize, usize)> = tokens(kernel).into_iter().map(of).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The table of `docs/nv50.md`.
#[test]
fn tokens_of_three_interpreters_become_as_many_instructions_as_the_book_says() {
    let submachine = [
        (19, 21),
        (26, 28),
        (34, 42),
        (36, 44),
        (37, 45),
        (38, 46),
        (39, 47),
    ];
    assert_eq!(counts(&self::submachine(), "sm_13"), submachine);
    let shared = [(21, 26), (23, 28), (24, 26), (25, 29), (28, 33)];
    assert_eq!(counts(&postfix("shared"), "sm_13"), shared);
    let local = [(17, 20), (21, 23), (21, 24), (22, 25)];
    assert_eq!(counts(&postfix("local"), "sm_13"), local);
}

/// A basic block of nouveau's listing: its successors, and its instructions.
#[derive(Default)]
struct Listed {
    next: Vec<usize>,
    instructions: Vec<String>,
}

fn listing(name: &str) -> Vec<Listed> {
    let text = std::fs::read_to_string(format!("fixtures/nv50/{name}.txt")).unwrap();
    let mut blocks: Vec<Listed> = Vec::new();
    let mut current = 0;
    let number = |text: &str| -> usize { text.split([' ', '(']).next().unwrap().parse().unwrap() };
    for line in text.lines() {
        if let Some(block) = line.strip_prefix("BB:") {
            current = number(block);
            blocks.resize_with(blocks.len().max(current + 1), Listed::default);
        } else if let Some(next) = line.strip_prefix(" -> BB:") {
            blocks[current].next.push(number(next));
        } else if let Some((_, instruction)) = line.trim().split_once(": ") {
            blocks[current].instructions.push(instruction.to_owned());
        }
    }
    blocks
}

/// Returns the instructions of every token: all paths from the loop's header back to it. Where a block has two successors without a
/// branch, both sides are executed, under a predicate.
fn listed(name: &str) -> Vec<usize> {
    let blocks = listing(name);
    let header = 2;
    let both = |block: &Listed| {
        block.next.len() == 2
            && !block
                .instructions
                .iter()
                .any(|text| text.contains("bra") || text.contains("break"))
    };
    let (mut counts, mut pending) = (Vec::new(), vec![vec![header]]);
    while let Some(path) = pending.pop() {
        for &next in &blocks[path[path.len() - 1]].next {
            if next == header {
                let own: usize = path.iter().map(|&at| blocks[at].instructions.len()).sum();
                let sides = path.iter().filter(|&&at| both(&blocks[at]));
                let other = sides
                    .flat_map(|&at| &blocks[at].next)
                    .filter(|at| !path.contains(at));
                counts.push(
                    own + other
                        .map(|&at| blocks[at].instructions.len())
                        .sum::<usize>(),
                );
            } else if !path.contains(&next) {
                pending.push([&path[..], &[next]].concat());
            }
        }
    }
    counts.sort_unstable();
    counts
}

/// The real compiler's code lies between the ends of the translation, or not far outside.
#[test]
fn nouveaus_code_lies_between_the_tight_and_the_loose_translation() {
    let kernels = [
        ("submachine", submachine()),
        ("postfix-shared", postfix("shared")),
        ("postfix-local", postfix("local")),
    ];
    for (name, kernel) in kernels {
        let (tight, loose) = (counts(&kernel, "sm_13"), counts(&kernel, "sm_13-loose"));
        let of = |counts: &[(usize, usize)]| counts.iter().map(|count| count.1).collect::<Vec<_>>();
        let (tight, loose, real) = (of(&tight), of(&loose), listed(&format!("{name}.gt200")));
        let mean = |counts: &[usize]| counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        println!("{name}: {tight:?}, {loose:?}, nouveau {real:?}");
        assert!(mean(&tight) < mean(&real), "{name}");
        assert!(mean(&real) < 1.05 * mean(&loose), "{name}");
        // For Kepler the two compilers are alike: what is compared is the chip.
        let kepler = listed(&format!("{name}.gk104"));
        let own: Vec<usize> = counts(&kernel, "sm_13")
            .iter()
            .map(|count| count.0)
            .collect();
        assert!((mean(&kepler) / mean(&own) - 1.0).abs() < 0.15, "{name}");
    }
}

fn kernel(instructions: &[&str]) -> Kernel {
    Kernel::parse(&crate::listing::listing(instructions, ""), "test").unwrap()
}

/// Returns the instructions of a translated kernel as text.
fn texts(instructions: &[&str]) -> Vec<String> {
    let kernel = kernel(instructions);
    let found = translated(&kernel).instructions.into_iter();
    found.map(|found| found.text).collect()
}

#[test]
fn an_addition_on_a_shared_stack() {
    let found = texts(&[
        "S2R R0, SR_TID.X",
        "SHL R2, R0, 0x2",
        "LDS R3, [R2]",
        "LDS R4, [R2+0x40]",
        "FADD R5, R3, R4",
        "STS [R2], R5",
        "EXIT",
    ]);
    // The shift writes the address register; one operand of the addition comes from shared memory; the store carries the exit.
    assert_eq!(
        found,
        [
            "cvt u32 u16 $r0",
            "shl b32 $a1 $r0",
            "mov b32 s[] $r4 $a1",
            "add f32 $r5 $r4 $a1",
            "mov b32 s[] <- $r5 $a1",
        ]
    );
}

#[test]
fn an_operand_in_shared_memory_is_accessed_by_the_instruction_that_has_it() {
    let kernel = kernel(&[
        "SHL R2, R0, 0x2",
        "LDS R3, [R2]",
        "FADD R5, R3, R4",
        "STS [R2], R5",
        "EXIT",
    ]);
    let translated = translated(&kernel);
    let accessing = translated.access[1].unwrap() as usize;
    assert!(translated.of(1).is_empty());
    assert_eq!(
        translated.instructions[accessing].text,
        "add f32 $r5 $r4 $a1"
    );
    let access = translated.instructions[accessing].timing.access.unwrap();
    assert!(!access.store && access.bytes_per_lane == 4);
}

#[test]
fn a_store_between_a_load_and_its_reader_keeps_the_load() {
    let found = texts(&[
        "SHL R2, R0, 0x2",
        "LDS R3, [R2]",
        "STS [R2+0x4], R4",
        "FADD R5, R3, R4",
        "STS [R2], R5",
        "EXIT",
    ]);
    assert_eq!(
        found.iter().filter(|text| text.contains("s[] $r3")).count(),
        1
    );
}

#[test]
fn a_result_that_is_an_address_and_more_is_copied() {
    let found = texts(&["SHL R2, R0, 0x2", "LDS R3, [R2]", "ST [R3], R2", "EXIT"]);
    assert_eq!(found[..2], ["shl b32 $r2 $r0", "shl b32 $a1 $r2"]);
}

#[test]
fn addresses_of_global_memory_have_32_bits_and_no_offset() {
    let found = texts(&[
        "IADD R6.CC, R3, c[0x0][0x140]",
        "IADD.X R7, RZ, c[0x0][0x144]",
        "LD.E R5, [R6]",
        "ST.E [R6+0x4], R5",
        "EXIT",
    ]);
    assert_eq!(
        found,
        [
            "add b32 $r6 $r3",
            "ld g14[] $r5 $r6",
            "add b32 $r58 $r5 $r6",
            "st g14[] $r5 $r6 $r58",
        ]
    );
}

#[test]
fn what_has_no_counterpart_is_named() {
    let refused = |instruction: &str| {
        let kernel = kernel(&[instruction, "ST [R9], R2", "EXIT"]);
        let target = nv50::target("sm_10").unwrap();
        nv50::translate(&kernel, target).unwrap_err().to_string()
    };
    assert_eq!(
        refused("DADD R2, R4, R6"),
        "k at 0x0008, `DADD R2, R4, R6`: no counterpart on sm_10: double precision"
    );
    assert!(refused("LDS.64 R2, [R4]").contains("words of 32 bits"));
    let hopper = load(1, Arch::Sm90).unwrap();
    let error = nv50::translate(&hopper, nv50::target("sm_13").unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "machine code to translate: given sm_90; allowed: sm_35"
    );
    assert!(nv50::target("sm_20").is_none());
}

/// Every mnemonic that a translation may have.
const MNEMONICS: [&str; 35] = [
    "add", "and", "and/or", "bar", "bra", "brk", "call", "cos", "cvt", "ex2", "joinat", "ld",
    "lg2", "mad", "max", "min", "min/max", "mov", "mul", "nop", "not", "or", "pre", "prebrk",
    "rcp", "ret", "rsqrt", "set", "shl", "shr", "sin", "st", "sub", "vote", "xor",
];

#[test]
fn every_committed_kernel_is_translated_and_nothing_of_kepler_is_left() {
    let mut kernels = vec![submachine(), postfix("shared"), postfix("local")];
    for variant in Variant::all().unwrap() {
        if variant.arch == Arch::Sm35 {
            kernels.push(Kernel::parse(&variant.sass().unwrap(), "x").unwrap());
        }
    }
    assert!(kernels.len() > 20);
    for kernel in kernels {
        let translated = translated(&kernel);
        for found in &translated.instructions {
            let mut words = found.text.split(' ').filter(|word| !word.starts_with('@'));
            let name = words.next().unwrap();
            assert!(MNEMONICS.contains(&name), "{}: {}", kernel.name, found.text);
            assert!(!found.timing.dual_with_next && found.timing.barriers.wait_mask == 0);
            assert_ne!(found.timing.class, OpClass::Bitfield);
        }
        // Nothing that acts is lost.
        for (index, instruction) in kernel.instructions.iter().enumerate() {
            let accesses = instruction.access.is_some();
            assert!(
                !accesses || translated.access[index].is_some(),
                "{}",
                instruction.text
            );
            let flows = instruction.class == OpClass::Control && !instruction.text.contains("EXIT");
            assert!(
                !flows || !translated.of(index).is_empty(),
                "{}",
                instruction.text
            );
        }
    }
}
