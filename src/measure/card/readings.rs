//! Readings of the probes: one value each, in a file that another machine can read.
//!
//! Leaves out: what follows from them. Units: those of each experiment, in `experiments`.

use std::fmt::Write;

/// Columns of a file of readings.
const HEADER: &str = "experiment,at,with,round,value";

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

/// All readings of a card.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings {
    pub card: String,
    pub rows: Vec<Reading>,
}

impl Readings {
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

    /// Returns a value that an earlier launch gave, in its first round.
    pub fn value(&self, experiment: &str) -> Option<f64> {
        let first = self.rows.iter().find(|row| row.experiment == experiment);
        first.map(|row| row.value)
    }

    /// Returns the file's text.
    pub fn to_csv(&self) -> String {
        let mut text = format!("# {}\n{HEADER}\n", self.card);
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
    fn a_file_names_the_card_and_has_a_line_for_each_value() {
        let mut readings = Readings {
            card: "a card".into(),
            rows: Vec::new(),
        };
        readings.push("barrier", 4, 0, 1, 20.5);
        let text = format!("# a card\n{HEADER}\nbarrier,4,0,1,20.5\n");
        assert_eq!(readings.to_csv(), text);
        assert_eq!(readings.value("barrier"), Some(20.5));
        assert_eq!(readings.value("loop"), None);
    }
}
