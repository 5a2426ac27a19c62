//! The paper's processors: an estimate, with a range.
//!
//! Models: section 3.3: a program per work-item, which runs its cases one after the other. A node costs the interpreter's instructions, at
//! a share of what the processor can issue, the mispredicted jumps among them, and a sine or cosine where it is one; a thread of a core
//! that two share has its part of what both reach; programs are handed out one at a time, so that some threads end early.
//! Leaves out: caches and memory, divisions, branches on data (if-then-else), other clocks when several cores work.
//! Units: in the names. Sources: beside each value. None is measured on the paper's machines, none is chosen by the paper's results;
//! where a range is all that is known, the value is its middle: the geometric one of costs, the arithmetic one of shares.

use super::population::program;
use super::program::{Function, Node, Program};
use super::{Domain, NODES};
use crate::util::band::Band;

/// A value that the estimate reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    pub name: &'static str,
    pub unit: &'static str,
    /// As in the presets of devices: documented, derived, assumed.
    pub kind: &'static str,
    pub low: f64,
    pub value: f64,
    pub high: f64,
    pub source: &'static str,
}

/// A processor of table 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Processor {
    pub name: &'static str,
    /// Table 1's cores and compute units: all that OpenCL sees.
    pub cores: u32,
    pub threads: u32,
    /// Table 1.
    pub watts: f64,
    pub inputs: [Input; 10],
}

/// The places of the inputs.
#[derive(Debug, Clone, Copy)]
enum Of {
    Clock,
    Width,
    IssuedShare,
    Regression,
    Classification,
    Mispredicted,
    Penalty,
    Sine,
    Sharing,
    Group,
}

/// Whether one thread runs the programs, or all do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    One,
    All,
}

/// What the estimate needs to know of programs, mean over nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    pub domain: Domain,
    /// Sines and cosines among the nodes.
    pub sines: f64,
}

/// Programs whose nodes are counted.
const COUNTED_PROGRAMS: u32 = 1000;

impl Mix {
    /// Of random programs.
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

const fn input(
    name: &'static str,
    [low, value, high]: [f64; 3],
    unit: &'static str,
    kind: &'static str,
    source: &'static str,
) -> Input {
    Input {
        name,
        unit,
        kind,
        low,
        value,
        high,
        source,
    }
}

const ISSUED_SHARE: Input = input(
    "issued of the width",
    [0.25, 0.5, 0.75],
    "share",
    "assumed",
    "an interpreter's short handlers, loads and stores beside a chain through the stack: one to three of four instructions a cycle",
);
const REGRESSION: Input = input(
    "instructions of a node, regression",
    [13.0, 17.6, 25.0],
    "instructions",
    "derived",
    "tools/count-gpocl-cpu: gcc 12 -O2 of Algorithm 2, random programs, without sinf and cosf; the SDK's older LLVM may need less or more",
);
const CLASSIFICATION: Input = input(
    "instructions of a node, classification",
    [15.0, 20.2, 30.0],
    "instructions",
    "derived",
    "tools/count-gpocl-cpu: as of regression",
);
const MISPREDICTED: Input = input(
    "mispredicted jumps of a node",
    [0.1, 0.5, 0.9],
    "share",
    "assumed",
    "a switch predicted by its last target misses 50 to 98 % (Ertl and Gregg 2003); history and the same 50 nodes for every case help",
);
const SINE: Input = input(
    "a sine or cosine",
    [20.0, 47.0, 112.0],
    "cycles",
    "assumed",
    "a polynomial in single precision to the x87 instruction, 34 ns on a Phenom II of 3.3 GHz (a comparison of both on StackOverflow)",
);
const GROUP: Input = input(
    "beginning a work-group",
    [0.5, 1.6, 5.0],
    "us",
    "assumed",
    "a work-item per group: the run-time takes it from a queue and sets up its stack",
);

/// The inputs of a processor, in the order of `Of`: its own, and those that both share.
const fn inputs([clock, width, misprediction, sharing]: [Input; 4]) -> [Input; 10] {
    [
        clock,
        width,
        ISSUED_SHARE,
        REGRESSION,
        CLASSIFICATION,
        MISPREDICTED,
        misprediction,
        SINE,
        sharing,
        GROUP,
    ]
}

/// Both, as the paper's tables name them.
pub const PROCESSORS: [Processor; 2] = [
    Processor {
        name: "w3680",
        cores: 6,
        threads: 12,
        watts: 130.0,
        inputs: inputs([
            clock(
                [3.34, 3.34, 3.6],
                "table 1; high: Intel's turbo mode for one core",
            ),
            width(4.0, "Intel's optimization manual, Nehalem and Westmere"),
            misprediction(
                [15.0, 17.0, 20.0],
                "Agner Fog, microarchitecture: at least 17 on Nehalem",
            ),
            sharing(
                [1.0, 1.25, 1.5],
                "assumed",
                "Marr et al. 2002 (the paper's reference 22): up to 30 % more; wider cores that wait for jumps and sines leave more",
            ),
        ]),
    },
    Processor {
        name: "phenom-1090t",
        cores: 6,
        threads: 6,
        watts: 125.0,
        inputs: inputs([
            clock(
                [3.2, 3.2, 3.6],
                "table 1; high: AMD's Turbo CORE for three cores or fewer",
            ),
            width(3.0, "AMD's optimization guide for family 10h"),
            misprediction(
                [10.0, 12.0, 15.0],
                "Agner Fog, microarchitecture: 12 measured on K10, 10 in AMD's manuals",
            ),
            sharing(
                [1.0, 1.0, 1.0],
                "documented",
                "table 1: a core runs one thread",
            ),
        ]),
    },
];

const fn clock(range: [f64; 3], source: &'static str) -> Input {
    input("clock", range, "GHz", "documented", source)
}

const fn width(width: f64, source: &'static str) -> Input {
    let unit = "instructions per cycle";
    input("width", [width; 3], unit, "documented", source)
}

const fn misprediction(range: [f64; 3], source: &'static str) -> Input {
    input("misprediction", range, "cycles", "documented", source)
}

const fn sharing(range: [f64; 3], kind: &'static str, source: &'static str) -> Input {
    let name = "two threads on a core";
    input(name, range, "times one thread", kind, source)
}

impl Processor {
    /// The same with one input changed.
    fn with(mut self, at: usize, value: f64) -> Self {
        self.inputs[at].value = value;
        self
    }

    fn value(&self, of: Of) -> f64 {
        self.inputs[of as usize].value
    }

    /// Of a node on a case, by one thread of a core.
    pub fn cycles_per_node(&self, mix: Mix) -> f64 {
        let instructions = match mix.domain {
            Domain::Regression => self.value(Of::Regression),
            Domain::Classification => self.value(Of::Classification),
        };
        let issue = instructions / (self.value(Of::Width) * self.value(Of::IssuedShare));
        let jumps = self.value(Of::Mispredicted) * self.value(Of::Penalty);
        issue + jumps + mix.sines * self.value(Of::Sine)
    }

    /// Billions of GP operations per second.
    pub fn gpops_billion(&self, threads: Threads, mix: Mix, [programs, rows]: [u32; 2]) -> f64 {
        let nodes = f64::from(NODES) * f64::from(rows);
        let alone = nodes * self.cycles_per_node(mix) / (self.value(Of::Clock) * 1e9)
            + self.value(Of::Group) / 1e6;
        let (at_once, slower) = match threads {
            Threads::One => (1, 1.0),
            Threads::All => {
                let reached = f64::from(self.cores) * self.value(Of::Sharing);
                (self.threads, f64::from(self.threads) / reached)
            }
        };
        let rounds = f64::from(programs.div_ceil(at_once));
        f64::from(programs) * nodes / (rounds * alone * slower) / 1e9
    }

    /// What follows from the processor and from its inputs' ranges.
    pub fn band(&self, of: impl Fn(&Processor) -> f64) -> Band {
        let inputs = self.inputs.iter().enumerate();
        let ends =
            inputs.map(|(at, input)| [input.low, input.high].map(|end| of(&self.with(at, end))));
        Band::of(of(self), ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTEL: Processor = PROCESSORS[0];

    /// 20.2 instructions at 2 a cycle, half a misprediction of 17 cycles: 18.6 cycles at 3.34 GHz.
    #[test]
    fn a_node_costs_its_instructions_jumps_and_sines() {
        let mix = |domain, sines| Mix { domain, sines };
        let plain = INTEL.cycles_per_node(mix(Domain::Classification, 0.0));
        assert!((plain - 18.6).abs() < 1e-9, "{plain}");
        let sines = INTEL.cycles_per_node(mix(Domain::Regression, 0.2));
        assert!((sines - (8.8 + 8.5 + 9.4)).abs() < 1e-9, "{sines}");
    }

    #[test]
    fn threads_share_cores_and_the_last_round_is_not_full() {
        let mix = Mix {
            domain: Domain::Classification,
            sines: 0.0,
        };
        let speed = |threads, programs| INTEL.gpops_billion(threads, mix, [programs, 50_000]);
        let one = speed(Threads::One, 100);
        assert!((one - 3.34 / 18.6).abs() < 1e-3, "{one}");
        assert!((speed(Threads::All, 1200) / one - 6.0 * 1.25).abs() < 1e-9);
        // 9 rounds of 12 for 100 programs.
        assert!((speed(Threads::All, 100) / one - 7.5 * 100.0 / 108.0).abs() < 1e-9);
    }

    /// 50 nodes on 100 rows take 28 us, a group 1.6.
    #[test]
    fn small_data_sets_pay_for_their_groups() {
        let mix = Mix {
            domain: Domain::Classification,
            sines: 0.0,
        };
        let speed = |rows| INTEL.gpops_billion(Threads::One, mix, [100, rows]);
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
    fn every_input_lies_in_its_range_and_only_exact_ones_have_none() {
        for input in PROCESSORS.iter().flat_map(|one| &one.inputs) {
            assert!(input.low <= input.value && input.value <= input.high);
            assert!(input.low < input.high || input.kind == "documented");
        }
    }
}
