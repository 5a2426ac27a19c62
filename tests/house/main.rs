//! The repository itself.

mod faults;
mod folder_order;
mod preset_fields;
mod recipes;
mod test_files;
