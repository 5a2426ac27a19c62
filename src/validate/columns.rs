//! Names of columns in measured rows that earlier versions of `measure` wrote.
//!
//! Leaves out: what is in them; it has not changed.

use crate::util::rows::Rows;

/// Earlier names, and those of today.
const RENAMED: [(&str, &str); 2] = [("threads_per_block", "threads"), ("l1_kib", "l1")];

/// Gives the columns the names of today.
pub fn present_names(rows: &mut Rows) {
    for name in &mut rows.header {
        if let Some((_, now)) = RENAMED.iter().find(|(earlier, _)| earlier == name) {
            *name = (*now).to_owned();
        }
    }
}
