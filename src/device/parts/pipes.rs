//! Pipes: the one that serves each class of instruction, and the time it takes.
//!
//! Models: one table made from the preset, for both performance models.
//! Leaves out: result latency (stall counts and barriers carry it).

use super::{RATE, require, section};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::policy::Pipe;
use crate::device::table::ANY;
use crate::isa::OpClass;
use crate::util::refused::Refused;

section! {
    /// Pipe of each instruction class. Classes on one pipe compete for it.
    pipes: Pipes {
        fp32: Pipe, "pipe", ANY, [Sim, Model];
        int_add: Pipe, "pipe", ANY, [Sim, Model];
        logic: Pipe, "pipe", ANY, [Sim, Model];
        compare: Pipe, "pipe", ANY, [Sim, Model];
        int_mul: Pipe, "pipe", ANY, [Sim, Model];
        shift: Pipe, "pipe", ANY, [Sim, Model];
        bitfield: Pipe, "pipe", ANY, [Sim, Model];
        sfu: Pipe, "pipe", ANY, [Sim, Model];
        convert: Pipe, "pipe", ANY, [Sim, Model];
        special_register: Pipe, "pipe", ANY, [Sim, Model];
        constant_load: Pipe, "pipe", ANY, [Sim, Model];
    }
}

section! {
    /// Results per cycle and SMX by instruction class.
    throughput: Throughput {
        fp32_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        int_add_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        logic_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        compare_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        int_mul_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        shift_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        bitfield_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        sfu_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        convert_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        special_register_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        constant_load_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
        /// Lanes that arrive at barriers in a cycle, of all warps of a multiprocessor.
        barrier_lanes_per_cycle: f64, "lanes/cycle/SMX", RATE, [Sim, Model];
    }
}

/// Class with a pipe: its name in the sections `pipes` and `throughput`, and its values there.
type Class = (
    OpClass,
    &'static str,
    fn(&Device) -> Pipe,
    fn(&Device) -> f64,
);

macro_rules! class {
    ($class:ident, $name:ident, $lanes:ident) => {
        (
            OpClass::$class,
            stringify!($name),
            |device| device.pipes.$name,
            |device| device.throughput.$lanes,
        )
    };
}

const CLASSES: [Class; 11] = [
    class!(Fp32, fp32, fp32_lanes_per_cycle),
    class!(IntAdd, int_add, int_add_lanes_per_cycle),
    class!(Logic, logic, logic_lanes_per_cycle),
    class!(Compare, compare, compare_lanes_per_cycle),
    class!(IntMul, int_mul, int_mul_lanes_per_cycle),
    class!(Shift, shift, shift_lanes_per_cycle),
    class!(Bitfield, bitfield, bitfield_lanes_per_cycle),
    class!(Sfu, sfu, sfu_lanes_per_cycle),
    class!(Convert, convert, convert_lanes_per_cycle),
    class!(
        SpecialRegister,
        special_register,
        special_register_lanes_per_cycle
    ),
    class!(ConstantLoad, constant_load, constant_load_lanes_per_cycle),
];

impl Device {
    /// Pipe of an instruction class, and its lanes per cycle on the whole SMX; `None` for classes that take an issue slot only:
    /// the load/store unit paces memory, and nothing limits the rest.
    pub fn pipe(&self, class: OpClass) -> Option<(Pipe, f64)> {
        let found = CLASSES.iter().find(|(of, ..)| *of == class);
        found.map(|(_, _, pipe, lanes)| (pipe(self), lanes(self)))
    }
}

/// Upper limit on an instruction's cycles on a scheduler's pipe, which are counted in a byte.
const LONGEST_INTERVAL_CYCLES: f64 = 255.0;

/// Checks that the shared cores start a warp per cycle, and that occupancy of a scheduler's pipe stays countable.
pub(super) fn check(device: &Device) -> Result<(), Refused> {
    let lanes_of_warp = f64::from(device.limits.warp_lanes);
    let n_schedulers = device.issue.n_schedulers;
    for (_, name, pipe, lanes) in CLASSES {
        let (pipe, lanes) = (pipe(device), lanes(device));
        let least = match pipe {
            Pipe::IssueOnly => continue,
            Pipe::Cores => lanes_of_warp,
            // Rounded up, so that the value in the message is itself allowed.
            _ => thousandths_up(lanes_of_warp * f64::from(n_schedulers) / LONGEST_INTERVAL_CYCLES),
        };
        // All classes on the cores together start as many as single precision alone.
        let rates = [
            (name, lanes),
            ("fp32", device.throughput.fp32_lanes_per_cycle),
        ];
        let rates = if pipe == Pipe::Cores {
            &rates[..]
        } else {
            &rates[..1]
        };
        for &(of, lanes) in rates {
            let field = format!("throughput.{of}_lanes_per_cycle");
            let allowed = format_args!(
                "at least {least} with pipes.{name} = {} and issue.n_schedulers = {n_schedulers}",
                pipe.name()
            );
            require(lanes >= least, &field, lanes, allowed)?;
        }
    }
    Ok(())
}

fn thousandths_up(value: f64) -> f64 {
    (1000.0 * value).ceil() / 1000.0
}

/// Classes are without a limit if the pipes are idealized.
pub(super) fn idealize(device: &mut Device) {
    if device.ideals.has(Ideal::Pipes) {
        device.throughput.fp32_lanes_per_cycle = f64::INFINITY;
        device.issue.n_register_banks = 0;
    }
}

/// Number of instruction classes.
pub const N_CLASSES: usize = OpClass::ALL.len();

/// Issue rate limit of one instruction class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueLimit {
    /// Cores that all schedulers share: at most this many warp instructions per cycle.
    PerCycle(u8),
    /// A pipe of the scheduler, and the cycles that it is busy per instruction.
    Interval(Pipe, u8),
    /// Takes an issue slot only.
    Free,
}

/// Limit per instruction class, indexed by `OpClass as usize`.
pub type PipeTable = [IssueLimit; N_CLASSES];

/// Lanes of a warp.
pub const LANES: f64 = 32.0;

/// The table of a device, whose rates were checked with it.
pub fn table(device: &Device) -> PipeTable {
    let mut limits = [IssueLimit::Free; N_CLASSES];
    for class in OpClass::ALL {
        limits[class as usize] = limit(device, class);
    }
    limits
}

fn limit(device: &Device, class: OpClass) -> IssueLimit {
    let Some((pipe, lanes)) = device.pipe(class) else {
        return IssueLimit::Free;
    };
    let warps_per_cycle = lanes / LANES;
    match pipe {
        _ if device.ideals.has(Ideal::Pipes) => IssueLimit::Free,
        Pipe::IssueOnly => IssueLimit::Free,
        Pipe::Cores => IssueLimit::PerCycle(warps_per_cycle as u8),
        pipe => {
            let cycles = f64::from(device.issue.n_schedulers) / warps_per_cycle;
            IssueLimit::Interval(pipe, cycles.round() as u8)
        }
    }
}

/// Warp instructions that the arithmetic units take in a cycle, all of them together.
pub fn alu_warps_per_cycle(device: &Device) -> u8 {
    let lanes = device.throughput.fp32_lanes_per_cycle / LANES;
    lanes.min(f64::from(u8::MAX)) as u8
}

/// Units per issue slot.
pub const WAIT_UNITS: u8 = 16;

/// Issue slots lost to operand bank conflicts, with registers at random in `n_banks`: a bank that holds `n` operands is read `n` times.
pub fn operand_wait(n_banks: u32) -> [u8; 4] {
    if n_banks == 0 {
        return [0; 4];
    }
    let banks = f64::from(n_banks);
    // Two operands meet with 1/n; of three, two meet with 3 (n-1)/n^2 and all with 1/n^2.
    let two = 1.0 / banks;
    let three = (3.0 * (banks - 1.0) + 2.0) / (banks * banks);
    [0.0, 0.0, two, three].map(|slots| (slots * f64::from(WAIT_UNITS)).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::super::tests::refused_of;
    use super::*;
    use crate::device::Preset;

    /// The limit in the message is the exact one: 4 schedulers' warps in 255 cycles, rounded up.
    #[test]
    fn the_least_rate_of_a_pipe_is_the_one_that_is_told() {
        let refused = |lanes| refused_of(|device| device.throughput.sfu_lanes_per_cycle = lanes);
        let told = refused(0.1).expect("far too slow");
        assert!(
            told.allowed.starts_with("at least 0.502 with"),
            "{}",
            told.allowed
        );
        assert!(refused(0.502).is_none());
        assert!(refused(0.501).is_some());
        assert_eq!((thousandths_up(2.0), thousandths_up(2.0001)), (2.0, 2.001));
    }

    /// 32 lanes a warp.
    #[test]
    fn lanes_limit_the_arithmetic() {
        let mut device = Preset::load("gtx670").unwrap().device;
        let mut warps = |lanes: f64| {
            device.throughput.fp32_lanes_per_cycle = lanes;
            alu_warps_per_cycle(&device)
        };
        assert_eq!([64.0, 128.0, 192.0, 256.0].map(&mut warps), [2, 4, 6, 8]);
    }
}
