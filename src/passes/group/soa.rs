//! Private objects that live across barriers as structures of arrays: first the first elements of all items, then the second
//! ones. Items side by side that look at one element, whichever it is, then look at neighbours.
//!
//! That is done where only loads, stores and fills with zeros reach an object, all of them of elements of one size, and all
//! offsets are multiples of that size. Then offset `o` of an item is `o * items + item * size`: offsets are multiplied where
//! they are added, and the object begins one element further for each item.

use crate::ir::{Function, Inst, InstId, Op, Value};
use crate::support::{FastMap, IdMap};

/// Bytes of an object: items that go one by one find their elements far apart.
const MOST_BYTES: u64 = 256;
/// Elements that are filled one by one.
const MOST_FILLED: u64 = 32;
/// Operations that an offset is followed through.
const DEPTH: u32 = 8;

/// What an object's uses are.
#[derive(Clone, Copy)]
struct Uses {
    /// What loads and stores move.
    element: Option<u64>,
    is_other: bool,
}

/// Objects in this form, and how they are used.
#[derive(Default)]
pub(super) struct Objects {
    /// The bytes of an element, by the alloca.
    elements: FastMap<InstId, u64>,
    /// Where offsets are added to addresses in them.
    steps: FastMap<InstId, InstId>,
    /// Where they are filled with zeros.
    fills: FastMap<InstId, InstId>,
}

impl Objects {
    /// The bytes of an element of an object that has this form.
    pub(super) fn element(&self, alloca: InstId) -> Option<u64> {
        self.elements.get(&alloca).copied()
    }

    /// The alloca of the object to an address in which an instruction adds an offset.
    pub(super) fn step(&self, id: InstId) -> Option<InstId> {
        self.steps.get(&id).copied()
    }

    /// The alloca of the object that an instruction fills.
    pub(super) fn fill(&self, id: InstId) -> Option<InstId> {
        self.fills.get(&id).copied()
    }

    /// Finds them among allocas. Definitions come before their uses in the order of blocks.
    pub(super) fn find(func: &Function, allocas: &[InstId]) -> Objects {
        let mut objects = Objects::default();
        let mut uses: FastMap<InstId, Uses> = FastMap::default();
        for &id in allocas {
            let (size, align) = func.insts[id].size_align();
            if size <= MOST_BYTES && align <= 16 {
                uses.insert(id, Uses { element: None, is_other: false });
            }
        }
        if uses.is_empty() {
            return objects;
        }
        let mut root: IdMap<Value, Option<InstId>> = IdMap::with_len(None, func.values.len());
        let instructions = || func.layout.iter().flat_map(|&block| &func.blocks[block].insts).copied();
        for id in instructions() {
            let inst = &func.insts[id];
            if let Some(result) = inst.result {
                root[result] = match inst.op {
                    Op::Alloca => uses.contains_key(&id).then_some(id),
                    Op::PtrAdd => root[inst.args[0]],
                    _ => None,
                };
            }
            for (at, arg) in inst.uses().enumerate() {
                let Some(uses) = root[arg].and_then(|alloca| uses.get_mut(&alloca)) else { continue };
                uses.note(func, inst, at);
            }
        }
        uses.retain(|_, uses| uses.element.is_some_and(u64::is_power_of_two) && !uses.is_other);
        // Offsets and fills are judged once elements are known.
        for id in instructions() {
            let inst = &func.insts[id];
            let of = inst.args.first().and_then(|&pointer| root[pointer]);
            let Some((alloca, element)) = of.and_then(|of| Some((of, uses.get(&of)?.element?))) else {
                continue;
            };
            let fits = match inst.op {
                Op::PtrAdd => is_multiple(func, inst.args[1], element, DEPTH),
                Op::MemZero => {
                    let size = inst.size_align().0;
                    size.is_multiple_of(element) && size / element <= MOST_FILLED
                }
                _ => true,
            };
            if !fits {
                uses.remove(&alloca);
            }
        }
        for id in instructions() {
            let inst = &func.insts[id];
            let of = inst.args.first().and_then(|&pointer| root[pointer]);
            let Some(alloca) = of.filter(|of| uses.contains_key(of)) else { continue };
            match inst.op {
                Op::PtrAdd => drop(objects.steps.insert(id, alloca)),
                Op::MemZero => drop(objects.fills.insert(id, alloca)),
                _ => {}
            }
        }
        objects.elements = uses.into_iter().filter_map(|(id, uses)| Some((id, uses.element?))).collect();
        objects
    }
}

impl Uses {
    /// Takes note of an instruction that has an address of the object as this operand.
    fn note(&mut self, func: &Function, inst: &Inst, operand: usize) {
        let moved = match (inst.op, operand) {
            (Op::Load, 0) => inst.ty,
            (Op::Store, 0) => func.ty(inst.args[1]),
            (Op::PtrAdd | Op::MemZero, 0) => return,
            _ => {
                self.is_other = true;
                return;
            }
        };
        let size = u64::from(moved.bytes());
        self.is_other |= inst.is_volatile() || self.element.is_some_and(|element| element != size);
        self.element = Some(size);
    }
}

/// Whether a number is visibly a multiple of a power of two.
fn is_multiple(func: &Function, value: Value, of: u64, depth: u32) -> bool {
    if let Some(constant) = func.as_const(value) {
        return constant.is_multiple_of(of);
    }
    let Some(inst) = func.def_inst(value).filter(|_| depth > 0) else { return of == 1 };
    let is = |at: usize| is_multiple(func, inst.args[at], of, depth - 1);
    match inst.op {
        Op::Iadd | Op::Isub => is(0) && is(1),
        Op::Imul => is(0) || is(1),
        Op::Shl => func.as_const(inst.args[1]).is_some_and(|by| by < 64 && of >> by <= 1) || is(0),
        Op::Sext | Op::Zext => is(0),
        _ => of == 1,
    }
}
