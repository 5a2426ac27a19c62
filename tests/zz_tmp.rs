use warpstack::gpu::variant::*;
use warpstack::isa::{Kernel, cfg::ControlFlow};
#[test]
fn t() {
    let v = Variant { stack_registers: 2, ..Variant::new(KernelId::Accumulator, FunctionSet::Sextic, 8, Arch::Sm90) };
    let k = Kernel::parse(&v.sass().unwrap(), "x").unwrap();
    let f = ControlFlow::new(&k);
    for l in f.loops() {
        println!("{} {:x} {} blocks {}", l.header, k.instructions[l.header].pc_bytes, k.instructions[l.header].text, l.blocks.len());
    }
    for i in &k.instructions { if i.op == warpstack::isa::op::Op::Brx { println!("{:x} {} {:?}", i.pc_bytes, i.text, i.indirect_targets.len()); } }
}
