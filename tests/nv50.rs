//! Is the translation of Kepler's machine code to that of compute capability 1.x what the table says, on code worked out by hand? Does it
//! agree with a real compiler for those chips (listings in `fixtures/nv50/`)?

use std::io::Read;
use warpstack::gpu::variant::{Arch, Variant};
use warpstack::isa::cfg::ControlFlow;
use warpstack::isa::nv50::{self, Translated};
use warpstack::isa::{Kernel, OpClass};
use warpstack::papers::langdon::kernel::Submachine;

fn translated(kernel: &Kernel) -> Translated {
    nv50::translate(kernel, nv50::target("sm_13").unwrap()).unwrap()
}

fn submachine() -> Kernel {
    Submachine::load(1, Arch::Sm35).unwrap().kernel
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
    let flow = ControlFlow::new(kernel);
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

#[test]
#[ignore = "prints listings and counts"]
fn print() {
    for kernel in [submachine(), postfix("shared"), postfix("local")] {
        let translated = translated(&kernel);
        println!("{}", translated.listing(&kernel));
        for path in tokens(&kernel) {
            let n: usize = path.iter().map(|&at| translated.of(at).len()).sum();
            let names: Vec<&str> = path
                .iter()
                .map(|&at| kernel.instructions[at].text.split(' ').next().unwrap())
                .filter(|name| {
                    ![
                        "MOV",
                        "BRA",
                        "IADD32I",
                        "IMAD",
                        "SHL",
                        "ISETP.NE.AND",
                        "@P0",
                        "@!P0",
                        "IADD",
                        "IADD.X",
                        "BRK",
                        "MOV32I",
                        "ISETP.GE.U32.AND",
                    ]
                    .contains(name)
                })
                .collect();
            let loose = nv50::translate(&kernel, nv50::target("sm_13-loose").unwrap()).unwrap();
            let m: usize = path.iter().map(|&at| loose.of(at).len()).sum();
            println!("{} -> {n}, {m} {names:?}", path.len());
        }
    }
}

#[test]
#[ignore]
fn all_committed_kernels() {
    let mut refused = std::collections::BTreeMap::new();
    for variant in Variant::all().unwrap() {
        if variant.arch == Arch::Sm35 {
            let kernel = Kernel::parse(&variant.sass().unwrap(), "x").unwrap();
            match nv50::translate(&kernel, nv50::target("sm_13").unwrap()) {
                Ok(t) => println!(
                    "{variant}: {} -> {}",
                    kernel.instructions.len(),
                    t.instructions.len()
                ),
                Err(error) => *refused.entry(error.to_string()).or_insert(0) += 1,
            }
        }
    }
    println!("{refused:#?}");
}
