//! `--limit`: how many of a table's rows a command predicts or measures.

/// At most `limit` of `all`, evenly spread; all of them for `None` and 0.
pub fn evenly<T>(all: Vec<T>, limit: Option<usize>) -> Vec<T> {
    let total = all.len();
    let n = match limit {
        None | Some(0) => total,
        Some(n) => n.min(total),
    };
    let chosen = |index: usize| index * n / total != (index + 1) * n / total;
    let all = all.into_iter().enumerate();
    all.filter(|(index, _)| chosen(*index))
        .map(|(_, item)| item)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::evenly;

    #[test]
    fn a_limit_spreads_and_never_exceeds() {
        assert_eq!(evenly((0..10).collect(), Some(3)), [3, 6, 9]);
        assert_eq!(evenly(vec![1, 2], Some(5)), [1, 2]);
        assert_eq!(evenly(vec![1, 2], Some(0)), [1, 2]);
        assert!(evenly(Vec::<u8>::new(), Some(2)).is_empty());
    }
}
