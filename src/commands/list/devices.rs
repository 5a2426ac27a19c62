//! `warpstack list devices`: the presets, every value of one of them with its source, and its file.

use crate::commands::CliResult;
use crate::commands::engine::NEVER_VALIDATED;
use crate::commands::format::OutputArgs;
use crate::commands::names::{self, VLIW};
use crate::device::{Entry, Kind, Preset, Validated, builtin_names};
use crate::report::columns::Columns;
use crate::report::progress;
use crate::report::provenance::Provenance;
use crate::report::table::{WIDTH, wrapped};
use crate::vliw::preset as vliw;
use crate::vliw::preset::VliwPreset;
use serde::Serialize;

/// List the devices, or all values of one with unit, kind, source and readers.
#[derive(Debug, clap::Args)]
pub struct DevicesArgs {
    /// Device name, or the path of a .toml file
    #[arg(value_parser = names::device())]
    device: Option<String>,
    /// Show only values of this kind
    #[arg(long, requires = "device")]
    kind: Option<Kind>,
    /// Print the device's file: change a copy, and pass its path wherever a command takes a device
    #[arg(long, requires = "device", conflicts_with_all = ["kind", "format"])]
    toml: bool,
    /// Show only devices that run machine code of this architecture
    #[arg(long, value_name = "ARCH", conflicts_with = "device", value_parser = names::device_arch())]
    arch: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &DevicesArgs) -> CliResult {
    args.output.check()?;
    match &args.device {
        Some(name) if args.toml => args.output.write(Preset::text(name)?.as_bytes()),
        Some(name) => values(args, name),
        None => list(args),
    }
}

/// A device.
struct Listed {
    device: String,
    title: String,
    /// Architecture of the machine code that the device runs.
    architecture: String,
    compute_capability: Option<String>,
    /// Multiprocessors; SIMDs of a VLIW machine.
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
    fn of_vliw(preset: &VliwPreset) -> Listed {
        let machine = preset.machine;
        Listed {
            device: preset.name.clone(),
            title: preset.title.clone(),
            architecture: VLIW.to_owned(),
            compute_capability: None,
            multiprocessors: machine.n_simds as u32,
            clock_mhz: machine.clock_mhz,
            l1: vec![(machine.l1_bytes / 1024.0) as u32],
            values: preset.entries.len(),
            fitted: 0,
            validated: Validated::Here.name(),
        }
    }

    /// Least and largest L1.
    fn l1_range(&self) -> String {
        let least = self.l1.iter().min().copied().unwrap_or(0);
        let most = self.l1.iter().max().copied().unwrap_or(0);
        match least < most {
            true => format!("{least} to {most}"),
            false => most.to_string(),
        }
    }
}

fn columns() -> Columns<Listed> {
    Columns::<Listed>::new(3)
        .column("device", "device", |one| one.device.clone())
        .shown("title", |one| {
            let title = one.title.split(',').next().unwrap_or_default();
            title.trim_start_matches("NVIDIA ").to_owned()
        })
        .filed("title", |one| one.title.clone())
        .column("arch", "architecture", |one| one.architecture.clone())
        .filed("compute_capability", |one| one.compute_capability.clone())
        .column("SMX", "multiprocessors", |one| one.multiprocessors)
        .column("MHz", "clock_mhz", |one| one.clock_mhz)
        .shown("L1 (KiB)", Listed::l1_range)
        .filed("l1", |one| one.l1.clone())
        .filed("values", |one| one.values)
        .filed("fitted", |one| one.fitted)
        .column("validated", "validated", |one| one.validated)
}

fn list(args: &DevicesArgs) -> CliResult {
    let mut devices = Vec::new();
    for name in builtin_names() {
        devices.push(Listed::of(&Preset::load(name)?, name));
    }
    for name in vliw::builtin_names() {
        devices.push(Listed::of_vliw(&VliwPreset::load(name)?));
    }
    let is_meant = |one: &Listed| {
        args.arch
            .as_ref()
            .is_none_or(|arch| one.architecture == *arch)
    };
    devices.retain(is_meant);
    let provenance = Provenance::of_program();
    args.output.print_columns(&columns(), &devices, &provenance)
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
            value: entry.shown(),
            unit: entry.unit.clone(),
            kind: entry.kind.name(),
            read_by: entry.readers.iter().map(|reader| reader.name()).collect(),
            source: entry.source.clone(),
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
    let (entries, head) = if vliw::builtin_names().any(|known| known == name) {
        (VliwPreset::load(name)?.entries, String::new())
    } else {
        let preset = Preset::load(name)?;
        let head = validation(&preset);
        (preset.entries, head)
    };
    let mut listings: Vec<Listing> = entries.iter().map(Listing::of).collect();
    if let Some(kind) = args.kind.map(Kind::name) {
        listings.retain(|one| one.kind == kind);
        if listings.is_empty() {
            progress::say(&format!("{name}: none of its values is {kind}"));
        }
    }
    let text = || {
        let texts: Vec<String> = listings.iter().map(Listing::text).collect();
        head + &texts.concat()
    };
    args.output
        .print(&listings, &Provenance::of_device(name), text)
}

/// The line above the values of a device whose predictions were never compared with measurements; empty for other devices.
fn validation(preset: &Preset) -> String {
    let device = &preset.device;
    match device.validated {
        Validated::Here => String::new(),
        Validated::Never => format!("{}: {NEVER_VALIDATED}\n\n", device.title),
    }
}
