//! Readings of the probes: one value each, in a file that another machine can read.
//!
//! Leaves out: what follows from them (`infer`). Units: those of each experiment, as `docs/how-to/characterize-a-card.md` lists them.

use crate::util::refused::Refused;
use crate::util::rows::{CsvRow, Rows, RowsError};
use crate::util::stats;
use std::fmt::Write;

/// Columns of a file of readings.
const HEADER: &str = "experiment,at,with,round,value";
/// Begins the line that names the card.
const CARD: &str = "# ";

/// One value that a probe gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub experiment: String,
    /// First parameter of the launch, such as its warps.
    pub at: u32,
    /// Second parameter.
    pub with: u32,
    pub round: u32,
    pub value: f64,
}

impl Reading {
    fn of(row: CsvRow) -> Result<Self, RowsError> {
        const WHOLE: &str = "a whole number";
        let value: f64 = row.value("value", "a number")?;
        if !value.is_finite() {
            return Err(row.refuse("value", "a finite number"));
        }
        Ok(Reading {
            experiment: row.text("experiment").to_owned(),
            at: row.value("at", WHOLE)?,
            with: row.value("with", WHOLE)?,
            round: row.value("round", WHOLE)?,
            value,
        })
    }
}

/// All readings of a card.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings {
    pub card: String,
    pub rows: Vec<Reading>,
}

impl Readings {
    /// Parses a file; `file` is used in messages only.
    pub fn parse(text: &str, file: &str) -> Result<Self, RowsError> {
        let first = text.lines().next().unwrap_or("");
        let Some(card) = first.strip_prefix(CARD) else {
            let place = format_args!("{file}, line 1");
            let given = format_args!("\"{}\"", first);
            return Err(Refused::new(place, given, "\"# \" and the name of the card").into());
        };
        let table = Rows::read(text, file)?.with_header(HEADER)?;
        let rows: Result<_, RowsError> = table.iter().map(Reading::of).collect();
        Ok(Readings {
            card: card.trim().to_owned(),
            rows: rows?,
        })
    }

    /// Appends a value.
    pub fn push(&mut self, experiment: &str, at: u32, with: u32, round: u32, value: f64) {
        let experiment = experiment.to_owned();
        self.rows.push(Reading {
            experiment,
            at,
            with,
            round,
            value,
        });
    }

    /// Returns all readings of an experiment.
    pub fn of<'a>(&'a self, experiment: &'a str) -> impl Iterator<Item = &'a Reading> {
        let rows = self.rows.iter();
        rows.filter(move |row| row.experiment == experiment)
    }

    /// Returns a value that does not depend on parameters or rounds, such as those that the driver reports.
    pub fn value(&self, experiment: &str) -> Option<f64> {
        self.of(experiment).next().map(|row| row.value)
    }

    /// Returns a value that the driver reports.
    pub fn fact(&self, name: &str) -> Option<f64> {
        self.value(&format!("card.{name}"))
    }

    /// Returns the values of all rounds of a launch.
    pub fn rounds(&self, experiment: &str, at: u32, with: u32) -> Vec<f64> {
        let rows = self.of(experiment);
        rows.filter(|row| row.at == at && row.with == with)
            .map(|row| row.value)
            .collect()
    }

    /// Returns the median over the rounds of a launch.
    pub fn middle(&self, experiment: &str, at: u32, with: u32) -> Option<f64> {
        stats::median(&self.rounds(experiment, at, with))
    }

    /// Returns the file's text.
    pub fn to_csv(&self) -> String {
        let mut text = format!("{CARD}{}\n{HEADER}\n", self.card);
        for row in &self.rows {
            let Reading {
                experiment,
                at,
                with,
                round,
                value,
            } = row;
            let _ = writeln!(text, "{experiment},{at},{with},{round},{value}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_the_card_and_is_read_back() {
        let mut readings = Readings {
            card: "a card".into(),
            rows: Vec::new(),
        };
        for (round, value) in [(0, 20.5), (1, 20.0), (2, 24.0)] {
            readings.push("barrier", 4, 0, round, value);
        }
        let text = readings.to_csv();
        assert!(text.starts_with(&format!("# a card\n{HEADER}\nbarrier,4,0,0,20.5\n")));
        assert_eq!(Readings::parse(&text, "file").unwrap(), readings);
        assert_eq!(readings.middle("barrier", 4, 0), Some(20.5));
        assert_eq!(readings.middle("barrier", 4, 1), None);
        let error = Readings::parse(HEADER, "file").unwrap_err().to_string();
        assert_eq!(
            error,
            format!("file, line 1: given \"{HEADER}\"; allowed: \"# \" and the name of the card")
        );
    }
}
