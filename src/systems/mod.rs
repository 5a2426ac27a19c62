//! The systems of the other papers: their kernels, programs and experiments.
//!
//! What sets them apart from the main paper's: a block holds several programs, or a warp does and diverges. Their
//! warps are therefore executed lane by lane on real data (`trace::warp`) and what they executed is timed: [`kernels`]: their names and
//! launches; [`grid`]: which blocks are executed; `replay` and `closed_form`: how long these take; [`launch`]: what the whole launch comes to; [`launches`]: many
//! of them.
//! Leaves out: what the papers measured, which only `validate` reads.

pub mod chitty;
pub mod figure;
pub mod gpocl;
pub mod heavier;
pub mod kernels;
pub mod langdon;
pub mod launches;
pub mod robilliard;
pub(crate) mod settings;
