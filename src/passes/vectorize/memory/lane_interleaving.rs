//! Private arrays interleaved by lane (array of structures of arrays): an element of one lane is adjacent to
//! the same element of the other lanes, so that an access with a uniform index is contiguous.
//!
//! This is done for arrays whose elements have one size (`private_arrays`). Offset `o` of a lane becomes `o *
//! lanes + lane * size`: here offsets are multiplied; `divergence` gives the address of the object the element
//! size as its step. Fills and copies become stores of elements. Other objects stay contiguous per lane, one
//! lane after the other (`inst`).

use super::super::scalarize::AccessGroups;
use crate::private_arrays::{PrivateArrays, access_type};
use grus_ir::analysis::Cfg;
use grus_ir::{Attr, Block, Builder, Function, InstId, IntCond, Mem, Op, Type, Value};

/// Interleaves objects where possible for this many lanes. Their accesses are no longer parts of vector
/// accesses.
pub(in crate::vectorize) fn run(
    func: &mut Function,
    cfg: &Cfg,
    groups: &mut AccessGroups,
    lanes: u16,
) -> PrivateArrays {
    let mut interleaved = PrivateArrays::find(func, cfg.rpo());
    interleaved.retain(|_, uses| uses.are_scalars);
    if !interleaved.is_empty() {
        let mut writer =
            InterleavingRewriter { b: Builder::new(func, Block(0)), into: &mut interleaved, groups, lanes };
        cfg.rpo().iter().for_each(|&block| writer.block(block));
    }
    interleaved
}

/// Rewriter of the accesses to interleaved objects.
struct InterleavingRewriter<'f, 'i> {
    b: Builder<'f>,
    into: &'i mut PrivateArrays,
    groups: &'i mut AccessGroups,
    lanes: u16,
}

impl InterleavingRewriter<'_, '_> {
    fn block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.b.func.blocks[block].insts);
        self.b.switch_to(block);
        for id in insts {
            self.inst(id);
        }
    }

    fn inst(&mut self, id: InstId) {
        let inst = &self.b.func.insts[id];
        self.b.loc = inst.loc;
        let (op, args) = (inst.op, inst.args.clone());
        let element = |i: usize| args.get(i).and_then(|&arg| self.into.element_at(arg));
        let size = match (element(0), op, element(1)) {
            (Some(size), _, _) | (None, Op::MemCopy, Some(size)) => size,
            _ => {
                self.push(id);
                return;
            }
        };
        match op {
            Op::PtrAdd => {
                let ty = self.b.func.ty(args[1]);
                let shift = self.b.iconst(ty, self.lanes.trailing_zeros().into());
                let offset = self.b.same(Op::Shl, &[args[1], shift]);
                self.b.func.insts[id].args[1] = offset;
                self.push(id);
            }
            Op::Load | Op::Store => {
                if let Attr::Mem(mem) = &mut self.b.func.insts[id].attr {
                    mem.align = mem.align.min(size);
                }
                self.groups.remove(id);
                self.push(id);
            }
            Op::MemZero => self.for_each_element(id, size, &args, |writer, at| {
                let zero = writer.b.zero(access_type(size));
                writer.b.store(zero, at[0], Mem::natural(access_type(size)));
            }),
            Op::MemCopy => {
                let align = self.b.func.insts[id].size_align().1.min(size);
                let mem = Mem::aligned(align);
                self.for_each_element(id, size, &args, |writer, at| {
                    let moved = writer.b.load(access_type(size), at[1], mem);
                    writer.b.store(moved, at[0], mem);
                });
            }
            _ => self.push(id),
        }
    }

    fn push(&mut self, id: InstId) {
        let block = self.b.block;
        self.b.func.blocks[block].insts.push(id);
    }

    /// Emits a fill or a copy element by element: unrolled if there are few elements, else as a loop.
    fn for_each_element(
        &mut self,
        id: InstId,
        size: u32,
        pointers: &[Value],
        mut each: impl FnMut(&mut Self, &[Value]),
    ) {
        // Arbitrary.
        const MAX_UNROLLED_ELEMENTS: u64 = 16;
        let count = self.b.func.insts[id].size_align().0 / u64::from(size);
        if count <= MAX_UNROLLED_ELEMENTS {
            for number in 0..count {
                let number = self.b.iconst(Type::I64, number);
                let at = self.elements(pointers, size, number);
                each(self, &at);
            }
            return;
        }
        let (header, body, after) =
            (self.b.func.add_block(), self.b.func.add_block(), self.b.func.add_block());
        let number = self.b.func.add_param(header, Type::I64);
        let zero = self.b.iconst(Type::I64, 0);
        self.b.jump(header, &[zero]);
        self.b.switch_to(header);
        let end = self.b.iconst(Type::I64, count);
        let is_over = self.b.icmp(IntCond::Uge, number, end);
        self.b.br_if(is_over, after, body);
        self.b.switch_to(body);
        let at = self.elements(pointers, size, number);
        each(self, &at);
        let one = self.b.iconst(Type::I64, 1);
        let next = self.b.same(Op::Iadd, &[number, one]);
        self.b.jump(header, &[next]);
        self.b.switch_to(after);
    }

    /// Returns the addresses of an element, given its number.
    fn elements(&mut self, pointers: &[Value], size: u32, number: Value) -> Vec<Value> {
        let mut found = Vec::new();
        for &pointer in pointers {
            let object = self.into.object(pointer);
            let step = u64::from(size) * if object.is_some() { u64::from(self.lanes) } else { 1 };
            let shift = self.b.iconst(Type::I64, step.trailing_zeros().into());
            let offset = self.b.same(Op::Shl, &[number, shift]);
            let at = self.b.ptr_add(pointer, offset);
            if let Some(object) = object {
                self.into.add(at, object);
            }
            found.push(at);
        }
        found
    }
}
