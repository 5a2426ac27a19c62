//! The explorer: one page of HTML with the library in it, compiled to WebAssembly, which answers every move of a control.
//!
//! Puts the module, the start of the page and its parts (`page.html`, `page.css`, the scripts) into one file that needs nothing from
//! outside. Leaves out: predicting; the module of `cargo xtask wasm` does that in the browser. Units: beside every figure.
//! Sources: Web Content Accessibility Guidelines 2.2 for names, contrast and keyboard use.

use crate::device::ideal::Ideal;
use crate::launch::cause::Cause;
use crate::systems::options::LaunchOptions;
use crate::util::seven_bits::seven_bits;
use serde::Serialize;
use serde_json::{Value, json};
use std::error::Error;

/// The library for browsers, compressed with gzip.
pub const MODULE: &[u8] = include_bytes!("../../../assets/warpstack.wasm.gz");
const PAGE: &str = include_str!("page.html");
const COLOURS: &str = include_str!("colours.css");
const STYLE: &str = include_str!("page.css");
/// The script of the threads that answer.
pub const WORKER: &str = include_str!("worker.js");
const SCRIPTS: [&str; 8] = [
    include_str!("copy.js"),
    include_str!("ask.js"),
    include_str!("state.js"),
    include_str!("controls.js"),
    include_str!("charts.js"),
    include_str!("curve.js"),
    include_str!("machine.js"),
    include_str!("page.js"),
];
/// Content security policy of a page that compiles its own module and runs it in threads of its own.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; \
                      img-src data:";

/// Contents of the explorer.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub start: Start,
    pub measured: Vec<MeasuredPoint>,
}

/// The launch that the page begins with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Start {
    /// Name of a preset, or the path of its file.
    pub device: String,
    pub launch: LaunchOptions,
    /// Programs, one per line; none: the problem's corpus.
    pub programs: String,
    pub own: Option<Own>,
    /// Text of the preset's file, if it is none of the program's.
    pub preset: Option<String>,
}

/// A kernel of one's own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Own {
    pub file: String,
    /// Output of `nvdisasm -hex`.
    pub listing: String,
    pub encoding: &'static str,
}

/// A measured speed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasuredPoint {
    pub device: &'static str,
    pub launch: LaunchOptions,
    pub gpops_billion: f64,
    /// Half-width of the confidence interval.
    pub ci_billion: f64,
    /// The paper's table.
    pub table: u32,
    /// Values of the device were fitted on it.
    pub fitted: bool,
}

/// The page.
pub fn page(content: &Content) -> Result<String, Box<dyn Error>> {
    let parts = [
        ("policy", POLICY.to_owned()),
        ("style", [COLOURS, STYLE].concat()),
        ("content", described(content)),
        ("module", seven_bits(MODULE)),
        ("worker", WORKER.to_owned()),
        ("scripts", SCRIPTS.join("\n")),
    ];
    Ok(filled(PAGE, &parts))
}

/// `template` with every `{{name}}` replaced, in one pass: what comes in is not searched again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else {
            break;
        };
        let part = parts.iter().find(|(known, _)| *known == name);
        text += before;
        text += part.map_or("", |(_, part)| part);
        rest = after;
    }
    text + rest
}

/// Returns the script's data as JSON that cannot be read as HTML.
fn described(content: &Content) -> String {
    let causes = Cause::ALL.map(|cause| (cause.name(), cause.in_words()));
    let parts = Ideal::ALL.map(|part| (json!(part), part.name(), part.condition()));
    let value = json!({
        "start": content.start,
        "causes": causes,
        "parts": parts,
        "measured": content.measured.iter().map(|one| without_nulls(json!(one))).collect::<Vec<_>>(),
    });
    value.to_string().replace('<', "\\u003c")
}

/// Leaves out what is not given.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let given = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(
                given
                    .map(|(name, value)| (name, without_nulls(value)))
                    .collect(),
            )
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_a_colour_in_every_scheme() {
        for cause in Cause::ALL {
            let declared = COLOURS.matches(&format!("--{}: ", cause.name())).count();
            assert_eq!(declared, 3, "{cause:?}");
        }
    }

    #[test]
    fn every_part_has_its_place_and_nothing_is_replaced_twice() {
        let parts = [("a", "{{b}}".to_owned()), ("b", "2".to_owned())];
        assert_eq!(filled("x{{a}}y{{b}}z", &parts), "x{{b}}y2z");
        for name in ["policy", "style", "content", "module", "worker", "scripts"] {
            assert!(PAGE.contains(&format!("{{{{{name}}}}}")), "{name}");
        }
    }
}
