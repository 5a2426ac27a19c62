//! `warpstack characterize`: a preset of the GPU of this machine, from microbenchmarks.
//!
//! Leaves out: the launches (`measure::card`); what follows from their readings (`device::characterize`).

use super::CliResult;
use super::names;
use crate::device::characterize::infer::unsteady;
use crate::device::characterize::preset;
use crate::device::characterize::readings::Readings;
use crate::device::table::{Entry, find};
use crate::device::{Kind, Preset};
use crate::measure::card;
use crate::report::output;
use crate::report::progress::{self, Progress};
use crate::report::table::table;
use crate::util::input;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Write a preset of the GPU of this machine, from microbenchmarks that take seconds.
///
/// Every value says whether it was measured here, reported by the driver, documented for the generation, or assumed within a range. It needs
/// NVIDIA's driver, no CUDA, and a card of compute capability 7.5 or newer that nobody else uses.
#[derive(Debug, clap::Args)]
pub struct CharacterizeArgs {
    /// File to write, NAME.toml; the device is then called NAME
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of the GPU to measure
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "from")]
    gpu: usize,
    /// File to write the readings to, as CSV
    #[arg(long, value_name = "FILE")]
    readings: Option<PathBuf>,
    /// Readings of an earlier run, instead of measuring
    #[arg(long, value_name = "FILE", conflicts_with = "readings")]
    from: Option<PathBuf>,
    /// Device to show beside it, value by value
    #[arg(long, value_name = "DEVICE", value_parser = names::device())]
    beside: Option<String>,
}

pub fn run(args: &CharacterizeArgs) -> CliResult {
    let name = name(&args.out)?;
    output::check_writable(&args.out)?;
    if let Some(path) = &args.readings {
        output::check_writable(path)?;
    }
    let beside = args.beside.as_deref().map(Preset::load).transpose()?;
    let readings = readings(args)?;
    if let Some(path) = &args.readings {
        output::write(Some(path), readings.to_csv().as_bytes())?;
    }
    if let Some((experiment, spread, most)) = unsteady(&readings) {
        return Err(format!(
            "{}: given rounds of {experiment} that differ by {spread:.1} %; allowed: {most} %, as on a card that nobody else uses",
            readings.card
        )
        .into());
    }
    let (preset, text) = preset::preset(&readings, &name)?;
    output::write(Some(&args.out), text.as_bytes())?;
    output::write(None, shown(&preset, beside.as_ref()).as_bytes())?;
    progress::say(&format!("{} written", args.out.display()));
    Ok(())
}

/// The name that a device gets from its file, which must not be there yet.
fn name(file: &Path) -> Result<String, String> {
    let shown = file.display();
    if file.exists() {
        let what = if file.is_dir() {
            "a folder"
        } else {
            "a file that exists"
        };
        return Err(format!(
            "--out: given {shown}, {what}; allowed: a new file NAME.toml"
        ));
    }
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    let is_toml = file
        .extension()
        .is_some_and(|extension| extension == "toml");
    let plain = |name: &&str| {
        let mut characters = name.chars();
        characters.all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one))
    };
    match stem.filter(plain) {
        Some(name) if is_toml => Ok(name.to_owned()),
        _ => Err(format!(
            "--out: given {shown}; allowed: NAME.toml, NAME of letters, digits, -, _ and ."
        )),
    }
}

fn readings(args: &CharacterizeArgs) -> Result<Readings, Box<dyn Error>> {
    match &args.from {
        Some(file) => Ok(Readings::parse(
            &input::named(file)?,
            &file.display().to_string(),
        )?),
        None => {
            let mut session = card::Session::open(args.gpu)?;
            let progress = Progress::new(card::EXPERIMENTS.len() as u64, "experiments");
            for (name, experiment) in card::EXPERIMENTS {
                progress.begin(name);
                session.run(experiment)?;
                progress.step();
            }
            Ok(session.readings)
        }
    }
}

/// Returns the values that were measured or assumed, as a table, each beside that of another device.
fn shown(preset: &Preset, beside: Option<&Preset>) -> String {
    let mut headers = vec!["field", "kind", "value"];
    if let Some(other) = beside {
        headers.extend([other.device.name.as_str(), "difference"]);
    }
    let is_shown = |entry: &&Entry| entry.kind != Kind::Documented && is_short(entry);
    let lines = preset.entries.iter().filter(is_shown).map(|entry| {
        let mut line = vec![entry.key(), entry.kind.name().to_owned(), entry.shown()];
        let other = beside.and_then(|other| find(&other.entries, &entry.section, &entry.field));
        line.extend(
            other
                .into_iter()
                .flat_map(|other| [other.shown(), difference(entry, other)]),
        );
        line
    });
    table(&headers, lines.collect(), 2)
}

/// Tells whether a value is no list, for which a line has no room.
fn is_short(entry: &Entry) -> bool {
    entry.value.as_array().is_none()
}

/// Returns by how many percent a number is larger than another, or whether another value differs.
fn difference(entry: &Entry, other: &Entry) -> String {
    match (entry.number(), other.number()) {
        _ if entry.shown() == other.shown() => String::new(),
        (Some(here), Some(there)) if there != 0.0 => {
            format!("{:+.0} %", 100.0 * (here / there - 1.0))
        }
        _ => "other".into(),
    }
}
