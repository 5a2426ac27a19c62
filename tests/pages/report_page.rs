//! Is the report accessible: whole, self-contained, in order, and as wide as the screen?
//!
//! The screenshots need Chromium; without one they are skipped and say so. `WARPSTACK_SCREENSHOTS=<folder>` keeps them.
//! The other papers' part of the page, which takes long to predict, is made of given rows (`papers.rs`).

mod papers;
mod script;

use crate::browser;
use crate::colour::contrast;
use assert_cmd::Command;
use scraper::{ElementRef, Html, Selector};
use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

/// A small report: two tables of one problem, with the quick model.
const SMALL: [&str; 9] = [
    "--engine",
    "model",
    "--program-seed",
    "2",
    "--problems",
    "sextic",
    "--tables",
    "3,9",
    "--spread=1",
];

pub static PAGE: LazyLock<String> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("page");
    let output = report(&out, &SMALL);
    assert!(output.status.success(), "{output:?}");
    let files: Vec<_> = std::fs::read_dir(&out).unwrap().collect();
    assert_eq!(files.len(), 1, "the page and nothing else");
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    let here = folder.path().display().to_string();
    assert!(!page.contains(&here), "a folder of this machine");
    page
});

fn report(out: &Path, args: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("warpstack").unwrap();
    command.arg("report").arg("--out").arg(out).args(args);
    if !args.contains(&"--launches") {
        command.args(["--launches", "0"]);
    }
    command.output().unwrap()
}

fn select<'a>(html: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef) -> String {
    element.text().collect::<String>().trim().to_owned()
}

/// Checks the structure of a page: one self-contained file of correct HTML, headings in order, a name for every element.
fn check_structure(page: &str) {
    check_self_contained(page);
    let html = Html::parse_document(page);
    check_headings(&html);
    check_links(&html);
    check_names(&html);
}

#[test]
fn the_page_has_the_structure_of_every_page() {
    check_structure(&PAGE);
}

fn check_self_contained(page: &str) {
    let html = Html::parse_document(page);
    assert!(html.errors.is_empty(), "{:?}", html.errors);
    for outside in [
        "http:", "https:", "url(", "@import", "src=", "fetch(", "XMLHttp",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
    assert_eq!(select(&html, "html[lang=en]").len(), 1);
    assert_eq!(select(&html, "meta[name=viewport]").len(), 1);
}

/// Checks that headings go down one level at a time.
fn check_headings(html: &Html) {
    let level = |heading: &ElementRef| heading.value().name()[1..].parse::<u32>().unwrap();
    let levels: Vec<u32> = select(html, "h1, h2, h3, h4, h5, h6")
        .iter()
        .map(level)
        .collect();
    assert_eq!(levels[0], 1);
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(
        levels.windows(2).all(|pair| pair[1] <= pair[0] + 1),
        "{levels:?}"
    );
}

/// Checks that every link has a target, and that targets are unique.
fn check_links(html: &Html) {
    let ids: Vec<&str> = select(html, "[id]")
        .iter()
        .map(|e| e.value().attr("id").unwrap())
        .collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    let links = select(html, "a[href]");
    assert!(
        text(links[0]).starts_with("Skip"),
        "the first stop of the keyboard"
    );
    for link in links {
        let target = link.value().attr("href").unwrap().trim_start_matches('#');
        assert!(unique.contains(target), "{target}");
    }
}

/// Checks the names of drawings, and the captions and headers of tables.
fn check_names(html: &Html) {
    for drawing in select(html, "svg") {
        assert_eq!(drawing.value().attr("role"), Some("img"));
        for part in ["title", "desc"] {
            let part = Selector::parse(part).unwrap();
            let found = drawing.select(&part).next().map(text);
            assert!(found.is_some_and(|text| !text.is_empty()));
        }
    }
    assert!(select(html, "img").is_empty());
    for table in select(html, "table") {
        let inside = |selector: &str| table.select(&Selector::parse(selector).unwrap()).count();
        assert_eq!(inside("caption"), 1);
        assert!(inside("thead th[scope=col]") >= 2 && inside("th:not([scope])") == 0);
        assert_eq!(inside("tbody tr"), inside("tbody th[scope=row]"));
    }
}

#[test]
fn the_contents_link_every_section_in_order() {
    let html = Html::parse_document(&PAGE);
    let links = select(&html, "nav a").into_iter();
    let links: Vec<&str> = links
        .map(|a| &a.value().attr("href").unwrap()[1..])
        .collect();
    let headings = select(&html, "main > section > h2").into_iter();
    let headings: Vec<&str> = headings.map(|h| h.value().attr("id").unwrap()).collect();
    assert_eq!(links, headings);
    assert_eq!(
        links,
        [
            "answer", "errors", "table-3", "table-9", "best", "h200", "again"
        ]
    );
}

#[test]
fn every_drawing_and_table_is_on_the_page() {
    let html = Html::parse_document(&PAGE);
    // The answer, a scatter plot for each table, the best and the worst.
    assert_eq!(select(&html, "svg").len(), 4);
    // Errors, three heat maps for each table.
    assert_eq!(select(&html, "table").len(), 1 + 2 * 3);
}

/// The answer comes first, in one sentence whose numbers are those of the tables below it.
#[test]
fn the_answer_stands_first_and_agrees_with_the_tables() {
    let html = Html::parse_document(&PAGE);
    let answer = text(select(&html, ".answer")[0]);
    assert!(answer.ends_with('.') && !answer.contains(". "), "{answer}");
    let best = select(&html, "table.heat td b").into_iter().map(text);
    let best = best.map(|value| value.parse::<f64>().unwrap());
    // Measured and predicted in Table 3, then in Table 9.
    let best: Vec<f64> = best.collect();
    let fastest = best[1].max(best[3]);
    let named = format!("a predicted {fastest:.1} billion GPop/s");
    assert!(answer.contains(&named), "{answer}: {best:?}");
    let row = select(&html, "tbody tr").into_iter().map(text);
    let held_out = row.filter(|row| row.starts_with("held out cells")).count();
    assert_eq!(held_out, 1);
    assert!(answer.contains("51 cells that nothing was fitted on"));
    assert_eq!(select(&html, ".headline figure svg").len(), 1);
}

#[test]
fn every_cell_of_the_tables_is_on_the_page() {
    let html = Html::parse_document(&PAGE);
    // The cells of the two tables: measured, predicted, compared.
    let cells = select(&html, "table.heat td");
    assert_eq!(cells.len(), 3 * (24 + 33));
    let fitted = cells
        .iter()
        .filter(|cell| text(**cell).contains('†'))
        .count();
    assert_eq!(fitted, 6, "128 and 512 threads with three preferences");
    let measured = text(cells[0]);
    assert_eq!(measured, "23.0", "as in the paper's Table 3");
}

#[test]
fn fitted_and_held_out_errors_are_apart() {
    let html = Html::parse_document(&PAGE);
    let rows: Vec<String> = select(&html, "tbody th[scope=row]")
        .into_iter()
        .map(text)
        .collect();
    for row in [
        "table 3, sextic: fitted",
        "table 3, sextic: held out",
        "held out cells",
    ] {
        assert!(rows.iter().any(|name| name == row), "{row}");
    }
}

/// The program accepts the commands under the figures.
#[test]
fn every_command_on_the_page_is_one_of_the_program() {
    let html = Html::parse_document(&PAGE);
    let commands = select(&html, "code.command");
    assert!(commands.len() > 7);
    let mut names: Vec<String> = Vec::new();
    for command in commands {
        let text = text(command);
        let words: Vec<&str> = text.split(' ').collect();
        check_command(&words);
        names.push(words[1].to_owned());
        // Single instructions are simulated, stack depths counted.
        let has_engine = ["reproduce", "explain", "whatif", "report"].contains(&words[1]);
        let is_predicted =
            has_engine && !words.contains(&"--per-instruction") && !words.contains(&"5,6");
        if is_predicted {
            assert!(
                text.contains(" --engine analytical --program-seed 2"),
                "{text}"
            );
        }
    }
    for name in ["occupancy", "reproduce", "explain", "whatif", "report"] {
        assert!(names.iter().any(|other| other == name), "{name}");
    }
}

/// Checks that a command's subcommand and options are the program's.
fn check_command(words: &[&str]) {
    assert_eq!(words[0], "warpstack", "{words:?}");
    let n_names = if words[1] == "list" { 2 } else { 1 };
    let output = Command::cargo_bin("warpstack")
        .unwrap()
        .args(&words[1..=n_names])
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for option in words.iter().filter(|word| word.starts_with("--")) {
        assert!(help.contains(option), "{words:?}: {option}");
    }
}

/// Rules that keep the page as wide as the screen, and the two colour schemes readable.
#[test]
fn the_style_wraps_scrolls_and_has_contrast() {
    let style = PAGE
        .split("<style>")
        .nth(1)
        .unwrap()
        .split("</style>")
        .next()
        .unwrap();
    let rule = |selector: &str| {
        let (_, rest) = style
            .split_once(&format!("\n{selector} {{"))
            .unwrap_or_else(|| panic!("{selector}"));
        rest.split('}').next().unwrap()
    };
    assert!(rule("figure svg").contains("width: 100%"));
    assert!(rule(".scroll").contains("overflow-x: auto"));
    assert!(rule("code").contains("overflow-wrap: anywhere"));
    let schemes: Vec<&str> = style.split("--ink: #").skip(1).take(3).collect();
    assert_eq!(
        schemes.len(),
        3,
        "light, dark by the system, dark by choice"
    );
    // The heat maps have colours of their own, light and dark.
    let heats: Vec<&str> = style.split("--heat: #").skip(1).collect();
    assert_eq!(heats.len(), 2);
    for (scheme, heat) in schemes.into_iter().zip([heats[0], heats[1], heats[1]]) {
        let scheme = format!("--ink: #{scheme} --heat: #{heat}");
        let colour = |name: &str| {
            let (_, rest) = scheme.split_once(&format!("--{name}: #")).unwrap();
            rest[..6].to_owned()
        };
        for (ink, paper, least) in [
            ("ink", "paper", 7.0),
            ("soft", "paper", 4.5),
            ("link", "paper", 4.5),
            ("ink", "shade", 7.0),
            ("soft", "shade", 4.5),
            ("focus", "paper", 3.0),
            ("edge", "paper", 3.0),
            ("chart-ink", "paper", 7.0),
            ("ink", "heat", 4.5),
            ("ink", "slow", 4.5),
            ("ink", "fast", 4.5),
        ] {
            let contrast = contrast(&colour(ink), &colour(paper));
            assert!(contrast >= least, "{ink} on {paper}: {contrast:.1}");
        }
    }
}

#[test]
fn a_refused_report_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page");
    for (out, args, named) in [
        (page.clone(), vec!["--tables", "3,5"], "\"5\"; allowed: 3"),
        (
            page.clone(),
            vec!["--problems", "sextic,chess"],
            "'chess' for '--problem <LIST>'; allowed: sextic",
        ),
        (
            page.clone(),
            vec!["--papers", "gpocl,koza"],
            "\"koza\"; allowed: robilliard, langdon, gpocl, all",
        ),
        (
            page.clone(),
            vec!["--papers", "all", "--scope", "multiprocessor"],
            "--scope multiprocessor given with --paper; allowed: --arch",
        ),
        (page.join("deeper"), vec![], "deeper"),
    ] {
        let output = report(&out, &args);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.contains(named) && message.lines().count() == 1,
            "{message}"
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn the_page_is_as_wide_as_the_screen() {
    browser::check_widths(&PAGE, "report");
}
