//! A program three times: as a tree, as postfix tokens and as linear instructions, with the stack after every step.
//!
//! Leaves out: what the values are. Units: stack levels, one box each.

use super::theme::LEAF;
use super::{Area, BLUE, Chart, Drawn, GRID, INK, VERMILION, ink, ink_at};
use crate::gp::lgp::Lgp;
use crate::gp::program::{Rpn, Token};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// The drawing of a program of at most [`MOST_NODES`] nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeDrawing(Rpn);

/// More would not be readable.
pub const MOST_NODES: usize = 11;

const WIDTH: i32 = 360;
const MARGIN: i32 = 16;
const LEVEL_HEIGHT: i32 = 46;
const NODE_RADIUS: i32 = 15;
const BOX: (i32, i32) = (22, 12);
const TITLE_HEIGHT: i32 = 34;

/// A node with its place: column among the leaves, level from the root.
struct Node {
    text: String,
    column: f64,
    height: usize,
    children: Vec<usize>,
}

/// A step of an interpreter: its text, and the stack levels in use after it.
struct Step {
    text: String,
    levels: usize,
}

impl TreeDrawing {
    /// Refuses programs that are too long to draw.
    pub fn new(program: Rpn) -> Result<TreeDrawing, String> {
        let n = program.0.len();
        if n > MOST_NODES {
            return Err(format!(
                "program to draw: given {n} nodes; allowed: at most {MOST_NODES}"
            ));
        }
        Ok(TreeDrawing(program))
    }

    /// Nodes in postfix order; children before their parent.
    fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut leaves = 0.0;
        for token in &self.0.0 {
            let children = open.split_off(open.len() - token.arity());
            let column = if children.is_empty() {
                leaves += 1.0;
                leaves - 1.0
            } else {
                let sum: f64 = children.iter().map(|child| nodes[*child].column).sum();
                sum / children.len() as f64
            };
            let height = children.iter().map(|child| nodes[*child].height + 1).max();
            nodes.push(Node {
                text: token.to_string(),
                column,
                height: height.unwrap_or(0),
                children,
            });
            open.push(nodes.len() - 1);
        }
        nodes
    }

    fn postfix_steps(&self) -> Vec<Step> {
        let mut levels = 0;
        let step = |token: &Token| {
            levels = levels + 1 - token.arity();
            Step {
                text: token.to_string(),
                levels,
            }
        };
        self.0.0.iter().map(step).collect()
    }

    fn linear_steps(&self) -> Vec<Step> {
        let program = Lgp::from(&self.0);
        let mut levels = 0;
        let texts = program.to_string();
        let step = |(instruction, text): (&crate::gp::lgp::Instruction, &str)| {
            levels = levels + 1 - instruction.n_popped();
            Step {
                text: text.into(),
                levels,
            }
        };
        program.0.iter().zip(texts.split(' ')).map(step).collect()
    }

    fn tree_height(&self) -> i32 {
        let deepest = self.nodes().last().map_or(0, |root| root.height);
        TITLE_HEIGHT + deepest as i32 * LEVEL_HEIGHT + 2 * NODE_RADIUS + 12
    }
}

fn rows_height(steps: &[Step]) -> i32 {
    let levels = steps.iter().map(|step| step.levels).max().unwrap_or(0) as i32;
    TITLE_HEIGHT + levels * (BOX.1 + 2) + 30
}

impl Chart for TreeDrawing {
    fn size(&self) -> (u32, u32) {
        let steps = rows_height(&self.postfix_steps()) + rows_height(&self.linear_steps());
        (WIDTH as u32, (self.tree_height() + steps) as u32)
    }

    fn draw(&self, area: &Area) -> Drawn {
        draw_tree(area, &self.nodes())?;
        let (postfix, linear) = (self.postfix_steps(), self.linear_steps());
        let top = self.tree_height();
        draw_steps(
            area,
            top,
            "postfix: the stack after every token",
            &postfix,
            BLUE,
        )?;
        let top = top + rows_height(&postfix);
        let title = "linear: the stack after every instruction (S pops)";
        draw_steps(area, top, title, &linear, VERMILION)
    }
}

fn draw_tree(area: &Area, nodes: &[Node]) -> Drawn {
    area.draw(&Text::new("tree", (MARGIN, 8), ink(14)))?;
    let root_height = nodes.last().map_or(0, |root| root.height);
    let last = nodes.iter().map(|node| node.column).fold(1.0, f64::max);
    let width = f64::from(WIDTH - 2 * (MARGIN + NODE_RADIUS));
    let levels = levels(nodes);
    let at = |index: usize| {
        let x = f64::from(MARGIN + NODE_RADIUS) + nodes[index].column / last * width;
        let y = TITLE_HEIGHT + NODE_RADIUS + levels[index] as i32 * LEVEL_HEIGHT;
        (x as i32, y)
    };
    debug_assert!(levels.iter().all(|level| *level <= root_height));
    for (index, node) in nodes.iter().enumerate() {
        for child in &node.children {
            area.draw(&PathElement::new(
                vec![at(index), at(*child)],
                GRID.stroke_width(2),
            ))?;
        }
    }
    for (index, node) in nodes.iter().enumerate() {
        let fill = if node.children.is_empty() { LEAF } else { GRID };
        area.draw(&Circle::new(at(index), NODE_RADIUS, fill.filled()))?;
        area.draw(&Circle::new(at(index), NODE_RADIUS, INK))?;
        area.draw(&Text::new(&*node.text, at(index), ink_at(13, HPos::Center)))?;
    }
    Ok(())
}

/// Levels from the root, which is the last node.
fn levels(nodes: &[Node]) -> Vec<usize> {
    let mut levels = vec![0; nodes.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        for child in &node.children {
            levels[*child] = levels[index] + 1;
        }
    }
    levels
}

fn draw_steps(area: &Area, top: i32, title: &str, steps: &[Step], colour: RGBColor) -> Drawn {
    area.draw(&Text::new(title.to_string(), (MARGIN, top + 8), ink(14)))?;
    let foot = top + rows_height(steps) - 26;
    let step_width = (WIDTH - 2 * MARGIN) / steps.len().max(1) as i32;
    for (i, step) in steps.iter().enumerate() {
        let middle = MARGIN + i as i32 * step_width + step_width / 2;
        area.draw(&Text::new(
            &*step.text,
            (middle, foot + 12),
            ink_at(13, HPos::Center),
        ))?;
        for level in 0..step.levels as i32 {
            let low = foot - level * (BOX.1 + 2);
            let corners = [(middle - BOX.0 / 2, low - BOX.1), (middle + BOX.0 / 2, low)];
            area.draw(&Rectangle::new(corners, colour.filled()))?;
        }
    }
    let line = vec![(MARGIN, foot + 1), (WIDTH - MARGIN, foot + 1)];
    area.draw(&PathElement::new(line, INK))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    fn drawing(text: &str) -> Result<TreeDrawing, String> {
        TreeDrawing::new(text.parse().unwrap())
    }

    #[test]
    fn every_level_of_every_step_is_a_box() {
        let text = svg(&drawing("X1 X1 * X1 +").unwrap()).unwrap();
        // Postfix 1, 2, 1, 2, 1; linear 1, 1; the background.
        assert_eq!(text.matches("<rect").count(), 7 + 2 + 1);
        // Five nodes, each filled and outlined.
        assert_eq!(text.matches("<circle").count(), 10);
    }

    #[test]
    fn long_programs_are_refused() {
        let long = ["X1"; 12].join(" ") + &" +".repeat(11);
        assert!(drawing(&long).unwrap_err().contains("at most 11"));
    }
}
