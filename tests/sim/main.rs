//! The simulated multiprocessors.

mod cc1_fidelity;
mod cc1_memory;
mod fidelity;
mod h200_l1;
mod hopper_fidelity;
mod laws;
mod mechanisms;
mod occupancy;
mod sample_and_run;
mod vliw_fidelity;
