//! Shuttle: Statlog's classification of space-shuttle radiator states.
//!
//! Models: 58,000 cases (training and test file), 9 inputs, classes 1 to 7. The class is the program's value truncated to a whole
//! number, like a C cast; fitness is the number of wrong classes.
//! Leaves out: a train/test split; the paper uses both files for fitness.
//! Units: sensor units as published.
//! Sources: Chitty (2D stack) section 4.2 and table 2; King et al. 1995; DOI 10.24432/C5WS31.

use super::uci::{DataError, Raw, SourceFile, spread};
use super::{CaseSource, Cases, Classes, Dataset, Definition, ProblemId, Score};
use crate::gp::primitive::Primitive::{Add, And, Div, Equal, Greater, If, Less, Mul, Or, Sub};
use std::path::Path;

const N_INPUTS: usize = 9;
const DOI: &str = "10.24432/C5WS31";
const FILES: [SourceFile; 2] = [
    SourceFile {
        name: "shuttle.trn",
        sha256: "87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a",
        n_lines: 43_500,
        doi: DOI,
    },
    SourceFile {
        name: "shuttle.tst",
        sha256: "f776934a628d9b94c482cb058a76ddaa63823e0f74aec065813c9dff3b89d661",
        n_lines: 14_500,
        doi: DOI,
    },
];

pub const SHUTTLE: Definition = Definition {
    name: "shuttle",
    aliases: &[],
    functions: &[Mul, Div, Add, Sub, Greater, Less, Equal, And, Or, If],
    constants: Some((-200.0, 200.0)),
    n_inputs: N_INPUTS,
    n_cases: 58_000,
    cases: CaseSource::Files {
        read,
        classes: Classes {
            n_classes: 7,
            range: 200.0,
        },
    },
    score: Score::WrongClasses,
    solved_error: 0.0,
    kernels: Some(ProblemId::Shuttle),
};

/// Reads all cases, or `n_cases` spread evenly over the files.
fn read(folder: Option<&Path>, n_cases: Option<usize>) -> Result<Dataset, DataError> {
    let SourceFile {
        name, sha256, doi, ..
    } = FILES[0];
    let folder = folder.ok_or(DataError::NoFolder { name, sha256, doi })?;
    let all = cases(FILES.into_iter().map(|file| Raw::read(folder, file)))?;
    let chosen = all.select(&spread(all.expected.len(), n_cases));
    Ok(Dataset::Float(chosen))
}

/// Parses the cases of all files, one after the other.
pub fn cases(
    files: impl IntoIterator<Item = Result<Raw, DataError>>,
) -> Result<Cases<f32>, DataError> {
    let mut all = Cases {
        inputs: vec![Vec::new(); N_INPUTS],
        expected: Vec::new(),
    };
    for raw in files {
        read_file(&raw?, &mut all)?;
    }
    Ok(all)
}

fn read_file(raw: &Raw, cases: &mut Cases<f32>) -> Result<(), DataError> {
    let mut n_lines = 0;
    for (line, text) in raw.lines() {
        let fields: Vec<&[u8]> = text
            .split(|&b| b == b' ')
            .filter(|field| !field.is_empty())
            .collect();
        if fields.len() != N_INPUTS + 1 {
            let message = format!(
                "line has {} fields, allowed: {}",
                fields.len(),
                N_INPUTS + 1
            );
            return Err(raw.malformed(line, fields.len().min(N_INPUTS + 1), message));
        }
        for (i, field) in fields[..N_INPUTS].iter().enumerate() {
            cases.inputs[i].push(raw.number(line, i + 1, field)?);
        }
        let class = raw.number(line, N_INPUTS + 1, fields[N_INPUTS])?;
        if !(1..=7).any(|allowed| class == allowed as f32) {
            return Err(raw.malformed(
                line,
                N_INPUTS + 1,
                format!("class is `{class}`, allowed: 1 to 7"),
            ));
        }
        cases.expected.push(class);
        n_lines = line;
    }
    raw.verify(n_lines)
}
