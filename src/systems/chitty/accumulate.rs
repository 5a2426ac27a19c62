//! Programs as the instructions of the accumulator kernel.
//!
//! Models: per instruction the number of a handler and its operand. The handler determines the function, the location and the
//! order of its operands; the result always stays in the accumulator. Of two operands that are functions, the one that needs more
//! stack is computed first (Sethi and Ullman), so that few levels are in use at a time.
//! Leaves out: several programs in one buffer (`layout`).
//! Units: one instruction is two 32-bit words; stack levels count from 1 and do not include the accumulator.
//! Sources: `systems/cuda/accumulator.cu`, which numbers the handlers identically; Sethi and Ullman 1970, "The generation of
//! optimal code for arithmetic expressions".

use std::collections::HashMap;

use super::lower::{LowerError, MAX_STACK_LEVELS, check_size, function_codes};
use super::variant::Variant;
use crate::gp::primitive::Primitive;
use crate::gp::problem::ProblemId;
use crate::gp::program::{Rpn, Token};

/// Kernel properties that determine the instructions: the function set, and the number of stack levels in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub problem: ProblemId,
    pub register_levels: usize,
}

/// Location of the operands of an instruction's function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// A function of one operand, the accumulator.
    OnAccumulator,
    /// A function of one operand, an input.
    OnInput,
    /// A function of one operand, an input, after saving the accumulator to a level in registers.
    SavingThenInput(usize),
    WithInput,
    InputWith,
    TwoInputs,
    WithConstant,
    ConstantWith,
    WithDeep,
    DeepWith,
    /// The accumulator and a stack level in registers.
    WithLevel(usize),
    LevelWith(usize),
    /// A condition in the accumulator, with the choices in two levels of local memory.
    DeepPair,
    /// A condition in the accumulator, with the choices in this level in registers and the next.
    LevelPair(usize),
    /// Two inputs, after saving the accumulator to a level in registers.
    SavingThenTwo(usize),
    /// The accumulator and a function of two inputs (Boolean problems only).
    WithTwo(Primitive),
}

/// Operation of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Handler {
    Finish,
    /// Reads the cases of a pass; only for problems with one input.
    ReadCases,
    LoadInput,
    LoadConstant,
    /// Copies the accumulator to a stack level in local memory.
    SaveInDeep,
    SaveInLevel(usize),
    Apply(Primitive, Form),
}

/// One instruction. The operand's meaning depends on the handler: an input's number, two of them (16 bits each, the first one
/// lower), the bits of a constant, or a level of local memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    pub handler: Handler,
    pub operand: u32,
}

impl Target {
    /// Returns the target for the programs of an accumulator kernel.
    pub fn of(variant: &Variant) -> Self {
        Self {
            problem: variant.problem,
            register_levels: variant.stack_registers as usize,
        }
    }

    /// Returns the kernel's handlers, in the order of their numbers.
    pub fn handlers(self) -> Vec<Handler> {
        let mut handlers = vec![
            Handler::Finish,
            Handler::ReadCases,
            Handler::LoadInput,
            Handler::LoadConstant,
            Handler::SaveInDeep,
        ];
        handlers.extend((1..=self.register_levels).map(Handler::SaveInLevel));
        for &(function, _) in function_codes(self.problem) {
            let forms = self.forms(function.arity()).into_iter();
            handlers.extend(forms.map(|form| Handler::Apply(function, form)));
        }
        handlers
    }

    fn forms(self, arity: usize) -> Vec<Form> {
        let levels = 1..=self.register_levels;
        match arity {
            1 => [Form::OnAccumulator, Form::OnInput]
                .into_iter()
                .chain(levels.map(Form::SavingThenInput))
                .collect(),
            2 => {
                let mut forms = vec![
                    Form::WithInput,
                    Form::InputWith,
                    Form::TwoInputs,
                    Form::WithConstant,
                    Form::ConstantWith,
                    Form::WithDeep,
                    Form::DeepWith,
                ];
                for level in levels.clone() {
                    forms.extend([Form::WithLevel(level), Form::LevelWith(level)]);
                }
                forms.extend(levels.map(Form::SavingThenTwo));
                if self.problem.is_boolean() {
                    let seconds = function_codes(self.problem).iter();
                    forms.extend(seconds.map(|&(second, _)| Form::WithTwo(second)));
                }
                forms
            }
            _ => {
                let pairs = (1..self.register_levels).map(Form::LevelPair);
                std::iter::once(Form::DeepPair).chain(pairs).collect()
            }
        }
    }

    /// Returns the instructions of a program, including the final `Finish`.
    pub fn instructions(self, program: &Rpn) -> Result<Vec<Instruction>, LowerError> {
        check_size(program.0.len())?;
        let nodes = tree(program, self.problem)?;
        let root = nodes.len() - 1;
        let mut lowering = Lowering {
            nodes: &nodes,
            target: self,
            instructions: Vec::with_capacity(nodes.len() + 2),
        };
        if has_one_input(self.problem) {
            lowering.emit(Handler::ReadCases, 0);
        }
        lowering.evaluate(root, 0)?;
        lowering.emit(Handler::Finish, 0);
        Ok(lowering.instructions)
    }

    /// Returns the stack levels that a program needs besides the accumulator.
    pub fn levels(self, program: &Rpn) -> Result<usize, LowerError> {
        let nodes = tree(program, self.problem)?;
        Ok(nodes.last().map_or(0, |root| root.levels))
    }

    /// Returns the instructions as the kernel reads them: the handler's number and the operand of each.
    pub fn words(self, program: &Rpn) -> Result<Vec<u32>, LowerError> {
        let numbers: HashMap<Handler, u32> = self.handlers().into_iter().zip(0..).collect();
        let instructions = self.instructions(program)?;
        Ok(instructions
            .iter()
            .flat_map(|instruction| [numbers[&instruction.handler], instruction.operand])
            .collect())
    }
}

/// Tells whether a problem's kernels have a single input, which they read once per pass.
fn has_one_input(problem: ProblemId) -> bool {
    problem.compiled_as().definition().n_inputs == 1
}

/// A node of a program's tree; operands are indices of earlier nodes.
struct Node {
    token: Token,
    operands: Vec<usize>,
    /// Stack levels needed to compute the node.
    levels: usize,
}

impl Node {
    fn is_terminal(&self) -> bool {
        self.operands.is_empty()
    }
}

fn tree(program: &Rpn, problem: ProblemId) -> Result<Vec<Node>, LowerError> {
    let allowed = function_codes(problem);
    let mut nodes: Vec<Node> = Vec::with_capacity(program.0.len());
    let mut stack: Vec<usize> = Vec::new();
    for (index, &token) in program.0.iter().enumerate() {
        if let Token::Apply(function) = token
            && !allowed.iter().any(|&(known, _)| known == function)
        {
            return Err(LowerError::unsupported(function, problem));
        }
        let arity = token.arity();
        let first = stack
            .len()
            .checked_sub(arity)
            .ok_or(LowerError::Underflow {
                token: index,
                arity,
                levels: stack.len(),
            })?;
        let operands = stack.split_off(first);
        let levels = levels(&nodes, &operands, problem.is_boolean());
        nodes.push(Node {
            token,
            operands,
            levels,
        });
        stack.push(index);
    }
    match stack[..] {
        [_] => Ok(nodes),
        _ => Err(LowerError::LeftOver { given: stack.len() }),
    }
}

/// Returns the stack levels that a function of these operands needs, computed in the order of `Lowering`.
fn levels(nodes: &[Node], operands: &[usize], is_logic: bool) -> usize {
    // Boolean problems have an instruction for a function of two inputs as an operand.
    let is_free = |node: &Node| {
        let of_inputs = node
            .operands
            .iter()
            .all(|&operand| nodes[operand].is_terminal());
        node.is_terminal() || is_logic && of_inputs
    };
    match *operands {
        [] => 0,
        [only] => nodes[only].levels,
        [left, right] => {
            let (left, right) = (&nodes[left], &nodes[right]);
            if is_free(left) || is_free(right) {
                left.levels.max(right.levels)
            } else if left.levels == right.levels {
                left.levels + 1
            } else {
                left.levels.max(right.levels)
            }
        }
        // Two choices are saved before the condition is computed.
        _ => {
            let of = |operand: usize| nodes[operands[operand]].levels;
            of(1).max(1 + of(2)).max(2 + of(0))
        }
    }
}

struct Lowering<'a> {
    nodes: &'a [Node],
    target: Target,
    instructions: Vec<Instruction>,
}

impl Lowering<'_> {
    fn is_logic(&self) -> bool {
        self.target.problem.is_boolean()
    }

    /// Returns the index of a stack level in local memory.
    fn deep(&self, level: usize) -> u32 {
        (level - self.target.register_levels - 1) as u32
    }

    fn emit(&mut self, handler: Handler, operand: u32) {
        self.instructions.push(Instruction { handler, operand });
    }

    fn apply(&mut self, function: Primitive, form: Form, operand: u32) {
        self.emit(Handler::Apply(function, form), operand);
    }

    /// Emits code that leaves the node's value in the accumulator; `saved` levels are in use. The caller has already saved any
    /// value in the accumulator.
    fn evaluate(&mut self, index: usize, saved: usize) -> Result<(), LowerError> {
        let nodes = self.nodes;
        let node = &nodes[index];
        match (node.token, &node.operands[..]) {
            (Token::Input(input), _) => self.emit(Handler::LoadInput, u32::from(input)),
            (Token::Constant(value), _) => self.emit(Handler::LoadConstant, value.to_bits()),
            (Token::Apply(function), &[only]) => self.unary(function, only, saved)?,
            (Token::Apply(function), &[left, right]) => {
                self.binary(function, [left, right], saved)?
            }
            (Token::Apply(function), operands) => self.choice(function, operands, saved)?,
        }
        Ok(())
    }

    fn unary(&mut self, function: Primitive, only: usize, saved: usize) -> Result<(), LowerError> {
        if let Token::Input(input) = self.nodes[only].token {
            match self.take_save() {
                Some(level) => {
                    self.apply(function, Form::SavingThenInput(level), u32::from(input));
                }
                None => self.apply(function, Form::OnInput, u32::from(input)),
            }
        } else {
            self.evaluate(only, saved)?;
            self.apply(function, Form::OnAccumulator, 0);
        }
        Ok(())
    }

    fn binary(
        &mut self,
        function: Primitive,
        [left, right]: [usize; 2],
        saved: usize,
    ) -> Result<(), LowerError> {
        let nodes = self.nodes;
        match (nodes[left].token, nodes[right].token) {
            (Token::Input(first), Token::Input(second)) => {
                let form = self
                    .take_save()
                    .map_or(Form::TwoInputs, Form::SavingThenTwo);
                self.apply(function, form, two(first, second));
            }
            (_, Token::Input(input)) => {
                self.evaluate(left, saved)?;
                self.apply(function, Form::WithInput, u32::from(input));
            }
            (_, Token::Constant(value)) => {
                self.evaluate(left, saved)?;
                self.apply(function, Form::WithConstant, value.to_bits());
            }
            (Token::Input(input), _) => {
                self.evaluate(right, saved)?;
                self.apply(function, Form::InputWith, u32::from(input));
            }
            (Token::Constant(value), _) => {
                self.evaluate(right, saved)?;
                self.apply(function, Form::ConstantWith, value.to_bits());
            }
            _ => self.two_functions(function, [left, right], saved)?,
        }
        Ok(())
    }

    /// Removes an immediately preceding save of the accumulator to a register level; returns the level.
    fn take_save(&mut self) -> Option<usize> {
        match self.instructions.last()?.handler {
            Handler::SaveInLevel(level) => {
                self.instructions.pop();
                Some(level)
            }
            _ => None,
        }
    }

    /// Returns function and inputs of a node that is a function of two inputs.
    fn inputs_of(&self, index: usize) -> Option<(Primitive, u32)> {
        let Node {
            token, operands, ..
        } = &self.nodes[index];
        match (token, &operands[..]) {
            (&Token::Apply(function), &[left, right]) => {
                match (self.nodes[left].token, self.nodes[right].token) {
                    (Token::Input(first), Token::Input(second)) => {
                        Some((function, two(first, second)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn two_functions(
        &mut self,
        function: Primitive,
        [left, right]: [usize; 2],
        saved: usize,
    ) -> Result<(), LowerError> {
        let left_first = self.nodes[left].levels >= self.nodes[right].levels;
        let (first, second) = if left_first {
            (left, right)
        } else {
            (right, left)
        };
        let level = saved + 1;
        // All Boolean functions are symmetric, so either operand may be the fused one.
        if self.is_logic()
            && let Some((fused, both)) = self.inputs_of(second)
        {
            self.evaluate(first, saved)?;
            self.apply(function, Form::WithTwo(fused), both);
            return Ok(());
        }
        self.evaluate(first, saved)?;
        self.save(level)?;
        self.evaluate(second, level)?;
        match (level <= self.target.register_levels, left_first) {
            (true, true) => self.apply(function, Form::LevelWith(level), 0),
            (true, false) => self.apply(function, Form::WithLevel(level), 0),
            (false, true) => self.apply(function, Form::DeepWith, self.deep(level)),
            (false, false) => self.apply(function, Form::WithDeep, self.deep(level)),
        }
        Ok(())
    }

    /// Computes and saves both choices, side by side in registers or in local memory, then computes the condition.
    fn choice(
        &mut self,
        function: Primitive,
        operands: &[usize],
        saved: usize,
    ) -> Result<(), LowerError> {
        let first = if saved + 1 == self.target.register_levels {
            saved + 2
        } else {
            saved + 1
        };
        self.evaluate(operands[1], first - 1)?;
        self.save(first)?;
        self.evaluate(operands[2], first)?;
        self.save(first + 1)?;
        self.evaluate(operands[0], first + 1)?;
        if first < self.target.register_levels {
            self.apply(function, Form::LevelPair(first), 0);
        } else {
            self.apply(function, Form::DeepPair, self.deep(first));
        }
        Ok(())
    }

    fn save(&mut self, level: usize) -> Result<(), LowerError> {
        if level >= MAX_STACK_LEVELS {
            return Err(LowerError::Depth { given: level + 1 });
        }
        if level <= self.target.register_levels {
            self.emit(Handler::SaveInLevel(level), 0);
        } else {
            self.emit(Handler::SaveInDeep, self.deep(level));
        }
        Ok(())
    }
}

/// Packs two inputs into one operand.
fn two(first: u16, second: u16) -> u32 {
    u32::from(first) | u32::from(second) << 16
}
