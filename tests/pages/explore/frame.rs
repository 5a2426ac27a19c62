//! The explorer in a frame of a test's own page, which moves its controls and reads its output.

use crate::browser;
use std::path::{Path, PathBuf};

pub struct Frame {
    chromium: PathBuf,
    folder: PathBuf,
    page: String,
}

/// Names that a script can use: the frame's window, its elements, and functions that move a control as a user does.
const HELP: &str = "const page = document.querySelector('iframe').contentWindow;
    const later = (ms) => new Promise((done) => setTimeout(done, ms));
    const at = (selector) => page.document.querySelector(selector);
    const tell = (control) => ['input', 'change'].forEach((name) => control.dispatchEvent(new page.Event(name, { bubbles: true })));
    const move = (selector, value) => { at(selector).value = value; tell(at(selector)); };
    const press = (selector) => at(selector).click();
    const ready = async () => { while (!/\\d|not/.test(at('#speed')?.textContent ?? '')) await later(20); await later(100); };";

impl Frame {
    /// `None` without Chromium.
    pub fn new(page: &Path) -> Option<Frame> {
        let chromium = browser::chromium();
        if chromium.is_none() {
            println!("skipped: no Chromium on the path");
        }
        Some(Frame {
            chromium: chromium?,
            folder: page.parent()?.into(),
            page: page.file_name()?.to_str()?.into(),
        })
    }

    /// Returns the result of a script that runs beside the page, opened with this fragment at this width.
    pub fn seen(&self, fragment: &str, width: u32, script: &str) -> String {
        let name = format!("frame-{:?}.html", std::thread::current().id());
        let file = self.folder.join(name.replace(['(', ')'], ""));
        let text = format!(
            "<!doctype html><title>frame</title><body><iframe src=\"{}{}\" style=\"border:0\" width=\"{width}\" height=\"2000\"></iframe>\
             <script>{HELP} async function look() {{ await ready(); {script} }}\
             look().then((seen) => {{ document.body.dataset.seen = seen; }}, (error) => {{ document.body.dataset.seen = 'failed: ' + error; }});\
             </script>",
            self.page,
            fragment.replace('&', "&amp;")
        );
        std::fs::write(&file, text).unwrap();
        let args = [
            "--dump-dom",
            "--virtual-time-budget=30000",
            "--allow-file-access-from-files",
        ];
        let shown = browser::browse(&self.chromium, &file, 2000, &args.map(String::from));
        let html = scraper::Html::parse_document(&shown);
        let body = html
            .select(&scraper::Selector::parse("body").unwrap())
            .next();
        let seen = body.and_then(|body| body.value().attr("data-seen").map(String::from));
        seen.unwrap_or_else(|| panic!("the page did not get ready: {shown:.2000}"))
    }
}
