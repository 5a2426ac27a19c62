//! Elements of a page.

use scraper::{ElementRef, Html, Selector};

pub fn select<'a>(html: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}
