//! Is the reference of commands up to date? `WARPSTACK_UPDATE_GOLDEN=1` writes it anew.

use crate::program::stdout;

#[test]
fn the_reference_is_what_the_program_writes() {
    let made = stdout("generate reference");
    if std::env::var_os("WARPSTACK_UPDATE_GOLDEN").is_some() {
        return std::fs::write("docs/commands.md", made).unwrap();
    }
    let kept = std::fs::read_to_string("docs/commands.md").unwrap();
    assert!(kept == made, "docs/commands.md is out of date");
}

#[test]
fn help_fits_80_columns() {
    for line in stdout("generate reference").lines().skip(4) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
