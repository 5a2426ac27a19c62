//! Which cells the paper's tables have, and the configuration behind each.
//!
//! Leaves out: the measured values (`measured.rs`), so that predicting a table needs none of them.
//! Units: threads per block, bytes.
//! Source: Chitty's Tables 3, 4 and 7 to 10. All but 3 and 7 were measured with a preference for the L1.

use super::compare::CellSplit;
use crate::gp::problem::PAPER;
use crate::systems::options::LaunchOptions;
use crate::util::names::listed;

listed! {
    /// A table of the paper.
    pub enum Table {
        /// Postfix programs, one-dimensional stack: threads per block x preference of the on-chip memory.
        Three,
        /// Postfix programs, two-dimensional stack: threads per block x size of the second dimension.
        Four,
        /// Linear programs, one-dimensional stack, as Table 3.
        Seven,
        /// Linear programs, two-dimensional stack, as Table 4.
        Eight,
        /// Linear programs, vector data types: threads per block x type.
        Nine,
        /// Linear programs, float4 and stack levels in registers: threads per block x levels.
        Ten,
    }
}

/// Parameter that a table varies besides threads per block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    Preference(Preference),
    StackDim(u32),
    /// `float2` to `float4`, by the number of elements.
    DataType(u32),
    StackRegisters(u32),
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
pub const PROBLEMS: [&str; 4] = [
    PAPER[0].name(),
    PAPER[1].name(),
    PAPER[2].name(),
    PAPER[3].name(),
];

/// The cells that fitted values were chosen on; see the sources in the device preset.
const FITTED_PROBLEM: &str = "sextic";
const FITTED_THREADS: [u32; 2] = [128, 512];
const FITTED_TABLES: [Table; 2] = [Table::Three, Table::Four];

const WIDE_BLOCKS: [u32; 8] = [128, 256, 384, 512, 640, 768, 896, 1024];
const NARROW_BLOCKS: [u32; 3] = [32, 64, 96];
/// Elements of float4.
const WIDEST_VECTOR: u32 = 4;

impl Table {
    pub fn number(self) -> u32 {
        match self {
            Table::Three => 3,
            Table::Four => 4,
            Table::Seven => 7,
            Table::Eight => 8,
            Table::Nine => 9,
            Table::Ten => 10,
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
            Table::Three | Table::Seven => "preference",
            Table::Four | Table::Eight => "stack_dim",
            Table::Nine => "data_type",
            Table::Ten => "stack_registers",
        }
    }

    /// The axis in words.
    pub fn axis_title(self) -> &'static str {
        match self {
            Table::Three | Table::Seven => "on-chip memory preference",
            Table::Four | Table::Eight => "second dimension",
            Table::Nine => "data type",
            Table::Ten => "stack levels in registers",
        }
    }

    fn kernel(self) -> &'static str {
        match self {
            Table::Three | Table::Four => "rpn",
            Table::Seven | Table::Eight => "lgp",
            Table::Nine => "lgp-vector",
            Table::Ten => "lgp-registers",
        }
    }

    fn axis_values(self) -> Vec<Axis> {
        match self {
            Table::Three | Table::Seven => [Preference::Shared, Preference::Equal, Preference::L1]
                .map(Axis::Preference)
                .to_vec(),
            Table::Four | Table::Eight => (2..=6).map(Axis::StackDim).collect(),
            Table::Nine => (2..=WIDEST_VECTOR).map(Axis::DataType).collect(),
            Table::Ten => (1..=4).map(Axis::StackRegisters).collect(),
        }
    }

    fn threads(self) -> Vec<u32> {
        match self {
            Table::Three | Table::Seven => WIDE_BLOCKS.to_vec(),
            _ => NARROW_BLOCKS.into_iter().chain(WIDE_BLOCKS).collect(),
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
            Axis::DataType(elements) => format!("float{elements}"),
            Axis::StackRegisters(levels) => levels.to_string(),
        }
    }
}

impl Cell {
    /// Values of kind `fitted` were chosen on some cells; all others are held out.
    pub fn split(&self) -> CellSplit {
        let fitted = self.problem == FITTED_PROBLEM
            && FITTED_TABLES.contains(&self.table)
            && FITTED_THREADS.contains(&self.threads_per_block);
        if fitted {
            CellSplit::Fitted
        } else {
            CellSplit::HeldOut
        }
    }

    /// Returns the launch options of this cell.
    pub fn options(&self) -> LaunchOptions {
        let l1_kib = match self.axis {
            Axis::Preference(Preference::Shared) => 16,
            Axis::Preference(Preference::Equal) => 32,
            _ => 48,
        };
        let (stack_dim, stack_registers) = match self.axis {
            Axis::Preference(_) => (1, 0),
            Axis::StackDim(size) | Axis::DataType(size) => (size, 0),
            Axis::StackRegisters(levels) => (WIDEST_VECTOR, levels),
        };
        LaunchOptions {
            problem: Some(self.problem.clone()),
            stack_dim: Some(stack_dim),
            stack_registers: Some(stack_registers),
            threads_per_block: Some(self.threads_per_block),
            l1_kib: Some(l1_kib),
            ..LaunchOptions::of(self.table.kernel())
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
        let n_cells = |table| cells(table, "sextic").len();
        assert_eq!(Table::ALL.map(n_cells), [24, 55, 24, 55, 33, 44]);
    }

    #[test]
    fn a_cell_names_its_launch() {
        let cell = &cells(Table::Three, "sextic")[1];
        let launch = cell.options();
        assert_eq!(cell.label(), "128 threads, preference equal");
        assert_eq!((launch.stack_dim, launch.l1_kib), (Some(1), Some(32)));
        let last = |table| cells(table, "sextic").pop().unwrap().options();
        let four = last(Table::Four);
        assert_eq!(
            (four.stack_dim, four.threads_per_block, four.l1_kib),
            (Some(6), Some(1024), Some(48))
        );
        let ten = last(Table::Ten);
        assert_eq!((ten.stack_dim, ten.stack_registers), (Some(4), Some(4)));
        assert_eq!(ten.kernel, "lgp-registers");
        assert_eq!(last(Table::Nine).stack_dim, Some(4));
    }

    #[test]
    fn all_tables_have_940_cells() {
        let n_cells = |table| PROBLEMS.map(|problem| cells(table, problem).len());
        let all = Table::ALL.map(|table| n_cells(table).iter().sum::<usize>());
        assert_eq!(all.iter().sum::<usize>(), 940);
    }

    #[test]
    fn sixteen_sextic_cells_of_tables_3_and_4_are_fitted_and_no_others() {
        let of_table = |table| PROBLEMS.map(|problem| cells(table, problem)).concat();
        let mut fitted = Table::ALL.map(of_table).concat();
        fitted.retain(|cell| cell.split() == CellSplit::Fitted);
        assert_eq!(fitted.len(), 16);
        let blocks = fitted.iter().map(|cell| cell.threads_per_block);
        assert!({ blocks }.all(|threads| [128, 512].contains(&threads)));
        assert!(fitted.iter().all(|cell| cell.problem == "sextic"));
    }

    #[test]
    fn every_cell_of_every_table_has_a_kernel() {
        use crate::systems::registry::configure;
        use crate::systems::settings::Settings;
        let device = crate::device::Preset::load("gtx670").unwrap().device;
        for problem in &PAPER {
            let of_table = |table: Table| cells(table, problem.name());
            for cell in Table::ALL.into_iter().flat_map(of_table) {
                let found = configure(&cell.options(), &device, &Settings::default());
                assert!(found.is_ok(), "{problem} {}: {found:?}", cell.label());
            }
        }
    }
}
