//! One test program run under one mutant, its tests one after the other, until one fails or the time is over.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What a mutant may take of the memory before it counts as killed.
const KIBIBYTES: u32 = 8 << 20;

/// How much slower a busy machine may be.
const PATIENCE: u32 = 8;

pub enum End {
    Passed,
    /// The test that failed, or ran when the process ended or the time was over, and how.
    Killed(String),
}

/// A test that ended well, and what it took.
pub struct Passed {
    pub test: String,
    pub seconds: f64,
}

pub struct Run<'a> {
    pub folder: &'a Path,
    pub program: &'a Path,
    /// Their whole names. None: all.
    pub tests: &'a [String],
    pub variable: (&'a str, String),
    /// Of the processor's time: other processes do not count. Of all time [`PATIENCE`] times as much.
    pub limit: Duration,
    /// Go on after a test that failed: then it is not in the list.
    pub all: bool,
}

impl Run<'_> {
    fn start(&self) -> std::io::Result<Child> {
        use std::os::unix::process::CommandExt;
        let seconds = self.limit.as_secs() + 1;
        let libraries = self.folder.join("target/release/deps");
        Command::new("sh")
            .args([
                "-c",
                &format!("ulimit -v {KIBIBYTES} -t {seconds}; exec \"$0\" \"$@\""),
            ])
            .arg(self.program)
            .args(["--exact", "--test-threads=1"])
            .args(self.tests)
            .current_dir(self.folder)
            .env(
                "LD_LIBRARY_PATH",
                format!(
                    "{}:{}",
                    libraries.display(),
                    self.folder.join("lib").display()
                ),
            )
            .env("RAYON_NUM_THREADS", "1")
            .env("CARGO_MANIFEST_DIR", self.folder)
            .env(
                "CARGO_BIN_EXE_warpstack",
                self.folder.join("target/release/warpstack"),
            )
            .env(self.variable.0, &self.variable.1)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
    }

    pub fn run(&self) -> std::io::Result<(End, Vec<Passed>)> {
        let mut child = self.start()?;
        let lines = lines(&mut child);
        let mut passed = Vec::new();
        let failed = self.watch(&lines, &mut passed);
        if failed.is_some() {
            end_group(&child);
        }
        let status = child.wait()?;
        let end = match failed {
            Some(failed) => End::Killed(failed),
            None if status.success() || self.all => End::Passed,
            None => End::Killed(format!("after the tests: {}", how(status))),
        };
        Ok((end, passed))
    }

    fn watch(&self, lines: &Receiver<String>, passed: &mut Vec<Passed>) -> Option<String> {
        let deadline = Instant::now() + PATIENCE * self.limit;
        let mut last = Instant::now();
        loop {
            let line = match lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Some("took too long".to_owned()),
                Err(RecvTimeoutError::Disconnected) => return None,
            };
            let Some((test, result)) = result_of(&line) else {
                continue;
            };
            match result {
                "ok" => passed.push(Passed {
                    test: test.to_owned(),
                    seconds: last.elapsed().as_secs_f64(),
                }),
                "ignored" => {}
                "FAILED" if self.all => {}
                "FAILED" => return Some(test.to_owned()),
                _ => return Some(format!("{test} (ended the process)")),
            }
            last = Instant::now();
        }
    }
}

/// `test a::b ... ok`: its name and the rest.
fn result_of(line: &str) -> Option<(&str, &str)> {
    let (test, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let test = test.trim_end_matches(" - should panic");
    let result = result.trim_end();
    Some((
        test,
        if result.starts_with("ignored") {
            "ignored"
        } else {
            result
        },
    ))
}

fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let text = String::from_utf8_lossy(&line).into_owned();
                line.clear();
                if sender.send(text).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// With what it started: the program under test may be what does not end.
fn end_group(child: &Child) {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
}

fn how(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => format!("exit code {}", status.code().unwrap_or(-1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_test_program() {
        assert_eq!(result_of("test a::b ... ok\n"), Some(("a::b", "ok")));
        assert_eq!(
            result_of("test a - should panic ... FAILED\n"),
            Some(("a", "FAILED"))
        );
        assert_eq!(
            result_of("test a ... ignored, why\n"),
            Some(("a", "ignored"))
        );
        assert_eq!(result_of("test a ... "), Some(("a", "")));
        assert_eq!(result_of("test result: ok. 1 passed;\n"), None);
    }
}
