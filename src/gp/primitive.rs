//! The one table of GP functions: name, arity, semantics, cost class.

/// A GP function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Primitive {
    Add,
    Sub,
    Mul,
    Div,
    Sin,
    Cos,
    Log,
    Exp,
}
