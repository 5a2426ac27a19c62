//! The program `warpstack` and the library as users run them.

#[cfg(feature = "cli")]
mod bad_input;
#[cfg(feature = "cli")]
mod characterize;
mod explain;
#[cfg(feature = "cli")]
mod formats;
#[cfg(feature = "cli")]
mod golden;
#[cfg(feature = "cli")]
mod intervals;
mod library;
#[cfg(feature = "cli")]
mod measure;
#[cfg(feature = "report")]
mod one_account;
#[cfg(feature = "cli")]
mod own_gpu;
#[cfg(feature = "cli")]
mod own_kernel;
#[cfg(feature = "cli")]
mod parts;
#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "cli")]
mod programs;
#[cfg(feature = "cli")]
mod results;
#[cfg(feature = "cli")]
mod score;
#[cfg(feature = "report")]
mod whatif;
