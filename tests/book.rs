//! Is the book true: does every command run and print what is shown, does every link lead somewhere, is every page listed?
//!
//! A fenced block marked `console` holds commands, `$ warpstack ...`, and what they print. `...` on a line stands for any
//! lines, at the end of a line for its rest; no lines mean that the output is not shown. In `console,about` blocks numbers may
//! differ by 20 %, since values of the device are fitted again from time to time. Drawings that a command puts into `images/` are
//! those of `docs/images/`. `WARPSTACK_UPDATE_GOLDEN=1` writes shown outputs and drawings anew; read them before committing.

use assert_cmd::Command;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const DOCS: &str = "docs";
/// Part of the larger number by which numbers of a prediction may differ.
const ABOUT: f64 = 0.2;

/// A command of a page and what the page shows of its output.
#[derive(Debug)]
struct Example {
    /// Line of the command in its page, from 0.
    line: usize,
    /// One after the last line of the shown output.
    end: usize,
    command: String,
    shown: Vec<String>,
    about: bool,
}

fn updating() -> bool {
    std::env::var_os("WARPSTACK_UPDATE_GOLDEN").is_some()
}

fn pages() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from(DOCS)];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn examples(page: &Path) -> Vec<Example> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut examples: Vec<Example> = Vec::new();
    let mut block: Option<bool> = None;
    for (line, content) in text.lines().enumerate() {
        match (block, content.strip_prefix("```")) {
            (None, Some("console")) => block = Some(false),
            (None, Some("console,about")) => block = Some(true),
            (None, Some(other)) => {
                assert!(!other.starts_with("console"), "{}: {other}", page.display());
            }
            (Some(_), Some(_)) => block = None,
            (Some(about), None) => {
                if let Some(command) = content.strip_prefix("$ ") {
                    examples.push(Example {
                        line,
                        end: line + 1,
                        command: command.into(),
                        shown: Vec::new(),
                        about,
                    });
                } else {
                    let example = examples.last_mut().expect("a block begins with a command");
                    example.shown.push(content.into());
                    example.end = line + 1;
                }
            }
            (None, None) => {}
        }
    }
    examples
}

/// Words of a command line; double quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in command.split('"').enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.into()),
        }
    }
    words
}

/// Runs a command in `folder` and returns its standard output.
fn run(example: &Example, folder: &Path) -> Result<String, String> {
    let words = words(&example.command);
    if words[0] != "warpstack" {
        return Err(format!("`{}`: only warpstack is run here", example.command));
    }
    let mut command = Command::cargo_bin("warpstack").unwrap();
    command.args(&words[1..]).current_dir(folder);
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Does a printed line read as the shown one?
fn line_matches(shown: &str, printed: &str, about: bool) -> bool {
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

fn word_matches(shown: &str, printed: &str, about: bool) -> bool {
    let numbers = shown.parse::<f64>().ok().zip(printed.parse::<f64>().ok());
    match numbers.filter(|_| about) {
        // A few units of the last digits of small numbers are no difference.
        Some((a, b)) => (a - b).abs() <= ABOUT * a.abs().max(b.abs()) + 0.5,
        None => shown == printed,
    }
}

/// The first shown line that is not printed in its place.
fn first_missing<'a>(shown: &'a [String], printed: &[&str], about: bool) -> Option<&'a str> {
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
fn renewed(shown: &[String], printed: &[&str]) -> Vec<String> {
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
fn drawn_words(svg: &str) -> HashSet<String> {
    let texts = svg.lines().filter(|line| !line.contains('<'));
    let without_figures = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let words = texts
        .map(without_figures)
        .map(|text| text.trim().to_owned());
    words.filter(|text| !text.is_empty()).collect()
}

/// Compares a drawing with the book's, or writes the book's.
fn check_drawing(name: &str, folder: &Path, about: bool) -> Result<(), String> {
    let made = folder.join(name);
    let kept = Path::new(DOCS).join(name);
    if updating() {
        std::fs::copy(&made, &kept).map_err(|error| format!("{name}: {error}"))?;
        return Ok(());
    }
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let (made, kept) = (read(&made)?, read(&kept)?);
    let same = match about {
        // A layer may come or go when figures change; axes and names stay.
        true => {
            let (made, kept) = (drawn_words(&made), drawn_words(&kept));
            4 * made.intersection(&kept).count() >= 3 * kept.len() && !kept.is_empty()
        }
        false => made == kept,
    };
    match same {
        true => Ok(()),
        false => Err(format!("docs/{name} is not what the command draws")),
    }
}

/// Runs every command of a page; returns the page's new text, and what is wrong.
fn check_page(page: &Path, examples: &[Example]) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("images")).unwrap();
    let fixtures = std::env::current_dir().unwrap().join("fixtures");
    std::os::unix::fs::symlink(fixtures, folder.path().join("fixtures")).unwrap();
    let text = std::fs::read_to_string(page).unwrap();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let mut wrong = Vec::new();
    for example in examples.iter().rev() {
        let place = format!(
            "{}:{}: `{}`",
            page.display(),
            example.line + 1,
            example.command
        );
        let printed = match run(example, folder.path()) {
            Ok(printed) => printed,
            Err(message) => {
                wrong.push(format!("{place}: {message}"));
                continue;
            }
        };
        let printed: Vec<&str> = printed.lines().collect();
        let mut shown = example.shown.clone();
        if updating() {
            shown = renewed(&shown, &printed);
            lines.splice(example.line + 1..example.end, shown.iter().cloned());
        }
        if let Some(line) = first_missing(&shown, &printed, example.about) {
            let printed = printed.join("\n");
            wrong.push(format!("{place} does not print\n{line}\nbut\n{printed}"));
        }
        for name in words(&example.command)
            .iter()
            .filter(|word| word.starts_with("images/"))
        {
            wrong.extend(check_drawing(name, folder.path(), example.about).err());
        }
    }
    (lines.join("\n") + "\n", wrong)
}

#[test]
fn every_command_runs_and_prints_what_the_book_shows() {
    let of_page = |page: PathBuf| {
        let examples = examples(&page);
        (page, examples)
    };
    let pages: Vec<(PathBuf, Vec<Example>)> = pages()
        .into_iter()
        .map(of_page)
        .filter(|(_, examples)| !examples.is_empty())
        .collect();
    let n_commands: usize = pages.iter().map(|(_, examples)| examples.len()).sum();
    assert!(n_commands > 40, "{n_commands} commands");
    let wrong: Vec<String> = pages
        .par_iter()
        .flat_map(|(page, examples)| {
            let (text, wrong) = check_page(page, examples);
            if updating() {
                std::fs::write(page, text).unwrap();
            }
            wrong
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "see the head of this file\n{}",
        wrong.join("\n\n")
    );
}

/// Chapters that teach an effect have a command, a place to exercise, and their answers folded away.
#[test]
fn every_effect_has_a_command_and_an_exercise() {
    let effects = pages()
        .into_iter()
        .filter(|page| page.starts_with("docs/effects"));
    let effects: Vec<PathBuf> = effects.collect();
    assert_eq!(effects.len(), 8);
    for page in effects {
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.contains("## Exercise"), "{}", page.display());
        assert!(!examples(&page).is_empty(), "{}", page.display());
    }
}

/// Targets of the Markdown links of a page, anchors and addresses left out.
fn links(text: &str) -> Vec<String> {
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let local = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    local
        .map(|target| target.split('#').next().unwrap_or(target).to_owned())
        .collect()
}

#[test]
fn every_link_of_every_page_leads_to_a_file() {
    for page in pages().into_iter().chain([PathBuf::from("README.md")]) {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let target = page.parent().unwrap().join(&link);
            assert!(target.exists(), "{}: {link}", page.display());
        }
    }
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = std::fs::read_to_string("docs/SUMMARY.md").unwrap();
    let listed: Vec<PathBuf> = links(&summary)
        .iter()
        .map(|link| Path::new(DOCS).join(link))
        .collect();
    let unique: HashSet<&PathBuf> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "a page twice");
    for page in pages().iter().filter(|page| !page.ends_with("SUMMARY.md")) {
        assert!(
            unique.contains(page),
            "docs/SUMMARY.md does not list {}",
            page.display()
        );
    }
    let book = std::fs::read_to_string("book.toml").unwrap();
    assert!(book.contains("src = \"docs\""));
}

/// Commands that are only named, in running text or in indented lines, are commands of the program with options that it has.
#[test]
fn every_command_that_is_named_exists() {
    let help = |subcommand: &str| {
        let output = Command::cargo_bin("warpstack")
            .unwrap()
            .args([subcommand, "--help"])
            .output();
        let output = output.unwrap();
        output
            .status
            .success()
            .then(|| String::from_utf8(output.stdout).unwrap())
    };
    let mut n_named = 0;
    // Entries of the bench log are history and stay as they were.
    let current = pages()
        .into_iter()
        .filter(|page| !page.starts_with("docs/bench-log"));
    for page in current {
        let text = std::fs::read_to_string(&page).unwrap();
        for piece in text
            .split('`')
            .skip(1)
            .step_by(2)
            .chain(text.lines().filter(|l| l.starts_with("    ")))
        {
            let mut words = piece.split_whitespace();
            let Some(subcommand) = words
                .next()
                .filter(|word| *word == "warpstack")
                .and(words.next())
            else {
                continue;
            };
            let place = format!("{}: {piece}", page.display());
            let help = help(subcommand).unwrap_or_else(|| panic!("{place}"));
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(help.contains(option), "{place}");
            }
            n_named += 1;
        }
    }
    assert!(n_named > 5);
}

/// mdBook itself, where it is installed.
#[test]
fn mdbook_builds_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let build = std::process::Command::new("mdbook")
        .args(["build", "-d"])
        .arg(folder.path())
        .arg(".")
        .output();
    let Ok(output) = build else {
        println!("skipped: no mdbook on the path");
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for page in [
        "introduction.html",
        "tour.html",
        "effects/l1-overflow.html",
        "glossary.html",
    ] {
        assert!(folder.path().join(page).exists(), "{page}");
    }
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
