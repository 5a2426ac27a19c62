//! A preset of a card from what microbenchmarks read of it.
//!
//! * [`readings`]: what the probes gave, in a file.
//! * [`infer`]: the values that follow, each with its source.
//! * [`preset`]: the file: those values in place of a template's, documented for the generation or assumed within a range.
//!
//! No preset of a card is read. Leaves out: launching the probes (`measure::card`).
//! Units: those of the readings and of the preset's fields. Sources: `docs/how-to/characterize-a-card.md`.

pub mod infer;
pub mod preset;
pub mod readings;
