//! Text tables in one look: a rule under the headers, nothing else.
//!
//! Leaves out: colours and wrapping, so that output is the same in a file. Units: given by the headers.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));

/// Characters of a line that fits every terminal.
pub const WIDTH: usize = 80;

/// A text in lines of at most `width` characters where its words allow it, the first `indent` further in, the others at least 4.
pub fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                *line += " ";
                *line += word;
            }
            _ => {
                let indent = if lines.is_empty() {
                    indent
                } else {
                    indent.max(4)
                };
                lines.push(" ".repeat(indent) + word);
            }
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// A table with `headers`; columns from `first_number` on are aligned to the right.
pub fn table(headers: &[&str], rows: Vec<Vec<String>>, first_number: usize) -> String {
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(headers);
    table.add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        if index >= first_number {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}
