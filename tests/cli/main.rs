//! The program `warpstack` and the library as users run them.

#![cfg(feature = "cli")]

mod bad_input;
mod characterize;
mod explain;
mod formats;
mod golden;
mod intervals;
mod library;
mod measure;
mod one_account;
mod own_gpu;
mod own_kernel;
mod parts;
mod program;
mod programs;
mod results;
mod score;
mod whatif;
