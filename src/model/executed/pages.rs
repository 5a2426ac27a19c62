//! Probability that a DRAM request finds another for its page in the controller's queue.
//!
//! Models: requests that fall on the pages of the resident blocks uniformly at random, and a queue of the most recent ones.
//! Leaves out: neighbouring requests, which share a page more often.
//! Units: fractions.
//! Sources: equation (E4) of `docs/model.md`.

use super::walk::of_warp;
use super::warp_ops;
use crate::launch::code::{MemoryRequest, ReplayCode, ReplayOp};
use crate::launch::geometry::Geometry;
use crate::launch::spec::SmxSpec;
use crate::trace::AddressKind;
use rustc_hash::FxHashSet;

/// Fraction of requests whose page another queued request needs, too. The blocks start with the warps in `order`; `places` of
/// them are resident at a time.
pub fn asked_for(
    code: &ReplayCode,
    spec: &SmxSpec,
    geometry: &Geometry,
    order: &[u32],
    places: u32,
) -> f64 {
    let Some(&first) = order.first().filter(|_| spec.dram.queue_requests > 0) else {
        return 0.0;
    };
    let mut pages = FxHashSet::default();
    for slot in 0..geometry.warps_per_block() {
        let stack = slot * geometry.local_stride_bytes;
        for op in warp_ops(code, first + slot) {
            let mut note = |part: &ReplayOp| match part.request {
                MemoryRequest::LocalLoad | MemoryRequest::LocalStore => {
                    pages.insert((true, spec.dram.page_of(stack + of_warp(part))));
                }
                MemoryRequest::GlobalLoad | MemoryRequest::GlobalStore => {
                    pages.insert((false, spec.dram.page_of(of_warp(part))));
                }
                _ => {}
            };
            match op.address_kind {
                AddressKind::Scattered => code.parts(op).for_each(|part| note(&part)),
                _ => note(op),
            }
        }
    }
    let pages = pages.len() as f64 * f64::from(places);
    1.0 - (1.0 - 1.0 / pages.max(1.0)).powi(spec.dram.queue_requests as i32)
}
