//! Where a file of Rust may be changed, and into what: one small fault at a time.
//!
//! Operators, literals, negated conditions, `min` and `max`, and calls that are left out, in the bodies of functions. Not in tests,
//! patterns, types, attributes and constants (a choice made while the program runs cannot stand there), and not inside macros'
//! arguments, which are tokens to the parser.

use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, Stmt, UnOp};

/// A place, and what stands there in the mutant.
#[derive(Debug, Clone)]
pub struct Site {
    /// The expression or statement, in bytes of the file.
    pub range: Range<usize>,
    pub line: usize,
    pub mutated: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Operator,
    Literal,
    Condition,
    Method,
    /// A call whose value nobody reads.
    Call,
    /// Not drawn: see `faults`.
    Named(&'static str),
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Operator => "operator",
            Kind::Literal => "literal",
            Kind::Condition => "condition",
            Kind::Method => "method",
            Kind::Call => "call left out",
            Kind::Named(name) => name,
        }
    }
}

/// All sites of a file, outer ones before those within them.
pub fn of(text: &str) -> syn::Result<Vec<Site>> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder {
        text,
        sites: Vec::new(),
    };
    finder.visit_file(&file);
    outer_first(&mut finder.sites, |site| site);
    Ok(finder.sites)
}

/// Puts a site before those within it.
pub fn outer_first<T>(sites: &mut [T], site: impl Fn(&T) -> &Site) {
    sites.sort_by_key(|entry| {
        let range = &site(entry).range;
        (range.start, usize::MAX - range.end)
    });
}

struct Finder<'t> {
    text: &'t str,
    sites: Vec<Site>,
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || matches!(&attribute.meta, syn::Meta::List(list)
                if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}

/// Has a `let` that a change of the operators around it would tear out of its condition.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Paren(inner) => has_let(&inner.expr),
        _ => false,
    }
}

fn other_operator(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Add(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "/",
        BinOp::Div(_) | BinOp::Rem(_) => "*",
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::BitAnd(_) => "|",
        BinOp::BitOr(_) | BinOp::BitXor(_) => "&",
        BinOp::Shl(_) => ">>",
        BinOp::Shr(_) => "<<",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::MulAssign(_) => "/=",
        BinOp::DivAssign(_) => "*=",
        BinOp::BitOrAssign(_) => "&=",
        BinOp::BitAndAssign(_) => "|=",
        _ => return None,
    })
}

fn other_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "min" => "max",
        "max" => "min",
        "any" => "all",
        "all" => "any",
        "saturating_sub" => "saturating_add",
        "saturating_add" => "saturating_sub",
        "is_some" => "is_none",
        "is_none" => "is_some",
        "floor" => "ceil",
        "ceil" => "floor",
        _ => return None,
    })
}

fn other_literal(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Bool(given) => Some((!given.value).to_string()),
        Lit::Int(given) => {
            let next = given.base10_parse::<u128>().ok()?.checked_add(1)?;
            Some(format!("{next}{}", given.suffix()))
        }
        Lit::Float(given) => Some(format!("({given} + 1.0)")),
        _ => None,
    }
}

impl Finder<'_> {
    fn add(&mut self, whole: &impl Spanned, kind: Kind, mutated: impl Into<String>) {
        let span = whole.span();
        self.sites.push(Site {
            range: span.byte_range(),
            line: span.start().line,
            mutated: mutated.into(),
            kind,
        });
    }

    /// The whole with one part of it replaced.
    fn add_with(&mut self, whole: &impl Spanned, part: &impl Spanned, kind: Kind, with: &str) {
        let (whole_range, part) = (whole.span().byte_range(), part.span().byte_range());
        let before = &self.text[whole_range.start..part.start];
        let after = &self.text[part.end..whole_range.end];
        self.add(whole, kind, format!("{before}{with}{after}"));
    }

    fn add_negation(&mut self, condition: &Expr) {
        let negated_already =
            matches!(condition, Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)));
        if !negated_already && !has_let(condition) {
            let text = &self.text[condition.span().byte_range()];
            self.add(condition, Kind::Condition, format!("!({text})"));
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Binary(binary) if !has_let(expression) => {
                if let Some(other) = other_operator(&binary.op) {
                    self.add_with(binary, &binary.op, Kind::Operator, other);
                }
            }
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => {
                self.add_with(unary, &unary.op, Kind::Operator, "");
            }
            Expr::MethodCall(call) => {
                if let Some(other) = other_method(&call.method.to_string()) {
                    self.add_with(call, &call.method, Kind::Method, other);
                }
            }
            Expr::Lit(literal) => {
                if let Some(other) = other_literal(&literal.lit) {
                    self.add(literal, Kind::Literal, other);
                }
            }
            Expr::If(branch) => self.add_negation(&branch.cond),
            Expr::While(repeated) => self.add_negation(&repeated.cond),
            // Its length is a constant.
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr),
            Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = statement {
            let call = match expression {
                Expr::Try(tried) => &tried.expr,
                other => other,
            };
            if matches!(call, Expr::Call(_) | Expr::MethodCall(_)) {
                self.add(statement, Kind::Call, "");
            }
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() && !is_test(&item.attrs) {
            self.visit_block(&item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() && !is_test(&item.attrs) {
            self.visit_block(&item.block);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutated(text: &str) -> Vec<String> {
        let sites = of(text).unwrap();
        sites.into_iter().map(|site| site.mutated).collect()
    }

    #[test]
    fn an_operator_its_literal_and_the_condition_around_them() {
        let found = mutated("fn f(a: u32) -> bool { if a < 7 { true } else { g() } }");
        assert_eq!(found, ["!(a < 7)", "a <= 7", "8", "false"]);
    }

    #[test]
    fn nothing_in_tests_constants_patterns_and_macros() {
        let text = "const A: u32 = 1; const fn c() -> u32 { 1 } #[cfg(test)] mod t { fn f() -> u32 { 1 } }
            fn f(a: u32) -> [u32; 4] { match a { 1 => h::<{ 1 }>(), _ => [a; 1 + 1] }; assert!(1 < 2); }";
        assert_eq!(mutated(text), [""; 0]);
    }

    #[test]
    fn calls_are_left_out_and_lets_stay_in_their_conditions() {
        let found = mutated("fn f() { a.b(c)?; if let Some(x) = y && z { q = r.min(s); } }");
        assert_eq!(found, ["", "r.max(s)"]);
    }
}
