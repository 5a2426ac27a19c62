//! Listings of machine code: parsed, their control flow found, translated to compute capability 1.0, and a program traced.

use super::text;
use std::sync::LazyLock;
use warpstack::gp::problem::ProblemId;
use warpstack::isa::Arch;
use warpstack::isa::cfg::ControlFlow;
use warpstack::isa::{Kernel, nv50};
use warpstack::systems::chitty::variant::{KernelId, Variant};
use warpstack::systems::chitty::words_of_program;
use warpstack::trace::launch::KernelLaunch;
use warpstack::trace::{ProgramWords, TraceBuilder};

fn variants() -> [Variant; 2] {
    let variant = |arch| Variant::new(KernelId::Rpn, ProblemId::Mux20, 1, arch);
    [variant(Arch::Sm35), variant(Arch::Sm90)]
}

/// A few instructions with every kind of control flow.
const FLOW: &str = "\t.headerflags @\"EF_CUDA_SM35\"\n\t.section\t.nv.info,\"\"\n\t.byte 0x04, 0x12\n\t.word index@(k)\n\t.word 0x10\n\
    \t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=8\"\n.text.k:\n\
    /*0000*/ MOV R1, c[0x0][0x44]; /* 0x64c03c00089c0006 */\n/*0008*/ SSY `(.L_1); /* 0x1480000010000000 */\n\
    /*0010*/ PBK `(.L_2); /* 0x1500000010000000 */\n/*0018*/ ISETP.LT.AND P0, PT, R1, 0x5, PT; /* 0xb3181c00029c041d */\n\
    .L_0:\n/*0020*/ @P0 BRA `(.L_0); /* 0x120007fffc00003c */\n/*0028*/ @!P0 BRK; /* 0x1a00000000020000 */\n\
    .L_1:\n/*0030*/ NOP.S; /* 0x8580000000403c02 */\n.L_2:\n/*0038*/ BRX R4 -0x40; /* 0x12000000001c103c */\n/*0040*/ EXIT; /* 0x18000000001c003c */\n\
    .L_3:\n\t.section\t.nv.constant2.k,\"a\"\n\t.align 4\n\t.word `(.L_0)\n\t.word `(.L_1)\n\t.byte 1, 2\n\t.zero 8\n";

pub fn seeds() -> Vec<Vec<u8>> {
    let listings = variants().map(|variant| variant.sass());
    let listings = listings.into_iter().filter_map(Result::ok);
    listings
        .chain([FLOW.to_owned()])
        .map(String::into_bytes)
        .collect()
}

pub fn run(bytes: &[u8]) {
    static WORDS: LazyLock<ProgramWords> = LazyLock::new(|| {
        let program = "X1 X2 AND X3 OR".parse().expect("a program");
        words_of_program(&variants()[0], 0, &program).expect("the kernel has these functions")
    });
    let Ok(kernel) = Kernel::parse(&text(bytes), "fuzz") else {
        return;
    };
    let _ = ControlFlow::new(&kernel).map(|flow| flow.loops());
    if let Some(target) = nv50::target("sm_10") {
        let _ = nv50::translate(&kernel, target);
    }
    if let Ok(mut builder) = TraceBuilder::new(&kernel, KernelLaunch::block_gp(64, 1, 192)) {
        let _ = builder.trace(&WORDS);
    }
}
