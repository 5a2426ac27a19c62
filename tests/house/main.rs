//! The repository itself.

mod checksums;
mod folder_order;
mod measured_files;
