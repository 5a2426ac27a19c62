//! Did the output change? `WARPSTACK_UPDATE_GOLDEN=1` writes the expected output anew; read it before committing.
//!
//! The files lie under `fixtures/golden/`.

use crate::program::stdout;

#[test]
fn printed_as_before() {
    for (name, line) in [
        (
            "occupancy-36-registers.txt",
            "occupancy --registers 36 --shared 400",
        ),
        ("devices.txt", "list devices"),
        (
            "table3-sextic.csv",
            "reproduce --table 3 --problem sextic --format csv",
        ),
    ] {
        let path = format!("fixtures/golden/{name}");
        let printed = stdout(line);
        if std::env::var_os("WARPSTACK_UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, printed).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            printed, expected,
            "{line} changed; see the head of this file"
        );
    }
}
