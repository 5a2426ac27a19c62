//! The CUDA interpreters of the papers, and how programs reach them.
//!
//! * [`variant`]: which kernels exist, with the machine code and resource usage of each.
//! * [`lower`]: programs as the words that a kernel reads.

pub mod launch;
pub mod layout;
pub mod lower;
pub mod measure;
pub mod oracle;
mod source;
pub mod variant;
pub mod workload;
