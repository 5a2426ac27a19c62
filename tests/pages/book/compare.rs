//! Comparison of the outputs and drawings that the book shows with those of the program.

use std::collections::HashSet;

/// Part of the larger number by which numbers of a prediction may differ.
const ABOUT: f64 = 0.2;

/// Does a printed line read as the shown one?
pub fn line_matches(shown: &str, printed: &str, about: bool) -> bool {
    let (shown, open) = match shown.strip_suffix("...") {
        Some(start) => (start, true),
        None => (shown, false),
    };
    let split = |text: &str| -> Vec<String> {
        let separators = |c: char| c.is_whitespace() || (about && c == ',');
        text.split(separators)
            .filter(|word| !word.is_empty())
            .map(String::from)
            .collect()
    };
    let (shown, printed) = (split(shown), split(printed));
    let lengths = if open {
        shown.len() <= printed.len()
    } else {
        shown.len() == printed.len()
    };
    lengths
        && shown
            .iter()
            .zip(&printed)
            .all(|(a, b)| word_matches(a, b, about))
}

pub fn word_matches(shown: &str, printed: &str, about: bool) -> bool {
    let numbers = shown.parse::<f64>().ok().zip(printed.parse::<f64>().ok());
    match numbers.filter(|_| about) {
        // A few units of the last digits of small numbers are no difference.
        Some((a, b)) => (a - b).abs() <= ABOUT * a.abs().max(b.abs()) + 0.5,
        None => shown == printed,
    }
}

/// The first shown line that is not printed in its place.
pub fn first_missing<'a>(shown: &'a [String], printed: &[&str], about: bool) -> Option<&'a str> {
    let mut next = 0;
    let mut gap = false;
    for line in shown {
        if line.trim() == "..." {
            gap = true;
            continue;
        }
        let rest = &printed[next.min(printed.len())..];
        let found = match gap {
            true => rest
                .iter()
                .position(|printed| line_matches(line, printed, about)),
            false => rest
                .first()
                .filter(|printed| line_matches(line, printed, about))
                .map(|_| 0),
        };
        match found {
            Some(skipped) => next += skipped + 1,
            None => return Some(line),
        }
        gap = false;
    }
    let left = printed[next.min(printed.len())..]
        .iter()
        .any(|line| !line.trim().is_empty());
    (left && !gap && !shown.is_empty()).then_some("(the end of the output)")
}

/// The shown lines with the printed line in place of each that has the same words, numbers aside.
pub fn renewed(shown: &[String], printed: &[&str]) -> Vec<String> {
    let key = |line: &str| -> Vec<String> {
        let words = line
            .split_whitespace()
            .filter(|word| word.parse::<f64>().is_err());
        words
            .map(|word| {
                word.trim_matches(|c: char| "0123456789.".contains(c))
                    .to_owned()
            })
            .collect()
    };
    let mut next = 0;
    let mut lines = Vec::new();
    for line in shown {
        let found = printed[next..]
            .iter()
            .position(|printed| key(line) == key(printed));
        match found.filter(|_| !line.ends_with("...")) {
            Some(skipped) => {
                next += skipped + 1;
                lines.push(printed[next - 1].to_owned());
            }
            None => lines.push(line.clone()),
        }
    }
    lines
}

/// Texts of a drawing without their figures: axes, names, legends.
pub fn drawn_words(svg: &str) -> HashSet<String> {
    let texts = svg.lines().filter(|line| !line.contains('<'));
    let without_figures = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let words = texts
        .map(without_figures)
        .map(|text| text.trim().to_owned());
    words.filter(|text| !text.is_empty()).collect()
}

#[test]
fn shown_lines_are_matched_as_the_head_says() {
    let shown = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| line.to_string())
            .collect::<Vec<_>>()
    };
    let printed = ["a 1.0 x", "b 2", "c 3"];
    assert_eq!(
        first_missing(&shown(&["a 1.0 x", "...", "c 3"]), &printed, false),
        None
    );
    assert_eq!(
        first_missing(&shown(&["a 1.0 x", "c 3"]), &printed, false),
        Some("c 3")
    );
    assert_eq!(
        first_missing(&shown(&["a 1.0 x"]), &printed, false),
        Some("(the end of the output)")
    );
    assert_eq!(
        first_missing(&shown(&["a 1.0 x", "b 4", "..."]), &printed, false),
        Some("b 4")
    );
    assert!(
        line_matches("speed 100", "speed 117", true)
            && !line_matches("speed 100", "speed 130", true)
    );
    assert!(
        line_matches("speed ...", "speed 130", false)
            && !line_matches("pace ...", "speed 130", false)
    );
    assert_eq!(renewed(&shown(&["...", "b 9"]), &printed), ["...", "b 2"]);
}
