//! Source lines from which the committed machine code was compiled.
//!
//! Sources: `fixtures/sass/lines/`, written by `tools/regenerate-sass`, which compiles every kernel once more with line information
//! and makes sure that the instructions are the same.

use super::embedded::unpack;
use super::variant::{Variant, VariantError, damaged};
use crate::isa::SourceLine;
use serde::Deserialize;
use std::collections::HashMap;

/// Line tables of one architecture.
#[derive(Debug, Deserialize)]
struct Table {
    files: Vec<String>,
    /// Address, file number and line, each as the difference from the previous entry, by the name of the variant's file.
    variants: HashMap<String, Vec<i64>>,
}

/// Returns the lines of a variant, by the address of the first instruction of each run; empty if none are stored.
pub fn of(variant: &Variant) -> Result<Vec<SourceLine>, VariantError> {
    let name = format!("lines/{}.json.gz", variant.arch);
    let table: Table =
        serde_json::from_slice(&unpack(&name)?).map_err(|error| damaged(&name, error))?;
    let file = base_name(variant.sass_file()?);
    let steps = table.variants.get(file.trim_end_matches(".sass"));
    let mut place = [0i64; 3];
    let mut lines = Vec::new();
    for step in steps.into_iter().flat_map(|steps| steps.chunks_exact(3)) {
        for (now, step) in place.iter_mut().zip(step) {
            *now += step;
        }
        let [address, file, line] = place;
        let file = table.files.get(file as usize);
        lines.push(SourceLine {
            pc_bytes: address as u32,
            file: file.ok_or_else(|| damaged(&name, "no such file"))?.clone(),
            line: line as u32,
        });
    }
    Ok(lines)
}

/// Returns the last part of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::chitty::code::KernelCode;
    use crate::systems::chitty::variant::KernelId;

    #[test]
    fn every_committed_kernel_has_lines_of_its_source_that_are_there() {
        for variant in Variant::all().unwrap() {
            let code = KernelCode::from(variant);
            let lines = code.source_lines().unwrap();
            if variant.kernel == KernelId::Accumulator {
                // The compiler crashes on it when generating line information.
                assert!(lines.is_empty());
                continue;
            }
            assert!(lines.len() >= 10, "{variant}: {} lines", lines.len());
            let own = variant.kernel.source_file();
            assert!(lines.iter().any(|line| line.file == own), "{variant}");
            for line in &lines {
                let text = code.source_text(&line.file, line.line);
                assert!(text.is_some(), "{variant} {line:?}");
            }
        }
    }
}
