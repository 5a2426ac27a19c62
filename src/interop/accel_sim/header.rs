//! The header of a trace: one `-name = value` line per fact, ended by the first line that begins with `#`.
//!
//! Models: the facts that Accel-Sim reads. Leaves out: unknown names, which are skipped as Accel-Sim skips them.
//! Units: bytes. Sources: `trace_parser::parse_kernel_info` of Accel-Sim.

use super::LANES;
use super::error::Fault;
use super::line::Line;
use std::str::FromStr;

/// The line that ends the header.
const FORMAT_LINE: &str = "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate";
/// Versions whose lines are understood; before 3, lines begin with the block's index and the warp.
const TRACER_VERSIONS: std::ops::RangeInclusive<u32> = 1..=6;
/// Version assumed for a header without one: tracers older than version 3 wrote none.
const OLDEST: u32 = *TRACER_VERSIONS.start();

/// Launch parameters of a trace's kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    pub kernel_name: String,
    pub kernel_id: u32,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Shared memory per block, static and dynamic.
    pub shared_bytes: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Compute capability without the point: 35.
    pub binary_version: u32,
    pub stream_id: u64,
    /// Generic addresses from here to `local_base` are shared memory; 0 when not known.
    pub shared_base: u64,
    /// Generic addresses from here on are local memory; 0 when not known.
    pub local_base: u64,
    pub nvbit_version: String,
    pub tracer_version: u32,
    /// Lines begin with a source line number.
    pub line_info: bool,
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

    /// The header as text, the `#` line included.
    pub fn text(&self) -> String {
        let dims = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
        let facts = [
            ("kernel name", self.kernel_name.clone()),
            ("kernel id", self.kernel_id.to_string()),
            ("grid dim", dims(self.grid)),
            ("block dim", dims(self.block)),
            ("shmem", self.shared_bytes.to_string()),
            ("nregs", self.registers.to_string()),
            ("binary version", self.binary_version.to_string()),
            ("cuda stream id", self.stream_id.to_string()),
            ("shmem base_addr", format!("{:#018x}", self.shared_base)),
            ("local mem base_addr", format!("{:#018x}", self.local_base)),
            ("nvbit version", self.nvbit_version.clone()),
            ("accelsim tracer version", self.tracer_version.to_string()),
            ("enable lineinfo", u32::from(self.line_info).to_string()),
        ];
        let mut text: String = facts
            .iter()
            .map(|(name, value)| format!("-{name} = {value}\n"))
            .collect();
        text.push('\n');
        text.push_str(FORMAT_LINE);
        text.push('\n');
        text
    }

    /// Reads an instruction line in the header's format into `line`, replacing its content.
    pub fn read_line(&self, text: &str, line: &mut Line) -> Result<(), Fault> {
        if self.tracer_version >= 3 {
            return line.read(text, self.line_info);
        }
        let mut rest = text.trim_start();
        for what in ["block x", "block y", "block z", "warp"] {
            let (token, after) = rest
                .split_once(|c: char| c.is_ascii_whitespace())
                .ok_or_else(|| Fault::new(what, rest, "a number before the instruction"))?;
            if token.parse::<u32>().is_err() {
                return Err(Fault::new(what, token, "a number before the instruction"));
            }
            rest = after.trim_start();
        }
        line.read(rest, self.line_info)
    }
}

/// A header that is being read.
#[derive(Debug, Default)]
pub struct Partial {
    kernel_name: Option<String>,
    kernel_id: u32,
    grid: Option<[u32; 3]>,
    block: Option<[u32; 3]>,
    shared_bytes: u32,
    registers: Option<u32>,
    binary_version: Option<u32>,
    stream_id: u64,
    shared_base: u64,
    local_base: u64,
    nvbit_version: String,
    tracer_version: Option<u32>,
    line_info: bool,
}

impl Partial {
    /// Takes one `-name = value` line.
    pub fn line(&mut self, text: &str) -> Result<(), Fault> {
        let allowed = "-name = value";
        let (name, value) = text
            .strip_prefix('-')
            .and_then(|rest| rest.split_once('='))
            .ok_or_else(|| Fault::new("header line", text, allowed))?;
        let (name, value) = (name.trim(), value.trim());
        match name {
            "kernel name" => self.kernel_name = Some(value.to_owned()),
            "kernel id" => self.kernel_id = number(name, value)?,
            "grid dim" => self.grid = Some(dims(name, value)?),
            "block dim" => self.block = Some(dims(name, value)?),
            "shmem" => self.shared_bytes = number(name, value)?,
            "nregs" => self.registers = Some(number(name, value)?),
            "binary version" => self.binary_version = Some(number(name, value)?),
            "cuda stream id" => self.stream_id = number(name, value)?,
            "shmem base_addr" => self.shared_base = base(name, value)?,
            "local mem base_addr" => self.local_base = base(name, value)?,
            "nvbit version" => self.nvbit_version = value.to_owned(),
            "accelsim tracer version" => self.tracer_version = Some(version(name, value)?),
            "enable lineinfo" => self.line_info = number::<u32>(name, value)? != 0,
            _ => {}
        }
        Ok(())
    }

    /// The header, when nothing that matters is missing.
    pub fn finish(self) -> Result<Header, Fault> {
        let missing = |name: &str| {
            Fault::new(
                "header",
                format!("no -{name} line"),
                "one before the first line that begins with #",
            )
        };
        let header = Header {
            kernel_name: self.kernel_name.ok_or_else(|| missing("kernel name"))?,
            kernel_id: self.kernel_id,
            grid: self.grid.ok_or_else(|| missing("grid dim"))?,
            block: self.block.ok_or_else(|| missing("block dim"))?,
            shared_bytes: self.shared_bytes,
            registers: self.registers.ok_or_else(|| missing("nregs"))?,
            binary_version: self
                .binary_version
                .ok_or_else(|| missing("binary version"))?,
            stream_id: self.stream_id,
            shared_base: self.shared_base,
            local_base: self.local_base,
            nvbit_version: self.nvbit_version,
            tracer_version: self.tracer_version.unwrap_or(OLDEST),
            line_info: self.line_info,
        };
        let threads = header.threads_per_block();
        if !(1..=1024).contains(&threads) {
            let given = format!("{:?}, {threads} threads", header.block);
            return Err(Fault::new("-block dim", given, "1 to 1024 threads"));
        }
        Ok(header)
    }
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, Fault> {
    value
        .parse()
        .map_err(|_| Fault::new(format!("-{name}"), value, "a whole number, 0 or more"))
}

fn version(name: &str, value: &str) -> Result<u32, Fault> {
    let (first, last) = (TRACER_VERSIONS.start(), TRACER_VERSIONS.end());
    let version = number(name, value)?;
    match TRACER_VERSIONS.contains(&version) {
        true => Ok(version),
        false => Err(Fault::new(
            format!("-{name}"),
            value,
            format!("{first} to {last}"),
        )),
    }
}

fn dims(name: &str, value: &str) -> Result<[u32; 3], Fault> {
    let inner = value
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let parts: Vec<u32> = inner
        .unwrap_or_default()
        .split(',')
        .filter_map(|part| part.trim().parse().ok())
        .collect();
    parts
        .try_into()
        .map_err(|_| Fault::new(format!("-{name}"), value, "(x,y,z)"))
}

fn base(name: &str, value: &str) -> Result<u64, Fault> {
    let digits = value.strip_prefix("0x").unwrap_or(value);
    u64::from_str_radix(digits, 16)
        .map_err(|_| Fault::new(format!("-{name}"), value, "a hexadecimal number"))
}
