//! CUDA sources of the kernels, for devices without a committed binary and for readers of a listing.
//!
//! Models: each kernel as one text, with its headers in place of the `#include` lines.
//! Leaves out: compilation (`launch`, `compile`).
//! Sources: `src/systems/cuda/`.

use super::kernel_id::KernelId;
#[cfg(feature = "cli")]
use std::path::Path;

const HEADERS: [(&str, &str); 4] = [
    ("rows.cuh", include_str!("../cuda/rows.cuh")),
    ("functions.cuh", include_str!("../cuda/functions.cuh")),
    ("operands.cuh", include_str!("../cuda/operands.cuh")),
    ("vectors.cuh", include_str!("../cuda/vectors.cuh")),
];

/// Returns the text of a kernel's source or of a header, by file name.
pub fn text(file: &str) -> Option<&'static str> {
    let header = HEADERS.iter().find(|(name, _)| *name == file);
    let kernel = || KernelId::ALL.iter().find(|id| id.source_file() == file);
    header
        .map(|(_, text)| *text)
        .or_else(|| kernel().map(|id| id.source()))
}

/// Returns the source of a kernel, including its headers.
#[cfg(feature = "cli")]
pub fn flat(kernel: KernelId) -> String {
    with_headers(kernel.source(), kernel.source_file(), None)
}

/// Returns the source of a kernel, including its headers, without `#line` directives.
#[cfg(feature = "cli")]
pub fn alone(kernel: KernelId) -> String {
    let flat = flat(kernel);
    let lines = flat.lines().filter(|line| !line.starts_with("#line "));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Returns a source with these headers in place of the lines that include them, except for headers present in `folder`. `#line`
/// directives preserve line numbers.
#[cfg(feature = "cli")]
pub fn with_headers(source: &str, file: &str, folder: Option<&Path>) -> String {
    let is_there = |name: &str| folder.is_some_and(|folder| folder.join(name).exists());
    let mut text = source.to_owned();
    for (name, header) in HEADERS {
        let include = format!("#include \"{name}\"\n");
        let Some(at) = text.find(&include).filter(|_| !is_there(name)) else {
            continue;
        };
        let (before, after) = text.split_at(at);
        let (outer, line) = place(before, file);
        // `#pragma once` only has a meaning in a header.
        let header = header.replace("#pragma once\n", "\n");
        text = format!(
            "{before}#line 1 \"{name}\"\n{header}#line {} \"{outer}\"\n{}",
            line + 1,
            &after[include.len()..]
        );
    }
    text
}

/// Returns the file and line, counted from 1, that follow `before`.
#[cfg(feature = "cli")]
fn place(before: &str, file: &str) -> (String, usize) {
    let directive = before.lines().enumerate().filter_map(|(at, line)| {
        let (number, name) = line.strip_prefix("#line ")?.split_once(' ')?;
        Some((at, number.parse::<usize>().ok()?, name.trim_matches('"')))
    });
    let lines = before.lines().count();
    match directive.last() {
        Some((at, number, name)) => (name.to_owned(), number + lines - at - 1),
        None => (file.to_owned(), lines + 1),
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn a_header_inside_a_header_keeps_the_lines_of_both() {
        let flat = flat(KernelId::LgpVector);
        assert!(!flat.contains("#include \"functions.cuh\""));
        // Every line of the source is at the position given by the directives.
        let (mut file, mut number) = (KernelId::LgpVector.source_file().to_owned(), 1);
        for line in flat.lines() {
            if let Some((next, name)) = line.strip_prefix("#line ").and_then(|l| l.split_once(' '))
            {
                (number, file) = (next.parse().unwrap(), name.trim_matches('"').to_owned());
                continue;
            }
            let original = text(&file).unwrap().lines().nth(number - 1).unwrap();
            assert!(
                line == original
                    || original.starts_with("#pragma once")
                    || original.starts_with("#include"),
                "{file}:{number}"
            );
            number += 1;
        }
    }
}
