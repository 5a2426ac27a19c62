//! What columns of measured rows were called in files that earlier versions of `measure` wrote.
//!
//! Leaves out: what is in them; it has not changed.

/// Earlier names, and those of today.
const RENAMED: [(&str, &str); 2] = [("threads_per_block", "threads"), ("l1_kib", "l1")];

/// The name of today.
pub fn present_name(given: &str) -> &str {
    let renamed = RENAMED.iter().find(|(earlier, _)| *earlier == given);
    renamed.map_or(given, |(_, now)| now)
}
