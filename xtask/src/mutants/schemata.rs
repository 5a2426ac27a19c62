//! Many mutants in one program: at every site stands a choice between the mutant and the original, made by the number in `WARPSTACK_MUTANT`.
//!
//! So the tests are compiled once and not once for every mutant. [`RUNTIME`] is the module that makes the choice.

use super::sites::{Kind, Site};
use std::ops::Range;

/// What `src/mutant.rs` of the copy says.
pub const RUNTIME: &str = r#"//! Which mutant this process is. 0: none.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const UNKNOWN: u32 = u32::MAX;
/// Not a mutant: writes the number of every site that it comes by to the file that `WARPSTACK_REACHED` names.
const RECORDING: u32 = u32::MAX - 1;
static CHOSEN: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; 65_536] = [const { AtomicBool::new(false) }; 65_536];

#[inline]
pub fn on(id: u32) -> bool {
    let chosen = CHOSEN.load(Relaxed);
    if chosen >= RECORDING { look(id) } else { chosen == id }
}

#[cold]
fn look(id: u32) -> bool {
    if CHOSEN.load(Relaxed) == UNKNOWN {
        let chosen = match std::env::var_os("WARPSTACK_REACHED") {
            Some(_) => RECORDING,
            None => std::env::var("WARPSTACK_MUTANT").ok().and_then(|id| id.parse().ok()).unwrap_or(0),
        };
        CHOSEN.store(chosen, Relaxed);
    }
    if CHOSEN.load(Relaxed) == RECORDING && !REACHED[id as usize].swap(true, Relaxed) {
        let path = std::env::var_os("WARPSTACK_REACHED").unwrap_or_default();
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let _ = file.and_then(|mut file| file.write_all(format!("{id}\n").as_bytes()));
    }
    CHOSEN.load(Relaxed) == id
}
"#;

/// A site that was drawn, under its number.
pub struct Mutant<'a> {
    pub id: u32,
    pub site: &'a Site,
}

/// The file with all of its mutants, and where in it each of them stands. Outer sites come before those within them.
pub fn render(text: &str, mutants: &[Mutant]) -> (String, Vec<(u32, Range<usize>)>) {
    let mut output = Output::default();
    output.part(text, 0..text.len(), mutants);
    (output.text, output.places)
}

#[derive(Default)]
struct Output {
    text: String,
    places: Vec<(u32, Range<usize>)>,
}

impl Output {
    fn part(&mut self, text: &str, range: Range<usize>, mut mutants: &[Mutant]) {
        let mut at = range.start;
        while let [outer, rest @ ..] = mutants {
            let site = outer.site;
            let n_within = rest
                .iter()
                .take_while(|m| m.site.range.end <= site.range.end);
            let (within, after) = rest.split_at(n_within.count());
            self.text += &text[at..site.range.start];
            let start = self.text.len();
            let (open, close) = match site.kind {
                Kind::Call => ("", ""),
                _ => ("(", ")"),
            };
            let (id, mutated) = (outer.id, &site.mutated);
            self.text += &format!("{open}if crate::mutant::on({id}) {{ {mutated} }} else {{ ");
            self.part(text, site.range.clone(), within);
            self.text += &format!(" }}{close}");
            self.places.push((id, start..self.text.len()));
            at = site.range.end;
            mutants = after;
        }
        self.text += &text[at..range.end];
    }
}

#[cfg(test)]
mod tests {
    use super::super::sites;
    use super::*;

    #[test]
    fn a_site_within_a_site_stays_a_choice_in_the_original() {
        let text = "fn f() { g(a + 1); }";
        let sites = sites::of(text).unwrap();
        let mutants: Vec<Mutant> = (1..)
            .zip(&sites)
            .map(|(id, site)| Mutant { id, site })
            .collect();
        let (text, places) = render(text, &mutants);
        let on = "if crate::mutant::on";
        let sum = format!("({on}(2) {{ a - 1 }} else {{ a + ({on}(3) {{ 2 }} else {{ 1 }}) }})");
        assert_eq!(
            text,
            format!("fn f() {{ {on}(1) {{  }} else {{ g({sum}); }} }}")
        );
        assert!(syn::parse_file(&text).is_ok());
        assert_eq!(places.len(), 3);
    }
}
