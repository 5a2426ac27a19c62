//! Measured launches: rows that `warpstack measure` wrote, and the ones committed for some devices, times joined with Nsight
//! Compute's counters.
//!
//! A launch is a kernel, a block size, a carve-out and a population. Leaves out: predicting.
//! Units: milliseconds, warp instructions, percent, KiB. Sources: `fixtures/measured/`.

use super::columns::present_names;
use crate::util::names::UnknownName;
use crate::util::refused::Refused;
use crate::util::rows::{CsvRow, Rows, RowsError};
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use crate::device::Device;
use crate::device::occupancy::OccupancyLimits;
use crate::systems::chitty::code::{KernelCode, OwnCode, is_custom};
use crate::systems::chitty::kernel_id::Lowering;
use crate::systems::chitty::split::MeasurementSplit;
use crate::systems::chitty::variant::{KernelId, Variant};

/// Rows of a device that are part of the program.
macro_rules! committed {
    ($($device:literal: $($file:literal),*;)*) => {
        /// Devices with rows, and their files.
        const COMMITTED: &[(&str, &[(&str, &str)])] = &[$(($device, &[$((
            $file,
            include_str!(concat!("../../fixtures/measured/", $device, "/", $file)),
        )),*])),*];
    };
}

committed! {
    "h200": "runs.csv", "carveout.csv", "counters.csv";
    "h100": "runs.csv", "runs_counters.csv";
}

/// Returns the devices whose measured launches are part of the program.
pub fn devices() -> impl Iterator<Item = &'static str> {
    COMMITTED.iter().map(|(device, _)| *device)
}

/// Programs of a launch at most: as many as `measure --population` takes.
const MOST_PROGRAMS: u32 = 1_000_000;

/// More shared memory than any multiprocessor has.
const MOST_SHARED_BYTES: u32 = 1 << 20;

/// A launch, as far as it decides the time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Launched {
    pub kernel: KernelCode,
    pub threads_per_block: u32,
    /// Blocks that share the fitness cases of a program.
    pub case_blocks: u32,
    /// Elements of a row, padding included.
    pub padded_elements: u32,
    pub population: u32,
    /// First digits of the SHA-256 of all programs' text; empty where it is not known.
    pub programs: String,
    /// Shared memory that a multiprocessor was configured with; `None`: the driver's choice.
    pub shared_config_bytes: Option<u32>,
}

/// One measured launch.
#[derive(Debug, Clone)]
pub struct MeasuredLaunch {
    pub split: MeasurementSplit,
    pub launched: Launched,
    /// Fitness cases that count.
    pub cases: u64,
    /// `data` where they came from files.
    pub cases_source: String,
    pub case_seed: Option<u64>,
    /// Where `measure` read the programs.
    pub programs_file: Option<String>,
    /// `None` where only counters were read.
    pub milliseconds: Option<f64>,
    pub warp_instructions: Option<u64>,
    pub l1_hit_percent: Option<f64>,
}

/// Returns the launches measured on a device that are part of the program. 71 of the H200's 718 rows with a time ask for another
/// carve-out and get the same on-chip memory as a row before them; the first one counts, and what was counted for any of them
/// belongs to its part of the split.
pub fn measured_launches(device: &Device) -> Result<Vec<MeasuredLaunch>, RowsError> {
    let of_device = COMMITTED.iter().filter(|(name, _)| *name == device.name);
    let files = of_device.flat_map(|(_, files)| files.iter());
    let rows = files.map(|(file, text)| parse(text, file, device));
    let rows: Vec<Vec<MeasuredLaunch>> = rows.collect::<Result<_, _>>()?;
    Ok(merged(rows.into_iter().flatten()))
}

/// Merges the rows of each launch, in the order in which launches first occur.
pub fn merged(rows: impl IntoIterator<Item = MeasuredLaunch>) -> Vec<MeasuredLaunch> {
    let mut launches: Vec<MeasuredLaunch> = Vec::new();
    let mut known: HashMap<Launched, usize> = HashMap::new();
    for row in rows {
        match known.get(&row.launched) {
            Some(&at) => {
                let seen = &mut launches[at];
                seen.warp_instructions = seen.warp_instructions.or(row.warp_instructions);
                seen.l1_hit_percent = seen.l1_hit_percent.or(row.l1_hit_percent);
            }
            None => {
                known.insert(row.launched.clone(), launches.len());
                launches.push(row);
            }
        }
    }
    launches
}

/// Finds the machine code of a custom kernel that runs like a variant.
type CodeOf<'a> = dyn Fn(&Variant) -> Result<Arc<OwnCode>, Box<dyn Error>> + 'a;

/// Machine code of the custom kernel that some rows ran.
pub struct Custom<'a> {
    /// Encoding of its programs.
    pub lowering: Lowering,
    pub code: &'a CodeOf<'a>,
}

/// Rows as `warpstack measure` writes them, measured on `device` with its own machine code; `file` is used in messages only.
pub fn parse(text: &str, file: &str, device: &Device) -> Result<Vec<MeasuredLaunch>, RowsError> {
    parse_with(text, file, device, None)
}

/// Rows as [`parse`] reads them, those of a custom kernel with its machine code.
pub fn parse_with(
    text: &str,
    file: &str,
    device: &Device,
    custom: Option<&Custom>,
) -> Result<Vec<MeasuredLaunch>, RowsError> {
    let limits = OccupancyLimits::of(device);
    let mut rows = Rows::read(text, file)?;
    if rows.n_rows() == 0 {
        return Err(Refused::new(file, "no row", "rows that `warpstack measure` wrote").into());
    }
    present_names(&mut rows);
    let launches = rows.iter().map(|row| {
        let kernel = kernel(row, device, custom)?;
        launch(row, kernel, &limits)
    });
    launches.collect()
}

/// Something counted or timed.
fn measured(row: CsvRow<'_>, column: &str) -> Result<Option<f64>, RowsError> {
    row.optional(column, "a number of at least 0", |value: &f64| {
        value.is_finite() && *value >= 0.0
    })
}

/// Shared memory in bytes, from a column in units of `unit` bytes.
fn shared_bytes(row: CsvRow<'_>, column: &str, unit: u32) -> Result<Option<u32>, RowsError> {
    let most = MOST_SHARED_BYTES / unit;
    let allowed = format!("0 to {most}");
    let given = row.optional(column, &allowed, |given: &u32| *given <= most)?;
    Ok(given.map(|given| given * unit))
}

/// Blocks that share the cases of a program; 1 for rows from before the accumulator, which lack the column.
fn case_blocks(row: CsvRow<'_>, kernel: &Variant) -> Result<u32, RowsError> {
    let most = kernel.kernel.sharing().most_case_blocks();
    let given = row.optional("case_blocks", &format!("1 to {most}"), |given| {
        (1..=most).contains(given)
    })?;
    Ok(given.unwrap_or(1))
}

fn kernel(
    row: CsvRow<'_>,
    device: &Device,
    custom: Option<&Custom>,
) -> Result<KernelCode, RowsError> {
    const NONE: &str =
        "a built-in kernel, or a custom one with its --sass or --cuda and --encoding";
    let arch = device.code.parse();
    let arch = arch.map_err(|error: UnknownName| row.refuse("device", error))?;
    let custom = match is_custom(row.text("kernel")) {
        true => Some(custom.ok_or_else(|| row.refuse("kernel", NONE))?),
        false => None,
    };
    let kernel: KernelId = match custom {
        Some(custom) => custom.lowering.kernel(),
        None => row.named("kernel")?,
    };
    let (problem, stack_dim) = (row.named("problem")?, row.count("stack_dim")?);
    let variant = Variant {
        stack_registers: row.value("stack_registers", "a whole number")?,
        shape: row.named("shape")?,
        math: row.named("math")?,
        dispatch: row.named("dispatch")?,
        ..Variant::new(kernel, problem, stack_dim, arch)
    };
    let Some(custom) = custom else {
        let compiled = variant.resources().map(|_| variant.into());
        return compiled.map_err(|error| row.refuse("kernel", error));
    };
    let code = (custom.code)(&variant).map_err(|error| row.refuse("kernel", error))?;
    Ok(KernelCode::own(variant, code))
}

/// The shared memory that a multiprocessor was configured with: as counted, as the carve-out requested, or as the row records.
fn shared_config_bytes(
    row: CsvRow<'_>,
    kernel: &KernelCode,
    limits: &OccupancyLimits,
) -> Result<Option<u32>, RowsError> {
    const COUNTED: &str = "launch__shared_mem_config_size";
    let allowed = format!("0 to {MOST_SHARED_BYTES}");
    let counted = row.optional(COUNTED, &allowed, |bytes: &f64| {
        (0.0..=f64::from(MOST_SHARED_BYTES)).contains(bytes)
    })?;
    let percent = row.optional("carveout_percent", "0 to 100", |percent: &u32| {
        *percent <= 100
    })?;
    let asked = percent.zip(shared_bytes(row, "shared_bytes", 1)?);
    let fixed = kernel
        .resources()
        .map_or(0, |needs| needs.static_shared_bytes);
    let asked = asked.map(|(percent, bytes)| limits.carve_out(percent, fixed + bytes));
    let said = shared_bytes(row, "shared_config_kib", 1024)?;
    let counted = counted.map(|bytes| bytes as u32);
    Ok(counted.or(asked).or(said))
}

fn launch(
    row: CsvRow<'_>,
    kernel: KernelCode,
    limits: &OccupancyLimits,
) -> Result<MeasuredLaunch, RowsError> {
    let loads = measured(row, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum")?;
    let hits = measured(
        row,
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
    )?;
    let instructions = measured(row, "smsp__inst_executed.sum")?;
    let file = row.text("programs_file");
    Ok(MeasuredLaunch {
        split: row.named("split")?,
        launched: Launched {
            threads_per_block: row.count("threads")?,
            case_blocks: case_blocks(row, &kernel)?,
            padded_elements: row.count("padded_elements")?,
            population: row.checked(
                "population",
                &format!("1 to {MOST_PROGRAMS}"),
                |programs| (1..=MOST_PROGRAMS).contains(programs),
            )?,
            programs: row.text("programs").to_owned(),
            shared_config_bytes: shared_config_bytes(row, &kernel, limits)?,
            kernel,
        },
        cases: row.count("cases")?.into(),
        cases_source: row.text("cases_source").to_owned(),
        case_seed: row.optional("case_seed", "a whole number", |_| true)?,
        programs_file: (!file.is_empty()).then(|| file.to_owned()),
        milliseconds: measured(row, "median_ms")?,
        warp_instructions: instructions.map(|count| count as u64),
        l1_hit_percent: loads.zip(hits).map(|(loads, hits)| 100.0 * hits / loads),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn an_optional_column_is_empty_or_what_it_should_be() {
        let h200 = crate::device::Preset::load("h200").unwrap().device;
        let file = "fixtures/measured/h200/counters.csv";
        let text = std::fs::read_to_string(file).unwrap();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        // Columns that the row of counters does not have.
        let more = ["median_ms", "case_seed"];
        let row_with = |column: &str, value: &str| {
            let row = text.lines().nth(1).unwrap().split(',').chain(["", ""]);
            let names = header.iter().copied().chain(more);
            let fields = names.clone().zip(row).map(|(name, field)| match name {
                name if name == column => value,
                // Else the others would not count.
                "launch__shared_mem_config_size" if column != name => "",
                _ => field,
            });
            let [names, fields] = [names.collect::<Vec<_>>(), fields.collect()];
            let text = format!("{}\n{}\n", names.join(","), fields.join(","));
            parse(&text, "m.csv", &h200)
        };
        for (column, wrong) in [
            ("median_ms", "fast"),
            ("median_ms", "-1"),
            ("median_ms", "NaN"),
            ("case_seed", "1.5"),
            ("carveout_percent", "101"),
            ("shared_bytes", "4294967295"),
            ("shared_config_kib", "4194304"),
            ("launch__shared_mem_config_size", "1e9"),
            ("smsp__inst_executed.sum", "n/a"),
        ] {
            let message = row_with(column, wrong).unwrap_err().to_string();
            let named = format!("m.csv, line 2, field {column}: given \"{wrong}\"; allowed: ");
            assert!(
                message.starts_with(&named) && message.ends_with("or nothing"),
                "{message}"
            );
            assert!(row_with(column, "").is_ok(), "{column}");
        }
        let rows = row_with("shared_bytes", "1048576").unwrap();
        assert!(rows[0].launched.shared_config_bytes.is_some());
    }

    #[test]
    fn every_row_is_read_and_joined() {
        let h200 = crate::device::Preset::load("h200").unwrap().device;
        let launches = measured_launches(&h200).unwrap();
        let count =
            |holds: fn(&MeasuredLaunch) -> bool| launches.iter().filter(|l| holds(l)).count();
        assert_eq!(count(|l| l.milliseconds.is_some()), 647);
        assert!(count(|l| l.warp_instructions.is_some()) > 100);
        assert!(count(|l| l.warp_instructions.is_some() && l.milliseconds.is_some()) > 50);
        let configurations: HashSet<_> = launches.iter().map(|l| &l.launched).collect();
        assert_eq!(
            configurations.len(),
            launches.len(),
            "one part of the split each"
        );
        assert!(launches.iter().all(|l| {
            l.l1_hit_percent
                .is_none_or(|hit| (0.0..=100.0).contains(&hit))
        }));
    }
}
