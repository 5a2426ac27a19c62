//! Problem names as people write them: in any case, and by other names that are in use.
//!
//! Leaves out: whether a command has the problem; each says so itself.

/// Other names, in small letters without marks, and the program's.
const ALIASES: [(&str, &str); 9] = [
    ("20mux", "mux20"),
    ("20multiplexer", "mux20"),
    ("multiplexer20", "mux20"),
    ("6mux", "mux6"),
    ("11mux", "mux11"),
    ("37mux", "mux37"),
    ("kdd", "kddcup"),
    ("kddcup99", "kddcup"),
    ("spiral", "spirals"),
];

/// A name as the program has it; what is no other name stays as it is, in small letters.
pub fn canonical(given: &str) -> String {
    let small = given.to_lowercase();
    let bare: String = small
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect();
    let known = ALIASES.iter().find(|(alias, _)| *alias == bare);
    known.map_or(small, |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_in_any_case_and_by_their_other_names() {
        for (given, name) in [
            ("Sextic", "sextic"),
            ("20-MUX", "mux20"),
            ("KDD Cup 99", "kddcup"),
            ("regression-64", "regression-64"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(canonical(given), name);
        }
    }
}
