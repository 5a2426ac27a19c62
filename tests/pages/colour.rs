//! Contrast of two colours, and the colours that the explorer names.

use std::collections::BTreeSet;

/// Returns the names in `var(--name)`; those that a script completes end in a hyphen.
fn used(text: &str) -> impl Iterator<Item = &str> {
    let after = text.split("var(--").skip(1);
    let names =
        after.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_'));
    names.filter_map(|mut parts| parts.next().filter(|name| !name.is_empty()))
}

/// Returns the names that rules declare whose text, with what is before it, is of a theme.
fn declared(style: &str, is_of_theme: fn(&str) -> bool) -> BTreeSet<&str> {
    let rules = style.split('}').filter(|rule| is_of_theme(rule));
    let parts = rules.flat_map(|rule| rule.split([';', '{']));
    let names = parts.filter_map(|part| part.trim().strip_prefix("--")?.split_once(':'));
    names.map(|(name, _)| name).collect()
}

#[test]
fn every_colour_that_the_explorer_names_is_declared_in_every_theme() {
    let style = super::explore::PAGE.split("<style>").nth(1).unwrap();
    let style = style.split("</style>").next().unwrap();
    let light = declared(style, |rule| {
        ![": dark)", "[data-theme", "print"]
            .iter()
            .any(|word| rule.contains(word))
    });
    let dark = declared(style, |rule| rule.contains("prefers-color-scheme: dark"));
    let chosen = declared(style, |rule| rule.contains("data-theme=dark"));
    let files = std::fs::read_dir("src/report/explore").unwrap();
    let texts: Vec<String> = files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let names: BTreeSet<&str> = texts.iter().flat_map(|text| used(text)).collect();
    assert!(names.len() > 10, "{names:?}");
    for theme in [&light, &dark, &chosen] {
        for name in &names {
            let is_declared = match name.ends_with('-') {
                true => theme.iter().any(|one| one.starts_with(name)),
                false => theme.contains(name),
            };
            assert!(is_declared, "{name}");
        }
    }
}

/// Returns the contrast of colours like `1d2430`, as the Web Content Accessibility Guidelines define it.
pub fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |colour: &str| {
        let channel = |i: usize| {
            let value =
                f64::from(u8::from_str_radix(&colour[2 * i..2 * i + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}
