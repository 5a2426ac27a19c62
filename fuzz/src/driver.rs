//! Executions of one target, one after the other: inputs that panic are kept. `NAME.last` in the folder of findings is the input
//! in work, so an execution without an end leaves its input, too.

use crate::coverage::Coverage;
use crate::mutate::Mutator;
use crate::targets::Target;
use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;
use std::time::Instant;

#[derive(Clone, Copy)]
pub enum Limit {
    Seconds(f64),
    Iterations(u64),
}

pub struct Session<'a> {
    pub target: &'a Target,
    pub limit: Limit,
    pub seed: u64,
    pub found: &'a Path,
}

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Silences panics and remembers their places.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            PLACE.with_borrow_mut(|last| *last = place);
        }));
    });
}

impl Session<'_> {
    /// Prints the executions; returns the number of panics, those of one place counted once.
    pub fn run(&self) -> std::io::Result<usize> {
        quiet();
        std::fs::create_dir_all(self.found)?;
        let name = self.target.name;
        let last = File::create(self.found.join(format!("{name}.last")))?;
        let mut inputs = (self.target.seeds)();
        let n_seeds = inputs.len() as u64;
        let mut mutator = Mutator::new(self.seed, &inputs);
        let mut coverage = Coverage::new();
        coverage.is_new();
        let mut places: Vec<String> = Vec::new();
        let start = Instant::now();
        let (mut executions, mut slowest) = (0, 0.0);
        while !self.is_over(executions, start) {
            let input = match inputs.get(executions as usize) {
                Some(seed) if executions < n_seeds => seed.clone(),
                _ => {
                    let other = mutator.random.below(inputs.len());
                    let mut input = inputs[mutator.random.below(inputs.len())].clone();
                    mutator.mutate(&mut input, &inputs[other]);
                    input
                }
            };
            last.set_len(input.len() as u64)?;
            last.write_all_at(&input, 0)?;
            let began = Instant::now();
            let ended = catch_unwind(AssertUnwindSafe(|| (self.target.run)(&input)));
            slowest = f64::max(slowest, began.elapsed().as_secs_f64());
            executions += 1;
            if ended.is_err() {
                self.keep(&input, &mut places)?;
            }
            if coverage.is_new() && executions > n_seeds {
                inputs.push(input);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let ((reached, all), kept, found) = (coverage.reached(), inputs.len(), places.len());
        println!(
            "{name}: {executions} executions in {seconds:.1} s, {kept} inputs kept, {reached} of {all} places reached, slowest {slowest:.2} s, {found} found"
        );
        Ok(found)
    }

    fn is_over(&self, executions: u64, start: Instant) -> bool {
        match self.limit {
            Limit::Seconds(seconds) => start.elapsed().as_secs_f64() >= seconds,
            Limit::Iterations(n) => executions >= n,
        }
    }

    /// The first input of every place that panics.
    fn keep(&self, input: &[u8], places: &mut Vec<String>) -> std::io::Result<()> {
        let place = PLACE.with_borrow(Clone::clone);
        if places.contains(&place) {
            return Ok(());
        }
        let (name, n) = (self.target.name, places.len());
        let path = self.found.join(format!("{name}-{}-{n}", self.seed));
        println!("{name}: panics at {place}: {}", path.display());
        places.push(place);
        std::fs::write(path, input)
    }
}
