//! Behaviour of the report in a browser: pages, sorting, copying, values of points, both themes, paper.
//!
//! Needs Chromium; without it every test is skipped with a message.

use super::PAGE;
use crate::browser::{self, Opened, THEMES};
use std::path::PathBuf;

fn seen(script: &str, options: &[&str]) -> Option<String> {
    browser::seen(&PAGE, script, options)
}

/// The address names the page; links, the browser's own buttons and searching turn it.
#[test]
fn one_section_is_shown_at_a_time_and_the_contents_name_it() {
    let script = "const shown = () => all('main > section').filter((one) => one.checkVisibility({ contentVisibilityAuto: true }) && !one.hidden)
          .map((one) => one.querySelector('h2').id).join();
        const states = [];
        const note = () => states.push([shown(), all('nav [aria-current=page]').map((link) => link.hash).join(),
          document.activeElement.id, document.title.split(' ')[0]].join());
        note();
        at('nav a[href=\"#table-9\"]').click(); await later(100); note();
        at('#table-9').closest('section').querySelector('.next a').click(); await later(100); note();
        history.back(); await later(300); note();
        at('.skip').click(); await later(100); note();
        at('#errors').closest('section').dispatchEvent(new Event('beforematch', { bubbles: true })); await later(100); note();
        states.push(location.hash);
        return states.join('|');";
    let Some(seen) = seen(script, &[]) else {
        return;
    };
    let table = "table-9,#table-9,table-9,Table";
    let [first, linked, next, back, skipped, found, address] =
        seen.split('|').collect::<Vec<_>>()[..]
    else {
        panic!("{seen}");
    };
    assert_eq!(first, "answer,#answer,,The");
    assert_eq!([linked, back], [table; 2]);
    assert_eq!(next, "best,#best,best,The");
    assert_eq!(skipped, "table-9,#table-9,content,Table");
    assert!(found.starts_with("errors,#errors,"), "{found}");
    assert_eq!(address, "#errors");
}

#[test]
fn a_column_is_sorted_by_its_header_in_both_directions() {
    let script = "location.hash = 'errors'; await later(100);
        const table = all('table.sortable').find((t) => t.caption.textContent.startsWith('Errors'));
        const header = table.tHead.rows[0].cells[2];
        const button = header.querySelector('button');
        const column = () => [...table.tBodies[0].rows].map((row) => row.cells[2].textContent).join(' ');
        const states = [column()];
        button.focus();
        states.push(document.activeElement === button ? 'by keyboard' : 'no stop of the keyboard');
        for (const _ of [1, 2]) { button.click(); states.push(header.getAttribute('aria-sort'), column()); }
        table.tHead.rows[0].cells[0].querySelector('button').click();
        states.push(String(header.getAttribute('aria-sort')), at('#status').textContent);
        return states.join('|');";
    let Some(seen) = seen(script, &[]) else {
        return;
    };
    let states: Vec<&str> = seen.split('|').collect();
    let [before, keyboard, up, rising, down, falling, other, said] = states[..] else {
        panic!("{seen}");
    };
    assert_eq!(
        [keyboard, up, down],
        ["by keyboard", "ascending", "descending"]
    );
    let numbers = |text: &str| -> Vec<f64> {
        let numbers = text.split(' ').map(|number| number.parse().unwrap());
        numbers.collect()
    };
    let mut sorted = numbers(before);
    sorted.sort_by(f64::total_cmp);
    assert_eq!(numbers(rising), sorted);
    assert_ne!(numbers(before), sorted, "sorting changes something");
    sorted.reverse();
    assert_eq!(numbers(falling), sorted);
    assert_eq!(other, "null", "one column at a time");
    assert_eq!(said, "Sorted by cells of, ascending.");
}

#[test]
fn every_command_has_a_button_that_copies_it() {
    let script = "const copied = [];
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (words) => { copied.push(words); } } });
        const buttons = all('button.copy');
        for (const button of buttons) button.click();
        await later(50);
        const shown = all('code.command').map((code) => code.textContent);
        for (const section of all('section')) section.hidden = false;
        return [buttons.every((button) => button.checkVisibility() || button.closest('details')),
          shown.length > 7, shown.join() === copied.join(), at('#status').textContent].join('|');";
    if let Some(seen) = seen(script, &[]) {
        assert_eq!(seen, "true|true|true|Command copied.");
    }
}

#[test]
fn points_say_their_values_to_pointer_and_keyboard() {
    let script = "location.hash = 'table-3'; await later(100);
        const svg = all('.scatters svg')[0];
        const note = svg.querySelectorAll('.note')[3];
        svg.scrollIntoView();
        await later(200);
        const box = note.getBoundingClientRect();
        const move = (x, y) => svg.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: x, clientY: y }));
        move(box.left + box.width / 2, box.top + box.height / 2);
        const tip = at('#tip');
        const states = [tip.hidden, tip.textContent === note.dataset.words, tip.textContent];
        const edge = tip.getBoundingClientRect();
        states.push(edge.left >= 0 && edge.right <= innerWidth);
        svg.dispatchEvent(new PointerEvent('pointerleave', {}));
        states.push(tip.hidden);
        svg.focus();
        const press = (key) => svg.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        press('ArrowRight');
        states.push(tip.textContent === svg.querySelector('.note').dataset.words, at('#status').textContent === tip.textContent);
        press('Escape');
        states.push(tip.hidden, all('.note').length > 24);
        return states.join('|');";
    let Some(seen) = seen(script, &[]) else {
        return;
    };
    let states: Vec<&str> = seen.split('|').collect();
    assert_eq!(
        states[..2],
        ["false", "true"],
        "the nearest point is named: {seen}"
    );
    let said = states[2];
    for part in ["threads", "measured", "predicted", "billion GPop/s", "%"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(states[3..], ["true"; 6], "{seen}");
}

/// Colours of the paper, of a chart's text and of a cell, as the browser computed them.
const COLOURS: &str = "const style = (element) => getComputedStyle(element);
    return [style(document.body).backgroundColor, style(at('.scatters svg text')).fill, style(at('table.heat td')).backgroundColor].join('|');";

#[test]
fn charts_and_heat_maps_follow_the_dark_theme() {
    let [dark, light] = THEMES;
    let Some((dark, light)) = seen(COLOURS, &[dark]).zip(seen(COLOURS, &[light])) else {
        return;
    };
    let cell = |text: &str| text.split('|').nth(2).unwrap().to_owned();
    assert_ne!(cell(&dark), cell(&light), "cells");
    let brightness = |text: &str| -> Vec<u32> {
        let channels = |colour: &str| -> u32 {
            let numbers = colour.trim_start_matches("rgb(").trim_end_matches(')');
            numbers.split(", ").map(|n| n.parse::<u32>().unwrap()).sum()
        };
        text.split('|').take(2).map(channels).collect()
    };
    let (dark, light) = (brightness(&dark), brightness(&light));
    assert!(
        dark[0] < 150 && light[0] > 700,
        "paper: {dark:?}, {light:?}"
    );
    assert!(dark[1] > 600 && light[1] < 200, "ink: {dark:?}, {light:?}");
}

/// A page is A4 or Letter; folded parts are printed too.
#[test]
fn the_page_is_printed_without_gaps() {
    let Some(opened) = Opened::new(&PAGE, "return '';") else {
        return;
    };
    let pdf = opened.folder.path().join("page.pdf");
    let args = [
        format!("--print-to-pdf={}", pdf.display()),
        "--no-pdf-header-footer".to_owned(),
        "--virtual-time-budget=5000".to_owned(),
    ];
    opened.browse(1280, &args);
    let bytes = std::fs::read(&pdf).unwrap();
    let pages = bytes
        .windows(12)
        .filter(|part| part.starts_with(b"/Type /Page") && part[11] != b's')
        .count();
    if let Some(kept) = std::env::var_os("WARPSTACK_SCREENSHOTS") {
        std::fs::copy(&pdf, PathBuf::from(kept).join("report.pdf")).unwrap();
    }
    assert!((4..=MOST_PAGES).contains(&pages), "{pages} pages");
}

/// Page limit: one more than the small report takes.
const MOST_PAGES: usize = 9;
