//! Charts, pages and the book. What needs a browser is skipped without Chromium, and says so.

#![cfg(feature = "cli")]

mod book;
mod browser;
mod charts;
mod colour;
mod explore;
mod report_page;
