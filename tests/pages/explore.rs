//! Does the explorer show the program's numbers, accessibly: numbers, controls, addresses, names, contrast, widths?
//!
//! Tests that need a browser are skipped with a message where there is no Chromium.

mod frame;

use crate::browser;
use crate::colour::contrast;
use crate::html::{select, text};
use crate::program::{refused, stdout, succeeds};
use frame::Frame;
use scraper::{ElementRef, Html, Selector};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The report with its explorer, of one problem.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let report =
        "report --explore --engine analytical --problem sextic --table 3 --launches 0 --out-dir";
    succeeds(&format!("{report} {}", out.display()));
    folder
});

fn file() -> PathBuf {
    FOLDER.path().join("report/explore.html")
}

pub static PAGE: LazyLock<String> = LazyLock::new(|| std::fs::read_to_string(file()).unwrap());

/// The speed that a command of the page prints, as the page shows it.
fn printed(command: &str) -> String {
    let command = command.strip_prefix("warpstack ").unwrap();
    if command.starts_with("predict") {
        let output = stdout(command);
        let line = output.lines().find(|line| line.contains("billion GPop/s"));
        return line.unwrap().split_whitespace().last().unwrap().to_owned();
    }
    let output = stdout(&format!("{command} --format csv"));
    let rows = output.lines().map(|line| line.split(',').collect());
    let rows: Vec<Vec<&str>> = rows.collect();
    assert_eq!(rows.len(), 2, "{command}");
    let column = rows[0].iter().position(|name| *name == "gpops_billion");
    let speed: f64 = rows[1][column.unwrap()].parse().unwrap();
    format!("{speed:.3}")
}

#[test]
fn the_report_links_the_explorer_that_it_writes() {
    let report = std::fs::read_to_string(FOLDER.path().join("report/index.html")).unwrap();
    assert!(report.contains("href=\"explore.html\""));
    assert!(
        report.contains(" --explore"),
        "the command that makes it again"
    );
    assert!(file().is_file());
}

#[test]
fn the_page_is_one_small_file_that_asks_for_nothing() {
    assert!(PAGE.len() < 3_000_000, "{} bytes", PAGE.len());
    for outside in [
        "http:", "https:", "url(", "@import", "src=", "fetch(", "XMLHttp",
    ] {
        assert!(!PAGE.contains(outside), "{outside}");
    }
    assert!(PAGE.contains("default-src 'none'"));
    let html = Html::parse_document(&PAGE);
    assert!(html.errors.is_empty(), "{:?}", html.errors);
    assert_eq!(select(&html, "html[lang=en]").len(), 1);
    assert!(!PAGE.contains("{{"), "a part without content");
}

#[test]
fn every_control_is_the_browsers_own_and_has_a_name() {
    let html = Html::parse_document(&PAGE);
    let named: HashSet<&str> = select(&html, "label[for]")
        .iter()
        .map(|label| label.value().attr("for").unwrap())
        .collect();
    let mut axes = HashSet::new();
    for control in select(&html, "main select, main input") {
        axes.insert(control.value().attr("data-axis").unwrap());
        match control.value().attr("type") {
            Some("radio") => {
                let around: Vec<&str> = control
                    .ancestors()
                    .filter_map(ElementRef::wrap)
                    .map(|element| element.value().name())
                    .collect();
                assert!(
                    around.contains(&"label") && around.contains(&"fieldset"),
                    "{around:?}"
                );
            }
            _ => assert!(named.contains(control.value().attr("id").unwrap())),
        }
    }
    let all = [
        "problem",
        "kernel",
        "threads",
        "stack-dim",
        "l1",
        "smx",
        "clock",
        "l2",
        "dram",
    ];
    assert_eq!(axes, HashSet::from(all));
    assert!(select(&html, "fieldset").iter().all(|set| {
        let legend = Selector::parse("legend").unwrap();
        set.select(&legend).count() == 1
    }));
    for drawing in select(&html, "figure > svg") {
        assert_eq!(drawing.value().attr("role"), Some("img"));
        for names in ["aria-labelledby", "aria-describedby"] {
            let id = drawing.value().attr(names).unwrap();
            assert_eq!(select(&html, &format!("#{id}")).len(), 1, "{id}");
        }
    }
}

#[test]
fn both_colour_schemes_have_contrast() {
    let style = PAGE.split("<style>").nth(1).unwrap();
    let style = style.split("</style>").next().unwrap();
    let blocks: Vec<&str> = style.split("--ink: #").skip(1).collect();
    assert!(
        blocks.len() >= 3,
        "light, dark by the system, dark by choice"
    );
    for block in &blocks[..3] {
        let block = format!("--ink: #{}", block.split('}').next().unwrap());
        let colours: Vec<(&str, &str)> = block
            .split("--")
            .filter_map(|one| one.trim().split_once(": #"))
            // The report's, which its own tests look at.
            .filter(|(name, _)| !name.starts_with("chart-"))
            .map(|(name, rest)| (name, &rest[..6]))
            .collect();
        let of = |name: &str| colours.iter().find(|(known, _)| *known == name).unwrap().1;
        for (name, colour) in &colours {
            // Text, what only separates, and whatever must be told from the paper.
            let least = match *name {
                "ink" => 7.0,
                "soft" | "link" => 4.5,
                "line" | "paper" | "shade" => 0.0,
                _ => 3.0,
            };
            let found = contrast(colour, of("paper"));
            assert!(found >= least, "{name} on paper: {found:.2}");
            if least >= 4.5 {
                assert!(contrast(colour, of("shade")) >= 4.5, "{name} on shade");
            }
        }
        for dim in 0..6 {
            let found = contrast(of(&format!("dim-{dim}")), of("paper"));
            assert!(
                found >= 4.5,
                "line {dim}, which its number is in, too: {found:.2}"
            );
        }
    }
}

/// States that differ in everything that the address holds.
const STATES: [&str; 5] = [
    "",
    "#problem=sextic&kernel=rpn&threads=256&stack-dim=4&l1=48",
    "#kernel=lgp&threads=1024&stack-dim=6&l1=16&smx=14&clock=735",
    "#threads=32&stack-dim=1&l1=32&l2=16&dram=384.512",
    "#kernel=lgp&threads=96&stack-dim=3&smx=4&clock=1225&l2=16&dram=96.128",
];

#[test]
fn the_shown_number_is_the_one_that_the_shown_command_prints() {
    let Some(chromium) = browser::chromium() else {
        println!("skipped: no Chromium on the path");
        return;
    };
    for state in STATES {
        let page = PathBuf::from(format!("{}{state}", file().display()));
        let args = ["--dump-dom", "--virtual-time-budget=20000"].map(String::from);
        let html = Html::parse_document(&browser::browse(&chromium, &page, 1280, &args));
        let [speed, command, link] =
            ["#speed", "#command", "#link"].map(|id| text(select(&html, id)[0]));
        assert_eq!(speed, printed(&command), "{state}: {command}");
        for part in state.trim_start_matches('#').split('&') {
            assert!(link.contains(part), "{state}: {link}");
        }
        assert!(text(select(&html, "#state")[0]).contains(&speed), "{state}");
    }
}

#[test]
fn a_moved_control_changes_number_command_and_address() {
    let Some(frame) = Frame::new(&file()) else {
        return;
    };
    let seen = frame.seen(
        "#threads=128&stack-dim=2",
        1280,
        "const states = [];
         const note = () => states.push([at('#speed').textContent, at('#command').textContent, page.location.hash].join('|'));
         note();
         move('[data-axis=threads]', '10'); note();
         press('[data-axis=smx][value=\"2\"]'); note();
         move('#stack-dim', '5'); note();
         press('[data-axis=kernel][value=\"1\"]'); note();
         at('#reset').click(); note();
         page.history.back(); await later(300); note();
         return states.join('\\n');",
    );
    let states: Vec<Vec<&str>> = seen.lines().map(|line| line.split('|').collect()).collect();
    assert_eq!(states.len(), 7, "{seen}");
    for state in &states {
        assert_eq!(state[0], printed(state[1]), "{}", state[1]);
    }
    let speeds: HashSet<&str> = states[..6].iter().map(|state| state[0]).collect();
    assert_eq!(speeds.len(), 6, "every move changes the speed: {seen}");
    assert!(states[1][2].contains("threads=1024") && states[1][1].contains("predict"));
    assert!(states[2][1].contains("whatif") && states[2][1].contains("--vary smx=14"));
    assert!(states[5][1].contains("predict"), "the machine as it is");
    assert_eq!(states[6], states[4], "one step back");
}

#[test]
fn a_wrong_link_is_named_and_the_page_starts_as_usual() {
    let Some(frame) = Frame::new(&file()) else {
        return;
    };
    let notice = "return at('#notice').textContent + '|' + at('#threads-value').textContent;";
    let seen = frame.seen("#threads=100&colour=red", 1280, notice);
    assert!(
        seen.contains("threads=100; allowed: 32, 64") && seen.contains("colour; allowed"),
        "{seen}"
    );
    assert!(seen.ends_with("|256"), "{seen}");
}

#[test]
fn the_page_is_as_wide_as_the_screen_with_large_letters_too() {
    let Some(frame) = Frame::new(&file()) else {
        return;
    };
    let widths = "const wide = [...page.document.querySelectorAll('body *')]
           .filter((e) => !e.closest('.scroll, .skip, svg') && e.getBoundingClientRect().right > page.innerWidth + 1)
           .map((e) => e.tagName + '.' + e.className);
         const small = [...page.document.querySelectorAll('svg text')]
           .filter((e) => parseFloat(page.getComputedStyle(e).fontSize) < 12).length;
         return [page.document.documentElement.scrollWidth, page.innerWidth, small, ...wide].join(' ');";
    for (width, view) in [
        (390, ""),
        (820, ""),
        (1280, ""),
        (1920, "&size=large"),
        (390, "&size=large"),
    ] {
        let seen = frame.seen(&format!("#stack-dim=6{view}"), width, widths);
        assert_eq!(
            seen,
            format!("{width} {width} 0"),
            "at {width} pixels{view}"
        );
    }
}

#[test]
fn a_refused_page_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let deeper = folder.path().join("no/page.html");
    let (page, deeper) = (page.display(), deeper.display());
    for (line, named) in [
        (
            format!("{page} --problem chess"),
            "'chess' for '--problem <LIST>'; allowed: sextic",
        ),
        (format!("{page} --kernel rpn,tree"), "tree"),
        (format!("{page} --device gtx999"), "gtx999"),
        (format!("{page} --device gtx285"), "--arch NAME"),
        (format!("{page} --weights heavy"), "heavy"),
        (
            format!("{deeper} --problem sextic"),
            "allowed: a file in a folder that exists",
        ),
    ] {
        refused(&format!("explore --out {line}"), &[named]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
