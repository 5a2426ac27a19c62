//! KDD Cup 1999, the 10 % file: network connections, normal or attacked.
//!
//! Models: 494,021 cases, 41 inputs, 23 labels. The class is the program's value truncated to a whole number, like a C cast;
//! fitness is the number of wrong classes.
//! Leaves out: a train/test split; the paper names this file "the test data".
//! Units: as published. Symbolic fields (2, 3 and 4: protocol, service, flag) become the rank of the value among the file's
//! values in byte order, from 0. The label `normal.` is class 0, the others are 1 to 22 in byte order.
//! Sources: Chitty (2D stack) section 4.2 and table 2; DOI 10.24432/C51C7N.

use super::uci::{DataError, Raw, SourceFile, spread};
use super::{CaseSource, Cases, Classes, Dataset, Definition, ProblemId, Score};
use crate::gp::primitive::Primitive::{
    Add, And, Cos, Div, Equal, Exp, Greater, If, Less, Log, Mul, Or, Sin, Sub,
};
use std::collections::BTreeMap;
use std::path::Path;

const N_INPUTS: usize = 41;
const SYMBOLIC: std::ops::Range<usize> = 1..4;
const NORMAL: &[u8] = b"normal.";

const PLAIN: SourceFile = SourceFile {
    name: "kddcup.data_10_percent",
    sha256: "f8c8267ebcd9c0ed1fd7d6277fe5bfff8732e9b7db8e61b873542b2a534b6f9a",
    n_lines: 494_021,
    doi: "10.24432/C51C7N",
};
const PACKED: SourceFile = SourceFile {
    name: "kddcup.data_10_percent.gz",
    sha256: "8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561",
    ..PLAIN
};

pub const KDDCUP: Definition = Definition {
    name: "kddcup",
    aliases: &["kdd", "kddcup99"],
    functions: &[
        Add, Sub, Mul, Div, Greater, Less, Equal, And, Or, If, Sin, Cos, Log, Exp,
    ],
    constants: Some((-20_000.0, 20_000.0)),
    n_inputs: N_INPUTS,
    n_cases: 494_021,
    cases: CaseSource::Files {
        read,
        classes: Classes {
            n_classes: 22,
            range: 20_000.0,
        },
    },
    score: Score::WrongClasses,
    solved_error: 0.0,
    kernels: Some(ProblemId::Kddcup),
};

/// Reads all cases, or `n_cases` spread evenly over the file.
fn read(folder: Option<&Path>, n_cases: Option<usize>) -> Result<Dataset, DataError> {
    let SourceFile {
        name, sha256, doi, ..
    } = PACKED;
    let folder = folder.ok_or(DataError::NoFolder { name, sha256, doi })?;
    let file = if folder.join(PLAIN.name).is_file() {
        PLAIN
    } else {
        PACKED
    };
    let raw = Raw::read(folder, file)?;
    let all = cases(&raw)?;
    let chosen = all.select(&spread(all.expected.len(), n_cases));
    Ok(Dataset::Float(chosen))
}

/// Values of a symbolic column, numbered in order of appearance; ranks are known only at the end.
#[derive(Default)]
struct Symbols<'a>(BTreeMap<&'a [u8], usize>);

impl<'a> Symbols<'a> {
    fn number(&mut self, value: &'a [u8]) -> f32 {
        let next = self.0.len();
        *self.0.entry(value).or_insert(next) as f32
    }

    /// Replaces numbers of appearance with ranks.
    fn rank(&self, column: &mut [f32], rank_of: impl Fn(usize, &[u8]) -> usize) {
        let mut ranks = vec![0.0; self.0.len()];
        for (position, (value, &number)) in self.0.iter().enumerate() {
            ranks[number] = rank_of(position, value) as f32;
        }
        column.iter_mut().for_each(|n| *n = ranks[*n as usize]);
    }
}

/// Parses the cases of a file.
pub fn cases(raw: &Raw) -> Result<Cases<f32>, DataError> {
    let mut cases = Cases {
        inputs: vec![Vec::new(); N_INPUTS],
        expected: Vec::new(),
    };
    let mut symbols: [Symbols; 4] = Default::default();
    let mut n_lines = 0;
    for (line, text) in raw.lines() {
        let mut n_fields = 0;
        for (i, field) in text.split(|&b| b == b',').enumerate() {
            let value = match i {
                _ if field.is_empty() => return Err(raw.malformed(line, i + 1, "is empty")),
                i if SYMBOLIC.contains(&i) => symbols[i - SYMBOLIC.start].number(field),
                N_INPUTS if field.ends_with(b".") => symbols[3].number(field),
                N_INPUTS => {
                    let given = String::from_utf8_lossy(field);
                    return Err(raw.malformed(
                        line,
                        i + 1,
                        format!("label is `{given}`, allowed: a name ending in `.`"),
                    ));
                }
                i if i > N_INPUTS => {
                    return Err(raw.malformed(line, i + 1, "line has more than 42 fields"));
                }
                _ => raw.number(line, i + 1, field)?,
            };
            cases
                .inputs
                .get_mut(i)
                .unwrap_or(&mut cases.expected)
                .push(value);
            n_fields = i + 1;
        }
        if n_fields != N_INPUTS + 1 {
            return Err(raw.malformed(
                line,
                n_fields,
                format!("line has {n_fields} fields, allowed: 42"),
            ));
        }
        n_lines = line;
    }
    raw.verify(n_lines)?;
    for (i, column) in SYMBOLIC.enumerate() {
        symbols[i].rank(&mut cases.inputs[column], |position, _| position);
    }
    let normal = symbols[3]
        .0
        .keys()
        .position(|&label| label == NORMAL)
        .unwrap_or(0);
    symbols[3].rank(&mut cases.expected, |position, label| match label {
        NORMAL => 0,
        _ => position + usize::from(position < normal),
    });
    Ok(cases)
}
