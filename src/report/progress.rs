//! Messages and progress on standard error. Progress of long work is shown only on a terminal: a bar
//! where its steps are counted, and after two seconds the elapsed time where they are not.
//!
//! Leaves out: anything on standard output. Units: steps of the caller's work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bars that there are.
static BARS: AtomicUsize = AtomicUsize::new(0);
/// Whether the last line shows the elapsed time.
static SHOWN: Mutex<bool> = Mutex::new(false);
static ENDED: AtomicBool = AtomicBool::new(false);

/// Counts steps; may be shared by threads.
pub struct Progress {
    bar: ProgressBar,
    what: &'static str,
    start: Instant,
    on_terminal: bool,
}

impl Progress {
    /// `what` names the steps: `cells`.
    pub fn new(n_steps: u64, what: &'static str) -> Progress {
        BARS.fetch_add(1, Ordering::Relaxed);
        clear();
        let template = format!("{{bar:40}} {{pos}} of {{len}} {what}, {{eta}} left");
        let style = ProgressStyle::with_template(&template)
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(n_steps), ProgressDrawTarget::hidden());
        Progress {
            bar: bar.with_style(style),
            what,
            start: Instant::now(),
            on_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// A step begins that takes long: it is named, with the time since the work began, for as long as it takes.
    pub fn begin(&self, step: &str) {
        if !self.on_terminal {
            return;
        }
        let template = format!(
            "{{msg}}: {{pos}} of {{len}} {} done, {{elapsed}}",
            self.what
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            self.bar.set_style(style);
        }
        self.bar.set_message(step.to_owned());
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.enable_steady_tick(Duration::from_secs(1));
    }

    /// One step is done. The bar appears once the work has taken a second.
    pub fn step(&self) {
        let late = self.start.elapsed() > Duration::from_secs(1);
        if late && self.on_terminal && self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        BARS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The time that the program's work has taken, shown where nothing else is; until it is dropped.
pub struct Waiting(Option<(Sender<()>, JoinHandle<()>)>);

/// Work that is done by then shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);

impl Waiting {
    /// The work begins.
    pub fn begin() -> Waiting {
        if !std::io::stderr().is_terminal() {
            return Waiting(None);
        }
        let (end, ended) = channel();
        let start = Instant::now();
        let thread = std::thread::spawn(move || {
            let mut wait = PATIENCE;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                show(start.elapsed());
                wait = Duration::from_secs(1);
            }
        });
        Waiting(Some((end, thread)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            // It cannot fail; if it does, nothing is shown.
            let _ = thread.join();
        }
        clear();
    }
}

fn shown() -> MutexGuard<'static, bool> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn show(elapsed: Duration) {
    let mut shown = shown();
    let is_free = BARS.load(Ordering::Relaxed) == 0 && !ENDED.load(Ordering::Relaxed);
    if is_free {
        write(&format!("\rworking, {} s", elapsed.as_secs()));
        *shown = true;
    }
}

/// Clears the elapsed time from the last line, to make room for other text.
pub fn clear() {
    let mut shown = shown();
    if *shown {
        write("\r\x1b[K");
        *shown = false;
    }
}

/// Prints a message to standard error, on lines of its own. Write errors (a full disk, a closed pipe) are ignored.
pub fn say(text: &str) {
    if text.is_empty() {
        return;
    }
    clear();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write(&format!("{text}{end}"));
}

fn write(text: &str) {
    // A message that cannot be written must not fail the program.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Results are written now: nothing is shown any more.
pub fn end() {
    ENDED.store(true, Ordering::Relaxed);
    clear();
}
