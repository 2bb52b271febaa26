//! Structure-of-arrays layout of private objects that live across barriers: the first elements of all
//! work-items come first, then the second ones. Consecutive work-items that access the same element then
//! access consecutive memory, whichever element it is.
//!
//! The layout is used for small arrays of elements of one size (`private_arrays::PrivateArrays`) that are not
//! copied as a whole. Offset `o` of a work-item becomes `o * items + item * size`: offsets are multiplied
//! where they are added, and the object begins one element further for each work-item.

use super::super::private_arrays::PrivateArrays;
use grus_ir::{Def, Function, InstId, Op};
use grus_support::FastMap;

/// Maximum size of an object in bytes. Scalar code finds the elements of larger ones far apart.
// Arbitrary.
const MAX_OBJECT_BYTES: u64 = 256;
/// Maximum number of elements that are filled one by one.
// Arbitrary.
const MAX_FILLED_ELEMENTS: u64 = 32;

/// Objects in this layout, and the instructions that use them.
#[derive(Default)]
pub(super) struct Objects {
    /// Size of an element in bytes, by the object's alloca.
    elements: FastMap<InstId, u32>,
    /// Allocas of objects by the instructions that compute addresses in them, fill, load or store.
    accessed_object: FastMap<InstId, InstId>,
}

impl Objects {
    /// Returns the size of an element of an object in bytes if it has this layout.
    pub(super) fn element(&self, alloca: InstId) -> Option<u32> {
        self.elements.get(&alloca).copied()
    }

    /// Returns the alloca of the object that an instruction uses.
    pub(super) fn accessed_object(&self, id: InstId) -> Option<InstId> {
        self.accessed_object.get(&id).copied()
    }

    /// Finds the objects among `allocas`, which are sorted.
    pub(super) fn find(func: &Function, allocas: &[InstId]) -> Objects {
        let mut objects = Objects::default();
        let is_small = |&id: &InstId| {
            let (size, align) = func.insts[id].size_align();
            size <= MAX_OBJECT_BYTES && align <= 16
        };
        if !allocas.iter().any(is_small) {
            return objects;
        }
        let alloca_of = |object| match func.values[object].def {
            Def::Inst(id) => id,
            Def::Param(..) => unreachable!("an alloca makes it"),
        };
        let mut found = PrivateArrays::find(func, &func.layout);
        found.retain(|object, uses| {
            let id = alloca_of(object);
            let fills = uses.filled / u64::from(uses.element());
            allocas.binary_search(&id).is_ok()
                && is_small(&id)
                && !uses.is_copied
                && fills <= MAX_FILLED_ELEMENTS
        });
        for (&id, inst) in
            func.layout.iter().flat_map(|&block| &func.blocks[block].insts).map(|id| (id, &func.insts[*id]))
        {
            let Some(object) = inst.args.first().and_then(|&pointer| found.object(pointer)) else { continue };
            if matches!(inst.op, Op::PtrAdd | Op::MemZero | Op::Load | Op::Store) {
                let alloca = alloca_of(object);
                objects.accessed_object.insert(id, alloca);
                objects.elements.extend(found.element(object).map(|element| (alloca, element)));
            }
        }
        objects
    }
}
