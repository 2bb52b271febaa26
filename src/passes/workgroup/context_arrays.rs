//! Context arrays: what lives across a barrier, one element for each work-item.
//!
//! The arrays of elements that are a multiple of [`AREA_ALIGN`] long come first, one after
//! the other; those of small elements follow, each as long as the group rounded up, so that
//! all begin aligned. The address of an array is then two operations on values that all
//! arrays share: kernels with hundreds of barriers do not keep hundreds of addresses.

use crate::ir::abi::AREA_ALIGN;
use crate::ir::{Builder, Op, Type, Value};

/// Bytes that one work-item takes in all arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextSize {
    /// In arrays of large elements.
    pub large: u64,
    /// In arrays of small ones.
    pub small: u64,
}

impl ContextSize {
    /// Bytes for a group of `items`.
    pub fn bytes(&self, items: u64) -> u64 {
        self.large * items + self.small * items.next_multiple_of(AREA_ALIGN)
    }
}

/// One array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    is_large: bool,
    /// What one item takes in the arrays before it.
    before: u64,
    /// Bytes of an element.
    stride: u64,
}

impl Array {
    /// The same memory as several arrays of such elements, one behind the other.
    pub(super) fn with_elements(self, bytes: u64) -> Array {
        Array { stride: bytes, ..self }
    }

    /// As many elements as each of those has.
    pub(super) fn items(self) -> ArrayBase {
        if self.is_large { ArrayBase::Items } else { ArrayBase::Rounded }
    }
}

/// The arrays of a kernel.
#[derive(Default)]
pub(super) struct Arrays {
    pub size: ContextSize,
}

/// What the addresses of all arrays are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ArrayBase {
    /// Where the arrays of large elements begin, and those of small ones.
    Large,
    Small,
    /// Items of the group, and the same rounded up.
    Items,
    Rounded,
}

/// Emits the address behind all arrays, which begin at `start`.
pub(super) fn end(b: &mut Builder<'_>, size: ContextSize, start: Value, items: Value) -> Value {
    let small = after(b, start, items, size.large);
    let rounded = rounded(b, items);
    after(b, small, rounded, size.small)
}

pub(super) fn after(b: &mut Builder<'_>, start: Value, items: Value, size: u64) -> Value {
    let size = b.iconst(Type::I64, size);
    let bytes = b.same(Op::Imul, &[items, size]);
    b.ptr_add(start, bytes)
}

/// `items` as a multiple of the alignment.
pub(super) fn rounded(b: &mut Builder<'_>, items: Value) -> Value {
    let more = b.iconst(Type::I64, AREA_ALIGN - 1);
    let more = b.same(Op::Iadd, &[items, more]);
    let mask = b.iconst(Type::I64, !(AREA_ALIGN - 1));
    b.same(Op::And, &[more, mask])
}

impl Arrays {
    /// A new array of elements of `size` bytes.
    pub(super) fn add(&mut self, size: u64) -> Array {
        let is_large = size >= AREA_ALIGN;
        let total = if is_large { &mut self.size.large } else { &mut self.size.small };
        let stride = if is_large { size.next_multiple_of(AREA_ALIGN) } else { size.max(1) };
        let before = *total;
        *total += stride;
        Array { is_large, before, stride }
    }

    /// The address of element `index`; `part` gives what all addresses are made of.
    pub(super) fn element(
        b: &mut Builder<'_>,
        array: Array,
        index: Value,
        part: impl Fn(ArrayBase) -> Value,
    ) -> Value {
        let base = if array.is_large { ArrayBase::Large } else { ArrayBase::Small };
        let start = if array.before == 0 {
            part(base)
        } else {
            let before = b.iconst(Type::I64, array.before);
            let offset = b.same(Op::Imul, &[part(array.items()), before]);
            b.ptr_add(part(base), offset)
        };
        let stride = b.iconst(Type::I64, array.stride);
        let bytes = b.same(Op::Imul, &[index, stride]);
        b.ptr_add(start, bytes)
    }

    /// What addresses in an array are made of.
    pub(super) fn parts(array: Array) -> impl Iterator<Item = ArrayBase> {
        let base = if array.is_large { ArrayBase::Large } else { ArrayBase::Small };
        [base, array.items()].into_iter().take(if array.before == 0 { 1 } else { 2 })
    }
}
