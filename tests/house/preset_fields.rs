//! Do the book's names of preset fields exist?

use crate::test_files::files_of;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Symbols of equations in `docs/model.md` that look like fields: names with an underscore.
const SYMBOLS: [&str; 1] = ["n_k"];

/// `section.field` of every preset, with and without its section, and the sections.
#[derive(Default)]
struct Fields {
    sections: BTreeSet<String>,
    whole: BTreeSet<String>,
    names: BTreeSet<String>,
}

impl Fields {
    fn of_presets() -> Fields {
        let (mut presets, mut fields) = (Vec::new(), Fields::default());
        files_of(Path::new("fixtures/devices"), "toml", &mut presets);
        for path in presets {
            let text = fs::read_to_string(&path).unwrap();
            fields.add("", &text.parse::<toml::Table>().unwrap());
        }
        // Results have one of this name, too; a name that begins with a dot is an ending.
        fields
            .sections
            .retain(|name| !["memory", ""].contains(&name.as_str()));
        fields
    }

    fn add(&mut self, section: &str, table: &toml::Table) {
        for (name, value) in table {
            match value.as_table() {
                Some(section) if name == "reference" => self.add("", section),
                Some(section) if !section.contains_key("value") => self.add(name, section),
                _ => {
                    self.sections.insert(section.to_owned());
                    self.whole.insert(format!("{section}.{name}"));
                    self.names.insert(name.clone());
                }
            }
        }
    }
}

/// Names in backticks, letters, digits, dots and underscores only, with their lines.
fn quoted(text: &str) -> Vec<(usize, &str)> {
    let is_name = |word: &&str| {
        let is_of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c);
        !word.is_empty() && word.chars().all(is_of_name)
    };
    let of_line = |(i, line)| {
        let words = str::split(line, '`').skip(1).step_by(2).filter(is_name);
        words.map(move |word| (i + 1, word))
    };
    text.lines().enumerate().flat_map(of_line).collect()
}

#[test]
fn fields_named_in_the_book_exist() {
    let (mut pages, mut wrong) = (Vec::new(), Vec::new());
    files_of(Path::new("docs"), "md", &mut pages);
    let fields = Fields::of_presets();
    for path in pages {
        let text = fs::read_to_string(&path).unwrap();
        let is_model = path.ends_with("model.md");
        for (line, name) in quoted(&text) {
            let exists = match name.split_once('.') {
                Some((_, "rs" | "md" | "toml" | "csv")) => true,
                Some((section, _)) if fields.sections.contains(section) => {
                    fields.whole.contains(name)
                }
                None if is_model && name.contains('_') && !SYMBOLS.contains(&name) => {
                    fields.names.contains(name)
                }
                _ => true,
            };
            if !exists {
                wrong.push(format!("{}:{line}: {name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "no preset has\n{}", wrong.join("\n"));
}
