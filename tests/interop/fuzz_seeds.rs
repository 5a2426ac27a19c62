//! Do the fuzz targets survive their seeds, every input that once crashed one of them (`fuzz/crashes/TARGET/`), and damaged
//! copies of both? `cargo fuzz` tries more, with overflow checks.

#[path = "../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use mutate::Mutator;
use rayon::prelude::*;
use std::path::Path;

/// Damaged inputs per target.
const DAMAGED: usize = 300;

#[test]
fn seeds_former_crashes_and_damaged_copies() {
    targets::all().par_iter().for_each(|target| {
        let mut inputs = (target.seeds)();
        assert!(!inputs.is_empty(), "{}", target.name);
        let crashes = std::fs::read_dir(Path::new("fuzz/crashes").join(target.name));
        for file in crashes.into_iter().flatten() {
            inputs.push(std::fs::read(file.unwrap().path()).unwrap());
        }
        for input in &inputs {
            (target.run)(input);
        }
        let mut mutator = Mutator::new(1, &inputs);
        for _ in 0..DAMAGED {
            let [mut input, other] =
                [(); 2].map(|()| inputs[mutator.random.below(inputs.len())].clone());
            mutator.mutate(&mut input, &other);
            (target.run)(&input);
        }
    });
}

#[test]
fn crashes_are_those_of_targets() {
    for entry in std::fs::read_dir("fuzz/crashes").unwrap() {
        let path = entry.unwrap().path();
        let known = targets::all()
            .iter()
            .any(|target| path.ends_with(target.name));
        assert!(known || path.is_file(), "{} is no target", path.display());
    }
}
