//! What is the same for all items of a group and made outside of their loop: arguments, sizes, addresses.

use super::calls;
use super::context_arrays::{self, Array, ArrayBase, Arrays};
use super::storage_plan::{PrivateObject, Slot, StoragePlan};
use crate::ir::abi::{Param, RangeFacts, item, offset};
use crate::ir::{Block, Builder, Function, Mem, Op, Query, Type, Value};
use crate::support::FastMap;

/// A value that bodies of regions take as a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// An argument of the kernel.
    Argument(u32, Type),
    /// What has one answer for the group.
    Query(Query, u8),
    /// The global id of the group's first item.
    Base(u8),
    /// That of the running one.
    GlobalId(u8),
    /// Of a `local` variable, by its offset.
    Local(u64),
    /// A place in the private area.
    Area(u64),
    /// An object there.
    Object(PrivateObject),
    /// What addresses in context arrays are made of.
    Arrays(ArrayBase),
    /// The address of a slot.
    Slot(Slot),
    /// What a slot held when the region began.
    Before(Slot, Type),
    /// Room for the operands of a helper.
    Words,
    /// The record of where the running item is, for functions that stay calls.
    Item,
}

/// Makes roots at the start of a function that gets the group's context.
pub(super) struct Prologue<'a> {
    /// Ends without a terminator as long as roots are added.
    pub entry: Block,
    pub context: Value,
    params: &'a [Param],
    arrays: &'a Arrays,
    range: RangeFacts,
    slots: Slots<'a>,
    /// Bytes of private objects; the arrays follow.
    area: u64,
    /// Items that run side by side at most.
    lanes: u64,
    made: FastMap<Root, Value>,
}

/// Where slots are.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a> {
    pub sizes: &'a [u64],
    /// In the private area from here on, shared by several functions; else on the stack of the one there is.
    pub shared_at: Option<u64>,
}

/// Each slot in the private area takes so much.
pub(super) const SLOT: u64 = 128;

/// Operands that a helper finds in memory, at most.
const WORDS: u64 = 9;

impl<'a> Prologue<'a> {
    /// Of a function that has an entry block with the context as its parameter.
    pub(super) fn new(
        func: &Function,
        params: &'a [Param],
        plan: &'a StoragePlan,
        slots: Slots<'a>,
        area: u64,
        lanes: u64,
    ) -> Prologue<'a> {
        let (entry, context) = (func.entry(), func.params()[0]);
        let (arrays, range) = (&plan.arrays, plan.range);
        Prologue { entry, context, params, arrays, range, slots, area, lanes, made: FastMap::default() }
    }

    /// The value of a root that is the same for all items, and was when the group began.
    pub(super) fn value(&mut self, func: &mut Function, root: Root) -> Value {
        if let Some(&value) = self.made.get(&root) {
            return value;
        }
        let value = self.make(func, root);
        self.made.insert(root, value);
        value
    }

    /// The address of an element of a context array.
    pub(super) fn element(&mut self, b: &mut Builder<'_>, array: Array, index: Value) -> Value {
        let parts: Vec<_> =
            Arrays::parts(array).map(|part| (part, self.value(b.func, Root::Arrays(part)))).collect();
        let value = |wanted| parts.iter().find(|(part, _)| *part == wanted).expect("listed by `parts`").1;
        Arrays::element(b, array, index, value)
    }

    fn make(&mut self, func: &mut Function, root: Root) -> Value {
        let (entry, context) = (self.entry, self.context);
        let b = &mut Builder::new(func, entry);
        match root {
            Root::Argument(index, ty) => argument(b, context, self.params[index as usize], ty),
            Root::Query(query, dim) => match self.range.query(query, dim) {
                Some(known) => b.iconst(Type::I64, known),
                None => calls::uniform(b, context, query, dim),
            },
            Root::Base(dim) => calls::load(b, Type::I64, context, offset::BASE + 8 * u64::from(dim)),
            Root::Local(at) => {
                let local = calls::load(b, Type::LOCAL, context, offset::LOCAL);
                b.ptr_offset(local, at)
            }
            Root::Area(at) => {
                let area = calls::load(b, Type::PRIVATE, context, offset::PRIVATE);
                b.ptr_offset(area, at)
            }
            // Each lane has one.
            Root::Object(object) => self.value(func, Root::Area(object.before * self.lanes)),
            Root::Slot(slot) => match self.slots.shared_at {
                Some(start) => self.value(func, Root::Area(start + SLOT * u64::from(slot.0))),
                None => {
                    let size = self.slots.sizes[slot.0 as usize];
                    b.alloca(size, size.next_power_of_two() as u32)
                }
            },
            Root::Arrays(part) => self.part(func, part),
            Root::Words => b.alloca(8 * WORDS, 8),
            Root::Before(..) => unreachable!("is read where the region begins"),
            Root::GlobalId(_) => unreachable!("is the item's"),
            Root::Item => {
                let record = b.alloca(item::SIZE, 8);
                let place = b.ptr_offset(context, offset::ITEM);
                b.store(record, place, Mem::natural(Type::I64));
                record
            }
        }
    }

    fn part(&mut self, func: &mut Function, part: ArrayBase) -> Value {
        let entry = self.entry;
        match part {
            ArrayBase::Items => {
                let [x, y, z] = [0, 1, 2].map(|dim| self.value(func, Root::Query(Query::LocalSize, dim)));
                let b = &mut Builder::new(func, entry);
                let plane = b.same(Op::Imul, &[x, y]);
                b.same(Op::Imul, &[plane, z])
            }
            ArrayBase::Rounded => {
                let items = self.value(func, Root::Arrays(ArrayBase::Items));
                context_arrays::rounded(&mut Builder::new(func, entry), items)
            }
            ArrayBase::Large => self.value(func, Root::Area(self.area)),
            ArrayBase::Small => {
                let large = self.value(func, Root::Arrays(ArrayBase::Large));
                let items = self.value(func, Root::Arrays(ArrayBase::Items));
                context_arrays::after(&mut Builder::new(func, entry), large, items, self.arrays.size.large)
            }
        }
    }
}

/// A kernel argument.
fn argument(b: &mut Builder<'_>, context: Value, param: Param, ty: Type) -> Value {
    let args = calls::load(b, Type::CONSTANT, context, offset::ARGS);
    match param {
        Param::Value(at) => {
            let ptr = b.ptr_offset(args, u64::from(at));
            b.load(ty, ptr, Mem::natural(ty))
        }
        Param::Struct(at) => {
            let ptr = b.ptr_offset(args, u64::from(at));
            b.convert(Op::Bitcast, ty, ptr)
        }
        Param::Local(at) => {
            let within = calls::load(b, Type::I64, args, u64::from(at));
            let local = calls::load(b, Type::LOCAL, context, offset::LOCAL);
            b.ptr_add(local, within)
        }
    }
}

/// The type of a root.
pub(super) fn type_of(root: Root) -> Type {
    match root {
        Root::Argument(_, ty) | Root::Before(_, ty) => ty,
        Root::Query(Query::WorkDim, _) => Type::I32,
        Root::Query(..)
        | Root::Base(_)
        | Root::GlobalId(_)
        | Root::Arrays(ArrayBase::Items | ArrayBase::Rounded) => Type::I64,
        Root::Local(_) => Type::LOCAL,
        Root::Area(_)
        | Root::Object(_)
        | Root::Slot(_)
        | Root::Item
        | Root::Words
        | Root::Arrays(ArrayBase::Large | ArrayBase::Small) => Type::PRIVATE,
    }
}
