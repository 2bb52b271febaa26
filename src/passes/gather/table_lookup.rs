//! Turns gathers from small constant tables, such as `constant float t[16]` at an index of each lane, into `permute`
//! of the table, which is kept in vector registers. A permutation takes one to four instructions, a gather one load
//! for each lane.
//!
//! The index of a permutation is taken modulo the entries. An active lane's index is within the table, or the kernel's
//! behavior is undefined; inactive lanes select the other operand.

use super::super::constant_memory::{bits_of, contents, variable_address};
use super::super::pass_manager::PassContext;
use super::super::scalar::replace::rewrite;
use grus_ir::interp::signed;
use grus_ir::{Attr, Block, Builder, Function, GlobalId, Inst, Kind, Module, Op, Type, Value};
use grus_support::target::{Backend, Features};

/// Number of registers that a table may fill, without and with mask registers: `permute` looks up two registers by two
/// instructions and a selection with AVX2, by one instruction with AVX-512.
// Source: tables of 16 to 256 entries on an EPYC (Zen 4), 2026-12-01, took 0.17 to 0.56 of the time of gathers.
const MAX_REGISTERS: [usize; 2] = [2, 4];

/// Number of entries of the largest table, which are bytes.
// Source: four registers of 64 bytes.
const MAX_ENTRIES: u64 = 256;
/// Bits of an index that determine its entry.
const INDEX_BITS: u32 = MAX_ENTRIES.trailing_zeros();

/// Size of a variable in bytes beyond which it is not taken for a table; it may hold several.
// Arbitrary.
const MAX_VARIABLE_BYTES: u64 = 4096;

/// Contents of constant variables, in the order of their ids.
pub type ConstantTables = Vec<(GlobalId, Vec<u8>)>;

/// Returns the contents of the constant variables of a module that may be tables and that functions refer to.
pub fn tables<'f>(module: &Module, functions: impl Iterator<Item = &'f Function>) -> ConstantTables {
    let insts = functions.flat_map(Function::instructions);
    let mut used: Vec<GlobalId> = insts.filter(|inst| inst.op == Op::GlobalAddr).map(Inst::global).collect();
    used.sort_unstable();
    used.dedup();
    let small = |id: &GlobalId| module.globals[*id].size <= MAX_VARIABLE_BYTES;
    used.into_iter()
        .filter(small)
        .filter_map(|id| Some((id, contents(&module.globals[id])?.into_owned())))
        .collect()
}

/// Runs the pass for AVX-512.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let tables = context.module.map(|module| tables(module, std::iter::once(&*func))).unwrap_or_default();
    run_for(func, &tables, Backend::Avx512)
}

/// Runs the pass for a backend.
pub fn run_for(func: &mut Function, tables: &ConstantTables, backend: Backend) -> bool {
    if tables.is_empty() || backend == Backend::Cranelift {
        return false;
    }
    let is_gather = |inst: &Inst| inst.op == Op::GatherAt && !inst.scaled_mem().0.volatile;
    let write = |func: &mut Function, block, inst: &Inst| {
        let table = Table::find(func, tables, inst)?.in_registers(backend)?;
        Some(table.look_up(func, block, inst))
    };
    rewrite(func, is_gather, write)
}

/// Entries of a constant table that a gather may read, and the index of each lane.
struct Table {
    kind: Kind,
    /// Bits of the entries; their number is a power of two.
    entries: Vec<u64>,
    index: Value,
}

impl Table {
    /// Returns the table from which an instruction gathers.
    fn find(func: &Function, tables: &ConstantTables, inst: &Inst) -> Option<Table> {
        let kind = inst.ty.kind;
        if !matches!(kind, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 | Kind::F32 | Kind::F64) {
            return None;
        }
        let (bytes, mut start) = table_at(func, tables, inst.args[0])?;
        let (mut index, mut step) = (inst.args[1], i64::from(inst.scaled_mem().1));
        while let Some((rest, more, factor)) = affine_term(func, index) {
            start = start.checked_add(step.checked_mul(more)?)?;
            step = step.checked_mul(factor)?;
            index = rest;
        }
        let size = i64::from(kind.bytes());
        let last = bytes.len() as i64 - size;
        if step <= 0 || last < 0 {
            return None;
        }
        // Indices of entries, of which no two are equal modulo their number.
        let first = start.div_euclid(step).checked_neg()?;
        let end = last.checked_sub(start)?.div_euclid(step) + 1;
        let count = u64::try_from(end.checked_sub(first)?).ok()?.checked_next_power_of_two()?;
        if !(2..=MAX_ENTRIES).contains(&count) {
            return None;
        }
        let mut entries = vec![0; count as usize];
        for number in first..end {
            let at = (start + number * step) as usize;
            entries[number.rem_euclid(count as i64) as usize] = bits_of(&bytes[at..at + size as usize]);
        }
        // Bits above those that determine the entry do not matter.
        while let Some(inst) = func.def_inst(index) {
            let keeps_all =
                || func.as_const_of_lanes(inst.args[1]).is_some_and(|mask| mask & (count - 1) == count - 1);
            match inst.op {
                Op::And if keeps_all() => index = inst.args[0],
                Op::Trunc => index = inst.args[0],
                _ => break,
            }
        }
        Some(Table { kind, entries, index })
    }

    /// Repeats the table until it fills a register of a backend, so that instructions take an index modulo its entries.
    /// Returns `None` if it takes too many registers.
    fn in_registers(mut self, backend: Backend) -> Option<Table> {
        // Elements are widened to those that the machine permutes.
        let narrowest = match backend {
            Backend::Avx512 if Features::host().vbmi => 1,
            Backend::Avx512 | Backend::Avx512Base => 2,
            _ => 4,
        };
        let lanes = (backend.register() / self.kind.bytes().max(narrowest)) as usize;
        if self.entries.len() > lanes * MAX_REGISTERS[usize::from(backend.has_masks())] {
            return None;
        }
        while self.entries.len() < lanes {
            self.entries.extend_from_within(..);
        }
        Some(self)
    }

    /// Writes the lookup at the end of a block.
    fn look_up(&self, func: &mut Function, block: Block, inst: &Inst) -> Value {
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        let entries: Vec<Value> =
            self.entries.iter().map(|&bits| b.constant(Type::scalar(self.kind), bits)).collect();
        let ty = Type::vector(self.kind, entries.len() as u16);
        let table = b.value(Op::BuildVector, ty, &entries, Attr::None);
        let mut index = self.index;
        if b.func.ty(index).kind.bits() < 32 {
            index = b.convert(Op::Zext, Type { kind: Kind::I32, ..b.func.ty(index) }, index);
        }
        let found = b.value(Op::Permute, inst.ty, &[table, index], Attr::None);
        let (mask, other) = (inst.args[2], inst.args[3]);
        if b.func.as_const_of_lanes(mask) == Some(1) { found } else { b.select(mask, found, other) }
    }
}

/// Returns the contents of the table in which an address lies, and the offset of the address.
fn table_at<'t>(func: &Function, tables: &'t ConstantTables, address: Value) -> Option<(&'t [u8], i64)> {
    let (variable, offset) = variable_address(func, address)?;
    let at = tables.binary_search_by_key(&variable, |&(id, _)| id).ok()?;
    Some((&tables[at].1, offset))
}

/// Splits an index into another one times a factor plus a constant: returns that index, the constant and the factor.
/// The result may differ from the index in bits above those that determine an entry.
fn affine_term(func: &Function, index: Value) -> Option<(Value, i64, i64)> {
    let inst = func.def_inst(index)?;
    let bits = inst.ty.kind.bits();
    let by = || Some(signed(bits, func.as_const_of_lanes(*inst.args.get(1)?)?));
    match inst.op {
        Op::Iadd => Some((inst.args[0], by()?, 1)),
        Op::Shl => {
            let count = u32::try_from(by()?).ok().filter(|&count| count <= bits - INDEX_BITS)?;
            Some((inst.args[0], 0, 1 << count))
        }
        Op::Imul => {
            let factor = by().filter(|&factor| factor > 0)? as u64;
            let is_shift = factor.is_power_of_two() && factor.trailing_zeros() <= bits - INDEX_BITS;
            let is_small = || largest(func, inst.args[0])?.checked_mul(factor)?.checked_shr(bits - 1);
            (is_shift || inst.no_wrap().signed || is_small() == Some(0)).then_some((
                inst.args[0],
                0,
                factor as i64,
            ))
        }
        Op::Zext | Op::Sext if func.ty(inst.args[0]).kind.bits() >= INDEX_BITS => Some((inst.args[0], 0, 1)),
        _ => None,
    }
}

/// Returns a bound of an index that is masked, or was extended from fewer bits.
fn largest(func: &Function, index: Value) -> Option<u64> {
    let inst = func.def_inst(index)?;
    match inst.op {
        Op::And => func.as_const_of_lanes(inst.args[1]),
        Op::Zext => Some((1 << func.ty(inst.args[0]).kind.bits()) - 1),
        _ => None,
    }
}
