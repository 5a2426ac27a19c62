//! How results are shown: text tables, CSV, charts, progress, and files that are whole or absent.
//!
//! Leaves out: computing anything. Units: printed beside every figure.

pub mod annotation;
pub mod blocks;
pub mod carveout;
pub mod chart;
pub mod cpu;
pub mod explain;
pub mod explore;
pub mod output;
pub mod page;
pub mod papers;
pub mod prediction;
pub mod progress;
pub mod provenance;
pub mod reproduction;
pub mod rows;
pub mod stacks;
pub mod table;
pub mod validation;
pub mod verdict;
mod web;
pub mod whatif;
