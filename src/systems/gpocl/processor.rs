//! The paper's processors: an estimate, with a range.
//!
//! Models: section 3.3: one program per work-item, which runs its cases one after the other. A node costs the interpreter's
//! instructions, at a share of the processor's issue width, its share of mispredicted jumps, and a sine or cosine if it is one.
//! Two threads of a core share the throughput that both reach. Programs are handed out one at a time, so that some threads finish
//! early.
//! Leaves out: caches and memory, divisions, data-dependent branches (if-then-else), clock changes when several cores are active.
//! Units: in the names. Sources: in `fixtures/papers/hosts/`.

use super::population::program;
use super::program::{Function, Node, Program};
use super::{Domain, NODES};
use crate::device::Reader;
use crate::device::numbers::{Sourced, numbers};
use std::sync::LazyLock;

numbers! {
    /// A processor of table 1, and the inputs of the estimate.
    Inputs, &[Reader::Host];
    chip {
        cores "cores", "cores";
        threads "threads", "compute units";
        watts "W", "power";
    }
    estimate {
        clock_ghz "GHz", "clock";
        width "instructions per cycle", "width";
        issued_share "share", "issued of the width";
        regression_instructions "instructions", "instructions of a node, regression";
        classification_instructions "instructions", "instructions of a node, classification";
        mispredicted_share "share", "mispredicted jumps of a node";
        misprediction_cycles "cycles", "misprediction";
        sine_cycles "cycles", "a sine or cosine";
        sharing "times one thread", "two threads on a core";
        group_us "us", "beginning a work-group";
    }
}

/// A processor with the ranges and sources of its inputs.
pub type Processor = Sourced<Inputs>;

/// Both processors, in the order of the paper's tables.
pub static PROCESSORS: LazyLock<[Processor; 2]> = LazyLock::new(|| {
    [
        include_str!("../../../fixtures/papers/hosts/w3680.toml"),
        include_str!("../../../fixtures/papers/hosts/phenom-1090t.toml"),
    ]
    .map(|text| Sourced::parse(text, "a processor of GPOCL").expect("a test reads it"))
});

/// Number of threads that run the programs: one, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    One,
    All,
}

/// Properties of programs that the estimate uses, mean over nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    pub domain: Domain,
    /// Share of sines and cosines among the nodes.
    pub sines: f64,
}

/// Number of programs whose nodes are counted.
const COUNTED_PROGRAMS: u32 = 1000;

impl Mix {
    /// Counts the nodes of random programs.
    pub fn of(domain: Domain, seed: u64) -> Mix {
        let is_sine = |node: &&Node| matches!(node, Node::Apply(Function::Sine | Function::Cosine));
        let of_program = |Program(nodes): Program| nodes.iter().filter(is_sine).count();
        let sines: usize = (0..COUNTED_PROGRAMS)
            .map(|index| of_program(program(domain, index, seed)))
            .sum();
        Mix {
            domain,
            sines: sines as f64 / f64::from(COUNTED_PROGRAMS * NODES),
        }
    }
}

impl Inputs {
    /// Returns the cycles of a node on a case, for one thread of a core.
    pub fn cycles_per_node(&self, mix: Mix) -> f64 {
        let instructions = match mix.domain {
            Domain::Regression => self.regression_instructions,
            Domain::Classification => self.classification_instructions,
        };
        let issue = instructions / (self.width * self.issued_share);
        let jumps = self.mispredicted_share * self.misprediction_cycles;
        issue + jumps + mix.sines * self.sine_cycles
    }

    /// Returns the speed in billions of GP operations per second.
    pub fn gpops_billion(&self, threads: Threads, mix: Mix, [programs, rows]: [u32; 2]) -> f64 {
        let nodes = f64::from(NODES) * f64::from(rows);
        let alone =
            nodes * self.cycles_per_node(mix) / (self.clock_ghz * 1e9) + self.group_us / 1e6;
        let (at_once, slower) = match threads {
            Threads::One => (1, 1.0),
            Threads::All => {
                let reached = self.cores * self.sharing;
                (self.threads as u32, self.threads / reached)
            }
        };
        let rounds = f64::from(programs.div_ceil(at_once));
        f64::from(programs) * nodes / (rounds * alone * slower) / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Kind;

    fn intel() -> Inputs {
        PROCESSORS[0].machine
    }

    /// Expected: 20.2 instructions at 2 per cycle and half a misprediction of 17 cycles make 18.6 cycles at 3.34 GHz.
    #[test]
    fn a_node_costs_its_instructions_jumps_and_sines() {
        let mix = |domain, sines| Mix { domain, sines };
        let plain = intel().cycles_per_node(mix(Domain::Classification, 0.0));
        assert!((plain - 18.6).abs() < 1e-9, "{plain}");
        let sines = intel().cycles_per_node(mix(Domain::Regression, 0.2));
        assert!((sines - (8.8 + 8.5 + 9.4)).abs() < 1e-9, "{sines}");
    }

    #[test]
    fn threads_share_cores_and_the_last_round_is_not_full() {
        let mix = Mix {
            domain: Domain::Classification,
            sines: 0.0,
        };
        let speed = |threads, programs| intel().gpops_billion(threads, mix, [programs, 50_000]);
        let one = speed(Threads::One, 100);
        assert!((one - 3.34 / 18.6).abs() < 1e-3, "{one}");
        assert!((speed(Threads::All, 1200) / one - 6.0 * 1.25).abs() < 1e-9);
        // 9 rounds of 12 for 100 programs.
        assert!((speed(Threads::All, 100) / one - 7.5 * 100.0 / 108.0).abs() < 1e-9);
    }

    /// Expected: 50 nodes on 100 rows take 28 us, a group 1.6 us.
    #[test]
    fn small_data_sets_pay_for_their_groups() {
        let mix = Mix {
            domain: Domain::Classification,
            sines: 0.0,
        };
        let speed = |rows| intel().gpops_billion(Threads::One, mix, [100, rows]);
        let ratio = speed(100) / speed(50_000);
        assert!((0.94..0.95).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_quarter_of_the_nodes_of_regression_are_sines_or_cosines() {
        let of = |domain| Mix::of(domain, 1).sines;
        let found = of(Domain::Regression);
        assert!((0.22..0.27).contains(&found), "{found}");
        assert_eq!(of(Domain::Classification), 0.0);
    }

    #[test]
    fn only_exact_inputs_have_no_range() {
        for input in PROCESSORS.iter().flat_map(|one| &one.entries) {
            assert!(input.range.is_some() || input.kind == Kind::Documented);
        }
    }
}
