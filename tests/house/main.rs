//! The repository itself.

mod folder_order;
mod preset_fields;
mod recipes;
mod test_files;
