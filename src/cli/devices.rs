//! `warpstack devices`: the presets, and every value of one of them with its source.
//!
//! Leaves out: writing a preset of one's own (`devices_new.rs`).

use super::CliResult;
use super::devices_new::{self, NewArgs};
use super::engine::NEVER_VALIDATED;
use super::format::OutputArgs;
use super::names;
use crate::device::vliw::{self, VliwPreset};
use crate::device::{Entry, Kind, Preset, Validated, builtin_names};
use crate::report::provenance::Provenance;
use crate::report::table::{WIDTH, table, wrapped};
use serde::Serialize;
use std::error::Error;

/// List the devices, or all values of one with unit, kind, source and readers.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DevicesArgs {
    #[command(subcommand)]
    command: Option<DevicesCommand>,
    /// Device name, or the path of a .toml file
    #[arg(value_parser = names::device())]
    device: Option<String>,
    /// Show only values of this kind
    #[arg(long, requires = "device")]
    kind: Option<KindArg>,
    /// Show only devices that run machine code of this architecture
    #[arg(long, value_name = "ARCH", conflicts_with = "device", value_parser = names::device_arch())]
    arch: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Subcommand)]
enum DevicesCommand {
    New(NewArgs),
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum KindArg {
    Documented,
    Measured,
    Derived,
    Assumed,
    Fitted,
}

impl KindArg {
    fn kind(self) -> Kind {
        match self {
            KindArg::Documented => Kind::Documented,
            KindArg::Measured => Kind::Measured,
            KindArg::Derived => Kind::Derived,
            KindArg::Assumed => Kind::Assumed,
            KindArg::Fitted => Kind::Fitted,
        }
    }
}

pub fn run(args: &DevicesArgs) -> CliResult {
    if let Some(DevicesCommand::New(args)) = &args.command {
        return devices_new::run(args);
    }
    args.output.check()?;
    match &args.device {
        Some(name) => values(args, name),
        None => list(args),
    }
}

/// A device.
#[derive(Debug, Serialize)]
struct Listed {
    device: String,
    title: String,
    /// Of the machine code that it runs.
    architecture: String,
    compute_capability: Option<String>,
    /// Of a machine of another kind: SIMDs.
    multiprocessors: u32,
    clock_mhz: f64,
    /// Sizes in KiB.
    l1: Vec<u32>,
    values: usize,
    fitted: usize,
    validated: &'static str,
}

impl Listed {
    fn of(preset: &Preset, name: &str) -> Listed {
        let device = &preset.device;
        let splits = device.l1.splits.iter();
        Listed {
            device: name.to_owned(),
            title: device.title.clone(),
            architecture: device.code.clone(),
            compute_capability: Some(device.compute_capability.clone()),
            multiprocessors: device.chip.n_smx,
            clock_mhz: device.chip.clock_mhz,
            l1: splits.map(|split| split.l1_bytes / 1024).collect(),
            values: preset.entries.len(),
            fitted: preset.fitted().len(),
            validated: device.validated.name(),
        }
    }

    /// A machine of another kind: its SIMDs run wavefronts of VLIW code.
    fn of_vliw(preset: &VliwPreset) -> Result<Listed, Box<dyn Error>> {
        let machine = preset.machine()?;
        Ok(Listed {
            device: preset.name.clone(),
            title: preset.title.clone(),
            architecture: VLIW.to_owned(),
            compute_capability: None,
            multiprocessors: machine.n_simds as u32,
            clock_mhz: machine.clock_mhz,
            l1: vec![(machine.l1_bytes / 1024.0) as u32],
            values: preset.values.len(),
            fitted: 0,
            validated: Validated::Here.name(),
        })
    }

    fn cells(&self) -> Vec<String> {
        let title = self.title.split(',').next().unwrap_or_default();
        let least = self.l1.iter().min().copied().unwrap_or(0);
        let most = self.l1.iter().max().copied().unwrap_or(0);
        vec![
            self.device.clone(),
            title.to_owned(),
            self.architecture.clone(),
            self.multiprocessors.to_string(),
            self.clock_mhz.to_string(),
            match least < most {
                true => format!("{least} to {most}"),
                false => most.to_string(),
            },
            self.values.to_string(),
            self.fitted.to_string(),
            self.validated.to_owned(),
        ]
    }
}

/// What a machine of another kind runs.
pub(super) const VLIW: &str = "VLIW5";

fn list(args: &DevicesArgs) -> CliResult {
    let mut devices = Vec::new();
    for name in builtin_names() {
        devices.push(Listed::of(&Preset::load(name)?, name));
    }
    for name in vliw::builtin_names() {
        devices.push(Listed::of_vliw(&VliwPreset::load(name)?)?);
    }
    let is_meant = |one: &Listed| {
        args.arch
            .as_ref()
            .is_none_or(|arch| one.architecture == *arch)
    };
    devices.retain(is_meant);
    let headers = [
        "device",
        "title",
        "arch",
        "SMX",
        "MHz",
        "L1 (KiB)",
        "values",
        "fitted",
        "validated",
    ];
    let text = || table(&headers, devices.iter().map(Listed::cells).collect(), 3);
    args.output.print(&devices, &Provenance::of_program(), text)
}

/// A value of a preset.
#[derive(Debug, Serialize)]
struct Listing {
    field: String,
    value: String,
    unit: String,
    kind: &'static str,
    read_by: Vec<&'static str>,
    source: String,
}

impl Listing {
    fn of(entry: &Entry) -> Listing {
        Listing {
            field: entry.key(),
            value: entry.value.clone(),
            unit: entry.unit.clone(),
            kind: entry.kind.name(),
            read_by: entry.readers.iter().map(|reader| reader.name()).collect(),
            source: entry.source.clone(),
        }
    }

    fn of_vliw((key, value): (&String, &vliw::Value)) -> Listing {
        Listing {
            field: key.clone(),
            value: match (value.low, value.high) {
                (Some(low), Some(high)) => format!("{} ({low} to {high})", value.value),
                _ => value.value.to_string(),
            },
            unit: value.unit.clone(),
            kind: value.kind.name(),
            read_by: vec!["VLIW simulator", "host"],
            source: value.source.clone(),
        }
    }

    /// The value, then where it is from, further in.
    fn text(&self) -> String {
        let readers = match self.read_by.is_empty() {
            true => "nothing (reference)".to_owned(),
            false => self.read_by.join(", "),
        };
        let Listing {
            field,
            value,
            unit,
            kind,
            source,
            ..
        } = self;
        let value = format!("{field} = {value} {unit} ({kind}, read by {readers})");
        wrapped(&value, 0, WIDTH) + &wrapped(source, 4, WIDTH)
    }
}

fn values(args: &DevicesArgs, name: &str) -> CliResult {
    let (listings, head) = match vliw::builtin_names().any(|known| known == name) {
        true => {
            let preset = VliwPreset::load(name)?;
            let listings: Vec<Listing> = preset.values.iter().map(Listing::of_vliw).collect();
            (listings, String::new())
        }
        false => {
            let preset = Preset::load(name)?;
            let listings = preset.entries.iter().map(Listing::of).collect();
            (listings, validation(&preset))
        }
    };
    let kind = args.kind.map(|kind| kind.kind().name());
    let mut listings: Vec<Listing> = listings;
    listings.retain(|one| kind.is_none_or(|kind| one.kind == kind));
    let text = || {
        let texts: Vec<String> = listings.iter().map(Listing::text).collect();
        head + &texts.concat()
    };
    args.output
        .print(&listings, &Provenance::of_device(name), text)
}

/// A line above the values of a device whose predictions nobody has compared with measurements.
fn validation(preset: &Preset) -> String {
    let device = &preset.device;
    match device.validated {
        Validated::Here => String::new(),
        Validated::Never => format!("{}: {NEVER_VALIDATED}\n\n", device.title),
    }
}
