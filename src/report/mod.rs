//! Presentation of results: text tables, CSV, charts, progress, and files that are whole or absent.
//!
//! Leaves out: computing anything. Units: printed beside every figure.

pub mod annotation;
pub mod blocks;
pub mod chart;
pub mod columns;
pub mod contrasts;
pub mod explain;
pub mod explore;
pub mod output;
pub mod papers;
pub mod prediction;
pub mod progress;
pub mod provenance;
pub mod reproduction;
pub mod roofline;
pub mod rows;
pub mod score;
pub mod stacks;
pub mod table;
pub mod validation;
pub mod verdict;
pub mod whatif;

/// Items with the same key together, in the order of the first of each.
fn grouped<T, K: PartialEq>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for item in items {
        let own = key(&item);
        match groups.iter_mut().find(|(group, _)| *group == own) {
            Some((_, members)) => members.push(item),
            None => groups.push((own, vec![item])),
        }
    }
    groups
}
