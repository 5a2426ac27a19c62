//! Charts, pages and the book. Tests that need a browser are skipped with a message where there is no Chromium.

#![cfg(feature = "cli")]

mod book;
mod charts;
mod colour;
mod driver;
mod explore;
mod lab;
#[allow(dead_code)]
#[path = "../cli/program.rs"]
mod program;
