//! Are programs of GP libraries taken as ours, and refused by name and line if they have no meaning here?

use crate::program::{json, refused, refuses, stdout, succeeds};
use warpstack::gp::problem::sextic::SEXTIC;
use warpstack::gp::program::Rpn;

/// Each library, the first line of its file as postfix, and the note on its variables.
const LIBRARIES: [(&str, &str, &str); 3] = [
    (
        "deap",
        "0.08861244 sin cos X1 X1 + / X1 X1 / X1 * sin *",
        "variable x is X1",
    ),
    (
        "gplearn",
        "X1 X1 - sin 0.372 sin cos / 0.258 X1 / cos X1 X1 / log - *",
        "variable X0 is X1",
    ),
    (
        "operon",
        "-0.373245 X1 * -0.864916 X1 * - -1.496977 X1 * cos * sin cos",
        "",
    ),
];

fn fixture(library: &str) -> String {
    format!("fixtures/programs/{library}.txt")
}

#[test]
fn populations_of_libraries_are_imported() {
    for (library, first, note) in LIBRARIES {
        let file = fixture(library);
        let output = succeeds(&format!("import programs {file}"));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().next(), Some(first), "{library}");
        assert_eq!(text.lines().count(), 150, "{library}");
        for line in text.lines() {
            let program: Rpn = line.parse().unwrap();
            program.check_against(SEXTIC.functions, 1).unwrap();
        }
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains(note) && said.is_empty() == note.is_empty(),
            "{said}"
        );
    }
}

#[test]
fn a_library_s_file_is_predicted_as_its_import() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ours.txt");
    let ours = path.display();
    for (library, _, _) in LIBRARIES {
        let file = fixture(library);
        assert_eq!(stdout(&format!("import programs {file} --out {ours}")), "");
        let predicted = |file: &str| {
            let mut json = json(&format!("predict --engine analytical --programs {file}"));
            json.as_object_mut().unwrap().remove("wall_seconds");
            json
        };
        assert_eq!(predicted(&file), predicted(&ours.to_string()), "{library}");
        // A postfix file stays as it is.
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(stdout(&format!("import programs {ours}")), text);
    }
}

#[test]
fn names_of_variables_may_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.txt");
    std::fs::write(&path, "height + sin(age)\nage\n").unwrap();
    let line = format!("import programs {}", path.display());
    assert_eq!(
        stdout(&format!("{line} --variables age,height")),
        "X2 X1 sin +\nX1\n"
    );
    refused(&line, &["line 1", "`height`", "--variables"]);
    let one = format!("{line} --variables age");
    refused(&one, &["line 1", "`height`; allowed: age"]);
    refuses(&[(
        "import ncu no.csv --variables x",
        "--variables|import programs",
    )]);
    let rows = json(&format!("{line} --variables height,age"));
    assert_eq!(rows["rows"][1]["program"], "X2");
}

#[test]
fn what_is_not_known_is_refused_by_name_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.txt");
    let out = folder.path().join("out.txt");
    for (text, parts) in [
        ("X1\nadd(X1, tanh(X1))\n", "line 2|`tanh`|allowed: add, sub"),
        ("X1 ^ 2\n", "line 1|`^`|+ - * /"),
        ("x + y\n", "line 1|variable `x`"),
        ("X1 + inf\n", "line 1|`inf`|finite"),
        ("X1 X1 *\nX1 +\n", "line 2|token 1 `+` needs 2 values"),
    ] {
        std::fs::write(&path, text).unwrap();
        let path = path.display();
        refuses(&[
            (&format!("predict --programs {path}"), parts),
            (
                &format!("import programs {path} --out {}", out.display()),
                parts,
            ),
        ]);
        assert!(!out.exists());
    }
    // The problem's own limits keep their messages.
    std::fs::write(&path, "X0 + X1\n").unwrap();
    refused(
        &format!("predict --programs {}", path.display()),
        &["program 1 reads X2", "X1 to X1"],
    );
}
