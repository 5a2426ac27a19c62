//! Whether measured rows are of one card, and of the one that a preset describes.
//!
//! Models: names of products. A preset may describe a card if the first word with a digit in its title, such as H200 or 4090, is a word of the
//! name that the driver gives the card.
//! Leaves out: variants of a product, whose names share that word. Units: none.

use crate::device::Device;
use crate::util::rows::{Rows, RowsError};

/// Refuses rows of two cards in one file, and rows of a card other than the preset's.
pub fn check(text: &str, file: &str, device: &Device) -> Result<(), RowsError> {
    let rows = Rows::read(text, file)?;
    let mut first: Option<&str> = None;
    for row in rows.iter() {
        let card = row.text("device");
        match first {
            _ if card.is_empty() => {}
            None if is_of(card, device) => first = Some(card),
            None => {
                let allowed = format!(
                    "a card that device {} ({}) describes, or --any-card",
                    device.name, device.title
                );
                return Err(row.refuse("device", allowed));
            }
            Some(first) if first != card => {
                let allowed = format!("\"{first}\", as in the rows before, or --any-card");
                return Err(row.refuse("device", allowed));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Tells whether a preset may describe a card: also if its title names no product.
fn is_of(card: &str, device: &Device) -> bool {
    let product = words(&device.title).find(|word| word.chars().any(|c| c.is_ascii_digit()));
    product.is_none_or(|product| words(card).any(|word| word == product))
}

fn words(name: &str) -> impl Iterator<Item = String> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    fn answer(device: &str, cards: &[&str]) -> Result<(), String> {
        let device = Preset::load(device).unwrap().device;
        let rows: String = cards.iter().map(|card| format!("{card},1\n")).collect();
        check(&format!("device,median_ms\n{rows}"), "f.csv", &device)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn names_of_the_driver_are_those_of_their_preset_alone() {
        for (device, card) in [
            ("h200", "NVIDIA H200"),
            ("h100", "NVIDIA H100 80GB HBM3"),
            ("a100", "NVIDIA A100-SXM4-40GB"),
            ("t4", "Tesla T4"),
            ("rtx4090", "NVIDIA GeForce RTX 4090"),
            ("gtx670", "GeForce GTX 670"),
        ] {
            assert_eq!(answer(device, &[card, "", card]), Ok(()), "{device}");
            let other = if device == "h200" {
                "Tesla T4"
            } else {
                "NVIDIA H200"
            };
            assert!(answer(device, &[other]).is_err(), "{device}");
        }
    }

    #[test]
    fn a_refusal_names_the_line_the_card_and_what_is_allowed() {
        let error = answer("h100", &["NVIDIA H200"]).unwrap_err();
        let expected = "f.csv, line 2, field device: given \"NVIDIA H200\"; allowed: a card that device h100 (NVIDIA H100 SXM5) describes, or --any-card";
        assert_eq!(error, expected);
        let error = answer("h200", &["NVIDIA H200", "NVIDIA H200 NVL"]).unwrap_err();
        let expected = "f.csv, line 3, field device: given \"NVIDIA H200 NVL\"; allowed: \"NVIDIA H200\", as in the rows before, or --any-card";
        assert_eq!(error, expected);
    }
}
