//! The host's part: ECJ on the CPU, the translation of trees, transfers, breeding.
//!
//! Models: CPU evaluation as evaluated nodes and cases, each at a price, functions of the mathematics library dearer; translation and
//! breeding as a price per node, which rises when the population no longer fits the processor's cache; transfers as latency and bytes.
//! Leaves out: the garbage collector's pauses apart from the price of a node; threads; denormal numbers.
//! Units: nanoseconds and as the values say; milliseconds of results. Sources: beside each value. None is measured on the paper's machine, which
//! is known as "an Intel 2,6 GHz CPU (single core)"; none is chosen by the paper's results.

use crate::util::band::Band;

/// A value that nobody published for this machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumed {
    pub name: &'static str,
    pub unit: &'static str,
    pub low: f64,
    pub value: f64,
    pub high: f64,
    pub source: &'static str,
}

macro_rules! assumed {
    ($($(#[$doc:meta])* $name:ident: $low:literal, $value:literal, $high:literal, $unit:literal, $source:literal;)+) => {
        /// All values that the host's times follow from.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Host { $($(#[$doc])* pub $name: f64,)+ }

        /// Their ranges and sources.
        pub const ASSUMED: &[Assumed] = &[$(Assumed {
            name: stringify!($name), unit: $unit, low: $low, value: $value, high: $high, source: $source,
        }),+];

        impl Default for Host {
            fn default() -> Self {
                Host { $($name: $value,)+ }
            }
        }

        impl Host {
            /// The same with one value changed.
            pub fn with(mut self, name: &str, value: f64) -> Self {
                $(if name == stringify!($name) { self.$name = value; })+
                self
            }
        }
    };
}

assumed! {
    /// One node of a tree on one case, by ECJ.
    node_ns: 5.0, 10.0, 20.0, "ns", "Augusto and Barbosa 2013, sequential Xeon at 3.33 GHz on functions without mathematics: 11.8 / 47 = 0.25 billion nodes/s, 5.1 ns at 2.6 GHz in C; a virtual call and an object for the result instead: 1 to 4 times as long";
    /// A sine, cosine, exponential or logarithm, beyond that.
    function_ns: 25.0, 50.0, 100.0, "ns", "x87 instructions of 65 to 250 cycles, or fdlibm's code where Java must not use them";
    /// Beginning a case: setting the inputs, taking the error.
    case_ns: 10.0, 20.0, 40.0, "ns", "as one to three nodes";
    /// Compacting a node: the walk through the scattered tree, without cache misses.
    compaction_ns: 15.0, 30.0, 60.0, "ns", "a recursive call per node, a test of its kind, a write to an array: 40 to 160 cycles";
    /// Its translation to postfix code, from the compact form.
    translation_ns: 15.0, 30.0, 60.0, "ns", "as compaction_ns; the paper names both";
    /// Waiting for main memory once.
    miss_ns: 50.0, 80.0, 120.0, "ns", "memory of 2007 behind a front-side bus";
    /// A tree node in memory: the object, its array of children.
    node_bytes: 32.0, 48.0, 96.0, "bytes", "a 32-bit virtual machine: header 8, parent, children, position; array header 12 and 4 for each child";
    /// The processor's last cache.
    cache_bytes: 1.0e6, 2.0e6, 4.0e6, "bytes", "Intel processors of 2.6 GHz of those years: 1 to 4 MB";
    /// A copy to or from the card, however short.
    copy_us: 10.0, 25.0, 50.0, "us", "a call of the driver, with the crossing from Java";
    /// Speed of copies.
    copy_gb_per_s: 1.0, 1.5, 3.0, "GB/s", "PCI Express 1.x with 16 lanes: 4 GB/s, of which copies from pageable memory reach a third; Langdon 2010 measured 2.2 and 1.4";
    /// A launch of the kernel and waiting for its end.
    launch_us: 10.0, 20.0, 40.0, "us", "CUDA of 2007";
    /// Giving a tree its fitness.
    individual_ns: 200.0, 500.0, 1000.0, "ns", "an object and some calls";
    /// Breeding a node: its copy, and the walks that count nodes, pick points and check depths.
    breeding_ns: 100.0, 200.0, 400.0, "ns", "ECJ clones a tree once or twice per offspring and walks it four times or more; 15 to 60 ns a visit, an allocation more";
    /// Breeding an individual: two tournaments of 7, random numbers.
    offspring_ns: 1000.0, 3000.0, 10000.0, "ns", "14 random numbers and comparisons, a parameter object or two";
    /// Once in a run: the virtual machine starts, compiles.
    start_ms: 200.0, 500.0, 1000.0, "ms", "a Java virtual machine of 2007 with ECJ's parameter files";
    /// Once in a run: the driver's context.
    context_ms: 50.0, 150.0, 500.0, "ms", "CUDA of 2007";
}

/// What the host needs to know of a generation, mean over its trees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trees {
    pub population: f64,
    pub nodes: f64,
    /// Words of the code.
    pub words: f64,
    /// Nodes that are evaluated for one case, and those among them that are functions of the mathematics library.
    pub evaluated: f64,
    pub functions: f64,
    pub cases: f64,
}

/// Where the time of a generation on the GPU goes, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// Compaction of the trees among it.
    pub translation: f64,
    pub transfers: f64,
    pub kernel: f64,
}

impl Evaluation {
    pub fn total(self) -> f64 {
        self.translation + self.transfers + self.kernel
    }
}

impl Host {
    /// Of a generation on the CPU, milliseconds.
    pub fn cpu_evaluation(&self, trees: Trees) -> f64 {
        let of_case =
            self.case_ns + trees.evaluated * self.node_ns + trees.functions * self.function_ns;
        trees.population * (trees.cases * of_case + self.individual_ns) / 1e6
    }

    /// Of a generation on the GPU, whose kernel takes `kernel` milliseconds.
    pub fn gpu_evaluation(&self, trees: Trees, kernel: f64) -> Evaluation {
        let once = self.compaction_ns + self.translation_ns;
        let of_node = once + self.misses(trees) * self.miss_ns;
        let of_tree = trees.nodes * of_node + self.individual_ns;
        let bytes = 4.0 * trees.population * (trees.words + 2.0);
        Evaluation {
            translation: trees.population * of_tree / 1e6,
            transfers: 2.0 * self.copy_us / 1e3 + bytes / self.copy_gb_per_s / 1e6,
            kernel: kernel + self.launch_us / 1e3,
        }
    }

    /// Of a generation, milliseconds: on the CPU in either case.
    pub fn breeding(&self, trees: Trees) -> f64 {
        let of_node = self.breeding_ns + self.misses(trees) * self.miss_ns;
        trees.population * (trees.nodes * of_node + self.offspring_ns) / 1e6
    }

    /// How often a visit to a node waits for memory, when all trees are visited in turn.
    fn misses(&self, trees: Trees) -> f64 {
        let bytes = trees.population * trees.nodes * self.node_bytes;
        (1.0 - self.cache_bytes / bytes).max(0.0)
    }
}

/// What follows from the values and from their ranges.
pub fn band(of: impl Fn(&Host) -> f64) -> Band {
    let with = |name, end| of(&Host::default().with(name, end));
    let ends = ASSUMED
        .iter()
        .map(|assumed| [assumed.low, assumed.high].map(|end| with(assumed.name, end)));
    Band::of(of(&Host::default()), ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREES: Trees = Trees {
        population: 1000.0,
        nodes: 50.0,
        words: 60.0,
        evaluated: 50.0,
        functions: 10.0,
        cases: 100.0,
    };

    #[test]
    fn times_add_up() {
        let host = Host::default();
        // 1000 trees, 100 cases, 20 + 50 * 10 + 10 * 50 ns.
        let expected = 1000.0 * (100.0 * 1020.0 + 500.0) / 1e6;
        assert!((host.cpu_evaluation(TREES) - expected).abs() < 1e-9);
        let evaluation = host.gpu_evaluation(TREES, 2.0);
        assert!(evaluation.kernel > 2.0 && evaluation.total() > evaluation.kernel);
    }

    #[test]
    fn large_populations_leave_the_cache() {
        let host = Host::default();
        let many = Trees {
            population: 100_000.0,
            ..TREES
        };
        assert!(host.breeding(many) > 101.0 * host.breeding(TREES));
        assert_eq!(
            host.misses(Trees {
                population: 10.0,
                ..TREES
            }),
            0.0
        );
    }

    #[test]
    fn a_band_holds_its_value_and_every_end() {
        let found = band(|host| host.cpu_evaluation(TREES));
        assert!(found.low < found.value && found.value < found.high);
        let dear = Host::default().with("node_ns", 20.0);
        assert!(found.high >= dear.cpu_evaluation(TREES));
    }

    #[test]
    fn every_value_lies_in_its_range() {
        assert!(
            ASSUMED
                .iter()
                .all(|one| one.low <= one.value && one.value <= one.high)
        );
    }
}
