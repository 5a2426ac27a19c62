//! Chromium, if there is one, and how wide a page is in it.

use std::path::{Path, PathBuf};

pub fn chromium() -> Option<PathBuf> {
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "chrome",
        "headless_shell",
    ];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let candidates = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.into_iter().find(|path| path.is_file())
}

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
    // Opens everything, then tells the widths and whatever sticks out of the screen and does not scroll.
    let probe = "<script>document.querySelectorAll('details').forEach(d => d.open = true);\
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
