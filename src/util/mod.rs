//! What has nothing to do with GP or machines: values computed once per key, statistics, files of users.

pub mod band;
pub mod input;
pub mod memo;
pub mod names;
pub mod parallel;
pub mod refused;
pub mod rows;
pub mod stats;
