//! Which cells the paper's tables have, and the configuration behind each.
//!
//! Leaves out: the measured values (`measured.rs`), so that predicting a table needs none of them.
//! Units: threads per block, bytes.
//! Source: Chitty's Tables 3 and 4. Table 4 was measured with a preference for the L1.

use super::compare::Split;
use crate::predict::Configuration;

/// A table of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Table {
    /// BlockGP, one-dimensional stack: threads per block x preference of the on-chip memory.
    Three,
    /// Two-dimensional stack: threads per block x size of the second dimension.
    Four,
}

/// What a table varies besides threads per block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    Preference(Preference),
    StackDim(u32),
}

/// The on-chip memory preference of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preference {
    Shared,
    Equal,
    L1,
}

/// One cell of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cell {
    pub table: Table,
    pub problem: String,
    pub threads_per_block: u32,
    pub axis: Axis,
}

/// The problems of the tables, in the paper's order.
pub const PROBLEMS: [&str; 4] = ["sextic", "shuttle", "kddcup", "mux20"];

/// The problem whose cells of Tables 3 and 4 were looked at when a value was fitted.
const FITTED_PROBLEM: &str = "sextic";

const WIDE_BLOCKS: [u32; 8] = [128, 256, 384, 512, 640, 768, 896, 1024];
const NARROW_BLOCKS: [u32; 3] = [32, 64, 96];

impl Table {
    pub const ALL: [Table; 2] = [Table::Three, Table::Four];

    pub fn number(self) -> u32 {
        match self {
            Table::Three => 3,
            Table::Four => 4,
        }
    }

    pub fn from_number(number: u32) -> Option<Table> {
        Table::ALL
            .into_iter()
            .find(|table| table.number() == number)
    }

    /// Name of the axis, as in the measured files.
    pub fn axis_name(self) -> &'static str {
        match self {
            Table::Three => "preference",
            Table::Four => "stack_dim",
        }
    }

    /// The axis in words.
    pub fn axis_title(self) -> &'static str {
        match self {
            Table::Three => "on-chip memory preference",
            Table::Four => "second dimension",
        }
    }

    fn axis_values(self) -> Vec<Axis> {
        match self {
            Table::Three => [Preference::Shared, Preference::Equal, Preference::L1]
                .map(Axis::Preference)
                .to_vec(),
            Table::Four => (2..=6).map(Axis::StackDim).collect(),
        }
    }

    fn threads(self) -> Vec<u32> {
        match self {
            Table::Three => WIDE_BLOCKS.to_vec(),
            Table::Four => NARROW_BLOCKS.into_iter().chain(WIDE_BLOCKS).collect(),
        }
    }
}

impl Axis {
    /// As in the measured files.
    pub fn value(self) -> String {
        match self {
            Axis::Preference(Preference::Shared) => "shared".into(),
            Axis::Preference(Preference::Equal) => "equal".into(),
            Axis::Preference(Preference::L1) => "l1".into(),
            Axis::StackDim(size) => size.to_string(),
        }
    }
}

impl Cell {
    /// Values of kind `fitted` were chosen on the sextic cells; all other cells are held out.
    pub fn split(&self) -> Split {
        if self.problem == FITTED_PROBLEM {
            Split::Fitted
        } else {
            Split::HeldOut
        }
    }

    /// What to launch for this cell.
    pub fn configuration(&self) -> Configuration {
        let (stack_dim, l1_kib) = match self.axis {
            Axis::Preference(Preference::Shared) => (1, 16),
            Axis::Preference(Preference::Equal) => (1, 32),
            Axis::Preference(Preference::L1) => (1, 48),
            Axis::StackDim(size) => (size, 48),
        };
        Configuration {
            problem: self.problem.clone(),
            kernel: "rpn".into(),
            stack_dim,
            threads_per_block: self.threads_per_block,
            l1_bytes: l1_kib * 1024,
        }
    }

    /// A name for messages and tables.
    pub fn label(&self) -> String {
        let axis = self.axis.value();
        let name = self.table.axis_name();
        format!("{} threads, {name} {axis}", self.threads_per_block)
    }
}

/// All cells of one problem in a table, in the paper's order.
pub fn cells(table: Table, problem: &str) -> Vec<Cell> {
    let axis_values = table.axis_values();
    let cell = |threads_per_block, axis| Cell {
        table,
        problem: problem.to_string(),
        threads_per_block,
        axis,
    };
    table
        .threads()
        .into_iter()
        .flat_map(|threads| axis_values.iter().map(move |axis| cell(threads, *axis)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_papers_number_of_cells() {
        assert_eq!(cells(Table::Three, "sextic").len(), 24);
        assert_eq!(cells(Table::Four, "sextic").len(), 55);
    }

    #[test]
    fn a_cell_names_its_launch() {
        let cell = &cells(Table::Three, "sextic")[1];
        let configuration = cell.configuration();
        assert_eq!(cell.label(), "128 threads, preference equal");
        assert_eq!(
            (configuration.stack_dim, configuration.l1_bytes),
            (1, 32768)
        );
        let last = cells(Table::Four, "sextic").pop().unwrap().configuration();
        assert_eq!(
            (last.stack_dim, last.threads_per_block, last.l1_bytes),
            (6, 1024, 49152)
        );
    }
}
