//! Nsight Compute's CSV, in all its shapes.
//!
//! Models: the long form (one line per kernel and metric: `ncu --csv`, with or without sections), the wide form (one
//! line per kernel, one column per metric, units in the second line: `ncu --csv --page raw`), and the summary per
//! kernel (averages). Values come in base units: bytes, seconds, hertz, and products of them per something.
//! Leaves out: what the metrics mean. Units: beside each value.
//! Sources: Nsight Compute CLI documentation; prefixes as its `--print-units` scales them.

use csv::StringRecord;
use serde::Serialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// Output of Nsight Compute that cannot be read.
#[derive(Debug, Error)]
pub enum NcuError {
    #[error(
        "counters `{file}`: no line begins with \"ID\" or \"Process ID\"; expected the output of `ncu --csv`"
    )]
    NoHeader { file: String },
    #[error(
        "counters `{file}`:{line}: ncu profiled no kernel; allowed: the output of a run that launches one that is to be profiled"
    )]
    NothingProfiled { file: String, line: usize },
    #[error("`{file}`:{line}: no column `{column}`; found: {found}")]
    NoColumn {
        file: String,
        line: u64,
        column: &'static str,
        found: String,
    },
    #[error("`{file}`:{line}: {message}")]
    Csv {
        file: String,
        line: u64,
        message: String,
    },
}

/// One profiled launch; in a summary, all launches of one kernel.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ProfiledLaunch {
    /// Number given by ncu; empty in a summary.
    pub id: String,
    pub kernel: String,
    /// `(x, y, z)` as ncu prints it; empty where it does not.
    pub block_size: String,
    pub grid_size: String,
    /// Metrics by name. A name that several sections show is one metric.
    pub metrics: BTreeMap<String, Metric>,
}

/// A metric's value.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Metric {
    /// `None` where ncu has no number (`n/a`, names of modes).
    pub value: Option<f64>,
    /// Base unit of the value.
    pub unit: String,
}

/// Columns of the wide form that are no metrics.
const LAUNCH_COLUMNS: [&str; 14] = [
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Kernel Time",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
    "Invocations",
    "Section Name",
];

/// The launches of ncu's output, in order. `file` is used in errors.
pub fn parse(text: &str, file: &str) -> Result<Vec<ProfiledLaunch>, NcuError> {
    let (start, first_line) = header_start(text).ok_or_else(|| no_header(text, file))?;
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(&text.as_bytes()[start..]);
    let failed = |error: csv::Error| NcuError::Csv {
        file: file.to_owned(),
        line: first_line + error.position().map_or(1, csv::Position::line) - 1,
        message: error.to_string(),
    };
    let header = reader.headers().map_err(failed)?.clone();
    let mut records = reader
        .records()
        .collect::<Result<Vec<StringRecord>, _>>()
        .map_err(failed)?;
    records.retain(|record| !(record.len() == 1 && record[0].starts_with("==")));
    let table = Table {
        file,
        line: first_line,
        header,
        records,
    };
    if table.find("Metric Name").is_some() {
        table.long()
    } else {
        table.wide()
    }
}

/// Finds the start of the header: byte and line number.
fn header_start(text: &str) -> Option<(usize, u64)> {
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if line.starts_with("\"ID\"") || line.starts_with("\"Process ID\"") {
            return Some((at, index as u64 + 1));
        }
        at += line.len();
    }
    None
}

/// Message that ncu writes after a run without kernels.
const NO_KERNELS: &str = "No kernels were profiled";

/// Returns the error of a page without a table.
fn no_header(text: &str, file: &str) -> NcuError {
    let file = file.to_owned();
    match text.lines().position(|line| line.contains(NO_KERNELS)) {
        Some(at) => NcuError::NothingProfiled { file, line: at + 1 },
        None => NcuError::NoHeader { file },
    }
}

struct Table<'a> {
    file: &'a str,
    line: u64,
    header: StringRecord,
    records: Vec<StringRecord>,
}

impl Table<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    fn column(&self, name: &'static str) -> Result<usize, NcuError> {
        self.find(name).ok_or_else(|| NcuError::NoColumn {
            file: self.file.to_owned(),
            line: self.line,
            column: name,
            found: self.header.iter().collect::<Vec<_>>().join(", "),
        })
    }

    /// Every line has a field for each column; the last ones that are not `needed` may be missing.
    fn check_lengths(&self, needed: usize) -> Result<(), NcuError> {
        let all = self.header.len();
        let wrong = |record: &&StringRecord| !(needed..=all).contains(&record.len());
        let Some(record) = self.records.iter().find(wrong) else {
            return Ok(());
        };
        let allowed = match needed == all {
            true => format!("{all}, as in the header"),
            false => format!("{needed} to {all}, those of the header"),
        };
        Err(NcuError::Csv {
            file: self.file.to_owned(),
            line: self.line + record.position().map_or(1, csv::Position::line) - 1,
            message: format!("given {} columns; allowed: {allowed}", record.len()),
        })
    }

    /// A launch without metrics; fields that the table does not have are empty.
    fn launch(&self, record: &StringRecord, kernel: usize) -> ProfiledLaunch {
        let optional = |name| self.find(name).and_then(|at| record.get(at));
        ProfiledLaunch {
            id: optional("ID").unwrap_or_default().to_owned(),
            kernel: record[kernel].to_owned(),
            block_size: optional("Block Size").unwrap_or_default().to_owned(),
            grid_size: optional("Grid Size").unwrap_or_default().to_owned(),
            metrics: BTreeMap::new(),
        }
    }

    /// Reads a page with one line per launch and metric; in a summary, per kernel and metric.
    fn long(&self) -> Result<Vec<ProfiledLaunch>, NcuError> {
        let kernel = self.column("Kernel Name")?;
        let (name, unit) = (self.column("Metric Name")?, self.column("Metric Unit")?);
        let value = match self.find("Average") {
            Some(average) => average,
            None => self.column("Metric Value")?,
        };
        let id = self.find("ID").unwrap_or(kernel);
        // Lines of metrics may stop before the columns of rules.
        let needed = [kernel, name, unit, value, id].into_iter().max();
        self.check_lengths(needed.map_or(0, |last| last + 1))?;
        let mut launches: Vec<(&str, ProfiledLaunch)> = Vec::new();
        for record in &self.records {
            let key = &record[id];
            if launches.last().is_none_or(|(last, _)| *last != key) {
                launches.push((key, self.launch(record, kernel)));
            }
            // Lines of rules have no metric.
            if let Some((_, launch)) = launches.last_mut()
                && !record[name].is_empty()
            {
                let metric = metric(&record[value], &record[unit]);
                launch.metrics.insert(record[name].to_owned(), metric);
            }
        }
        Ok(launches.into_iter().map(|(_, launch)| launch).collect())
    }

    /// Reads a page with one line per launch, units in the line after the header.
    fn wide(&self) -> Result<Vec<ProfiledLaunch>, NcuError> {
        let kernel = self.column("Kernel Name")?;
        self.check_lengths(self.header.len())?;
        let mut records = self.records.iter().peekable();
        let units = records.next_if(|first| first[kernel].is_empty());
        let launches = records.map(|record| {
            let mut launch = self.launch(record, kernel);
            for (at, name) in self.header.iter().enumerate() {
                if !LAUNCH_COLUMNS.contains(&name) {
                    let unit = units.map_or("", |units| &units[at]);
                    launch
                        .metrics
                        .insert(name.to_owned(), metric(&record[at], unit));
                }
            }
            launch
        });
        Ok(launches.collect())
    }
}

fn metric(value: &str, unit: &str) -> Metric {
    let (factor, unit) = base_unit(unit);
    let plain: Option<f64> = value.replace(',', "").parse().ok();
    Metric {
        value: plain
            .filter(|value| value.is_finite())
            .map(|value| value * factor),
        unit,
    }
}

/// Returns a unit's factor and base unit: `Gbyte/s` gives 1e9 and `byte/s`.
fn base_unit(unit: &str) -> (f64, String) {
    match unit.split_once('/') {
        None => scaled(unit),
        Some((over, under)) => {
            let ((over_factor, over), (under_factor, under)) = (scaled(over), scaled(under));
            (over_factor / under_factor, format!("{over}/{under}"))
        }
    }
}

/// One unit without a fraction.
fn scaled(unit: &str) -> (f64, String) {
    const BASES: [(&str, &str); 6] = [
        ("second", "s"),
        ("byte", "byte"),
        ("Hz", "hz"),
        ("hz", "hz"),
        ("inst", "inst"),
        ("s", "s"),
    ];
    const PREFIXES: [(&str, f64); 8] = [
        ("", 1.0),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("K", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
    ];
    for (base, name) in BASES {
        if let Some(prefix) = unit.strip_suffix(base)
            && let Some((_, factor)) = PREFIXES.iter().find(|(known, _)| *known == prefix)
        {
            return (*factor, name.to_owned());
        }
    }
    (1.0, unit.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(launch: &ProfiledLaunch, name: &str) -> (Option<f64>, String) {
        let metric = &launch.metrics[name];
        (metric.value, metric.unit.clone())
    }

    #[test]
    fn the_long_form_old_and_new() {
        let new = "==PROF== Connected to process 7\n\
            \"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\
            \"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\"\n\
            \"0\",\"7\",\"rpn\",\"1\",\"7\",\"(32, 1, 1)\",\"(9, 1, 1)\",\"0\",\"9.0\",\"Speed\",\"Duration\",\"usecond\",\"1,250.5\",\"\"\n\
            \"0\",\"7\",\"rpn\",\"1\",\"7\",\"(32, 1, 1)\",\"(9, 1, 1)\",\"0\",\"9.0\",\"Speed\",\"\",\"\",\"\",\"Rule\"\n\
            \"1\",\"7\",\"lgp\",\"1\",\"7\",\"(64, 1, 1)\",\"(9, 1, 1)\",\"0\",\"9.0\",\"Speed\",\"Duration\",\"usecond\",\"n/a\",\"\"\n";
        let launches = parse(new, "new.csv").unwrap();
        assert_eq!(launches.len(), 2);
        let (duration, unit) = value(&launches[0], "Duration");
        assert!((duration.unwrap() - 1250.5e-6).abs() < 1e-12);
        assert_eq!((unit.as_str(), launches[0].metrics.len()), ("s", 1));
        assert_eq!(launches[1].block_size, "(64, 1, 1)");
        assert_eq!(value(&launches[1], "Duration").0, None);
        let old = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\",\"Stream\",\
            \"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
            \"0\",\"7\",\"a\",\"h\",\"rpn\",\"now\",\"1\",\"7\",\"S\",\"SM Frequency\",\"cycle/nsecond\",\"1.5\"\n";
        let launches = parse(old, "old.csv").unwrap();
        let (frequency, unit) = value(&launches[0], "SM Frequency");
        assert!((frequency.unwrap() - 1.5e9).abs() < 1.0);
        assert_eq!(unit, "cycle/s");
    }

    /// `ncu --csv --page details --print-rule-details` as it writes metrics and rules.
    #[test]
    fn metric_lines_may_stop_before_the_columns_of_rules() {
        let head = "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\"\n";
        let text = format!(
            "{head}\"0\",\"bfs\",\"Speed\",\"Duration\",\"us\",\"2\"\n\
             \"0\",\"bfs\",\"Speed\",\"\",\"\",\"\",\"Bound\",\"OPT\"\n\
             ==PROF== Disconnected from process 7\n"
        );
        let launches = parse(&text, "details.csv").unwrap();
        assert_eq!((launches.len(), launches[0].metrics.len()), (1, 1));
        let said = |line: &str| {
            parse(&format!("{head}{line}\n"), "x")
                .unwrap_err()
                .to_string()
        };
        assert!(
            said("\"0\",\"bfs\",\"Speed\",\"Duration\"")
                .contains("`x`:2: given 4 columns; allowed: 6 to 8")
        );
        assert!(said("0,1,2,3,4,5,6,7,8").contains("given 9 columns"));
        let empty = "==PROF== Connected\n==WARNING== No kernels were profiled.\n";
        let said = parse(empty, "x").unwrap_err().to_string();
        assert!(said.contains("`x`:2: ncu profiled no kernel"), "{said}");
    }

    #[test]
    fn the_wide_form_has_its_units_in_the_second_line() {
        let wide = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"dram__bytes_read.sum\",\"launch__func_cache_config\"\n\
            \"\",\"\",\"\",\"\",\"Mbyte\",\"\"\n\
            \"0\",\"rpn\",\"(32, 1, 1)\",\"(9, 1, 1)\",\"1.5\",\"CachePreferNone\"\n\
            \"1\",\"rpn\",\"(64, 1, 1)\",\"(9, 1, 1)\",\"2,000\",\"CachePreferNone\"\n";
        let launches = parse(wide, "wide.csv").unwrap();
        assert_eq!(launches.len(), 2);
        assert_eq!(
            value(&launches[0], "dram__bytes_read.sum"),
            (Some(1.5e6), "byte".into())
        );
        assert_eq!(value(&launches[1], "dram__bytes_read.sum").0, Some(2e9));
        assert_eq!(value(&launches[0], "launch__func_cache_config").0, None);
    }

    #[test]
    fn a_summary_gives_averages() {
        let summary = "\"Process ID\",\"Kernel Name\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\
            \"Minimum\",\"Maximum\",\"Average\"\n\
            \"7\",\"rpn\",\"3\",\"S\",\"inst\",\"inst\",\"1\",\"3\",\"2\"\n\
            \"7\",\"lgp\",\"3\",\"S\",\"inst\",\"inst\",\"4\",\"6\",\"5\"\n";
        let launches = parse(summary, "summary.csv").unwrap();
        assert_eq!(launches.len(), 2);
        assert_eq!(value(&launches[1], "inst").0, Some(5.0));
    }

    #[test]
    fn units_are_scaled_to_their_base() {
        for (unit, factor, base) in [
            ("Gbyte/second", 1e9, "byte/s"),
            ("Gbyte/s", 1e9, "byte/s"),
            ("byte/block", 1.0, "byte/block"),
            ("msecond", 1e-3, "s"),
            ("us", 1e-6, "s"),
            ("Ghz", 1e9, "hz"),
            ("%", 1.0, "%"),
            ("register/thread", 1.0, "register/thread"),
            ("sector", 1.0, "sector"),
            ("warp", 1.0, "warp"),
        ] {
            let (given, name) = base_unit(unit);
            assert!((given / factor - 1.0).abs() < 1e-12, "{unit}: {given}");
            assert_eq!(name, base, "{unit}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let message = |text: &str| parse(text, "x.csv").unwrap_err().to_string();
        assert!(message("nothing").contains("`x.csv`: no line begins"));
        let short = "==PROF==\n\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"rpn\"\n";
        assert_eq!(
            message(short),
            "`x.csv`:3: given 2 columns; allowed: 5, as in the header"
        );
        assert!(message("\"ID\",\"Metric Name\"\n").contains("`x.csv`:1: no column `Kernel Name`"));
    }
}
