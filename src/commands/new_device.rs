//! `warpstack new-device`: a custom preset to start from.
//!
//! The file is a copy of a preset under a new name. Its head lists the values to which a prediction of the analytical model is most
//! sensitive, by the effect of changing each by 10 %, and how each can be found.
//! Leaves out: changing any value; finding one on a card (`characterize`, or `measure` and `calibrate --measured`).

use super::CliResult;
use crate::device::characterize::infer::rules;
use crate::device::{Kind, Preset, Reader};
use crate::predictor;
use crate::predictor::{Predictor, Settings};
use crate::report::progress;
use crate::report::{output, table::table};
use crate::study::sensitivity::{Sensitivity, sensitivities};
use crate::study::{Base, Key};
use crate::systems::options::LaunchOptions;
use crate::validate::card::COPY;
use std::convert::Infallible;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Write a preset of your own to start from: a copy of another, with the values that matter most listed at its head.
#[derive(Debug, clap::Args)]
pub struct NewDeviceArgs {
    /// Device to copy: a name, or the path of a .toml file; best one of the same generation as yours
    #[arg(long, value_name = "DEVICE")]
    from: String,
    /// File to write, NAME.toml; the device is then called NAME
    file: PathBuf,
}

/// Kernels, and problems with threads per block, of the launches whose predictions rank the values.
const KERNELS: [&str; 4] = ["rpn", "lgp", "lgp-registers", "accumulator"];
const LAUNCHES: [(&str, u32); 3] = [("sextic", 64), ("sextic", 1024), ("kddcup", 256)];
/// Values in the list.
const MOST: usize = 16;
/// Values that change less are not in the list, in percent.
const LEAST_PERCENT: f64 = 0.05;

pub fn run(args: &NewDeviceArgs) -> CliResult {
    let name = name("FILE", &args.file)?;
    output::check_writable(&args.file)?;
    let base = Base::load(&args.from)?;
    let text = Preset::text(&args.from)?;
    let found = matters(&base)?;
    let head = head(&base, &name, &found);
    let commented: String = head
        .lines()
        .map(|line| format!("# {line}").trim_end().to_owned() + "\n")
        .collect();
    let content = commented + "\n" + &renamed(&text, &base, &name);
    Preset::from_toml(&content, &args.file.display().to_string())?;
    output::write(Some(&args.file), content.as_bytes())?;
    output::write(None, head.as_bytes())?;
    let written = args.file.display();
    progress::say(&format!("{written} written; this list is at its head"));
    Ok(())
}

/// The name that a device gets from its file, which must not be there yet.
pub fn name(place: &str, file: &Path) -> Result<String, String> {
    let shown = file.display();
    if file.exists() {
        let what = if file.is_dir() {
            "a folder"
        } else {
            "a file that exists"
        };
        return Err(format!(
            "{place}: given {shown}, {what}; allowed: a new file NAME.toml"
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
            "{place}: given {shown}; allowed: NAME.toml, NAME of letters, digits, -, _ and ."
        )),
    }
}

/// The values that predictions depend on most.
fn matters(base: &Base) -> Result<Vec<Sensitivity>, Box<dyn Error>> {
    let settings = Settings {
        kind: predictor::Kind::Analytical,
        ..Settings::default()
    };
    let opened = Predictor::with_settings(base.device.clone(), settings);
    if predictor::architecture(&base.device, &opened.settings().code).is_err() {
        // No code of its own: nothing can be predicted without a choice of another's.
        return Ok(Vec::new());
    }
    let found = sensitivities(
        base,
        Reader::Model,
        |_, _| true,
        |device| {
            let on = opened.on(device.clone());
            let speed = |launch| Some(on.predict(&launch).ok()?.gpops_billion);
            Ok::<_, Infallible>(launches().map(speed).collect())
        },
    )?;
    let shown = found
        .into_iter()
        .filter(|one| one.percent() >= LEAST_PERCENT);
    Ok(shown.take(MOST).collect())
}

/// The launches whose predictions rank the values. A device may lack code for some.
fn launches() -> impl Iterator<Item = LaunchOptions> {
    let of_kernel = |kernel: &'static str| {
        LAUNCHES.map(|(problem, threads)| LaunchOptions {
            problem: Some(problem.into()),
            threads_per_block: Some(threads),
            ..LaunchOptions::of(kernel)
        })
    };
    KERNELS.into_iter().flat_map(of_kernel)
}

/// The head of the file: what to do, and the list.
fn head(base: &Base, name: &str, found: &[Sensitivity]) -> String {
    let device = &base.device;
    let mut lines = vec![
        format!("{name}: a copy of {} ({}), to be changed.", device.name, device.title),
        "Change a value together with its kind (documented, measured, derived, assumed, fitted) and its source. What stays unknown is".into(),
        "`assumed`: `warpstack calibrate --measured` refits what is assumed or fitted from rows that `warpstack measure` wrote.".into(),
    ];
    if found.is_empty() {
        lines.push(
            "There is no machine code for this device, so no prediction says which values matter."
                .into(),
        );
    } else {
        lines.push(String::new());
        let launches =
            LAUNCHES.map(|(problem, threads)| format!("{problem} with {threads} threads"));
        lines.push(
            "The values that matter most: what 10 % less and 10 % more of each (whole numbers: at least 1) change in the speed of the launch that".into()
        );
        lines.push(format!(
            "changes most, of {} on {}, analytical model:",
            KERNELS.join(", "),
            launches.join(", ")
        ));
        lines.push(String::new());
        let rows = found.iter().map(row).collect();
        let headers = ["field", "value", "kind", "less", "more", "how to find it"];
        lines.extend(table(&headers, rows, 6).lines().map(str::to_owned));
    }
    lines.join("\n") + "\n"
}

fn row(one: &Sensitivity) -> Vec<String> {
    let effect = |is_less: bool| {
        let mut tried = one.tried.iter();
        let found = tried.find(|(value, _)| (*value < one.value) == is_less);
        found.map_or("-".to_owned(), |(_, percent)| format!("{percent:+.1} %"))
    };
    vec![
        one.key.name(),
        one.value.to_string(),
        one.kind.name().into(),
        effect(true),
        effect(false),
        how_to_find(&one.key, one.kind).into(),
    ]
}

/// Where a value can be looked up or measured.
fn how_to_find(key: &Key, kind: Kind) -> &'static str {
    let name = key.name();
    let Key::Field(section, _) = key else {
        return "";
    };
    match (section.as_str(), kind) {
        _ if rules().any(|(field, _)| *field == name) => "warpstack characterize",
        ("limits", _) => "CUDA C++ Programming Guide, table of compute capabilities",
        ("throughput", _) => "CUDA C++ Programming Guide, table of arithmetic throughput",
        ("issue", _) | (_, Kind::Documented) => "white paper of the architecture, or data sheet",
        (_, Kind::Assumed | Kind::Fitted) => {
            "warpstack calibrate --measured, where nothing else says"
        }
        (_, Kind::Measured | Kind::Derived) => "microbenchmark; see the source in this file",
    }
}

/// The preset under another name, from `[device]` on.
fn renamed(text: &str, base: &Base, name: &str) -> String {
    let body = text.find("[device]").map_or(text, |start| &text[start..]);
    let mut in_device = false;
    let lines = body.lines().filter_map(|line| {
        if line.starts_with('[') {
            in_device = line == "[device]";
        }
        let key = line.split_once('=').map_or("", |(key, _)| key.trim());
        match (in_device, key) {
            (true, "name") => Some(format!("name = \"{name}\"")),
            (true, "title") => {
                let title = base.device.title.replace(['"', '\\'], "'");
                Some(format!(
                    "title = \"{name}{COPY}{title}\"\nvalidated = \"never\""
                ))
            }
            (true, "validated") => None,
            _ => Some(line.to_owned()),
        }
    });
    lines.map(|line| line + "\n").collect()
}
