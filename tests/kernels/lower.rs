//! Are programs lowered to the words that the kernels read?

use std::path::Path;
use warpstack::gp::corpus::{Corpus, Entry};
use warpstack::gp::primitive::Primitive;
use warpstack::gp::problem::{PAPER, ProblemId};
use warpstack::gp::program::{Rpn, Token};
use warpstack::gp::record::Size;
use warpstack::systems::chitty::kernel_id::Lowering;
use warpstack::systems::chitty::lower::{
    LowerError, MAX_NODES, ProgramWords, function_codes, lower, n_words,
};

fn words(program: &str, kernel: Lowering) -> ProgramWords {
    lower(&program.parse().unwrap(), kernel, ProblemId::Sextic).unwrap()
}

#[test]
fn a_postfix_program_is_its_tokens_with_operands_after_terminals() {
    let lowered = words("X1 0.5 - X3 sin *", Lowering::Postfix);
    assert_eq!(
        lowered.words,
        [1.0, 0.0, 0.0, 0.5, 3.0, 1.0, 2.0, 6.0, 4.0, 255.0]
    );
    assert_eq!(lowered.token_starts, [0, 2, 4, 5, 7, 8]);
    assert_eq!(lowered.nodes, 6);
}

#[test]
fn a_linear_program_gathers_the_last_operand_first() {
    // The paper's example: 15 tokens, 7 instructions.
    let lowered = words("X1 X1 X1 + * X1 - X1 X1 X1 + * X1 - *", Lowering::Linear);
    assert_eq!(lowered.nodes, 15);
    assert_eq!(lowered.token_starts.len(), 7);
    let (x, s) = ([1.0, 0.0], 254.0);
    let half = [
        2.0, x[0], x[1], x[0], x[1], 4.0, s, x[0], x[1], 3.0, x[0], x[1], s,
    ];
    let expected: Vec<f32> = [&half[..], &half[..], &[4.0, s, s, 255.0]].concat();
    assert_eq!(lowered.words, expected);
}

#[test]
fn a_lone_terminal_is_an_instruction_that_changes_nothing() {
    assert_eq!(
        words("X2", Lowering::Linear).words,
        [2.0, 0.0, 0.0, 1.0, 1.0, 255.0]
    );
    assert_eq!(words("X2", Lowering::Linear).nodes, 1);
    let boolean = lower(&"X2".parse().unwrap(), Lowering::Linear, ProblemId::Mux20).unwrap();
    assert_eq!(boolean.words, [13.0, 1.0, 1.0, 1.0, 1.0, 255.0]);
}

#[test]
fn only_the_last_word_can_end_the_copy() {
    for kernel in [Lowering::Postfix, Lowering::Linear] {
        let lowered = words("255 X1 +", kernel);
        let ends: Vec<usize> = (0..lowered.words.len())
            .filter(|&index| lowered.words[index] == 255.0)
            .collect();
        assert_eq!(ends, [lowered.words.len() - 1]);
        assert!(lowered.words.contains(&255.0f32.next_up()));
    }
}

/// Returns the names in a macro's body, other macros expanded.
fn in_order(source: &str, body: &str) -> Vec<String> {
    let words = body.split(|c: char| !(c.is_ascii_uppercase() || c == '_'));
    let mut found = Vec::new();
    for word in words.filter(|word| word.len() > 1) {
        let definition = source.split(&format!("#define {word}(")).nth(1);
        match definition {
            Some(text) => found.extend(in_order(source, body_of(text))),
            None if !["UNARY", "BINARY", "TERNARY"].contains(&word) => found.push(word.into()),
            None => {}
        }
    }
    found
}

/// Returns the definition of a macro, from its parameters on.
fn body_of(text: &str) -> &str {
    let (_, body) = text.split_once(')').unwrap();
    let end = body.replace("\\\n", "  ").find('\n').unwrap();
    &body[..end]
}

#[test]
fn codes_are_those_of_the_kernel_source() {
    let source = include_str!("../../src/systems/cuda/functions.cuh");
    let define = |name: &str, code: u8| source.contains(&format!("#define {name} {code}\n"));
    let names = [
        (Primitive::Add, "ADDITION"),
        (Primitive::Sub, "SUBTRACTION"),
        (Primitive::Mul, "MULTIPLICATION"),
        (Primitive::Div, "DIVISION"),
        (Primitive::Sin, "SINE"),
        (Primitive::Cos, "COSINE"),
        (Primitive::Log, "LOGARITHM"),
        (Primitive::Exp, "EXPONENTIAL"),
        (Primitive::Greater, "GREATER_THAN"),
        (Primitive::Less, "LESS_THAN"),
        (Primitive::Equal, "EQUALITY"),
        (Primitive::And, "LOGICAL_AND"),
        (Primitive::Or, "LOGICAL_OR"),
        (Primitive::If, "CONDITIONAL"),
        (Primitive::Nand, "LOGICAL_NAND"),
        (Primitive::Nor, "LOGICAL_NOR"),
    ];
    for problem in PAPER {
        let condition = format!("defined(PROBLEM_{})", problem.name().to_uppercase());
        let set = source.split(&condition);
        let functions = set
            .last()
            .unwrap()
            .split("#define FUNCTIONS(")
            .nth(1)
            .unwrap();
        let mut expected = Vec::new();
        for &(primitive, code) in function_codes(problem) {
            let (_, name) = names.iter().find(|(known, _)| *known == primitive).unwrap();
            assert!(define(name, code), "{name} {code}");
            expected.push(*name);
        }
        assert_eq!(in_order(source, body_of(functions)), expected, "{problem}");
    }
}

#[test]
fn what_a_kernel_cannot_run_is_refused_by_name_and_limit() {
    let refused = |program: Rpn, kernel| lower(&program, kernel, ProblemId::Sextic).unwrap_err();
    let error = refused("X1 X1 AND".parse().unwrap(), Lowering::Postfix);
    assert_eq!(
        error.to_string(),
        "function `AND` is not in the function set of sextic; allowed: + - * / sin cos log exp"
    );
    let input = Token::Input(0);
    let add = Token::Apply(Primitive::Add);
    let comb = |terminals: usize| Rpn([vec![input; terminals], vec![add; terminals - 1]].concat());
    assert_eq!(
        refused(comb(51), Lowering::Postfix),
        LowerError::Depth { given: 51 }
    );
    assert!(lower(&comb(50), Lowering::Postfix, ProblemId::Sextic).is_ok());
    // The same comb needs one level of a linear program's stack.
    assert!(lower(&comb(51), Lowering::Linear, ProblemId::Sextic).is_ok());
    assert_eq!(
        refused(comb(501), Lowering::Linear),
        LowerError::Size {
            given: MAX_NODES + 1
        }
    );
    let underflow = refused(Rpn(vec![input, add]), Lowering::Linear);
    assert_eq!(
        underflow,
        LowerError::Underflow {
            token: 1,
            arity: 2,
            levels: 1
        }
    );
    assert_eq!(
        refused(Rpn(vec![input, input]), Lowering::Postfix),
        LowerError::LeftOver { given: 2 }
    );
    assert_eq!(
        refused(Rpn(vec![]), Lowering::Postfix),
        LowerError::Size { given: 0 }
    );
}

#[test]
fn the_number_of_words_follows_from_the_size() {
    for problem in [ProblemId::Sextic, ProblemId::Kddcup, ProblemId::Mux20] {
        let path = format!("fixtures/corpus/{problem}.corpus");
        let corpus = Corpus::load(Path::new(&path)).unwrap();
        let longer = |entry: &&Entry| entry.program.0.len() > 1;
        for entry in corpus.entries.iter().filter(longer).step_by(7) {
            let size = Size::of(&entry.program);
            for kernel in [Lowering::Postfix, Lowering::Linear] {
                let lowered = lower(&entry.program, kernel, problem).unwrap();
                assert_eq!(n_words(kernel, size), Some(lowered.words.len() as u32));
            }
        }
    }
}
