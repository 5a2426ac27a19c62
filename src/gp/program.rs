//! Programs in postfix (reverse Polish) order.

use super::primitive::Primitive;

/// One node of a program in postfix order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token {
    /// Pushes fitness-case input `index` (the paper's DATA_INPUT).
    Input(u16),
    /// Pushes a constant (the paper's CONST_VALUE).
    Constant(f32),
    /// Pops `arity` values, pushes the result.
    Apply(Primitive),
}

/// A postfix program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rpn(pub Vec<Token>);
