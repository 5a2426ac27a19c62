use super::*;
use std::time::{Duration, Instant};

/// Variables are `X1`, `X2`, ...
fn parsed(line: &str) -> Result<String, String> {
    let number = |name: &str| name.strip_prefix('X')?.parse::<u16>().ok()?.checked_sub(1);
    let mut input = |name: &str| number(name).ok_or_else(|| "unknown".to_owned());
    let program = parse(line, &mut input).map_err(|error| error.to_string())?;
    program.check().expect("a valid program");
    Ok(program.to_string())
}

#[test]
fn calls_and_infix_become_postfix() {
    for (line, postfix) in [
        ("X1", "X1"),
        ("(((X1)))", "X1"),
        // DEAP and gplearn.
        ("add(X1, mul(X2, 0.5))", "X1 X2 0.5 * +"),
        ("protectedDiv(sub(X1, -1), neg(X1))", "X1 -1 - X1 neg /"),
        (
            "if_then_else(and_(X1, not_(X2)), True, False)",
            "X1 X2 NOT AND 1 0 IF",
        ),
        (
            "IFLTE(X1, X2, lt(X1, 1), gt(X1, 2))",
            "X1 X2 X1 1 < X1 2 > IFLTE",
        ),
        ("operator.add(X1, np.float64(-0.25))", "X1 -0.25 +"),
        // Operon and PySR.
        ("X1 + X2 * 0.5", "X1 X2 0.5 * +"),
        ("X1*X2+3", "X1 X2 * 3 +"),
        (
            "((-0.373245) * X1) - cos((1e-3 * X1))",
            "-0.373245 X1 * 0.001 X1 * cos -",
        ),
        ("X1 - X2 - X3 / X1 / X2", "X1 X2 - X3 X1 / X2 / -"),
        ("X1 - (X2 - X3)", "X1 X2 X3 - -"),
        ("X1 > X2 + 1 == X3", "X1 X2 1 + > X3 =="),
        // A sign belongs to the number behind it; otherwise it is a function.
        ("X1 - 0.5", "X1 0.5 -"),
        ("X1 - -0.5", "X1 -0.5 -"),
        ("-X1 * -X2", "X1 neg X2 neg *"),
        ("--0.5", "-0.5 neg"),
        ("-(0.5)", "0.5 neg"),
        ("2.5E+2 * .5 - 5.", "250 0.5 * 5 -"),
        // Sums and products of any length.
        ("add(X1, X2, X3, 4)", "X1 X2 + X3 + 4 +"),
        ("mul(X1, X2, add(X1, X2))", "X1 X2 * X1 X2 + *"),
    ] {
        assert_eq!(parsed(line).as_deref(), Ok(postfix), "{line}");
    }
}

#[test]
fn errors_name_column_word_and_what_is_allowed() {
    for (line, parts) in [
        (
            "add(X1, tan(X2))",
            &["column 9 `tan`: unknown function", "add, sub"][..],
        ),
        (
            "sin(X1, X2)",
            &["column 1 `sin`: given 2 operands; allowed: 1"],
        ),
        ("If(X1, X2)", &["`If`: given 2 operands; allowed: 3"]),
        ("add(X1)", &["`add`: given 1 operands; allowed: 2 or more"]),
        ("sin()", &["column 5 `)`: expected an operand"]),
        (
            "X1 + ",
            &["column 6 `end of the line`: expected an operand"],
        ),
        ("X1 ^ 2", &["column 4 `^`: expected an operator", "+ - * /"]),
        ("X1**2", &["column 3 `**`: expected an operator"]),
        ("X1 <= X2", &["`<=`"]),
        ("(X1 X2)", &["column 5 `X2`: expected an operator"]),
        ("add(X1, X2", &["column 1 `add`: its `(` has no `)`"]),
        ("(X1 + 2", &["column 1 `(`: its `(` has no `)`"]),
        ("X1 + 2)", &["column 7 `)`: it has no `(`"]),
        ("(X1, X2)", &["column 4 `,`: expected an operator"]),
        ("X1 * inf", &["column 6 `inf`", "a finite number"]),
        ("X1 * 1e99", &["column 6 `1e99`", "a finite number"]),
        ("1.2.3 * X1", &["column 1 `1.2.3`"]),
        (
            "sin + X1",
            &["column 1 `sin`", "a function with its operands"],
        ),
        ("é + y", &["column 1 `é`: unknown"]),
        ("(é + X1", &["column 2 `é`: unknown"]),
    ] {
        let message = parsed(line).expect_err(line);
        for part in parts {
            assert!(
                message.contains(part),
                "{line}: no \"{part}\" in: {message}"
            );
        }
    }
}

#[test]
fn lines_are_told_apart() {
    for line in [
        "x",
        "X0",
        "X1 + X2",
        "X1*X2",
        "-X1 * 2",
        "sin(X1)",
        "(X1)",
        "X1 ^ 2",
        "1e-3*X1",
        "X1 * -0.5",
    ] {
        assert!(is_expression(line), "{line}");
    }
    for line in [
        "X1 X1 +",
        "X1 sin",
        "X1 -3 +",
        "-0.5 X1 *",
        "0.5",
        "+",
        "X1 +",
        "X1 X1",
        "X1 X0",
        "inf",
        "sin",
        "1e-3 X1 *",
        "X1 neg X1 -",
    ] {
        assert!(!is_expression(line), "{line}");
    }
}

#[test]
fn depth_and_length_are_no_limit() {
    const N: usize = 200_000;
    let start = Instant::now();
    let deep = format!("{}X1{}", "sin(".repeat(N), ")".repeat(N));
    assert_eq!(parsed(&deep).unwrap().len(), 2 + 4 * N);
    let right = format!("{}X1{}", "(X1 - ".repeat(N), ")".repeat(N));
    assert_eq!(parsed(&right).unwrap().len(), 3 * N + 2 + 2 * N);
    let long = "X1 + ".repeat(N) + "X1";
    assert!(parsed(&long).unwrap().ends_with("+ X1 +"));
    assert!(parsed(&"(".repeat(N)).is_err() && parsed(&"-".repeat(N)).is_err());
    assert!(is_expression(&"X1*".repeat(N)));
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}
