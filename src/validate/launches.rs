//! The launches measured on an H200: `fixtures/measured/h200/`, times joined with Nsight Compute's counters.
//!
//! What it does: reads the files, which are part of the binary; a configuration is a kernel, a block size, a carve-out and
//! a population. Leaves out: predicting. Units: milliseconds, warp instructions, percent, KiB.
//! Sources: `fixtures/measured/h200/README.md`.

use std::collections::HashMap;
use std::str::FromStr;

use crate::engine::given::GivenLaunch;
use crate::gpu::measure::Split;
use crate::gpu::variant::{Arch, KernelId, Variant, VariantError};

const RUNS: &str = include_str!("../../fixtures/measured/h200/runs.csv");
const CARVEOUT: &str = include_str!("../../fixtures/measured/h200/carveout.csv");
const LADDER: &str = include_str!("../../fixtures/measured/h200/ladder.csv");
const LONGEST_FIRST: &str = include_str!("../../fixtures/measured/h200/longest_first.csv");
const COUNTERS: &str = include_str!("../../fixtures/measured/h200/counters.csv");

/// One measured configuration.
#[derive(Debug, Clone)]
pub struct MeasuredLaunch {
    pub split: Split,
    pub launch: GivenLaunch,
    /// Of all programs together.
    pub nodes: u32,
    pub l1_kib: Option<u32>,
    /// `None` where only counters were read.
    pub milliseconds: Option<f64>,
    pub warp_instructions: Option<u64>,
    pub l1_hit_percent: Option<f64>,
}

/// A field that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LaunchesError {
    #[error("{file}: {error}")]
    Csv {
        file: &'static str,
        error: csv::Error,
    },
    #[error("{file}, field {field}: given \"{given}\"; allowed: {allowed}")]
    Field {
        file: &'static str,
        field: &'static str,
        given: String,
        allowed: String,
    },
}

/// All measured configurations: those with a time in the file's order, then those with counters alone. 56 of the 673 rows
/// with a time ask for another carve-out and get the same on-chip memory as a row before them; the first one counts, and what was
/// counted for any of them belongs to its part of the split.
pub fn measured_launches() -> Result<Vec<MeasuredLaunch>, LaunchesError> {
    let mut launches: Vec<MeasuredLaunch> = Vec::new();
    let mut known: HashMap<(GivenLaunch, Option<u32>), usize> = HashMap::new();
    for (file, text) in [
        ("runs.csv", RUNS),
        ("carveout.csv", CARVEOUT),
        ("counters.csv", COUNTERS),
    ] {
        for row in rows(file, text)? {
            let read = row.launch()?;
            match known.get(&(read.launch, read.l1_kib)) {
                Some(&at) => {
                    let seen = &mut launches[at];
                    seen.warp_instructions = seen.warp_instructions.or(read.warp_instructions);
                    seen.l1_hit_percent = seen.l1_hit_percent.or(read.l1_hit_percent);
                }
                None => {
                    known.insert((read.launch, read.l1_kib), launches.len());
                    launches.push(read);
                }
            }
        }
    }
    Ok(launches)
}

/// The accumulator's launches, in the files' order: with the programs as they come, and with the longest first.
pub fn accumulator_launches() -> Result<[Vec<MeasuredLaunch>; 2], LaunchesError> {
    let of_file = |file, text| {
        let rows = rows(file, text)?.into_iter();
        let rows = rows.filter(|row| row.text("kernel") == KernelId::Accumulator.name());
        rows.map(|row| row.launch()).collect::<Result<Vec<_>, _>>()
    };
    Ok([
        of_file("ladder.csv", LADDER)?,
        of_file("longest_first.csv", LONGEST_FIRST)?,
    ])
}

struct Row {
    file: &'static str,
    fields: HashMap<String, String>,
}

fn rows(file: &'static str, text: &str) -> Result<Vec<Row>, LaunchesError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader
        .deserialize()
        .map(|fields| {
            let fields = fields.map_err(|error| LaunchesError::Csv { file, error })?;
            Ok(Row { file, fields })
        })
        .collect()
}

impl Row {
    fn text(&self, field: &str) -> &str {
        self.fields.get(field).map_or("", String::as_str)
    }

    fn bad(&self, field: &'static str, allowed: impl ToString) -> LaunchesError {
        LaunchesError::Field {
            file: self.file,
            field,
            given: self.text(field).to_owned(),
            allowed: allowed.to_string(),
        }
    }

    fn number(&self, field: &'static str) -> Result<u32, LaunchesError> {
        let parsed = self.text(field).parse();
        parsed.map_err(|_| self.bad(field, "a whole number"))
    }

    fn name<T: FromStr<Err = VariantError>>(
        &self,
        field: &'static str,
    ) -> Result<T, LaunchesError> {
        let parsed = self.text(field).parse();
        parsed.map_err(|error: VariantError| self.bad(field, error))
    }

    fn value(&self, field: &str) -> Option<f64> {
        self.text(field).parse().ok()
    }

    /// Files from before the accumulator do not say.
    fn case_blocks(&self) -> Result<u32, LaunchesError> {
        match self.text("case_blocks") {
            "" => Ok(1),
            _ => self.number("case_blocks"),
        }
    }

    fn launch(&self) -> Result<MeasuredLaunch, LaunchesError> {
        const LOADS: &str = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld";
        let stack_dim = self.number("stack_dim")?;
        let kernel: KernelId = self.name("kernel")?;
        let variant = Variant {
            stack_registers: self.number("stack_registers")?,
            shape: self.name("shape")?,
            math: self.name("math")?,
            dispatch: self.name("dispatch")?,
            ..Variant::new(kernel, self.name("problem")?, stack_dim, Arch::Sm90)
        };
        let shared_kib: Option<u32> = self.text("shared_config_kib").parse().ok();
        let loads = self.value(&format!("{LOADS}.sum"));
        let hits = self.value(&format!("{LOADS}_lookup_hit.sum"));
        Ok(MeasuredLaunch {
            split: match self.text("split") {
                "calibration" => Split::Calibration,
                "holdout" => Split::Holdout,
                _ => return Err(self.bad("split", "calibration, holdout")),
            },
            launch: GivenLaunch {
                variant,
                threads_per_block: self.number("threads_per_block")?,
                elements: self.number("padded_elements")?,
                population: self.number("population")?,
                case_blocks: self.case_blocks()?,
                shared_config_bytes: shared_kib.map(|kib| 1024 * kib),
            },
            nodes: self.number("nodes")?,
            l1_kib: self.text("l1_kib").parse().ok(),
            milliseconds: self.value("median_ms"),
            warp_instructions: self
                .value("smsp__inst_executed.sum")
                .map(|count| count as u64),
            l1_hit_percent: loads.zip(hits).map(|(loads, hits)| 100.0 * hits / loads),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_is_read_and_joined() {
        let launches = measured_launches().unwrap();
        let count =
            |holds: fn(&MeasuredLaunch) -> bool| launches.iter().filter(|l| holds(l)).count();
        assert_eq!(count(|l| l.milliseconds.is_some()), 648);
        assert!(count(|l| l.warp_instructions.is_some()) > 100);
        assert!(count(|l| l.warp_instructions.is_some() && l.milliseconds.is_some()) > 50);
        let configurations: HashSet<_> = launches.iter().map(|l| (l.launch, l.l1_kib)).collect();
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
