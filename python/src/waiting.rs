//! Work on a thread of its own, while the interpreter goes on and hears interrupts.
//!
//! Models: the caller waits without holding the interpreter's lock and looks for signals between two waits.
//! Leaves out: ending work that does not ask whether to stop (one prediction, a timed run): after an interrupt it goes on in
//! the background to its end, and its result is dropped.
//! Units: milliseconds and bytes, in the names.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use warpstack::commands::output_of;
use warpstack::commands::stop::Stop;

const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);
/// Stack size of the program's main thread.
const STACK_BYTES: usize = 8 << 20;

/// Runs a command; a refusal is a `ValueError`, a signal's exception ends the wait.
pub fn in_background(py: Python<'_>, arguments: Vec<String>) -> PyResult<String> {
    let stop = Arc::new(Stop::default());
    let (sender, receiver) = channel();
    let asked = Arc::clone(&stop);
    let work = move || {
        let result = output_of(&arguments, &asked);
        // Nobody listens after an interrupt.
        sender.send(result).ok();
    };
    thread::Builder::new().stack_size(STACK_BYTES).spawn(work)?;
    let receiver = Mutex::new(receiver);
    let wait = || {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(BETWEEN_SIGNALS)
    };
    loop {
        match py.detach(wait) {
            Ok(result) => return result.map_err(PyValueError::new_err),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| stop.request())?;
            }
            Err(RecvTimeoutError::Disconnected) => {
                let message = "the computation broke off; standard error says where";
                return Err(PyRuntimeError::new_err(message));
            }
        }
    }
}
