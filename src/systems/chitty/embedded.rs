//! The files of `fixtures/sass/`, embedded in the library.
//!
//! A pack holds the listings of one kernel and problem, which have most of their text in common; it is decompressed once. Binaries and
//! line tables are files of their own. Leaves out: what a listing means (`isa`). Units: bytes.

use super::code::CodeError;
use super::variant::{VariantError, damaged};
use crate::isa::Kernel;
use crate::util::memo::Memo;
use std::io::Read;
use std::sync::{Arc, LazyLock};

static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/sass_files.rs"));

/// Ending of a pack's name.
const PACK: &str = ".sass.zst";
/// Line that begins a listing in a pack, with its name behind it.
const LISTING: &str = "//## LISTING ";

/// Returns a listing by its name, as `sm_90/rpn-sextic-d2-unrolled-accurate-float.sass`.
pub(crate) fn listing(name: &str) -> Result<String, VariantError> {
    let is_of = |pack: &&(&str, &[u8])| {
        let stem = pack.0.strip_suffix(PACK);
        let rest = stem.and_then(|stem| name.strip_prefix(stem));
        rest.is_some_and(|rest| rest.starts_with('-'))
    };
    let pack = FILES
        .iter()
        .filter(is_of)
        .max_by_key(|(name, _)| name.len());
    let (file, _) = pack.ok_or_else(|| damaged(name, "not embedded"))?;
    let text = text_of(file)?;
    let start = format!("{LISTING}{name}\n");
    let (_, rest) = text
        .split_once(&start)
        .ok_or_else(|| damaged(name, format!("not in {file}")))?;
    Ok(rest.split(LISTING).next().unwrap_or_default().to_owned())
}

/// Returns the kernel in a listing.
pub(crate) fn kernel(name: &str) -> Result<Kernel, CodeError> {
    Ok(Kernel::parse(&listing(name)?, name)?)
}

/// The text of a pack.
fn text_of(file: &'static str) -> Result<Arc<String>, VariantError> {
    static TEXTS: LazyLock<Memo<&'static str, String>> = LazyLock::new(Memo::default);
    TEXTS.try_get(file, || {
        let mut text = String::new();
        ruzstd::decoding::StreamingDecoder::new(content(file)?)
            .map_err(|error| damaged(file, error))?
            .read_to_string(&mut text)
            .map_err(|error| damaged(file, error))?;
        Ok(text)
    })
}

/// Returns the content of a file that is compressed by itself.
pub(crate) fn unpack(file: &str) -> Result<Vec<u8>, VariantError> {
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(content(file)?)
        .read_to_end(&mut unpacked)
        .map_err(|error| damaged(file, error))?;
    Ok(unpacked)
}

fn content(file: &str) -> Result<&'static [u8], VariantError> {
    let found = FILES.iter().find(|(name, _)| *name == file);
    found
        .map(|(_, content)| *content)
        .ok_or_else(|| damaged(file, "not embedded"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_found_among_those_of_its_kernel_and_problem() {
        let name = "sm_35/lgp-registers-sextic-d4-r2-unrolled-accurate-float.sass";
        let found = listing(name).unwrap();
        assert!(found.contains(".text.lgp_registers"), "{}", &found[..200]);
        assert!(!found.contains(LISTING));
        for name in [
            "sm_35/lgp-registers-sextic",
            "sm_35/none-sextic-d1.sass",
            "",
        ] {
            assert!(listing(name).is_err(), "{name}");
        }
    }
}
