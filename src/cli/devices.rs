//! `warpstack devices`: the presets, and every value of one of them with its source.
//!
//! Leaves out: writing a preset of one's own (`devices_new.rs`).

use super::CliResult;
use super::devices_new::{self, NewArgs};
use super::engine::NEVER_VALIDATED;
use crate::device::vliw::{self, VliwPreset};
use crate::device::{Entry, Kind, Preset, Validated, builtin_names};
use crate::report::{output, table::table};

/// List the devices, or all values of one with unit, kind, source and readers.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DevicesArgs {
    #[command(subcommand)]
    command: Option<DevicesCommand>,
    /// Device name, or the path of a .toml file
    device: Option<String>,
    /// Show only values of this kind
    #[arg(long, requires = "device")]
    kind: Option<KindArg>,
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
    let text = match &args.device {
        Some(device) if vliw::builtin_names().any(|name| name == device) => {
            vliw_values(&VliwPreset::load(device)?, args.kind.map(KindArg::kind))
        }
        Some(device) => values(&Preset::load(device)?, args.kind.map(KindArg::kind)),
        None => list()?,
    };
    output::write(None, text.as_bytes())?;
    Ok(())
}

fn list() -> Result<String, Box<dyn std::error::Error>> {
    let mut rows = Vec::new();
    for name in builtin_names() {
        let preset = Preset::load(name)?;
        let device = &preset.device;
        let l1_kib: Vec<String> = device
            .l1
            .splits
            .iter()
            .map(|split| (split.l1_bytes / 1024).to_string())
            .collect();
        rows.push(vec![
            name.into(),
            device.title.clone(),
            device.compute_capability.clone(),
            device.chip.n_smx.to_string(),
            device.chip.clock_mhz.to_string(),
            l1_kib.join(", "),
            preset.entries.len().to_string(),
            preset.fitted().len().to_string(),
            device.validated.name().into(),
        ]);
    }
    for name in vliw::builtin_names() {
        rows.push(vliw_row(&VliwPreset::load(name)?)?);
    }
    let headers = [
        "device",
        "title",
        "compute capability",
        "SMX",
        "clock (MHz)",
        "L1 (KiB)",
        "values",
        "of these fitted",
        "validated",
    ];
    Ok(table(&headers, rows, 2))
}

/// A machine of another kind: its SIMDs run wavefronts of VLIW code.
fn vliw_row(preset: &VliwPreset) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let machine = preset.machine()?;
    Ok(vec![
        preset.name.clone(),
        preset.title.clone(),
        "none: VLIW5".into(),
        format!("{} SIMDs", machine.n_simds),
        machine.clock_mhz.to_string(),
        (machine.l1_bytes / 1024.0).to_string(),
        preset.values.len().to_string(),
        "0".into(),
        Validated::Here.name().into(),
    ])
}

fn vliw_values(preset: &VliwPreset, kind: Option<Kind>) -> String {
    let row = |(key, value): (&String, &vliw::Value)| {
        let range = match (value.low, value.high) {
            (Some(low), Some(high)) => format!("{} ({low} to {high})", value.value),
            _ => value.value.to_string(),
        };
        vec![
            key.clone(),
            range,
            value.unit.clone(),
            value.kind.name().into(),
            "VLIW simulator, host".into(),
            value.source.clone(),
        ]
    };
    let chosen = preset
        .values
        .iter()
        .filter(|(_, value)| kind.is_none_or(|kind| value.kind == kind));
    let headers = ["field", "value", "unit", "kind", "read by", "source"];
    table(&headers, chosen.map(row).collect(), 6)
}

fn values(preset: &Preset, kind: Option<Kind>) -> String {
    let row = |entry: &Entry| {
        vec![
            entry.key(),
            entry.value.clone(),
            entry.unit.clone(),
            entry.kind.name().into(),
            readers(entry),
            entry.source.clone(),
        ]
    };
    let rows = preset
        .entries
        .iter()
        .filter(|entry| kind.is_none_or(|kind| entry.kind == kind))
        .map(row)
        .collect();
    let headers = ["field", "value", "unit", "kind", "read by", "source"];
    validation(preset) + &table(&headers, rows, 6)
}

/// A line above the values of a device whose predictions nobody has compared with measurements.
fn validation(preset: &Preset) -> String {
    let device = &preset.device;
    match device.validated {
        Validated::Here => String::new(),
        Validated::Never => format!("{}: {NEVER_VALIDATED}\n\n", device.title),
    }
}

fn readers(entry: &Entry) -> String {
    let names: Vec<&str> = entry.readers.iter().map(|reader| reader.name()).collect();
    match names.is_empty() {
        true => "nothing (reference)".into(),
        false => names.join(", "),
    }
}
