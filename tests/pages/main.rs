//! Charts, pages and the book. What needs a browser is skipped without Chromium, and says so.

#![cfg(feature = "cli")]

mod book;
mod browser;
mod charts;
mod colour;
mod explore;
mod html;
#[allow(dead_code)]
#[path = "../cli/program.rs"]
mod program;
mod report_page;
