//! A progress bar for work over a second, on standard error, and only if that is a terminal.
//!
//! Leaves out: anything on standard output. Units: steps of the caller's work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

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
    }
}
