//! Names in presets.

use warpstack::device::{
    Arbitration, Coalescing, DefaultSplit, Dependencies, IndexHash, Pipe, RegisterAllocation,
    Replacement, WarpPolicy,
};

/// Names that a field may hold; those of other fields are refused.
pub fn names() -> Vec<&'static str> {
    fn of<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> Vec<&'static str> {
        all.iter().map(|&choice| name(choice)).collect()
    }
    [
        of(&Arbitration::ALL, Arbitration::name),
        of(&Coalescing::ALL, Coalescing::name),
        of(&DefaultSplit::ALL, DefaultSplit::name),
        of(&Dependencies::ALL, Dependencies::name),
        of(&IndexHash::ALL, IndexHash::name),
        of(&Pipe::ALL, Pipe::name),
        of(&RegisterAllocation::ALL, RegisterAllocation::name),
        of(&Replacement::ALL, Replacement::name),
        of(&WarpPolicy::ALL, WarpPolicy::name),
    ]
    .concat()
}
