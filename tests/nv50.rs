//! Is the translation of Kepler's machine code to that of compute capability 1.x what the table says, on code worked out by hand?

use warpstack::gpu::variant::Arch;
use warpstack::isa::nv50;
use warpstack::papers::langdon::kernel::Submachine;

#[test]
#[ignore]
fn print() {
    let kernel = Submachine::load(1, Arch::Sm35).unwrap().kernel;
    let target = nv50::target("sm_13").unwrap();
    println!("{}", nv50::translate(&kernel, target).unwrap().listing(&kernel));
}
