//! The other way to make machine code for compute capability 1.x: what is translated, with what Mesa's compiler adds.
//!
//! Models: a device whose code is the heavier translation; together with the other both ends of a band.
//! Units: none. Sources: `isa::nv50`, and docs/nv50.md for how both compare.

use crate::device::Device;
use crate::isa::nv50::{self, LOOSE};

/// Behind the name of a quantity.
const NAMED: &str = ", heavier compiler";

/// The quantity without its compiler: what the paper published is compared with both.
pub fn plain(quantity: &str) -> &str {
    quantity.strip_suffix(NAMED).unwrap_or(quantity)
}

/// The same device with the heavier code, unless it has that already or has a compiler of its own.
pub fn device(device: &Device) -> Option<Device> {
    let is_translated = nv50::target(&device.code).is_some();
    (is_translated && !is_heavier(device)).then(|| Device {
        code: format!("{}{LOOSE}", device.code),
        ..device.clone()
    })
}

/// Whether it has the heavier code.
pub fn is_heavier(device: &Device) -> bool {
    nv50::target(&device.code).is_some() && device.code.ends_with(LOOSE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    #[test]
    fn both_ends_are_compared_with_the_same_number() {
        let quantity = "speed (billion GPop/s)";
        assert_eq!(plain("speed (billion GPop/s), heavier compiler"), quantity);
        assert_eq!(plain(quantity), quantity);
    }

    #[test]
    fn translated_code_has_one_heavier_end_and_other_code_none() {
        let load = |name| Preset::load(name).unwrap().device;
        let heavier = device(&load("gtx295")).unwrap();
        assert_eq!(heavier.code, "sm_13-loose");
        assert!(is_heavier(&heavier) && device(&heavier).is_none());
        assert!(device(&load("h200")).is_none() && !is_heavier(&load("gtx670")));
    }
}
