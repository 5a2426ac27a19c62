//! Predictions against measurements: the only reader of measured values.
//!
//! [`mod@cells`] lists the configurations of the paper's tables, and needs no measurement.
//! [`measured`] reads what was measured; [`compare`] puts both side by side; [`stats`] sums up. [`nearest`] compares the
//! stack depths of programs.
//! [`conclusions`] compares whole tables, [`contrasts`] compares launches that differ in one thing. [`interval`] says how far a prediction may
//! be off. [`known`] finds the measured speed of a single launch. [`launches`] reads measured launches, [`card`] checks of which card, [`at_hand`] finds their programs, [`requests`] turns them into requests, [`columns`] renames columns of older files. [`paper_rows`] and [`papers`]: the
//! other papers' launches and figures.
//! [`score`] judges predictions of everything measured. [`calibrate`] searches for values that a preset does not know.
//! Leaves out: how a prediction is made.
//! Source: Chitty, Faster GPU-Based Genetic Programming Using a Two-Dimensional Stack.

pub mod at_hand;
pub mod calibrate;
pub mod card;
pub mod cells;
pub mod columns;
pub mod compare;
pub mod conclusions;
pub mod contrasts;
pub mod interval;
pub mod known;
pub mod launches;
pub mod measured;
pub mod nearest;
pub mod paper_rows;
pub mod papers;
pub mod requests;
pub mod score;

pub use crate::util::stats;
pub use cells::{Axis, Cell, Table, cells};
pub use compare::{CellSplit, Compared, Summary};
pub use measured::Measured;
