use warpstack::isa::{OpClass, Space};
use warpstack::sim::testing::*;
fn main() {
    let mut ops = vec![load_to(8, Space::Shared, 4)];
    ops.push(warpstack::isa::TimingOp {
        reads: vec![8],
        ..alu(OpClass::Compare, 13)
    });
    for _ in 0..4 {
        ops.push(alu(OpClass::Control, 16));
        ops.push(alu(OpClass::Compare, 13));
    }
    ops.push(load_to(10, Space::Local, 8));
    ops.push(load_to(12, Space::Local, 8));
    ops.push(use_of_load());
    for _ in 0..10 {
        ops.push(alu(OpClass::Fp32, 9));
    }
    ops.push(store(Space::Local, 8));
    ops.push(alu(OpClass::IntAdd, 9));
    ops.push(alu(OpClass::Control, 16));
    let code = looped(&ops);
    for n in [16u32, 64] {
        let t = std::time::Instant::now();
        let c = run(&spec(), &code, n.min(64), 400_000);
        let s = t.elapsed().as_secs_f64();
        println!(
            "{n} warps: {:.1} M instr/s, ipc {:.2}",
            2.0 * c.instructions as f64 / s / 1e6,
            c.instructions as f64 / c.cycles as f64
        );
    }
}
