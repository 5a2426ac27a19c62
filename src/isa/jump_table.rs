//! Targets of indirect branches, read from the compiler's jump tables.
//!
//! Models: `LDC Rt, c[bank][Ri + table]` followed by `BRX Rt -offset`; a table ends where the next one
//! starts, or at the first entry that is not an instruction or is the kernel's entry, where nothing jumps: the zeros that pad a bank. Leaves out: targets computed otherwise.
//! Units: bytes. Sources: disassemblies of ptxas 11.8.

use super::kernel::Kernel;
use super::op::Op;
use super::operand::{Place, RZ};

/// A table's constant bank and byte offset.
type Table = (u8, u32);

/// Fills in the targets of every indirect branch. Where the disassembler noted some, they may be fewer than the table
/// has: it knows only those with a label.
pub fn resolve(kernel: &mut Kernel) {
    let tables = indexed_tables(kernel);
    for index in 0..kernel.instructions.len() {
        let branch = &kernel.instructions[index];
        if branch.op != Op::Brx {
            continue;
        }
        if let Some(table) = table_of(kernel, index) {
            let found = entries(kernel, index, table, &tables);
            let noted = &mut kernel.instructions[index].indirect_targets;
            if noted.iter().all(|target| found.contains(target)) {
                *noted = found;
            }
        }
    }
}

/// The table that a constant load reads, when it is indexed.
fn table_read(kernel: &Kernel, index: usize) -> Option<Table> {
    let load = &kernel.instructions[index];
    match load.sources.first()?.place {
        Place::Const {
            bank,
            index,
            offset,
        } if load.op == Op::Ldc && index != RZ => Some((bank, offset as u32)),
        _ => None,
    }
}

fn indexed_tables(kernel: &Kernel) -> Vec<Table> {
    (0..kernel.instructions.len())
        .filter_map(|index| table_read(kernel, index))
        .collect()
}

/// The table that the branch's register was last loaded from.
fn table_of(kernel: &Kernel, branch: usize) -> Option<Table> {
    let register = kernel.instructions[branch].memory?.base;
    let load = (0..branch)
        .rev()
        .find(|&at| kernel.instructions[at].writes().contains(&register))?;
    table_read(kernel, load)
}

fn entries(kernel: &Kernel, branch: usize, table: Table, tables: &[Table]) -> Vec<u32> {
    let Some(bytes) = kernel.constants.get(&table.0) else {
        return Vec::new();
    };
    let next_table = tables
        .iter()
        .filter(|other| other.0 == table.0 && other.1 > table.1);
    let end = next_table
        .map(|other| other.1 as usize)
        .min()
        .unwrap_or(bytes.len());
    let words = bytes
        .get(table.1 as usize..end.min(bytes.len()))
        .unwrap_or_default();
    let targets = words.chunks_exact(4).map(|word| {
        let entry = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        kernel.instructions[branch].indirect_target(entry)
    });
    let mut targets: Vec<u32> = targets
        .take_while(|&pc| kernel.index_of(pc).is_some_and(|index| index > 0))
        .collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}
