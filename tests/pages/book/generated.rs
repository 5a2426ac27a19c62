//! Are generated pages and files up to date with their commands? `WARPSTACK_UPDATE_GOLDEN=1` writes them anew.

use crate::program::stdout;

#[test]
fn reference_and_schema_are_what_the_program_writes() {
    for (path, command) in [
        ("docs/commands.md", "generate reference"),
        ("docs/device.schema.json", "generate schema"),
    ] {
        let made = stdout(command);
        if std::env::var_os("WARPSTACK_UPDATE_GOLDEN").is_some() {
            std::fs::write(path, made).unwrap();
            continue;
        }
        let kept = std::fs::read_to_string(path).unwrap();
        assert!(kept == made, "{path} is not what `{command}` writes");
    }
}

#[test]
fn help_fits_80_columns() {
    for line in stdout("generate reference").lines().skip(4) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn the_schema_is_json() {
    let text = stdout("generate schema");
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(schema["properties"]["chip"]["type"], "object");
}
