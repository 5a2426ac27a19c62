//! Measured launches: rows that `warpstack measure` wrote, and the ones committed for an H200, times joined with Nsight
//! Compute's counters.
//!
//! A launch is a kernel, a block size, a carve-out and a population. Leaves out: predicting.
//! Units: milliseconds, warp instructions, percent, KiB. Sources: `fixtures/measured/h200/README.md`.

use super::columns::present_name;
use crate::util::names::UnknownName;
use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;

use crate::device::Device;
use crate::device::occupancy::OccupancyLimits;
use crate::systems::chitty::split::Split;
use crate::systems::chitty::variant::{KernelId, Variant};

const COMMITTED: [(&str, &str); 3] = [
    (
        "runs.csv",
        include_str!("../../fixtures/measured/h200/runs.csv"),
    ),
    (
        "carveout.csv",
        include_str!("../../fixtures/measured/h200/carveout.csv"),
    ),
    (
        "counters.csv",
        include_str!("../../fixtures/measured/h200/counters.csv"),
    ),
];

/// Programs of a launch at most: as many as `measure --population` takes.
const MOST_PROGRAMS: u32 = 1_000_000;

/// More shared memory than any multiprocessor has.
const MOST_SHARED_BYTES: u32 = 1 << 20;

/// What was launched, as far as it decides the time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Launched {
    pub kernel: Variant,
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
    pub split: Split,
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

/// A field that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LaunchesError {
    #[error("{file}: {error}")]
    Csv { file: String, error: csv::Error },
    #[error("{file}, line {line}, field {field}: given \"{given}\"; allowed: {allowed}")]
    Field {
        file: String,
        line: u64,
        field: &'static str,
        given: String,
        allowed: String,
    },
    #[error("{file}: no row in it; allowed: rows that `warpstack measure` wrote")]
    Empty { file: String },
}

/// The launches measured on an H200 that are part of the program. 71 of the 718 rows with a time ask for another carve-out
/// and get the same on-chip memory as a row before them; the first one counts, and what was counted for any of them belongs to
/// its part of the split.
pub fn measured_launches(h200: &Device) -> Result<Vec<MeasuredLaunch>, LaunchesError> {
    let files = COMMITTED.iter();
    let rows = files.map(|(file, text)| parse(text, file, h200));
    let rows: Vec<Vec<MeasuredLaunch>> = rows.collect::<Result<_, _>>()?;
    Ok(merged(rows.into_iter().flatten()))
}

/// Rows of one launch put together, in the order in which launches are first met.
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

/// Rows as `warpstack measure` writes them, measured on `device` with its own machine code; `file` is used in messages only.
pub fn parse(
    text: &str,
    file: &str,
    device: &Device,
) -> Result<Vec<MeasuredLaunch>, LaunchesError> {
    let csv_error = |error| LaunchesError::Csv {
        file: file.to_owned(),
        error,
    };
    let limits = OccupancyLimits::of(device);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().map_err(csv_error)?.clone();
    let rows = reader.records().map(|record| {
        let record = record.map_err(csv_error)?;
        let line = record.position().map_or(0, csv::Position::line);
        let fields = headers.iter().zip(record.iter());
        let fields = fields.map(|(name, value)| (present_name(name).to_owned(), value.to_owned()));
        let row = MeasuredRow {
            file,
            line,
            fields: fields.collect(),
        };
        row.launch(device, &limits)
    });
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    match rows.is_empty() {
        true => Err(LaunchesError::Empty {
            file: file.to_owned(),
        }),
        false => Ok(rows),
    }
}

struct MeasuredRow<'a> {
    file: &'a str,
    line: u64,
    fields: HashMap<String, String>,
}

impl MeasuredRow<'_> {
    fn text(&self, field: &str) -> &str {
        self.fields.get(field).map_or("", String::as_str)
    }

    fn bad(&self, field: &'static str, allowed: impl ToString) -> LaunchesError {
        LaunchesError::Field {
            file: self.file.to_owned(),
            line: self.line,
            field,
            given: self.text(field).to_owned(),
            allowed: allowed.to_string(),
        }
    }

    fn number(&self, field: &'static str) -> Result<u32, LaunchesError> {
        let parsed = self.text(field).parse();
        parsed.map_err(|_| self.bad(field, "a whole number"))
    }

    /// A number above 0.
    fn count(&self, field: &'static str) -> Result<u32, LaunchesError> {
        match self.number(field)? {
            0 => Err(self.bad(field, "1 or more")),
            count => Ok(count),
        }
    }

    fn population(&self) -> Result<u32, LaunchesError> {
        match self.count("population")? {
            population @ ..=MOST_PROGRAMS => Ok(population),
            _ => Err(self.bad("population", format!("1 to {MOST_PROGRAMS}"))),
        }
    }

    fn name<T: FromStr<Err: Display>>(&self, field: &'static str) -> Result<T, LaunchesError> {
        let parsed: Result<T, T::Err> = self.text(field).parse();
        parsed.map_err(|error| self.bad(field, error))
    }

    /// What a row may leave empty, or a file leave out.
    fn optional<T: FromStr>(
        &self,
        field: &'static str,
        allowed: &str,
        holds: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, LaunchesError> {
        let text = self.text(field).trim();
        if text.is_empty() {
            return Ok(None);
        }
        let value = text.parse().ok().filter(holds);
        let value = value.ok_or_else(|| self.bad(field, format!("{allowed}, or nothing")))?;
        Ok(Some(value))
    }

    /// Something counted or timed.
    fn measured(&self, field: &'static str) -> Result<Option<f64>, LaunchesError> {
        self.optional(field, "a number of at least 0", |value: &f64| {
            value.is_finite() && *value >= 0.0
        })
    }

    /// Shared memory in bytes, of a column in units of so many.
    fn shared_bytes(&self, field: &'static str, unit: u32) -> Result<Option<u32>, LaunchesError> {
        let most = MOST_SHARED_BYTES / unit;
        let allowed = format!("0 to {most}");
        let given = self.optional(field, &allowed, |given: &u32| *given <= most)?;
        Ok(given.map(|given| given * unit))
    }

    /// Blocks that share the cases of a program. Rows from before the accumulator do not say.
    fn case_blocks(&self, kernel: &Variant) -> Result<u32, LaunchesError> {
        let most = kernel.kernel.sharing().most_case_blocks();
        match self.text("case_blocks") {
            "" => Ok(1),
            _ => match self.number("case_blocks")? {
                given if (1..=most).contains(&given) => Ok(given),
                _ => Err(self.bad("case_blocks", format!("1 to {most}"))),
            },
        }
    }

    fn kernel(&self, device: &Device) -> Result<Variant, LaunchesError> {
        let arch = device.code.parse();
        let arch = arch.map_err(|error: UnknownName| self.bad("device", error))?;
        let kernel: KernelId = self.name("kernel")?;
        let (problem, stack_dim) = (self.name("problem")?, self.count("stack_dim")?);
        let variant = Variant {
            stack_registers: self.number("stack_registers")?,
            shape: self.name("shape")?,
            math: self.name("math")?,
            dispatch: self.name("dispatch")?,
            ..Variant::new(kernel, problem, stack_dim, arch)
        };
        match variant.resources() {
            Ok(_) => Ok(variant),
            Err(error) => Err(self.bad("kernel", error)),
        }
    }

    /// The shared memory that a multiprocessor was configured with: as counted, as the carve-out asked for, or as the row says.
    fn shared_config_bytes(
        &self,
        kernel: &Variant,
        limits: &OccupancyLimits,
    ) -> Result<Option<u32>, LaunchesError> {
        const COUNTED: &str = "launch__shared_mem_config_size";
        let allowed = format!("0 to {MOST_SHARED_BYTES}");
        let counted = self.optional(COUNTED, &allowed, |bytes: &f64| {
            (0.0..=f64::from(MOST_SHARED_BYTES)).contains(bytes)
        })?;
        let percent = self.optional("carveout_percent", "0 to 100", |percent: &u32| {
            *percent <= 100
        })?;
        let asked = percent.zip(self.shared_bytes("shared_bytes", 1)?);
        let fixed = kernel
            .resources()
            .map_or(0, |needs| needs.static_shared_bytes);
        let asked = asked.map(|(percent, bytes)| limits.carve_out(percent, fixed + bytes));
        let said = self.shared_bytes("shared_config_kib", 1024)?;
        let counted = counted.map(|bytes| bytes as u32);
        Ok(counted.or(asked).or(said))
    }

    fn launch(
        &self,
        device: &Device,
        limits: &OccupancyLimits,
    ) -> Result<MeasuredLaunch, LaunchesError> {
        let kernel = self.kernel(device)?;
        let loads = self.measured("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum")?;
        let hits = self.measured("l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum")?;
        let instructions = self.measured("smsp__inst_executed.sum")?;
        let file = self.text("programs_file");
        Ok(MeasuredLaunch {
            split: match self.text("split") {
                "calibration" => Split::Calibration,
                "holdout" => Split::Holdout,
                _ => return Err(self.bad("split", "calibration, holdout")),
            },
            launched: Launched {
                kernel,
                threads_per_block: self.count("threads")?,
                case_blocks: self.case_blocks(&kernel)?,
                padded_elements: self.count("padded_elements")?,
                population: self.population()?,
                programs: self.text("programs").to_owned(),
                shared_config_bytes: self.shared_config_bytes(&kernel, limits)?,
            },
            cases: self.count("cases")?.into(),
            cases_source: self.text("cases_source").to_owned(),
            case_seed: self.optional("case_seed", "a whole number", |_| true)?,
            programs_file: (!file.is_empty()).then(|| file.to_owned()),
            milliseconds: self.measured("median_ms")?,
            warp_instructions: instructions.map(|count| count as u64),
            l1_hit_percent: loads.zip(hits).map(|(loads, hits)| 100.0 * hits / loads),
        })
    }
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
