//! Does the explorer show the program's numbers, accessibly: numbers, controls, addresses, names, contrast, widths?
//!
//! Tests that need a browser are skipped with a message where there is no Chromium.

use crate::colour::contrast;
use crate::driver::Tab;
use crate::program::{refused, stdout, succeeds};
use serde_json::Value;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("explore.html");
    succeeds(&format!("explore --out {}", out.display()));
    folder
});

fn file() -> PathBuf {
    FOLDER.path().join("explore.html")
}

pub static PAGE: LazyLock<String> = LazyLock::new(|| std::fs::read_to_string(file()).unwrap());

/// Functions for scripts: waiting for the answers to the present state, and moving a control as a user does.
const HELP: &str = "
    const later = (ms) => new Promise((done) => setTimeout(done, ms));
    const at = (selector) => document.querySelector(selector);
    const tell = (control) => ['input', 'change'].forEach((name) => control.dispatchEvent(new Event(name, { bubbles: true })));
    const ready = async () => {
        do await later(20); while (typeof version === 'undefined' || at('#results').dataset.ready !== String(version));
    };
    const move = async (selector, value) => { at(selector).value = value; tell(at(selector)); await ready(); };
    const press = async (selector) => { at(selector).click(); await ready(); };
    const found = () => [at('#speed').dataset.value, at('#command').textContent, location.hash].join('|');
    await ready();";

fn open(page: &Path, fragment: &str, width: u32) -> Option<Tab> {
    Tab::open(&format!("file://{}{fragment}", page.display()), width)
}

fn run(tab: &mut Tab, script: &str) -> String {
    match tab.run(&format!("{HELP} {script}")) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The speed that a command of the page prints, with all digits.
fn printed(command: &str) -> f64 {
    let command = command.strip_prefix("warpstack ").unwrap();
    if command.starts_with("predict") {
        let answer: Value =
            serde_json::from_str(&stdout(&format!("{command} --format json"))).unwrap();
        return answer["gpops_billion"].as_f64().unwrap();
    }
    let output = stdout(&format!("{command} --format csv"));
    let rows = output.lines().map(|line| line.split(',').collect());
    let rows: Vec<Vec<&str>> = rows.collect();
    assert_eq!(rows.len(), 2, "{command}");
    let column = rows[0].iter().position(|name| *name == "gpops_billion");
    rows[1][column.unwrap()].parse().unwrap()
}

/// Asserts that a speed, a command and an address belong together, and returns the speed.
fn agreed(found: &str) -> f64 {
    let parts: Vec<&str> = found.split('|').collect();
    let speed: f64 = parts[0].parse().unwrap_or_else(|_| panic!("{found}"));
    assert_eq!(speed, printed(parts[1]), "{found}");
    speed
}

#[test]
fn the_page_is_one_file_that_asks_for_nothing() {
    assert!(PAGE.len() < 4_600_000, "{} bytes", PAGE.len());
    let (before, module) = PAGE.split_once("id=\"module\">").unwrap();
    let (_, after) = module.split_once("</script>").unwrap();
    for outside in [
        "http:", "https:", "url(", "@import", "src=", "fetch(", "XMLHttp",
    ] {
        assert!(!before.contains(outside), "{outside}");
        assert!(!after.contains(outside), "{outside}");
    }
    assert!(PAGE.contains("default-src 'none'"));
    assert!(PAGE.contains("<html lang=\"en\">"));
    let unfilled = before.contains("{{") || after.contains("{{");
    assert!(!unfilled, "a part without content");
    let (_, body) = before.split_once("<body>").unwrap();
    let is_drawing = |tag: &&str| tag.starts_with("svg ") || tag.starts_with("canvas ");
    for drawing in body.split('<').filter(is_drawing) {
        assert!(drawing.contains("role=\"img\""), "{drawing}");
        for names in ["aria-labelledby=\"", "aria-describedby=\""] {
            if let Some((_, id)) = drawing.split_once(names) {
                let id = format!("id=\"{}\"", id.split('"').next().unwrap());
                assert_eq!(body.matches(&id).count(), 1, "{id}");
            }
        }
    }
}

#[test]
fn every_control_is_the_browsers_own_and_has_a_name() {
    let Some(mut tab) = open(&file(), "", 1280) else {
        return;
    };
    let script = "return [...document.querySelectorAll('main select, main input, main textarea')]
        .filter((control) => !control.labels?.length && !control.getAttribute('aria-label')).map((control) => control.outerHTML).join();";
    assert_eq!(run(&mut tab, script), "");
    let script = "return [...document.querySelectorAll('[data-key]')].map((control) => control.dataset.key).join();";
    let found = run(&mut tab, script);
    let keys: HashSet<&str> = found.split(',').collect();
    let all = "threads stack_dim l1 population smx clock l2.port_bytes_per_cycle dram_bandwidth";
    assert_eq!(keys, all.split(' ').collect());
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
    }
}

/// States that differ in everything that an address holds.
const STATES: [&str; 9] = [
    "#problem=sextic&kernel=rpn&threads=256&stack-dim=4&l1=48",
    "#kernel=lgp&threads=1024&stack-dim=6&l1=16&smx=14&clock=735",
    "#threads=32&stack-dim=1&l1=40&l2.port_bytes_per_cycle=16&dram_bandwidth=384.512",
    "#device=h200&kernel=accumulator&problem=kddcup&threads=128&population=4000",
    "#device=h100&kernel=lgp&problem=shuttle&threads=96&stack-dim=3&clock=1225.5",
    "#device=rtx4090&kernel=lgp&problem=mux20&threads=512&l1=100",
    "#device=t4&kernel=lgp&problem=sextic&threads=64&stack-dim=2",
    "#device=gtx285&kernel=gpocl-ppcu",
    "#device=t10p&kernel=submachine&population=100000",
];

#[test]
fn the_shown_number_is_the_one_that_the_shown_command_prints() {
    let Some(mut tab) = open(&file(), "", 1280) else {
        return;
    };
    for state in STATES {
        let found = run(
            &mut tab,
            &format!("location.hash = '{state}'; await later(50); await ready(); return found();"),
        );
        agreed(&found);
        for part in state.trim_start_matches('#').split('&') {
            assert!(found.contains(part), "{state}: {found}");
        }
    }
}

#[test]
fn the_simulator_in_the_page_has_the_digits_of_the_command_line() {
    let Some(mut tab) = open(&file(), "#threads=128&stack-dim=2&smx=3", 1280) else {
        return;
    };
    let found = run(
        &mut tab,
        "at('#simulate').click(); while (!at('#simulated').dataset.value) await later(20);
         return [at('#simulated').dataset.value, commandOf(state, 'simulator')].join('|');",
    );
    agreed(&found);
}

#[test]
fn a_moved_control_changes_number_command_and_address() {
    let Some(mut tab) = open(&file(), "#threads=128&stack-dim=2", 1280) else {
        return;
    };
    let seen = run(
        &mut tab,
        "const states = []; const note = () => states.push(found());
         note();
         await move('#threads', '1024'); note();
         await move('#smx', '14'); note();
         await press('[data-key=stack_dim][value=\"5\"]'); note();
         await move('#kernel', 'lgp'); note();
         await press('#reset'); note();
         history.back(); await later(300); await ready(); note();
         return states.join('\\n');",
    );
    let states: Vec<&str> = seen.lines().collect();
    assert_eq!(states.len(), 7, "{seen}");
    let speeds: Vec<String> = states.iter().map(|one| agreed(one).to_string()).collect();
    let different: HashSet<&String> = speeds[..6].iter().collect();
    assert_eq!(different.len(), 6, "every move changes the speed: {seen}");
    assert!(states[1].contains("#device=gtx670") && states[1].contains("threads=1024"));
    assert!(states[2].contains("whatif") && states[2].contains("--vary smx=14"));
    assert!(states[5].contains("predict"), "the machine as it is");
    assert_eq!(states[6], states[4], "one step back");
}

#[test]
fn programs_and_a_kernel_of_ones_own_are_predicted_as_the_command_line_predicts_them() {
    let folder = tempfile::tempdir().unwrap();
    let own = |name: &str| folder.path().join(name).display().to_string();
    let listing = own("mine.sass");
    let code = "list kernels rpn --problem sextic --listing --device gtx670 --stack-dim 2";
    std::fs::write(&listing, stdout(code)).unwrap();
    std::fs::write(own("mine.txt"), "X1 X1 * 0.5 +\nadd(X1, mul(X1, 2.0))\n").unwrap();
    let launch = format!(
        "--sass {listing} --encoding rpn --stack-dim 2 --problem sextic --threads 64 --programs {}",
        own("mine.txt")
    );
    succeeds(&format!("explore --out {} {launch}", own("page.html")));
    let Some(mut tab) = open(&folder.path().join("page.html"), "", 1280) else {
        return;
    };
    let found = run(&mut tab, "return at('#speed').dataset.value;");
    let expected = printed(&format!("warpstack predict --engine analytical {launch}"));
    assert_eq!(found.parse(), Ok(expected));
    // Typed in instead.
    let found = run(
        &mut tab,
        "await move('#programs', 'X1 X1 *'); return at('#speed').dataset.value;",
    );
    std::fs::write(own("mine.txt"), "X1 X1 *\n").unwrap();
    let expected = printed(&format!("warpstack predict --engine analytical {launch}"));
    assert_eq!(found.parse(), Ok(expected));
}

#[test]
fn a_card_of_ones_own_is_predicted_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.toml");
    let text = include_str!("../../fixtures/devices/h200.toml");
    std::fs::write(&card, text).unwrap();
    let page = folder.path().join("page.html");
    let launch = format!("--device {} --kernel lgp", card.display());
    succeeds(&format!("explore --out {} {launch}", page.display()));
    let Some(mut tab) = open(&page, "", 1280) else {
        return;
    };
    agreed(&run(&mut tab, "return found();"));
}

#[test]
fn the_machine_at_work_is_stepped_through() {
    let Some(mut tab) = open(&file(), "#threads=256&stack-dim=4", 1280) else {
        return;
    };
    let seen = run(
        &mut tab,
        "at('#watch').click(); while (at('#work').hidden) await later(20);
         const words = [at('#cycle-words').textContent];
         at('#next').click(); words.push(at('#cycle-words').textContent);
         at('#miss').click(); words.push(at('#l1-words').textContent);
         words.push(at('#code .now').textContent + at('#source').textContent);
         at('#moment').value = 60000; tell(at('#moment'));
         do await later(20); while (at('#watch-state').textContent !== '');
         words.push(at('#cycle-words').textContent);
         return words.join('\\n');",
    );
    let words: Vec<&str> = seen.lines().collect();
    assert!(words[0].starts_with("Cycle 0:"), "{seen}");
    assert!(words[1].contains("issues"), "{seen}");
    assert!(words[2].contains("0 hits, 1 misses"), "{seen}");
    assert!(words[3].contains("rpn.cu, line"), "{seen}");
    assert!(words[4].starts_with("Cycle 60000:"), "{seen}");
}

#[test]
fn what_is_drawn_has_the_colours_of_its_legend() {
    let Some(mut tab) = open(&file(), "#threads=256&stack-dim=4", 1280) else {
        return;
    };
    let colours = "const fills = (selector) => [...document.querySelectorAll(selector)].map((one) => getComputedStyle(one).fill);
        return JSON.stringify([fills('#cycles rect'), fills('#cycles-table rect'), fills('#gains rect, #places .part, #stacks rect, #time rect')]);";
    let found: Vec<Vec<String>> = serde_json::from_str(&run(&mut tab, colours)).unwrap();
    assert_eq!(found[0], found[1], "bar and legend");
    let different: HashSet<&String> = found[0].iter().collect();
    assert_eq!(different.len(), found[0].len(), "{:?}", found[0]);
    for fill in found.iter().flatten() {
        assert!(
            !["rgb(0, 0, 0)", "none", ""].contains(&fill.as_str()),
            "{found:?}"
        );
    }
}

#[test]
fn a_wrong_link_is_named_and_the_page_starts_as_usual() {
    let Some(mut tab) = open(&file(), "#threads=none&colour=red&kernel=tree", 1280) else {
        return;
    };
    let seen = run(
        &mut tab,
        "return at('#notice').textContent + '|' + at('#threads').value;",
    );
    for part in [
        "threads=none; allowed: a number",
        "colour; allowed",
        "kernel=tree; allowed: rpn",
    ] {
        assert!(seen.contains(part), "{seen}");
    }
    assert!(seen.ends_with("|256"), "{seen}");
}

#[test]
fn what_cannot_run_is_refused_in_words() {
    let Some(mut tab) = open(&file(), "#threads=2048", 1280) else {
        return;
    };
    let seen = run(
        &mut tab,
        "return at('#speed').textContent + at('#state').textContent;",
    );
    assert!(
        seen.starts_with("not possible") && seen.contains("2048"),
        "{seen}"
    );
}

#[test]
fn the_page_is_as_wide_as_the_screen_with_large_letters_too() {
    let Some(mut tab) = open(&file(), "#stack-dim=6", 390) else {
        return;
    };
    let widths = "at('#watch').click(); while (at('#work').hidden) await later(20);
         document.querySelectorAll('details').forEach((one) => { one.open = true; });
         await later(200);
         const wide = [...document.querySelectorAll('body *')]
           .filter((e) => !e.closest('.scroll, .skip, svg') && e.getBoundingClientRect().right > innerWidth + 1)
           .map((e) => e.tagName + '.' + e.className + '#' + e.id);
         const small = [...document.querySelectorAll('svg text')].filter((e) => parseFloat(getComputedStyle(e).fontSize) < 12).length;
         return [document.documentElement.scrollWidth, innerWidth, small, ...wide].join(' ');";
    for (width, view) in [
        (390, ""),
        (820, ""),
        (1280, ""),
        (1920, "&size=large"),
        (390, "&size=large"),
    ] {
        tab.resize(width);
        let script = format!(
            "location.hash = '#stack-dim=6{view}'; await later(50); await ready(); {widths}"
        );
        assert_eq!(
            run(&mut tab, &script),
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
        (format!("{page} --problem chess"), "chess"),
        (format!("{page} --kernel tree"), "tree"),
        (format!("{page} --device gtx999"), "gtx999"),
        (format!("{page} --threads 4096"), "4096"),
        (
            format!("{deeper} --problem sextic"),
            "allowed: a file in a folder that exists",
        ),
    ] {
        refused(&format!("explore --out {line}"), &[named]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
