//! Options that a command has, but not in the form it is called in.

/// Refuses the first option that is given, with the reason and what is allowed: `given with ...; allowed: ...`.
pub fn given(options: &[(&str, bool)], why: &str) -> Result<(), String> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(format!("{option}: {why}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::given;

    #[test]
    fn the_first_given_option_is_named() {
        let options = [("--a", false), ("--b", true), ("--c", true)];
        let why = "given with --d; allowed: with --e";
        assert_eq!(given(&options, why).unwrap_err(), format!("--b: {why}"));
        assert_eq!(given(&options[..1], why), Ok(()));
    }
}
