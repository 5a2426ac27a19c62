//! The table of mutants: what was changed, what killed it.

use super::Failure;
use super::faults::FAULTS;
use super::sites::Site;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    pub mutant: u32,
    pub file: String,
    pub line: usize,
    pub kind: String,
    pub original: String,
    pub mutated: String,
    /// Empty until it ran.
    pub outcome: String,
    pub killed_by: String,
    pub seconds: f64,
}

/// One line of at most 100 characters.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(100).collect()
}

impl Row {
    /// Not drawn, but one of `faults`.
    fn is_named(&self) -> bool {
        FAULTS.iter().any(|fault| fault.name == self.kind)
    }

    pub fn new(mutant: u32, file: &Path, site: &Site, text: &str) -> Self {
        Self {
            mutant,
            file: file.display().to_string(),
            line: site.line,
            kind: site.kind.name().to_owned(),
            original: short(&text[site.range.clone()]),
            mutated: short(&site.mutated),
            outcome: String::new(),
            killed_by: String::new(),
            seconds: 0.0,
        }
    }
}

/// What is known of the same mutants.
pub fn with_outcomes(rows: Vec<Row>, before: &[Row]) -> Vec<Row> {
    let same = |row: &Row, known: &&Row| {
        let one = (row.mutant, &row.file, &row.original, &row.mutated);
        one == (known.mutant, &known.file, &known.original, &known.mutated)
    };
    let with = |row: Row| match before.iter().find(|known| same(&row, known)) {
        Some(known) => Row {
            line: row.line,
            ..known.clone()
        },
        None => row,
    };
    rows.into_iter().map(with).collect()
}

pub fn write(path: &Path, rows: &[Row]) -> Result<(), Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let text = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(warpstack::report::output::write(Some(path), &text)?)
}

pub fn read(path: &Path) -> Result<Vec<Row>, Failure> {
    let mut reader = csv::Reader::from_path(path)?;
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

/// How many of each outcome, by folder.
pub fn summary(rows: &[Row]) -> String {
    let folders = super::draw::FOLDERS.map(Some).into_iter().chain([None]);
    let lines = folders.map(|folder| {
        let within: Vec<&Row> = (rows.iter())
            .filter(|row| !row.is_named())
            .filter(|row| folder.is_none_or(|folder| row.file.starts_with(folder)))
            .collect();
        let count = |outcome: &str| within.iter().filter(|row| row.outcome == outcome).count();
        let (killed, golden) = (count("killed"), count("golden only"));
        let (survived, unreached) = (count("survived"), count("not reached"));
        let n_tried = killed + golden + survived + unreached;
        let percent = 100.0 * killed as f64 / n_tried.max(1) as f64;
        let name = folder.unwrap_or("all");
        format!(
            "| {name} | {n_tried} | {killed} | {percent:.0} % | {golden} | {survived} | {unreached} |\n"
        )
    });
    let head = "| Folder | Mutants | Killed | Score | By golden files alone | Survived | Not reached |\n|---|---|---|---|---|---|---|\n";
    head.to_owned() + &lines.collect::<String>()
}

/// What killed each fault.
pub fn fault_matrix(rows: &[Row]) -> String {
    let lines = rows.iter().filter(|row| row.is_named()).map(|row| {
        let by = match row.killed_by.is_empty() {
            true => &row.outcome,
            false => &row.killed_by,
        };
        format!("| {} | `{}` | {by} |\n", row.kind, row.file)
    });
    "| Fault | Where | Killed by |\n|---|---|---|\n".to_owned() + &lines.collect::<String>()
}
