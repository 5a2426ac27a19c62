//! Architectures whose machine code is parsed and executed.

use crate::util::names::named;

named! {
    /// Architecture of the machine code.
    pub enum Arch ("architecture") {
    /// Kepler.
    Sm35 = "sm_35",
    /// Turing.
    Sm75 = "sm_75",
    /// Ampere, the A100.
    Sm80 = "sm_80",
    /// Ampere, graphics cards.
    Sm86 = "sm_86",
    /// Ada.
    Sm89 = "sm_89",
    /// Hopper.
    Sm90 = "sm_90",
    }
}

impl Arch {
    /// Returns the compute capability that the code was compiled for.
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

    /// Tells whether a GPU of this compute capability runs the code unchanged: the same major number, and a minor number at
    /// least as large.
    pub fn runs_on(self, (major, minor): (i32, i32)) -> bool {
        let (own_major, own_minor) = self.compute_capability();
        own_major == major && own_minor <= minor
    }

    /// Selects the code for a GPU of this compute capability: the newest that it runs; if there is none, Hopper's, to be
    /// recompiled.
    pub fn for_gpu(compute_capability: (i32, i32)) -> Self {
        let mut newest_first = Self::ALL.iter().rev().copied();
        newest_first
            .find(|arch| arch.runs_on(compute_capability))
            .unwrap_or(Arch::Sm90)
    }
}
