//! The repository itself.

mod checksums;
mod faults;
mod folder_order;
mod one_launch;
mod openings;
mod paths;
mod preset_fields;
mod recipes;
mod test_files;
