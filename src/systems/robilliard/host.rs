//! The host's part: ECJ on the CPU, the translation of trees, transfers, breeding.
//!
//! Models: CPU evaluation as a cost per evaluated node and per case, higher for functions of the mathematics library; translation
//! and breeding as a cost per node, which rises if the population no longer fits the processor's cache; transfers as latency and
//! bytes.
//! Leaves out: the garbage collector's pauses, except as part of the cost of a node; threads; denormal numbers.
//! Units: nanoseconds, or as given for each value; milliseconds for results. Sources: in `fixtures/papers/hosts/`. None is measured on
//! the paper's machine, described as "an Intel 2,6 GHz CPU (single core)"; none is fitted to the paper's results.

use crate::device::Reader;
use crate::device::numbers::{Sourced, numbers};
use crate::util::band::Band;
use std::sync::LazyLock;

numbers! {
    /// Values that determine the host's times.
    Host, &[Reader::Host];
    host {
        node_ns "ns", "One node of a tree on one case, by ECJ.";
        function_ns "ns", "A sine, cosine, exponential or logarithm, beyond that.";
        case_ns "ns", "Beginning a case: setting the inputs, taking the error.";
        compaction_ns "ns", "Compacting a node: the walk through the scattered tree, without cache misses.";
        translation_ns "ns", "Its translation to postfix code, from the compact form.";
        miss_ns "ns", "Waiting for main memory once.";
        node_bytes "bytes", "A tree node in memory: the object, its array of children.";
        cache_bytes "bytes", "The processor's last cache.";
        copy_us "us", "A copy to or from the card, however short.";
        copy_gb_per_s "GB/s", "Speed of copies.";
        launch_us "us", "A launch of the kernel and waiting for its end.";
        individual_ns "ns", "Giving a tree its fitness.";
        breeding_ns "ns", "Breeding a node: its copy, and the walks that count nodes, pick points and check depths.";
        offspring_ns "ns", "Breeding an individual: two tournaments of 7, random numbers.";
        start_ms "ms", "Once in a run: the virtual machine starts, compiles.";
        context_ms "ms", "Once in a run: the driver's context.";
    }
}

/// The host, with ranges and sources.
pub static HOST: LazyLock<Sourced<Host>> = LazyLock::new(|| {
    let text = include_str!("../../../fixtures/papers/hosts/robilliard.toml");
    Sourced::parse(text, "robilliard.toml").expect("a test reads it")
});

impl Default for Host {
    fn default() -> Self {
        HOST.machine
    }
}

/// Properties of a generation that determine the host's time, mean over its trees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trees {
    pub population: f64,
    pub nodes: f64,
    /// Words of the translated code.
    pub words: f64,
    /// Nodes evaluated for one case, and the functions of the mathematics library among them.
    pub evaluated: f64,
    pub functions: f64,
    pub cases: f64,
}

/// Breakdown of the time of a generation on the GPU, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// Translation, including compaction of the trees.
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
    /// Returns the time of a generation's evaluation on the CPU, in milliseconds.
    pub fn cpu_evaluation(&self, trees: Trees) -> f64 {
        let of_case =
            self.case_ns + trees.evaluated * self.node_ns + trees.functions * self.function_ns;
        trees.population * (trees.cases * of_case + self.individual_ns) / 1e6
    }

    /// Returns the time of a generation's evaluation on the GPU, whose kernel takes `kernel` milliseconds.
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

    /// Returns the time of a generation's breeding, in milliseconds; always on the CPU.
    pub fn breeding(&self, trees: Trees) -> f64 {
        let of_node = self.breeding_ns + self.misses(trees) * self.miss_ns;
        trees.population * (trees.nodes * of_node + self.offspring_ns) / 1e6
    }

    /// Returns the fraction of node visits that wait for memory, when all trees are visited in turn.
    fn misses(&self, trees: Trees) -> f64 {
        let bytes = trees.population * trees.nodes * self.node_bytes;
        (1.0 - self.cache_bytes / bytes).max(0.0)
    }
}

/// Returns a quantity's band from the values and their ranges.
pub fn band(of: impl Fn(&Host) -> f64) -> Band {
    HOST.band(of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::numbers::Numbers;

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
}
