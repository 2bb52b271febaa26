//! Work-group invariants: inputs of region bodies that are uniform in the group and computed before the
//! work-item loop, such as arguments, sizes and addresses.

use super::calls;
use super::context_arrays::{self, Array, ArrayBase, Arrays};
use super::storage_plan::{PrivateObject, Slot, StoragePlan};
use grus_ir::abi::{Param, RangeFacts, item, offset};
use grus_ir::{Block, Builder, Function, Mem, Op, Query, Type, Value};
use grus_support::FastMap;

/// A value that region bodies take as a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum BodyInput {
    /// An argument of the kernel.
    Argument(u32, Type),
    /// Result of a uniform query.
    Query(Query, u8),
    /// Global id of the group's first work-item in a dimension.
    Base(u8),
    /// Global id of the running work-item in a dimension.
    GlobalId(u8),
    /// Address of a `local` variable, by its offset.
    Local(u64),
    /// Address in the private area, by its offset.
    Area(u64),
    /// Address of an object in the private area.
    Object(PrivateObject),
    /// A value that addresses in context arrays are computed from.
    Arrays(ArrayBase),
    /// The address of a slot.
    Slot(Slot),
    /// Value of a slot at the start of the region.
    SlotAtStart(Slot, Type),
    /// Address of a buffer for the operands of a helper.
    HelperOperands,
    /// Address of the running work-item's item record, for functions that are not inlined.
    Item,
}

/// Emits inputs in the entry block of a function whose parameter is the group's context.
pub(super) struct Prologue<'a> {
    /// Entry block, which has no terminator while inputs are being added.
    pub entry: Block,
    pub context: Value,
    params: &'a [Param],
    arrays: &'a Arrays,
    range: RangeFacts,
    slots: Slots<'a>,
    /// Size of the private objects in bytes; the context arrays follow.
    area: u64,
    /// Maximum number of work-items in a vector.
    lanes: u64,
    emitted: FastMap<BodyInput, Value>,
}

/// Location of the slots.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a> {
    pub sizes: &'a [u64],
    /// Offset of the slots in the private area if several functions share them; none if they are on the stack
    /// of the only function.
    pub shared_at: Option<u64>,
}

/// Size of a slot in the private area in bytes, that of the largest value.
pub(super) const SLOT_BYTES: u64 = 128;

/// Maximum number of operands that a helper reads from memory.
// Source: `async_rect` has nine operands.
const MAX_HELPER_OPERANDS: u64 = 9;

impl<'a> Prologue<'a> {
    /// Returns a prologue for a function whose entry block has the context as its parameter.
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
        Prologue { entry, context, params, arrays, range, slots, area, lanes, emitted: FastMap::default() }
    }

    /// Returns an input that does not depend on the work-item.
    pub(super) fn value(&mut self, func: &mut Function, input: BodyInput) -> Value {
        if let Some(&value) = self.emitted.get(&input) {
            return value;
        }
        let value = self.emit(func, input);
        self.emitted.insert(input, value);
        value
    }

    /// Emits the address of an element of a context array.
    pub(super) fn element(&mut self, b: &mut Builder<'_>, array: Array, index: Value) -> Value {
        let parts: Vec<_> = Arrays::parts(array)
            .map(|base_value| (base_value, self.value(b.func, BodyInput::Arrays(base_value))))
            .collect();
        let value =
            |wanted| parts.iter().find(|(base_value, _)| *base_value == wanted).expect("listed by `parts`").1;
        Arrays::element(b, array, index, value)
    }

    fn emit(&mut self, func: &mut Function, input: BodyInput) -> Value {
        let (entry, context) = (self.entry, self.context);
        let b = &mut Builder::new(func, entry);
        match input {
            BodyInput::Argument(index, ty) => argument(b, context, self.params[index as usize], ty),
            BodyInput::Query(query, dim) => match self.range.query(query, dim) {
                Some(known) => b.iconst(Type::I64, known),
                None => calls::uniform(b, context, query, dim),
            },
            BodyInput::Base(dim) => calls::load(b, Type::I64, context, offset::BASE + 8 * u64::from(dim)),
            BodyInput::Local(at) => {
                let local = calls::load(b, Type::LOCAL, context, offset::LOCAL);
                b.ptr_offset(local, at)
            }
            BodyInput::Area(at) => {
                let area = calls::load(b, Type::PRIVATE, context, offset::PRIVATE);
                b.ptr_offset(area, at)
            }
            // The object is replicated for each lane.
            BodyInput::Object(object) => self.value(func, BodyInput::Area(object.before * self.lanes)),
            BodyInput::Slot(slot) => match self.slots.shared_at {
                Some(start) => self.value(func, BodyInput::Area(start + SLOT_BYTES * u64::from(slot.0))),
                None => {
                    let size = self.slots.sizes[slot.0 as usize];
                    b.alloca(size, size.next_power_of_two() as u32)
                }
            },
            BodyInput::Arrays(base_value) => self.base_value(func, base_value),
            BodyInput::HelperOperands => b.alloca(8 * MAX_HELPER_OPERANDS, 8),
            BodyInput::SlotAtStart(..) => unreachable!("is read where the region begins"),
            BodyInput::GlobalId(_) => unreachable!("is the item's"),
            BodyInput::Item => {
                let record = b.alloca(item::SIZE, 8);
                let address = b.ptr_offset(context, offset::ITEM);
                b.store(record, address, Mem::natural(Type::I64));
                record
            }
        }
    }

    fn base_value(&mut self, func: &mut Function, base_value: ArrayBase) -> Value {
        let entry = self.entry;
        match base_value {
            ArrayBase::Items => {
                let [x, y, z] =
                    [0, 1, 2].map(|dim| self.value(func, BodyInput::Query(Query::LocalSize, dim)));
                let b = &mut Builder::new(func, entry);
                let plane = b.same(Op::Imul, &[x, y]);
                b.same(Op::Imul, &[plane, z])
            }
            ArrayBase::Rounded => {
                let items = self.value(func, BodyInput::Arrays(ArrayBase::Items));
                context_arrays::rounded(&mut Builder::new(func, entry), items)
            }
            ArrayBase::Large => self.value(func, BodyInput::Area(self.area)),
            ArrayBase::Small => {
                let large = self.value(func, BodyInput::Arrays(ArrayBase::Large));
                let items = self.value(func, BodyInput::Arrays(ArrayBase::Items));
                context_arrays::after(&mut Builder::new(func, entry), large, items, self.arrays.size.large)
            }
        }
    }
}

/// Emits the load of a kernel argument.
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

/// Returns the type of an input.
pub(super) fn type_of(input: BodyInput) -> Type {
    match input {
        BodyInput::Argument(_, ty) | BodyInput::SlotAtStart(_, ty) => ty,
        BodyInput::Query(Query::WorkDim, _) => Type::I32,
        BodyInput::Query(..)
        | BodyInput::Base(_)
        | BodyInput::GlobalId(_)
        | BodyInput::Arrays(ArrayBase::Items | ArrayBase::Rounded) => Type::I64,
        BodyInput::Local(_) => Type::LOCAL,
        BodyInput::Area(_)
        | BodyInput::Object(_)
        | BodyInput::Slot(_)
        | BodyInput::Item
        | BodyInput::HelperOperands
        | BodyInput::Arrays(ArrayBase::Large | ArrayBase::Small) => Type::PRIVATE,
    }
}
