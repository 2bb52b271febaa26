//! Turns private arrays that only ever hold their initializers, such as `const int dx[4] = {0, 1, 0, -1}` in a kernel,
//! into constant variables of the program. These take no memory of each work-item, no stores, and lookups in them can
//! be permutations of registers (`gather::table_lookup`).
//!
//! An array qualifies if all that is stored in it are constants at constant offsets in one block, all loads follow
//! these stores, and its address is used for nothing else.

use grus_ir::analysis::{Analyses, Cfg, DomTree};
use grus_ir::{
    Attr, Block, FuncId, Function, Global, GlobalId, GlobalSpace, Inst, InstId, Kind, Linkage, Module, Op,
    Type, Value,
};
use grus_support::{FastMap, FastSet};

use super::constant_memory::bytes_at;

/// Size in bytes of the largest array.
// Arbitrary.
const MAX_BYTES: u64 = 64 << 10;

/// Turns such arrays of a function into constant variables. Returns whether there were any.
pub(super) fn run(module: &mut Module, id: FuncId) -> bool {
    let func = &module.funcs[id];
    if !func.instructions().any(|inst| inst.op == Op::Alloca) {
        return false;
    }
    let mut analyses = Analyses::default();
    let arrays = Arrays::of(func, module, &analyses.cfg(func));
    if !arrays.all.iter().any(Array::holds_constants) {
        return false;
    }
    let arrays = arrays.initialized(&analyses.dominators(func));
    for array in &arrays {
        let name = format!("{}.constant.{}", module.funcs[id].name, module.globals.len());
        let variable = module.globals.push(Global {
            name,
            linkage: Linkage::Internal,
            is_defined: true,
            space: GlobalSpace::Constant,
            size: array.bytes.len() as u64,
            align: array.align.into(),
            init: array.bytes.clone(),
            relocs: Vec::new(),
        });
        array.replace(&mut module.funcs[id], variable);
    }
    !arrays.is_empty()
}

/// A place in a function: the position of an instruction in its block.
#[derive(Clone, Copy)]
struct Position {
    block: Block,
    index: usize,
}

/// An array of constants, as far as it is known.
struct Array {
    alloca: InstId,
    align: u32,
    /// Contents after all stores.
    bytes: Vec<u8>,
    stores: Vec<InstId>,
    /// Block of the stores, and the last of them.
    written: Option<Position>,
    loads: Vec<Position>,
    /// Additions to the address.
    derived: Vec<InstId>,
    is_indexed: bool,
    is_other: bool,
}

/// Private arrays of a function, and the pointers into them with their offsets, where these are constant.
struct Arrays {
    all: Vec<Array>,
    pointers: FastMap<Value, (usize, Option<u64>)>,
}

impl Arrays {
    /// Follows the addresses of all arrays. Definitions come before their uses in reverse postorder.
    fn of(func: &Function, module: &Module, cfg: &Cfg) -> Arrays {
        let mut arrays = Arrays { all: Vec::new(), pointers: FastMap::default() };
        for &block in cfg.rpo() {
            for (index, &id) in func.blocks[block].insts.iter().enumerate() {
                arrays.visit(func, module, id, Position { block, index });
            }
        }
        arrays
    }

    fn visit(&mut self, func: &Function, module: &Module, id: InstId, at: Position) {
        let inst = &func.insts[id];
        if inst.op == Op::Alloca {
            self.add(inst, id);
            return;
        }
        let uses = inst.args.iter().chain(inst.targets.iter().flat_map(|target| &target.args));
        for (operand, value) in uses.enumerate() {
            let Some(&(array, offset)) = self.pointers.get(value) else { continue };
            let is_first = operand == 0;
            match inst.op {
                Op::PtrAdd if is_first && !inst.ty.is_vector() => {
                    self.add_offset(func, inst, id, array, offset)
                }
                Op::Load if is_first && !inst.is_volatile() => {
                    self.all[array].is_indexed |= offset.is_none();
                    self.all[array].loads.push(at);
                }
                Op::Store | Op::MemZero | Op::MemCopy if is_first && !inst.is_volatile() => {
                    let bytes = written_bytes(func, module, inst);
                    self.all[array].write(id, at, offset.zip(bytes));
                }
                _ => self.all[array].is_other = true,
            }
        }
    }

    fn add(&mut self, inst: &Inst, id: InstId) {
        let (size, align) = inst.size_align();
        if size > MAX_BYTES {
            return;
        }
        let Some(result) = inst.result else { return };
        self.pointers.insert(result, (self.all.len(), Some(0)));
        self.all.push(Array {
            alloca: id,
            align,
            bytes: vec![0; size as usize],
            stores: Vec::new(),
            written: None,
            loads: Vec::new(),
            derived: Vec::new(),
            is_indexed: false,
            is_other: false,
        });
    }

    fn add_offset(&mut self, func: &Function, inst: &Inst, id: InstId, array: usize, offset: Option<u64>) {
        let Some(result) = inst.result else { return };
        let more = func.as_const(inst.args[1]);
        self.all[array].derived.push(id);
        self.pointers
            .insert(result, (array, offset.zip(more).map(|(offset, more)| offset.wrapping_add(more))));
    }

    /// Returns the arrays that hold constants only, and are read behind the stores of them.
    fn initialized(self, dominators: &DomTree) -> Vec<Array> {
        let is_behind = |at: &Position, written: Position| {
            if at.block == written.block {
                at.index > written.index
            } else {
                dominators.dominates(written.block, at.block)
            }
        };
        let is_initialized = |array: &Array| {
            let is_read_behind = |written| array.loads.iter().all(|at| is_behind(at, written));
            array.holds_constants() && array.written.is_some_and(is_read_behind)
        };
        self.all.into_iter().filter(is_initialized).collect()
    }
}

impl Array {
    /// Checks whether only constants are stored, and the array is not a mere collection of variables, which become
    /// registers.
    fn holds_constants(&self) -> bool {
        self.is_indexed && !self.is_other
    }

    /// Notes a store of known bytes at a known offset, if it is one.
    fn write(&mut self, id: InstId, at: Position, known: Option<(u64, Vec<u8>)>) {
        let is_elsewhere = self.written.is_some_and(|written| written.block != at.block);
        let target = known.and_then(|(offset, bytes)| {
            let start = usize::try_from(offset).ok()?;
            Some((self.bytes.get_mut(start..start.checked_add(bytes.len())?)?, bytes))
        });
        match target {
            Some((target, bytes)) if !is_elsewhere => target.copy_from_slice(&bytes),
            _ => self.is_other = true,
        }
        self.stores.push(id);
        self.written = Some(at);
    }

    /// Replaces the array by a variable.
    fn replace(&self, func: &mut Function, variable: GlobalId) {
        let alloca = &mut func.insts[self.alloca];
        (alloca.op, alloca.attr) = (Op::GlobalAddr, Attr::Global(variable));
        for &id in self.derived.iter().chain([&self.alloca]) {
            func.insts[id].ty = Type::CONSTANT;
            if let Some(result) = func.insts[id].result {
                func.values[result].ty = Type::CONSTANT;
            }
        }
        let Some(written) = self.written else { return };
        let stores: FastSet<InstId> = self.stores.iter().copied().collect();
        func.blocks[written.block].insts.retain(|id| !stores.contains(id));
    }
}

/// Returns the bytes that an instruction writes to memory, if they are constant.
fn written_bytes(func: &Function, module: &Module, inst: &Inst) -> Option<Vec<u8>> {
    match inst.op {
        Op::Store => constant_bytes(func, inst.args[1]),
        Op::MemZero => {
            Some(inst.size_align().0).filter(|&size| size <= MAX_BYTES).map(|size| vec![0; size as usize])
        }
        Op::MemCopy => bytes_at(func, module, inst.args[1], inst.size_align().0),
        _ => None,
    }
}

/// Returns the bytes of a constant number or vector of numbers.
fn constant_bytes(func: &Function, value: Value) -> Option<Vec<u8>> {
    let inst = func.def_inst(value)?;
    let size = inst.ty.kind.bytes() as usize;
    match inst.op {
        Op::Iconst | Op::Fconst if inst.ty.kind != Kind::I1 => {
            Some(inst.int().to_le_bytes()[..size].to_vec())
        }
        Op::Splat => Some(constant_bytes(func, inst.args[0])?.repeat(inst.ty.lanes.into())),
        Op::BuildVector => {
            let lanes: Option<Vec<Vec<u8>>> =
                inst.args.iter().map(|&lane| constant_bytes(func, lane)).collect();
            Some(lanes?.concat())
        }
        _ => None,
    }
}
