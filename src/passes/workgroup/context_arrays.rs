//! Context arrays: values that live across a barrier, one element for each work-item.
//!
//! The arrays whose elements are a multiple of [`AREA_ALIGN`] bytes come first; those of small elements
//! follow, each as long as the group size rounded up, so that all arrays are aligned, and that the elements of a
//! work-item do not all fall into the same few sets of a cache. The address of an array takes two operations on
//! values that all arrays share, so a kernel with hundreds of barriers does not keep hundreds of addresses.

use grus_ir::abi::AREA_ALIGN;
use grus_ir::group_code::ContextSize;
use grus_ir::{Builder, Op, Type, Value};

/// One context array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    is_large: bool,
    /// Bytes of one work-item in the arrays before this one.
    before: u64,
    /// Size of an element in bytes.
    stride: u64,
}

impl Array {
    /// Returns the same memory as consecutive arrays of elements of this size.
    pub(super) fn with_elements(self, bytes: u64) -> Array {
        Array { stride: bytes, ..self }
    }

    /// Returns the number of elements.
    pub(super) fn items(self) -> ArrayBase {
        if self.is_large { ArrayBase::Items } else { ArrayBase::Rounded }
    }
}

/// Context arrays of a kernel.
#[derive(Default)]
pub(super) struct Arrays {
    pub size: ContextSize,
}

/// Values from which the addresses of all arrays are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ArrayBase {
    /// Start of the arrays of large elements, and of those of small ones.
    Large,
    Small,
    /// Number of work-items in the group, and the same rounded up.
    Items,
    Rounded,
}

/// Emits the end address of the arrays that begin at `start`.
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

/// Rounds `items` up to an odd multiple of the alignment, like [`ContextSize::rounded`].
pub(super) fn rounded(b: &mut Builder<'_>, items: Value) -> Value {
    let more = b.iconst(Type::I64, AREA_ALIGN - 1);
    let more = b.same(Op::Iadd, &[items, more]);
    let mask = b.iconst(Type::I64, !(AREA_ALIGN - 1));
    let multiple = b.same(Op::And, &[more, mask]);
    let odd = b.iconst(Type::I64, AREA_ALIGN);
    b.same(Op::Or, &[multiple, odd])
}

impl Arrays {
    /// Adds an array of elements of `size` bytes.
    pub(super) fn add(&mut self, size: u64) -> Array {
        let is_large = size >= AREA_ALIGN;
        let total = if is_large { &mut self.size.large } else { &mut self.size.small };
        let stride = if is_large { size.next_multiple_of(AREA_ALIGN) } else { size.max(1) };
        let before = *total;
        *total += stride;
        Array { is_large, before, stride }
    }

    /// Emits the address of element `index`; `part` returns the shared values.
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

    /// Returns the shared values that addresses in an array are computed from.
    pub(super) fn parts(array: Array) -> impl Iterator<Item = ArrayBase> {
        let base = if array.is_large { ArrayBase::Large } else { ArrayBase::Small };
        [base, array.items()].into_iter().take(if array.before == 0 { 1 } else { 2 })
    }
}
