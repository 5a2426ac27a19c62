//! Chromium, if there is one: scripts in a page, how wide the page is, marks without a colour.

use crate::driver::chromium;
use scraper::{Html, Selector};
use std::path::{Path, PathBuf};

/// Finds elements, waits, and finds marks that are black because a colour that they name is not declared.
const HELP: &str = "const later = (ms) => new Promise((done) => setTimeout(done, ms));
    const at = (selector) => document.querySelector(selector);
    const all = (selector) => [...document.querySelectorAll(selector)];
    const isBlack = (mark) => {
      const style = getComputedStyle(mark);
      const own = ['fill', 'stroke', 'style'].map((name) => mark.getAttribute(name) ?? '').join(' ');
      const names = [...own.matchAll(/var\\((--[\\w-]+)/g)].map((found) => found[1]);
      const isFilled = mark.matches('rect, circle, ellipse, path, polygon') && style.fill === 'rgb(0, 0, 0)';
      return names.some((name) => !style.getPropertyValue(name)) || (isFilled && !own.includes('#000000'));
    };
    const black = () => all('svg *').filter(isBlack).map((mark) => mark.outerHTML.slice(0, 120)).join(' ');";

/// A folder with a page, at whose end a script runs.
pub struct Opened {
    chromium: PathBuf,
    pub folder: tempfile::TempDir,
}

impl Opened {
    /// `None` without a browser.
    pub fn new(page: &str, script: &str) -> Option<Opened> {
        let Some(chromium) = chromium() else {
            println!("skipped: no Chromium on the path");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let run = format!(
            "<script>{HELP} (async () => {{ {script} }})().then((seen) => {{ document.body.dataset.seen = seen; }}, \
             (error) => {{ document.body.dataset.seen = 'failed: ' + error; }});</script></body>"
        );
        std::fs::write(
            folder.path().join("page.html"),
            page.replace("</body>", &run),
        )
        .unwrap();
        Some(Opened { chromium, folder })
    }

    pub fn browse(&self, width: u32, args: &[String]) -> String {
        browse(
            &self.chromium,
            &self.folder.path().join("page.html"),
            width,
            args,
        )
    }
}

/// Returns the result of a script that runs on a page; `None` without a browser.
pub fn seen(page: &str, script: &str, options: &[&str]) -> Option<String> {
    let opened = Opened::new(page, script)?;
    let mut args = vec![
        "--dump-dom".to_owned(),
        "--virtual-time-budget=10000".to_owned(),
    ];
    args.extend(options.iter().map(|option| option.to_string()));
    let html = Html::parse_document(&opened.browse(1280, &args));
    let body = html.select(&Selector::parse("body").unwrap()).next();
    let seen = body.and_then(|body| body.value().attr("data-seen").map(String::from));
    Some(seen.expect("the script came to its end"))
}

/// Options for the dark and the light theme.
pub const THEMES: [&str; 2] = [
    "--blink-settings=preferredColorScheme=0",
    "--blink-settings=preferredColorScheme=1",
];

/// Runs Chromium on a file and returns its standard output.
pub fn browse(chromium: &Path, page: &Path, width: u32, args: &[String]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--window-size={width},2400"))
        .args(args)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The page is as wide as the screen and nothing sticks out; `name` is that of the screenshots.
pub fn check_widths(html: &str, name: &str) {
    let Some(chromium) = chromium() else {
        println!("skipped: no Chromium on the path");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    // Shows and opens everything, then tells the widths and whatever sticks out of the screen and does not scroll.
    let probe = "<script>document.querySelectorAll('section').forEach(s => s.hidden = false); document.querySelectorAll('details').forEach(d => d.open = true);\
        const wide = [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .hidden, svg, .skip') \
        && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className);\
        parent.postMessage(document.documentElement.scrollWidth + ' ' + innerWidth + ' ' + wide.join(' '), '*');\
        </script></body>";
    std::fs::write(&page, html.replace("</body>", probe)).unwrap();
    for width in [390_u32, 1280] {
        // A window has a least width, a frame in it has none.
        let frame = folder.path().join("frame.html");
        let listener = format!(
            "<!doctype html><title>frame</title><body><script>onmessage = e => document.body.dataset.widths = e.data;</script>\
             <iframe src=\"page.html\" style=\"border:0\" width=\"{width}\" height=\"2000\"></iframe>"
        );
        std::fs::write(&frame, listener).unwrap();
        let args = ["--dump-dom", "--virtual-time-budget=5000"].map(String::from);
        let shown = browse(&chromium, &frame, 1400, &args);
        let widths = shown.split("data-widths=\"").nth(1).unwrap_or(&shown);
        let widths = widths.split('"').next().unwrap();
        assert_eq!(
            widths.trim(),
            format!("{width} {width}"),
            "at {width} pixels"
        );
        let png = folder.path().join(format!("{name}-{width}.png"));
        browse(
            &chromium,
            &page,
            width,
            &[format!("--screenshot={}", png.display())],
        );
        let bytes = std::fs::read(&png).unwrap();
        assert_eq!(&bytes[1..4], b"PNG");
        assert_eq!(bytes[16..20], width.to_be_bytes(), "the picture's width");
        assert!(
            bytes.len() > 50_000,
            "an empty page is smaller: {}",
            bytes.len()
        );
        if let Some(kept) = std::env::var_os("WARPSTACK_SCREENSHOTS") {
            std::fs::copy(&png, Path::new(&kept).join(png.file_name().unwrap())).unwrap();
        }
    }
}
