//! Targets of indirect branches, read from the compiler's jump tables.
//!
//! Models: `LDC Rt, c[bank][Ri + table]` followed by `BRX Rt -offset`; a table ends at the start of the next one, or at the
//! first entry that is not an instruction or is the kernel's entry, which is never a target: the zeros that pad a bank.
//! Leaves out: targets computed otherwise.
//! Units: bytes.
//! Sources: disassemblies of ptxas 11.8.

use super::family::Family;
use super::instruction::Instruction;
use super::op::Op;
use super::operand::{Place, RZ};
use std::collections::HashMap;

/// Constant bank and byte offset of a table.
type Table = (u8, u32);

/// Fills in the targets of every indirect branch, read from the constant banks. The targets noted by the disassembler may be
/// fewer than those of the table: it knows only those with a label.
pub fn resolve(instructions: &mut [Instruction], constants: &HashMap<u8, Vec<u8>>, family: Family) {
    let tables: Vec<Table> = instructions.iter().filter_map(table_read).collect();
    for index in 0..instructions.len() {
        let branch = &instructions[index];
        if branch.op != Op::Brx {
            continue;
        }
        if let Some(table) = table_of(instructions, index) {
            let words = entries(constants, table, &tables);
            let targets = words.map(|entry| branch.indirect_target(entry));
            let is_instruction = |pc: &u32| {
                let index = family.index_of(instructions, *pc);
                index.is_some_and(|index| index > 0)
            };
            let mut found: Vec<u32> = targets.take_while(is_instruction).collect();
            found.sort_unstable();
            found.dedup();
            let noted = &mut instructions[index].indirect_targets;
            if noted.iter().all(|target| found.contains(target)) {
                *noted = found;
            }
        }
    }
}

/// Returns the table that an indexed constant load reads.
fn table_read(load: &Instruction) -> Option<Table> {
    match load.sources.first()?.place {
        Place::Const {
            bank,
            index,
            offset,
        } if load.op == Op::Ldc && index != RZ => Some((bank, offset as u32)),
        _ => None,
    }
}

/// Returns the table from which the branch's register was last loaded.
fn table_of(instructions: &[Instruction], branch: usize) -> Option<Table> {
    let register = instructions[branch].memory?.base;
    let mut before = instructions[..branch].iter().rev();
    table_read(before.find(|load| load.writes().contains(&register))?)
}

/// Words of a table, up to the next one.
fn entries<'a>(
    constants: &'a HashMap<u8, Vec<u8>>,
    table: Table,
    tables: &[Table],
) -> impl Iterator<Item = u32> + use<'a> {
    let bytes = constants.get(&table.0).map_or(&[][..], Vec::as_slice);
    let next_table = tables
        .iter()
        .filter(|other| other.0 == table.0 && other.1 > table.1);
    let end = next_table.map(|other| other.1 as usize).min();
    let end = end.unwrap_or(bytes.len()).min(bytes.len());
    let words = bytes.get(table.1 as usize..end).unwrap_or_default();
    let words = words.chunks_exact(4);
    words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}
