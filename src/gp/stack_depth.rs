//! Stack levels that a program needs.
//!
//! Models: the largest stack pointer while a program runs, the paper's "stack limit" at which it can be evaluated.
//! Leaves out: the number of accesses to each level (see the traces).
//! Units: stack levels.
//! Sources: Chitty (2D stack) section 5, tables 5 and 6.

use super::program::Rpn;

/// Returns the stack levels an RPN interpreter needs: every terminal is pushed.
pub fn rpn_stack_depth(program: &Rpn) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for token in &program.0 {
        depth = depth + 1 - token.arity();
        deepest = deepest.max(depth);
    }
    deepest
}

/// Returns the stack levels an LGP interpreter needs: only results of functions are pushed. A lone terminal needs one, for its
/// result.
pub fn lgp_stack_depth(program: &Rpn) -> usize {
    let mut on_stack: Vec<bool> = Vec::with_capacity(16);
    let mut depth = 0usize;
    let mut deepest = 1;
    for token in &program.0 {
        let arity = token.arity();
        if arity == 0 {
            on_stack.push(false);
            continue;
        }
        let operands = on_stack.len() - arity;
        depth -= on_stack[operands..].iter().filter(|&&s| s).count();
        depth += 1;
        deepest = deepest.max(depth);
        on_stack.truncate(operands);
        on_stack.push(true);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_needs_four_levels_and_two_in_lgp() {
        let program: Rpn = "X1 X1 X1 + * X1 - X1 X1 X1 + * X1 - *".parse().unwrap();
        assert_eq!(program.n_nodes(), 15);
        assert_eq!(rpn_stack_depth(&program), 4);
        assert_eq!(lgp_stack_depth(&program), 2);
    }
}
