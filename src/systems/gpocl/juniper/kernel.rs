//! The kernel on one work-group: its listings, the buffers of a launch, and the results of executing it.
//!
//! Models: the buffers in GPOCL's layout (section 5.1): programs one after the other, inputs transposed, expected outputs; data
//! uniform in [-1, 1].
//! Leaves out: expected outputs in constant memory; the compiler reads them like any buffer, one word in 50 nodes.
//! Units: words of 32 bits. Sources: Augusto and Barbosa 2013; `fixtures/r600`.

use super::programs::{TREE_NODES, Token, words};
use crate::gp::evolve::dice::Dice;
use crate::systems::gpocl::{Domain, INPUTS, Strategy};
use crate::util::names::listed;
use crate::vliw::ExecuteError;
use crate::vliw::execute::{Launch, work_group};
use crate::vliw::memory::{Memory, Region};
use crate::vliw::r600::{Listing, R600Error};
use crate::vliw::steps::Executed;
use std::io::Read;

listed! {
    /// Placement of the interpreter's stack. AMD's compiler is not available, so both are predicted.
    pub enum Placement {
        /// General registers, addressed through the address register.
        Registers,
        /// Scratch memory, bypassing the caches.
        Memory,
    }
}

/// Local memory of a work-group: a program and a partial error for every work-item.
pub const LOCAL_BYTES: u32 = TREE_NODES as u32 * 4 + 256 * 4;

/// Error in a listing.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// A listing that cannot be unpacked.
    #[error("listing {name}: {source}")]
    Packed {
        /// Name of the listing.
        name: &'static str,
        /// Underlying error.
        source: std::io::Error,
    },
    /// A listing that cannot be parsed.
    #[error("listing {name}: {source}")]
    Text {
        /// Name of the listing.
        name: &'static str,
        /// Underlying error.
        source: R600Error,
    },
}

macro_rules! packed {
    ($strategy:expr, $domain:expr, $placement:expr; $(($s:ident $d:ident $p:ident $name:literal))+) => {
        match ($strategy, $domain, $placement) {
            $((Strategy::$s, Domain::$d, Placement::$p) => (
                $name,
                &include_bytes!(concat!("../../../../fixtures/r600/", $name, ".s.gz"))[..],
            ),)+
        }
    };
}

/// Reads the listing of a kernel.
pub fn listing(
    strategy: Strategy,
    domain: Domain,
    placement: Placement,
) -> Result<Listing, KernelError> {
    let (name, bytes) = packed!(strategy, domain, placement;
        (Fp Regression Registers "fp-regression-registers")
        (Fp Regression Memory "fp-regression-memory")
        (Fp Classification Registers "fp-classification-registers")
        (Fp Classification Memory "fp-classification-memory")
        (Pppe Regression Registers "pppe-regression-registers")
        (Pppe Regression Memory "pppe-regression-memory")
        (Pppe Classification Registers "pppe-classification-registers")
        (Pppe Classification Memory "pppe-classification-memory")
        (Ppcu Regression Registers "ppcu-regression-registers")
        (Ppcu Regression Memory "ppcu-regression-memory")
        (Ppcu Classification Registers "ppcu-classification-registers")
        (Ppcu Classification Memory "ppcu-classification-memory")
    );
    let mut text = String::new();
    let mut unpacked = flate2::read::GzDecoder::new(bytes);
    unpacked
        .read_to_string(&mut text)
        .map_err(|source| KernelError::Packed { name, source })?;
    Listing::parse(&text).map_err(|source| KernelError::Text { name, source })
}

/// Buffers of a launch, and their addresses.
#[derive(Debug, Clone)]
pub struct Buffers {
    memory: Memory,
    /// Addresses of programs, inputs, expected outputs, errors and scratch memory.
    addresses: [u32; 5],
    n_programs: u32,
    dataset: u32,
}

/// Sizes of one launch of the kernel.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub group: u32,
    pub n_groups: u32,
    pub local_size: u32,
    /// Chunks of cases that a work-group iterates over (per compute unit).
    pub chunks: u32,
    pub most_iterations: usize,
}

impl Buffers {
    /// Makes buffers for these programs and `dataset` cases, drawn from the seed.
    pub fn new(
        trees: &[Vec<Token>],
        dataset: u32,
        n_errors: u32,
        placement: Placement,
        seed: u64,
    ) -> Self {
        const ITEMS: usize = 1 << 16;
        const LEVELS: usize = 34;
        let mut dice = Dice::new(seed, u64::from(dataset));
        let mut numbers = |n: u32| -> Vec<u32> {
            let draws = (0..n).map(|_| dice.uniform(-1.0, 1.0).to_bits());
            draws.collect()
        };
        let (inputs, expected) = (numbers(dataset * INPUTS), numbers(dataset));
        let scratch = match placement {
            Placement::Registers => 1,
            Placement::Memory => ITEMS * LEVELS,
        };
        let mut memory = Memory::default();
        let population = trees.iter().flat_map(|tree| words(tree)).collect();
        let addresses = [
            memory.add(population, Region::Own),
            memory.add(inputs, Region::Shared),
            memory.add(expected, Region::Shared),
            memory.add(vec![0; n_errors as usize], Region::Shared),
            memory.add(vec![0; scratch], Region::Scratch),
        ];
        Buffers {
            memory,
            addresses,
            n_programs: trees.len() as u32,
            dataset,
        }
    }

    /// Executes one work-group.
    pub fn execute(
        &mut self,
        listing: &Listing,
        sizes: Sizes,
    ) -> Result<Vec<Executed>, ExecuteError> {
        let [programs, inputs, expected, errors, scratch] = self.addresses;
        let half_size = sizes.local_size.next_power_of_two() / 2;
        let launch = Launch {
            group: sizes.group,
            n_groups: sizes.n_groups,
            local_size: sizes.local_size,
            arguments: vec![
                programs,
                inputs,
                expected,
                errors,
                self.n_programs,
                self.dataset,
                sizes.chunks,
                half_size,
                scratch,
            ],
            most_iterations: sizes.most_iterations,
        };
        work_group(listing, &launch, &mut self.memory)
    }

    /// Returns word `at` of a buffer: 0 programs, 1 inputs, 2 expected outputs, 3 errors.
    fn word(&self, buffer: usize, at: u32) -> Result<u32, ExecuteError> {
        let address = self.addresses[buffer] + at * 4;
        self.memory.read(address).map(|(word, _)| word)
    }

    /// Returns input `variable` of case `n`.
    pub fn input(&self, variable: u32, n: u32) -> Result<f32, ExecuteError> {
        self.word(1, variable * self.dataset + n)
            .map(f32::from_bits)
    }

    /// Returns the expected output of case `n`.
    pub fn expected(&self, n: u32) -> Result<f32, ExecuteError> {
        self.word(2, n).map(f32::from_bits)
    }

    /// Returns error `at` as the kernel left it.
    pub fn error(&self, at: u32) -> Result<f32, ExecuteError> {
        self.word(3, at).map(f32::from_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::super::programs::{evaluate, tree};
    use super::*;
    use crate::vliw::steps::Step;

    const DATASET: u32 = 150;
    const PROGRAMS: usize = 70;

    /// Returns a program's correct error over the cases `from .. to`.
    fn reference(buffers: &Buffers, tree: &[Token], cases: std::ops::Range<u32>) -> f64 {
        let errors = cases.map(|n| {
            let value = evaluate(tree, |v| buffers.input(v, n).expect("an input"));
            f64::from((value - buffers.expected(n).expect("an output")).abs())
        });
        errors.sum()
    }

    fn agree(given: f32, wanted: f64, what: &str) {
        let given = f64::from(given);
        // Sines of large numbers and quotients of small ones differ in their last digits, and sums of them by more.
        let is_close = (given - wanted).abs() <= 2e-2 * wanted.abs().max(1.0);
        assert!(
            is_close || !wanted.is_finite() || wanted > 1e4,
            "{what}: {given} instead of {wanted}"
        );
    }

    fn for_all(check: impl Fn(Strategy, Domain, &Listing, &[Vec<Token>], Buffers)) {
        for domain in [Domain::Regression, Domain::Classification] {
            for placement in Placement::ALL {
                for strategy in [Strategy::Fp, Strategy::Pppe, Strategy::Ppcu] {
                    let mut dice = Dice::new(3, 1);
                    let trees: Vec<_> = (0..PROGRAMS).map(|_| tree(domain, &mut dice)).collect();
                    let listing = listing(strategy, domain, placement).expect("a listing");
                    let buffers = Buffers::new(&trees, DATASET, 4096, placement, 5);
                    check(strategy, domain, &listing, &trees, buffers);
                }
            }
        }
    }

    #[test]
    fn all_twelve_listings_compute_the_errors_of_the_programs() {
        for_all(|strategy, domain, listing, trees, mut buffers| {
            let sizes = |group, n_groups, local_size| Sizes {
                group,
                n_groups,
                local_size,
                chunks: DATASET.div_ceil(local_size),
                most_iterations: usize::MAX,
            };
            let what = format!("{strategy:?} {domain:?}");
            match strategy {
                Strategy::Fp => {
                    buffers.execute(listing, sizes(1, 2, 100)).expect("a run");
                    for (p, tree) in trees.iter().enumerate() {
                        let wanted = reference(&buffers, tree, 100..150);
                        agree(
                            buffers.error(p as u32 * 2 + 1).expect("an error"),
                            wanted,
                            &what,
                        );
                    }
                }
                Strategy::Pppe => {
                    buffers.execute(listing, sizes(0, 1, 70)).expect("a run");
                    for (p, tree) in trees.iter().enumerate() {
                        let wanted = reference(&buffers, tree, 0..DATASET);
                        agree(buffers.error(p as u32).expect("an error"), wanted, &what);
                    }
                }
                Strategy::Ppcu => {
                    for (p, tree) in trees.iter().enumerate().take(12) {
                        buffers
                            .execute(listing, sizes(p as u32, 70, 64))
                            .expect("a run");
                        let wanted = reference(&buffers, tree, 0..DATASET);
                        agree(buffers.error(p as u32).expect("an error"), wanted, &what);
                    }
                }
            }
        });
    }

    #[test]
    fn programs_that_part_execute_more_than_each_alone() {
        let bundles = |waves: &[Executed]| -> u32 {
            let of_step = |step: &Step| match step {
                Step::Alu { bundles, .. } => u32::from(*bundles),
                _ => 0,
            };
            waves[0].steps.iter().map(of_step).sum()
        };
        let mut dice = Dice::new(3, 1);
        let different: Vec<_> = (0..64)
            .map(|_| tree(Domain::Regression, &mut dice))
            .collect();
        let same = vec![different[0].clone(); 64];
        let listing =
            listing(Strategy::Pppe, Domain::Regression, Placement::Registers).expect("a listing");
        let count = |trees: &[Vec<Token>]| {
            let sizes = Sizes {
                group: 0,
                n_groups: 1,
                local_size: 64,
                chunks: 1,
                most_iterations: 1,
            };
            let mut buffers = Buffers::new(trees, 4, 64, Placement::Registers, 5);
            bundles(&buffers.execute(&listing, sizes).expect("a run"))
        };
        assert!(count(&different) > 2 * count(&same));
    }

    #[test]
    fn every_function_alone_is_computed() {
        use super::super::programs::functions;
        for domain in [Domain::Regression, Domain::Classification] {
            for placement in Placement::ALL {
                for &(arity, kind) in functions(domain) {
                    let argument = |value| Token {
                        arity: 0,
                        kind: 127,
                        value,
                    };
                    let mut tree = vec![Token {
                        arity,
                        kind,
                        value: 0,
                    }];
                    tree.extend((0..arity).map(argument));
                    let listing = listing(Strategy::Ppcu, domain, placement).expect("a listing");
                    let trees = vec![tree];
                    let mut buffers = Buffers::new(&trees, 4, 64, placement, 5);
                    let sizes = Sizes {
                        group: 0,
                        n_groups: 1,
                        local_size: 4,
                        chunks: 1,
                        most_iterations: 9,
                    };
                    buffers.execute(&listing, sizes).expect("a run");
                    let wanted = reference(&buffers, &trees[0], 0..4);
                    let given = buffers.error(0).expect("an error");
                    agree(
                        given,
                        wanted,
                        &format!("function {kind} of {domain:?} in {placement:?}"),
                    );
                }
            }
        }
    }
}
