//! GPU presets and occupancy.
