//! The header of a trace: one `-name = value` line per fact, ended by the first line that begins with `#`.
//!
//! Models: the facts that Accel-Sim reads and a launch needs. Leaves out: all other names, which are skipped.
//! Units: bytes. Sources: `trace_parser::parse_kernel_info` of Accel-Sim.

use super::LANES;
use super::error::Fault;
use super::line::Line;
use super::token::{self, decimal, hexadecimal};

/// The line that ends the header.
const FORMAT_LINE: &str = "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate";
/// Versions whose lines are understood; before 3, lines begin with the block's index and the warp.
const TRACER_VERSIONS: std::ops::RangeInclusive<u32> = 1..=6;
/// Version assumed for a header without one: tracers older than version 3 wrote none.
const OLDEST: u32 = *TRACER_VERSIONS.start();
/// The version that is written: its lines end with an immediate.
const WRITTEN: u32 = 5;
/// Names of the lines that a header must have.
const NEEDED: [&str; 5] = [
    "kernel name",
    "grid dim",
    "block dim",
    "nregs",
    "binary version",
];

/// Launch parameters of a trace's kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub kernel_name: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Shared memory per block, static and dynamic.
    pub shared_bytes: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Compute capability without the point: 35.
    pub binary_version: u32,
    /// Generic addresses from here to `local_base` are shared memory; 0 when not known.
    pub shared_base: u64,
    /// Generic addresses from here on are local memory; 0 when not known.
    pub local_base: u64,
    pub tracer_version: u32,
    /// Lines begin with a source line number.
    pub line_info: bool,
}

impl Default for Header {
    /// The header of a trace that is written.
    fn default() -> Self {
        Header {
            kernel_name: String::new(),
            grid: [1; 3],
            block: [1; 3],
            shared_bytes: 0,
            registers: 0,
            binary_version: 0,
            shared_base: 0,
            local_base: 0,
            tracer_version: WRITTEN,
            line_info: false,
        }
    }
}

impl Header {
    pub fn threads_per_block(&self) -> u32 {
        self.block
            .iter()
            .fold(1, |product: u32, &extent| product.saturating_mul(extent))
    }

    pub fn warps_per_block(&self) -> u32 {
        self.threads_per_block().div_ceil(LANES as u32)
    }

    /// The header as text, the `#` line included, of a trace without source lines in the version that is written.
    pub fn text(&self) -> String {
        let dims = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
        let writer = concat!("none, written by warpstack ", env!("CARGO_PKG_VERSION"));
        let facts = [
            ("kernel name", self.kernel_name.clone()),
            ("kernel id", "1".into()),
            ("grid dim", dims(self.grid)),
            ("block dim", dims(self.block)),
            ("shmem", self.shared_bytes.to_string()),
            ("nregs", self.registers.to_string()),
            ("binary version", self.binary_version.to_string()),
            ("cuda stream id", "0".into()),
            ("shmem base_addr", format!("{:#018x}", self.shared_base)),
            ("local mem base_addr", format!("{:#018x}", self.local_base)),
            ("nvbit version", writer.into()),
            ("accelsim tracer version", WRITTEN.to_string()),
            ("enable lineinfo", "0".into()),
        ];
        let lines = facts.map(|(name, value)| format!("-{name} = {value}\n"));
        format!("{}\n{FORMAT_LINE}\n", lines.concat())
    }

    /// Reads an instruction line in the header's format into `line`, replacing its content.
    pub fn read_line(&self, text: &str, line: &mut Line) -> Result<(), Fault> {
        let mut tokens = text.split_ascii_whitespace();
        let before: &[&str] = match (self.tracer_version, self.line_info) {
            (..3, false) => &["block x", "block y", "block z", "warp"],
            (..3, true) => &[
                "block x",
                "block y",
                "block z",
                "warp",
                "source line number",
            ],
            (_, false) => &[],
            (_, true) => &["source line number"],
        };
        for what in before {
            let allowed = "a decimal number before the instruction";
            token::next(&mut tokens, what, allowed, decimal::<u32>)?;
        }
        line.read(tokens)
    }
}

/// A header that is being read.
#[derive(Debug)]
pub struct Partial {
    header: Header,
    missing: Vec<&'static str>,
}

impl Default for Partial {
    fn default() -> Self {
        Partial {
            header: Header {
                tracer_version: OLDEST,
                ..Header::default()
            },
            missing: NEEDED.to_vec(),
        }
    }
}

impl Partial {
    /// Takes one `-name = value` line.
    pub fn line(&mut self, text: &str) -> Result<(), Fault> {
        let (name, value) = text
            .strip_prefix('-')
            .and_then(|rest| rest.split_once('='))
            .ok_or_else(|| Fault::new("header line", text, "-name = value"))?;
        let (name, value) = (name.trim(), value.trim());
        self.missing.retain(|missing| *missing != name);
        let header = &mut self.header;
        match name {
            "kernel name" => value.clone_into(&mut header.kernel_name),
            "grid dim" => header.grid = dims(name, value)?,
            "block dim" => header.block = dims(name, value)?,
            "shmem" => header.shared_bytes = number(name, value)?,
            "nregs" => header.registers = number(name, value)?,
            "binary version" => header.binary_version = number(name, value)?,
            "shmem base_addr" => header.shared_base = base(name, value)?,
            "local mem base_addr" => header.local_base = base(name, value)?,
            "accelsim tracer version" => header.tracer_version = version(name, value)?,
            "enable lineinfo" => header.line_info = number(name, value)? != 0,
            _ => {}
        }
        Ok(())
    }

    /// The header, when nothing that matters is missing.
    pub fn finish(self) -> Result<Header, Fault> {
        if let Some(name) = self.missing.first() {
            let allowed = "one before the first line that begins with #";
            return Err(Fault::new("header", format!("no -{name} line"), allowed));
        }
        let header = self.header;
        let threads = header.threads_per_block();
        if !(1..=1024).contains(&threads) {
            let given = format!("{:?}, {threads} threads", header.block);
            return Err(Fault::new("-block dim", given, "1 to 1024 threads"));
        }
        Ok(header)
    }
}

/// The value of a line, as `parse` reads it.
fn parsed<T>(name: &str, value: &str, allowed: &str, parsed: Option<T>) -> Result<T, Fault> {
    parsed.ok_or_else(|| Fault::new(format!("-{name}"), value, allowed))
}

fn number(name: &str, value: &str) -> Result<u32, Fault> {
    parsed(name, value, "a whole number, 0 or more", decimal(value))
}

fn version(name: &str, value: &str) -> Result<u32, Fault> {
    let (first, last) = (TRACER_VERSIONS.start(), TRACER_VERSIONS.end());
    let known = decimal(value).filter(|version| TRACER_VERSIONS.contains(version));
    parsed(name, value, &format!("{first} to {last}"), known)
}

fn dims(name: &str, value: &str) -> Result<[u32; 3], Fault> {
    let inner = value
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    parsed(name, value, "(x,y,z)", inner.and_then(token::triple))
}

fn base(name: &str, value: &str) -> Result<u64, Fault> {
    parsed(name, value, "a hexadecimal number", hexadecimal(value))
}
