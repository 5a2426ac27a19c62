//! Is the book true: does every command run and print the shown output, does every link work, is every page listed?
//!
//! A fenced block marked `console` holds commands, `$ warpstack ...`, and what they print. `...` on a line stands for any
//! lines, at the end of a line for its rest; no lines mean that the output is not shown. In `console,about` blocks numbers may
//! differ by 20 %, since values of the device are fitted again from time to time. Drawings that a command puts into `images/` are
//! those of `docs/images/`. `WARPSTACK_UPDATE_GOLDEN=1` writes shown outputs and drawings anew; read them before committing.

mod compare;
mod example;
mod generated;
mod measured;
mod questions;

use crate::program::{warpstack, words};
use compare::{drawn_words, first_missing, renewed};
pub use example::command_of;
use example::{Example, examples, run};
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const DOCS: &str = "docs";

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
    // One after the other, as a reader runs them: a command may read what one before it wrote.
    let ran: Vec<_> = examples
        .iter()
        .map(|example| run(example, folder.path()))
        .collect();
    for (example, ran) in examples.iter().zip(ran).rev() {
        let place = format!(
            "{}:{}: `{}`",
            page.display(),
            example.line + 1,
            example.command
        );
        let printed = match ran {
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

/// Chapters that teach an effect have an exercise, and a figure that one of their commands draws.
#[test]
fn every_effect_has_a_figure_with_its_command_and_an_exercise() {
    let effects = pages()
        .into_iter()
        .filter(|page| page.starts_with("docs/effects"));
    let effects: Vec<PathBuf> = effects.collect();
    assert_eq!(effects.len(), 8);
    for page in effects {
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.contains("## Exercise"), "{}", page.display());
        let examples = examples(&page);
        let drawn = examples.iter().flat_map(|example| words(&example.command));
        let drawn: Vec<String> = drawn.filter(|word| word.starts_with("images/")).collect();
        assert!(!drawn.is_empty(), "{}: no figure", page.display());
        for name in drawn {
            assert!(
                text.contains(&format!("](../{name})")),
                "{}: {name} is not shown",
                page.display()
            );
        }
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
        let output = warpstack(subcommand).arg("--help").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        output.status.success().then_some(help)
    };
    let mut n_named = 0;
    for page in pages() {
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
            let mut command = subcommand.to_owned();
            if ["generate", "lab", "list", "measure"].contains(&subcommand) {
                command.extend(words.next().map(|what| format!(" {what}")));
            }
            let help = help(&command).unwrap_or_else(|| panic!("{place}"));
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(help.contains(option), "{place}");
            }
            n_named += 1;
        }
    }
    assert!(n_named > 5);
}

/// The recipes' changes apply to today's sources, and the problem they show is in the program.
#[test]
fn the_recipes_fit_the_sources() {
    let mut n_changes = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for block in text.split("```diff\n").skip(1) {
            let mut git = assert_cmd::Command::new("git");
            git.args(["apply", "--check", "-"]);
            let Ok(output) = git.write_stdin(block.split("```").next().unwrap()).output() else {
                println!("skipped: no git on the path");
                return;
            };
            let why = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {why}", page.display());
            n_changes += 1;
        }
    }
    assert!(n_changes >= 3, "{n_changes} changes");
    let page = std::fs::read_to_string("docs/how-to/problem.md").unwrap();
    let shown = page.split("```rust\n").nth(1).unwrap();
    let problem = std::fs::read_to_string("src/gp/problem/parity.rs").unwrap();
    assert!(problem.contains(shown.split("```").next().unwrap()));
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
