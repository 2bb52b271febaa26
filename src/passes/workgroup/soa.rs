//! Private objects that live across barriers as structures of arrays: first the first elements of all items, then the second
//! ones. Items side by side that look at one element, whichever it is, then look at neighbours.
//!
//! That is done to small arrays of elements of one size (`elements`) that are not copied whole. Offset `o` of an item is
//! `o * items + item * size`: offsets are multiplied where they are added, and the object begins one element further for
//! each item.

use super::super::private_arrays::Elements;
use crate::ir::{Def, Function, InstId, Op};
use crate::support::FastMap;

/// Bytes of an object: items that go one by one find their elements far apart.
const MOST_BYTES: u64 = 256;
/// Elements that are filled one by one.
const MOST_FILLED: u64 = 32;

/// Objects in this form, and how they are used.
#[derive(Default)]
pub(super) struct Objects {
    /// The bytes of an element, by the alloca.
    elements: FastMap<InstId, u32>,
    /// The alloca to the address in it that an instruction adds to, fills, or reads or writes.
    reached: FastMap<InstId, InstId>,
}

impl Objects {
    /// The bytes of an element of an object that has this form.
    pub(super) fn element(&self, alloca: InstId) -> Option<u32> {
        self.elements.get(&alloca).copied()
    }

    /// The alloca of the object that an instruction uses.
    pub(super) fn reached(&self, id: InstId) -> Option<InstId> {
        self.reached.get(&id).copied()
    }

    /// Finds them among allocas, which are in order.
    pub(super) fn find(func: &Function, allocas: &[InstId]) -> Objects {
        let mut objects = Objects::default();
        let is_small = |&id: &InstId| {
            let (size, align) = func.insts[id].size_align();
            size <= MOST_BYTES && align <= 16
        };
        if !allocas.iter().any(is_small) {
            return objects;
        }
        let alloca_of = |object| match func.values[object].def {
            Def::Inst(id) => id,
            Def::Param(..) => unreachable!("an alloca makes it"),
        };
        let mut found = Elements::find(func, &func.layout);
        found.retain(|object, uses| {
            let id = alloca_of(object);
            let fills = uses.filled / u64::from(uses.element());
            allocas.binary_search(&id).is_ok() && is_small(&id) && !uses.is_copied && fills <= MOST_FILLED
        });
        for (&id, inst) in
            func.layout.iter().flat_map(|&block| &func.blocks[block].insts).map(|id| (id, &func.insts[*id]))
        {
            let Some(object) = inst.args.first().and_then(|&pointer| found.object(pointer)) else { continue };
            if matches!(inst.op, Op::PtrAdd | Op::MemZero | Op::Load | Op::Store) {
                let alloca = alloca_of(object);
                objects.reached.insert(id, alloca);
                objects.elements.extend(found.element(object).map(|element| (alloca, element)));
            }
        }
        objects
    }
}
