//! Are programs that are printed as GP libraries print them read as they were?

use crate::laws::program_of;
use proptest::prelude::*;
use warpstack::gp::expression::is_expression;
use warpstack::gp::primitive::Primitive;
use warpstack::gp::program::{Rpn, Token};
use warpstack::gp::program_file;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// DEAP's and gplearn's.
    Calls,
    /// Infix with all parentheses, as Operon's.
    Parentheses,
    /// Infix with the parentheses that are needed, as PySR's.
    Minimal,
}

/// Binding strength of a sign, and of anything that needs no parentheses.
const SIGN: u8 = 4;
const WHOLE: u8 = 5;

fn printed(program: &Rpn, form: Form) -> String {
    let mut stack: Vec<(String, u8)> = Vec::new();
    for token in &program.0 {
        let operands = stack.split_off(stack.len() - token.arity());
        stack.push(match token {
            Token::Apply(function) => apply(*function, &operands, form),
            terminal => (terminal.to_string(), WHOLE),
        });
    }
    stack.pop().unwrap().0
}

fn apply(function: Primitive, operands: &[(String, u8)], form: Form) -> (String, u8) {
    // An operand that binds less strongly than `least` needs parentheses.
    let within = |at: usize, least: u8| {
        let (text, strength) = &operands[at];
        match *strength < least {
            true => format!("({text})"),
            false => text.clone(),
        }
    };
    let (text, strength) = match (function, function.infix_strength()) {
        (_, Some(own)) if form != Form::Calls => {
            let text = format!("{} {function} {}", within(0, own), within(1, own + 1));
            (text, own)
        }
        (Primitive::Neg, _) if form != Form::Calls => {
            // A sign before a number would belong to the number.
            let is_number = operands[0].0.starts_with(|c: char| c.is_ascii_digit());
            let is_number = is_number && operands[0].1 == WHOLE;
            (
                format!("-{}", within(0, if is_number { WHOLE + 1 } else { SIGN })),
                SIGN,
            )
        }
        _ => {
            let operands: Vec<&str> = operands.iter().map(|(text, _)| text.as_str()).collect();
            (
                format!("{}({})", function.name(), operands.join(", ")),
                WHOLE,
            )
        }
    };
    match form {
        Form::Parentheses if strength < WHOLE => (format!("({text})"), WHOLE),
        _ => (text, strength),
    }
}

proptest! {
    #[test]
    fn printed_programs_are_read_back(
        program in program_of(Primitive::ALL),
        form in prop_oneof![Just(Form::Calls), Just(Form::Parentheses), Just(Form::Minimal)],
    ) {
        let text = printed(&program, form);
        prop_assert_eq!(program_file::parse(&text, "f", None).unwrap(), [program], "{}", text);
    }

    #[test]
    fn postfix_is_never_an_expression(program in program_of(Primitive::ALL)) {
        let text = program.to_string();
        prop_assert!(program.n_nodes() == 1 || !is_expression(&text), "{}", text);
    }

    #[test]
    fn any_line_is_read_or_refused(line in "[X0-9a-z_.()+*/<>=, -]{0,30}|\\PC{0,20}") {
        if let Ok(programs) = program_file::parse(&line, "f", None) {
            prop_assert!(programs.iter().all(|program| program.check().is_ok()));
        }
    }
}
