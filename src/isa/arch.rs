//! The architectures whose machine code is read and executed.

use crate::util::names::named;

named! {
    /// The architecture of the machine code.
    pub enum Arch ("architecture") {
    /// Kepler.
    Sm35 = "sm_35",
    /// Turing.
    Sm75 = "sm_75",
    /// Ampere, the A100.
    Sm80 = "sm_80",
    /// Ampere, cards for graphics.
    Sm86 = "sm_86",
    /// Ada.
    Sm89 = "sm_89",
    /// Hopper.
    Sm90 = "sm_90",
    }
}

impl Arch {
    /// The compute capability that it was compiled for.
    pub fn compute_capability(self) -> (i32, i32) {
        match self {
            Arch::Sm35 => (3, 5),
            Arch::Sm75 => (7, 5),
            Arch::Sm80 => (8, 0),
            Arch::Sm86 => (8, 6),
            Arch::Sm89 => (8, 9),
            Arch::Sm90 => (9, 0),
        }
    }

    /// Whether a GPU of this compute capability runs it as it is: the same major number, and a minor one that is not smaller.
    pub fn runs_on(self, (major, minor): (i32, i32)) -> bool {
        let (own_major, own_minor) = self.compute_capability();
        own_major == major && own_minor <= minor
    }

    /// The code for a GPU of this compute capability: the newest that it runs; Hopper's, to be compiled again, where there is none.
    pub fn for_gpu(compute_capability: (i32, i32)) -> Self {
        let mut newest_first = Self::ALL.iter().rev().copied();
        newest_first
            .find(|arch| arch.runs_on(compute_capability))
            .unwrap_or(Arch::Sm90)
    }
}
