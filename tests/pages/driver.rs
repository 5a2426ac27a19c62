//! A page in Chromium, driven over a pipe: scripts run in it, and answer when their promises do.
//!
//! Sources: Chrome DevTools Protocol (Target, Page, Runtime, Emulation); messages end with a zero byte, from descriptor 3 and to 4.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Returns the path of Chromium, if there is one.
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

pub struct Tab {
    browser: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    sent: u64,
    _profile: tempfile::TempDir,
}

impl Tab {
    /// Opens an address in a window of this width; `None` without Chromium.
    pub fn open(address: &str, width: u32) -> Option<Tab> {
        let Some(chromium) = chromium() else {
            println!("skipped: no Chromium on the path");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The shell gives the browser its own input and output as the descriptors that it reads and writes.
        let mut browser = Command::new("sh")
            .args([
                "-c",
                "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
                "sh",
            ])
            .arg(chromium)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args([
                "--hide-scrollbars",
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .args(["--disable-sync", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut tab = Tab {
            to: browser.stdin.take().unwrap(),
            from: BufReader::new(browser.stdout.take().unwrap()),
            browser,
            session: None,
            sent: 0,
            _profile: profile,
        };
        let target = tab.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = tab.call("Target.attachToTarget", attached);
        tab.session = attached["sessionId"].as_str().map(String::from);
        tab.resize(width);
        tab.call("Page.navigate", json!({ "url": address }));
        Some(tab)
    }

    pub fn resize(&mut self, width: u32) {
        let size =
            json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Returns the result of the body of an asynchronous function that runs in the page.
    pub fn run(&mut self, body: &str) -> Value {
        let asked = json!({
            "expression": format!("(async () => {{ {body} }})()"),
            "awaitPromise": true,
            "returnByValue": true,
        });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{body}: {answer}");
        answer["result"]["value"].clone()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        write!(self.to, "{message}\0").unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            assert!(!bytes.is_empty(), "the browser ended at {method}");
            let answer: Value = serde_json::from_slice(&bytes[..bytes.len() - 1]).unwrap();
            if answer["id"] == self.sent {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
