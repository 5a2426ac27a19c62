//! Programs prepared for `accumulator`.
//!
//! Models: one list of instructions per program. Each computes a function of the accumulator and of rows in memory and leaves its
//! result in the accumulator. Among operands that are functions, the one that needs most rows is computed first (Sethi and
//! Ullman), and all but the last one are saved.
//! Leaves out: sharing. Units: rows of a tile. Sources: Sethi and Ullman 1970.

use super::element::Element;
use crate::gp::primitive::Primitive;
use crate::gp::program::{Rpn, Token};

/// Value of `at` if no operand is in the accumulator.
pub const NONE: usize = 4;

/// Passes the table of codes to a macro: code, function, and which operand is the accumulator, if any. For a commutative function
/// it is always the first. A function of one operand has its row loaded into the accumulator beforehand.
macro_rules! with_codes {
    ($callback:ident!($($arguments:tt)*)) => {
        $callback! {
            ($($arguments)*)
            Add Add NONE; AddTo Add 0; Mul Mul NONE; MulBy Mul 0;
            Sub Sub NONE; SubFrom Sub 0; SubOf Sub 1; Div Div NONE; DivBy Div 0; DivOf Div 1;
            Sin Sin 0; Cos Cos 0; Log Log 0; Exp Exp 0; Neg Neg 0; Not Not 0;
            Greater Greater NONE; GreaterThan Greater 0; IsGreater Greater 1;
            Less Less NONE; LessThan Less 0; IsLess Less 1;
            Equal Equal NONE; EqualTo Equal 0;
            And And NONE; AndTo And 0; Or Or NONE; OrTo Or 0;
            Nand Nand NONE; NandTo Nand 0; Nor Nor NONE; NorTo Nor 0;
            If If NONE; IfSo If 0; Then If 1; Else If 2;
            Iflte Iflte NONE; IfLess Iflte 0; LteIf Iflte 1; LteThen Iflte 2; LteElse Iflte 3;
        }
    };
}
pub(super) use with_codes;

macro_rules! define_codes {
    (() $($code:ident $function:ident $at:tt;)+) => {
        /// Operation of an instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum AccumulatorOp {
            /// Loads the accumulator.
            Load,
            /// Saves the accumulator to the row of the first operand.
            Save,
            /// A function without a code of its own; its operands are rows.
            Other,
            $($code),+
        }

        const CODES: &[(AccumulatorOp, Primitive, usize)] = &[$((AccumulatorOp::$code, Primitive::$function, $at)),+];
    };
}
with_codes!(define_codes!());

/// Location of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Input(u32),
    /// A row: constants first, then saved values.
    Row(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    pub code: AccumulatorOp,
    pub function: Primitive,
    /// Arbitrary for the accumulator and beyond the arity.
    pub operands: [Place; 4],
}

/// A prepared program.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan<T> {
    pub instructions: Vec<Instruction>,
    pub constants: Vec<T>,
    pub n_rows: usize,
}

struct Node {
    function: Option<Primitive>,
    operands: [usize; 4],
    place: Place,
    /// Rows in use while the node is computed.
    need: usize,
}

enum Work {
    Compute(usize),
    Save(usize),
    Apply(usize, usize),
}

impl<T: Element> Plan<T> {
    /// Prepares a valid program.
    pub fn new(program: &Rpn) -> Self {
        let (mut nodes, constants) = nodes(program);
        let mut writer = Writer {
            instructions: Vec::new(),
            free: Vec::new(),
            n_rows: constants.len() as u32,
        };
        let root = nodes.len().saturating_sub(1);
        match nodes.last() {
            Some(node) if node.function.is_none() => writer.emit(AccumulatorOp::Load, node.place),
            Some(_) => writer.write(&mut nodes, root),
            None => {}
        }
        Plan {
            instructions: writer.instructions,
            constants,
            n_rows: writer.n_rows as usize,
        }
    }
}

/// Returns the nodes of a program in postfix order, and its constants.
fn nodes<T: Element>(program: &Rpn) -> (Vec<Node>, Vec<T>) {
    let mut nodes: Vec<Node> = Vec::with_capacity(program.0.len());
    let mut constants = Vec::new();
    let mut stack = Vec::new();
    for (index, token) in program.0.iter().enumerate() {
        let mut node = Node {
            function: None,
            operands: [0; 4],
            place: Place::Input(0),
            need: 0,
        };
        match *token {
            Token::Input(i) => node.place = Place::Input(u32::from(i)),
            Token::Constant(c) => {
                node.place = Place::Row(constants.len() as u32);
                constants.push(T::from_constant(c));
            }
            Token::Apply(function) => {
                let first = stack.len() - function.arity();
                node.operands[..function.arity()].copy_from_slice(&stack[first..]);
                stack.truncate(first);
                node.function = Some(function);
                let computed = computed(&nodes, &node);
                let needs = computed.iter().enumerate();
                node.need = needs
                    .map(|(saved, &o)| saved + nodes[o].need)
                    .max()
                    .unwrap_or(0);
            }
        }
        nodes.push(node);
        stack.push(index);
    }
    (nodes, constants)
}

/// Returns the operands that are functions, the one that needs most rows first.
fn computed(nodes: &[Node], node: &Node) -> Vec<usize> {
    let arity = node.function.map_or(0, Primitive::arity);
    let operands = node.operands[..arity].iter().copied();
    let mut found: Vec<usize> = operands.filter(|&o| nodes[o].function.is_some()).collect();
    found.sort_by_key(|&o| std::cmp::Reverse(nodes[o].need));
    found
}

/// Tells whether operands 0 and 1 can be swapped.
fn is_commutative(function: Primitive) -> bool {
    use Primitive::{Add, And, Equal, Mul, Nand, Nor, Or};
    matches!(function, Add | Mul | Equal | And | Or | Nand | Nor)
}

struct Writer {
    instructions: Vec<Instruction>,
    free: Vec<u32>,
    n_rows: u32,
}

impl Writer {
    fn emit(&mut self, code: AccumulatorOp, place: Place) {
        self.instructions.push(Instruction {
            code,
            function: Primitive::Add,
            operands: [place; 4],
        });
    }

    fn write(&mut self, nodes: &mut [Node], root: usize) {
        let mut work = vec![Work::Compute(root)];
        while let Some(next) = work.pop() {
            match next {
                Work::Compute(index) => expand(nodes, index, &mut work),
                Work::Save(index) => {
                    let row = self.free.pop().unwrap_or_else(|| {
                        self.n_rows += 1;
                        self.n_rows - 1
                    });
                    nodes[index].place = Place::Row(row);
                    self.emit(AccumulatorOp::Save, Place::Row(row));
                }
                Work::Apply(index, in_accumulator) => self.apply(nodes, index, in_accumulator),
            }
        }
    }

    /// Emits the function of node `index`; operand number `at` is in the accumulator.
    fn apply(&mut self, nodes: &[Node], index: usize, at: usize) {
        let node = &nodes[index];
        let Some(function) = node.function else {
            return;
        };
        let mut operands = [Place::Input(0); 4];
        for (position, &operand) in node.operands[..function.arity()].iter().enumerate() {
            operands[position] = nodes[operand].place;
            if let (Some(_), Place::Row(row)) = (nodes[operand].function, nodes[operand].place)
                && position != at
            {
                self.free.push(row);
            }
        }
        let mut at = at;
        if at == 1 && is_commutative(function) {
            operands.swap(0, 1);
            at = 0;
        }
        if at == NONE && function.arity() == 1 && code(function, 0).is_some() {
            self.emit(AccumulatorOp::Load, operands[0]);
            at = 0;
        }
        self.instructions.push(Instruction {
            code: code(function, at).unwrap_or(AccumulatorOp::Other),
            function,
            operands,
        });
    }
}

fn code(function: Primitive, at: usize) -> Option<AccumulatorOp> {
    let mut codes = CODES.iter();
    codes
        .find(|(_, f, position)| (*f, *position) == (function, at))
        .map(|(code, ..)| *code)
}

/// Pushes the work for a node, the last step first.
fn expand(nodes: &[Node], index: usize, work: &mut Vec<Work>) {
    let node = &nodes[index];
    let mut computed = computed(nodes, node);
    let Some(function) = node.function else {
        return;
    };
    // A function without a code takes all of its operands from rows.
    let last = code(function, 0).and_then(|_| computed.pop());
    let at = last.and_then(|last| node.operands.iter().position(|&o| o == last));
    work.push(Work::Apply(index, at.unwrap_or(NONE)));
    work.extend(last.map(Work::Compute));
    for &operand in computed.iter().rev() {
        work.push(Work::Save(operand));
        work.push(Work::Compute(operand));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(program: &str) -> Plan<f32> {
        Plan::new(&program.parse().unwrap())
    }

    fn codes(program: &str) -> Vec<AccumulatorOp> {
        plan(program).instructions.iter().map(|i| i.code).collect()
    }

    #[test]
    fn the_accumulator_goes_on_where_it_can() {
        assert_eq!(codes("X1"), [AccumulatorOp::Load]);
        assert_eq!(
            codes("X1 X2 + X3 -"),
            [AccumulatorOp::Add, AccumulatorOp::SubFrom]
        );
        assert_eq!(
            codes("X3 X1 X2 + -"),
            [AccumulatorOp::Add, AccumulatorOp::SubOf]
        );
        assert_eq!(
            codes("X3 X1 X2 * +"),
            [AccumulatorOp::Mul, AccumulatorOp::AddTo]
        );
        let both = [
            AccumulatorOp::Mul,
            AccumulatorOp::Save,
            AccumulatorOp::Add,
            AccumulatorOp::DivOf,
        ];
        assert_eq!(codes("X1 X2 * X2 X3 + /"), both);
    }

    #[test]
    fn the_operand_that_needs_most_rows_comes_first() {
        let program = "X1 X1 * X1 X1 + X1 X1 - X1 X1 / * - +";
        assert_eq!(plan(program).n_rows, 1);
    }

    #[test]
    fn every_function_has_a_code_for_every_place_of_the_accumulator() {
        for &function in Primitive::ALL {
            let distinct = if is_commutative(function) {
                1
            } else {
                function.arity()
            };
            let none = (function.arity() > 1).then_some(NONE);
            for at in (0..distinct).chain(none) {
                assert!(code(function, at).is_some(), "{function} {at}");
            }
        }
    }
}
